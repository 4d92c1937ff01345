import { useDocumentTitle } from "@mantine/hooks";
import { useMay } from "@/api/teams/session";
import { Delivery } from "@/features/inbox/Delivery";
import { AlertAddresses } from "@/features/measurements/changes/AlertAddresses";
import { NotFound } from "@/ui/links/NotFound";

export function AlertsRoute() {
  useDocumentTitle("Alerts · Stowage");
  const owns = useMay("team.write");
  if (!useMay("team.read")) return <NotFound />;
  return (
    <div className="page" style={{ maxWidth: 1080 }}>
      <section className="card" aria-labelledby="alerts">
        <h1 id="alerts" className="heading">
          Alerts
        </h1>
        <h2>Your notifications</h2>
        <Delivery />
      </section>
      {owns && (
        <section className="card" aria-labelledby="team-addresses">
          <h2 id="team-addresses">Addresses of the team</h2>
          <p style={{ margin: "4px 0 8px" }}>
            Mail addresses and webhooks that get every change of your benchmark results and of watched plans at once.
          </p>
          <AlertAddresses />
        </section>
      )}
    </div>
  );
}
