import { useDocumentTitle } from "@mantine/hooks";
import { useMay } from "@/api/teams/session";
import { AlertAddresses } from "@/features/measurements/changes/AlertAddresses";
import { NotFound } from "@/ui/links/NotFound";

export function AlertsRoute() {
  useDocumentTitle("Alerts · Stowage");
  if (!useMay("team.write")) return <NotFound />;
  return (
    <section className="card page" style={{ maxWidth: 1080 }} aria-labelledby="alerts">
      <h1 id="alerts" className="heading">
        Alerts
      </h1>
      <p style={{ margin: 0 }}>
        An alert reports a change of your benchmark results or of the answer of a watched plan. All addresses below get
        every alert of the team.
      </p>
      <AlertAddresses />
    </section>
  );
}
