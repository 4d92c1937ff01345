import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { NewRunPage } from "@/features/runs/newRun/NewRunPage";
import { NeedsRole } from "@/routes/layout/NeedsRole";

export function NewRunRoute() {
  const search = useSearch({ from: "/runs/new" });
  const navigate = useNavigate({ from: "/runs/new" });
  if (!useMay("runs.write")) return <NeedsRole to="start a run" needs="contributor" />;
  return (
    <NewRunPage
      search={search}
      onSearch={(next, replace) => void navigate({ search: next, replace, resetScroll: false })}
      onStarted={(runId) => void navigate({ to: "/runs/$runId", params: { runId }, search: {} })}
    />
  );
}
