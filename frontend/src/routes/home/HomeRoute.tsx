import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { HomePage } from "@/features/home/HomePage";
import { choiceFromDocument, searchOf } from "@/features/plan/workload/choice";
import { ExampleTeamLink } from "@/routes/layout/ExampleTeam";
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
      start={<ExampleTeamLink to="/">Look at the example team</ExampleTeamLink>}
      linkTo={
        mayAsk
          ? ({ title, workload }) => (
              <Link to="/plans/new" search={searchOf(choiceFromDocument(workload).choice)}>
                {title}
              </Link>
            )
          : undefined
      }
    />
  );
}
