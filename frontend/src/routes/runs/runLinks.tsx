import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { RunSummary } from "@/api/runs/runs";

export function linkToRun({ id, name }: Pick<RunSummary, "id" | "name">) {
  return (
    <Link to="/runs/$runId" params={{ runId: id }}>
      {name}
    </Link>
  );
}

export const backToRuns = (
  <Button variant="default" size="compact-sm" renderRoot={(props) => <Link to="/runs" {...props} />}>
    All runs
  </Button>
);
