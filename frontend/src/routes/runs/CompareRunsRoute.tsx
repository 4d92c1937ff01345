import { useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { ComparePage } from "@/features/runs/ComparePage";
import { NotFound } from "@/routes/layout/NotFound";
import { backToRuns, linkToRun } from "./runLinks";

export function CompareRunsRoute() {
  const { ids } = useSearch({ from: "/runs/compare" });
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <ComparePage
      ids={ids}
      linkTo={linkToRun}
      back={backToRuns}
      missing={<NotFound what="One of these runs is not there, or belongs to another team." />}
    />
  );
}
