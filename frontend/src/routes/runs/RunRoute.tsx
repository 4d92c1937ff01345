import { useParams } from "@tanstack/react-router";
import { hasEnded } from "@/api/runs/runs";
import { useMay } from "@/api/teams/session";
import { RunPage } from "@/features/runs/details/RunPage";
import { searchOfSpec } from "@/features/runs/newRun/question";
import { RunMetrics } from "@/features/watches/RunMetrics";
import { ReportButton } from "@/routes/reports/reportLinks";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { NotFound } from "@/ui/links/NotFound";

export function RunRoute() {
  const { runId } = useParams({ from: "/benchmarks/runs/$runId" });
  const address = useAddress("/benchmarks/runs/$runId");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunPage
      id={runId}
      {...address}
      again={(run) => (
        <>
          <ButtonLink
            to="/benchmarks/runs/new"
            search={searchOfSpec(run.spec, run.account_id, run.name)}
            variant="default"
            size="compact-sm"
          >
            Rerun
          </ButtonLink>
          {hasEnded(run) && <ReportButton of={{ run: run.id }} />}
        </>
      )}
      metrics={(run) => <RunMetrics id={run.id} name={run.name} open={!hasEnded(run)} />}
    />
  );
}
