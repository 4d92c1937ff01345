import { useMay } from "@/api/teams/session";
import { HomePage } from "@/features/home/HomePage";
import { ButtonLink } from "@/ui/links/ButtonLink";

export function HomeRoute() {
  const mayAsk = useMay("plans.ask");
  const mayUpload = useMay("measurements.write");
  const mayRead = useMay("plans.read");
  return (
    <HomePage
      actions={
        <>
          {mayAsk && <ButtonLink to="/plans/new">New plan</ButtonLink>}
          {mayUpload && (
            <ButtonLink to="/benchmarks/upload" variant="default">
              Upload benchmark results
            </ButtonLink>
          )}
          {!mayAsk && mayRead && <ButtonLink to="/plans">Saved plans</ButtonLink>}
        </>
      }
    />
  );
}
