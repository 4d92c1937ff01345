import { useNavigate, useParams } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { WatchesTab } from "@/features/watches/WatchesTab";
import { WatchPage } from "@/features/watches/WatchPage";
import { useAddress } from "@/routes/useAddress";
import { NotFound } from "@/ui/links/NotFound";
import { RunsTabs } from "./RunsTabs";

export function WatchesRoute() {
  const address = useAddress("/runs/volumes");
  const navigate = useNavigate({ from: "/runs/volumes" });
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <WatchesTab
        {...address}
        onAdded={(watchId) => void navigate({ to: "/runs/volumes/$watchId", params: { watchId } })}
      />
    </RunsTabs>
  );
}

export function WatchRoute() {
  const { watchId } = useParams({ from: "/runs/volumes/$watchId" });
  const address = useAddress("/runs/volumes/$watchId");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <WatchPage id={watchId} {...address} />
    </RunsTabs>
  );
}
