import { useNavigate } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { NewRunPage } from "@/features/runs/newRun/NewRunPage";
import { NeedsRole } from "@/routes/layout/NeedsRole";
import { useAddress } from "@/routes/useAddress";

export function NewRunRoute() {
  const address = useAddress("/benchmarks/runs/new");
  const navigate = useNavigate({ from: "/benchmarks/runs/new" });
  if (!useMay("runs.write")) return <NeedsRole to="start a run" needs="contributor" />;
  return (
    <NewRunPage
      {...address}
      onStarted={(runId) => void navigate({ to: "/benchmarks/runs/$runId", params: { runId }, search: {} })}
    />
  );
}
