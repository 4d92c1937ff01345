import { Link } from "@tanstack/react-router";
import type { RunSummary } from "@/api/runs/runs";
import { ButtonLink } from "@/routes/layout/ButtonLink";

export function linkToRun({ id, name }: Pick<RunSummary, "id" | "name">) {
  return (
    <Link to="/runs/$runId" params={{ runId: id }}>
      {name}
    </Link>
  );
}

export const backToRuns = (
  <ButtonLink to="/runs" variant="default" size="compact-sm">
    All runs
  </ButtonLink>
);
