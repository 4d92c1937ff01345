import { useNavigate, useParams } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { WatchesTab } from "@/features/watches/WatchesTab";
import { WatchPage } from "@/features/watches/WatchPage";
import { useAddress } from "@/routes/useAddress";
import { NotFound } from "@/ui/links/NotFound";

export function WatchesRoute() {
  const address = useAddress("/benchmarks/monitored");
  const navigate = useNavigate({ from: "/benchmarks/monitored" });
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <div className="page">
      <WatchesTab
        {...address}
        onAdded={(watchId) => void navigate({ to: "/benchmarks/monitored/$watchId", params: { watchId } })}
      />
    </div>
  );
}

export function WatchRoute() {
  const { watchId } = useParams({ from: "/benchmarks/monitored/$watchId" });
  const address = useAddress("/benchmarks/monitored/$watchId");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <div className="page">
      <WatchPage id={watchId} {...address} />
    </div>
  );
}
