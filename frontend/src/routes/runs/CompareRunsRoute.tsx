import { useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { ComparePage } from "@/features/runs/ComparePage";
import { NotFound } from "@/ui/links/NotFound";

export function CompareRunsRoute() {
  const { ids } = useSearch({ from: "/benchmarks/runs/compare" });
  if (!useMay("runs.read")) return <NotFound />;
  return <ComparePage ids={ids} />;
}
