import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { hasEnded } from "@/api/runs/runs";
import { useMay } from "@/api/teams/session";
import { RunPage } from "@/features/runs/details/RunPage";
import { searchOfSpec } from "@/features/runs/newRun/question";
import { RunMetrics } from "@/features/watches/RunMetrics";
import { ButtonLink } from "@/routes/layout/ButtonLink";
import { NotFound } from "@/routes/layout/NotFound";
import { linkToMeasurement, linkToPlan, linkToProfile } from "@/routes/measurements/measurementLinks";
import { ReportButton } from "@/routes/reports/reportLinks";
import { backToRuns } from "./runLinks";

export function RunRoute() {
  const { runId } = useParams({ from: "/runs/$runId" });
  const search = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunPage
      id={runId}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
      again={(run) => (
        <>
          <ButtonLink
            to="/runs/new"
            search={searchOfSpec(run.spec, run.account_id, run.name)}
            variant="default"
            size="compact-sm"
          >
            Rerun
          </ButtonLink>
          {hasEnded(run) && <ReportButton of={{ run: run.id }} />}
        </>
      )}
      back={backToRuns}
      linkToPlan={linkToPlan}
      linkToMeasurement={linkToMeasurement}
      linkToProfile={linkToProfile}
      metrics={(run) => <RunMetrics id={run.id} name={run.name} open={!hasEnded(run)} />}
      missing={<NotFound what="There is no such run, or it belongs to another team." />}
    />
  );
}
