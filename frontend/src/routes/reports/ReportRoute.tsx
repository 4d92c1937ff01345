import { useNavigate, useParams } from "@tanstack/react-router";
import type { Origin } from "@/api/generated";
import { useMay } from "@/api/teams/session";
import { Deploy } from "@/features/deploy/Deploy";
import { searchForNewer } from "@/features/reports/composer/newer";
import { ReportPage } from "@/features/reports/viewer/ReportPage";
import { ShareLinks } from "@/features/shared/ShareLinks";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { NotFound } from "@/ui/links/NotFound";
import { backToReports, compareReports, linkToReport } from "./reportLinks";

export function ReportRoute() {
  const { reportId } = useParams({ from: "/reports/$reportId" });
  const navigate = useNavigate({ from: "/reports/$reportId" });
  const mayShare = useMay("links.write");
  if (!useMay("reports.read")) return <NotFound />;
  return (
    <ReportPage
      key={reportId}
      id={reportId}
      back={backToReports}
      toOrigin={(origin) => <ToOrigin origin={origin} />}
      linkTo={linkToReport}
      compare={compareReports}
      newer={({ id, report }) => (
        <ButtonLink to="/reports/new" search={searchForNewer(id, report)} variant="default" size="compact-sm">
          Publish a newer one
        </ButtonLink>
      )}
      share={mayShare && <ShareLinks kind="report" objectId={reportId} />}
      deploy={(deployable) => <Deploy deployable={deployable} />}
      onDeleted={() => void navigate({ to: "/reports" })}
      missing={<NotFound what="There is no such report, or it belongs to another team." />}
    />
  );
}

/** Render a link to the report's source, if it has a page. */
function ToOrigin({ origin: { kind, object_ids } }: { origin: Origin }) {
  const [id] = object_ids;
  const button = { variant: "subtle", size: "compact-sm" } as const;
  if (kind === "validation") {
    return (
      <ButtonLink to="/benchmarks/accuracy" {...button}>
        Model accuracy
      </ButtonLink>
    );
  }
  if (id === undefined || kind === "comparison") return null;
  if (kind === "plan") {
    return (
      <ButtonLink to="/plans/$planId" params={{ planId: id }} {...button}>
        The plan
      </ButtonLink>
    );
  }
  if (kind === "sweep") {
    return (
      <ButtonLink to="/plans/scenarios/$sweepId" params={{ sweepId: id }} {...button}>
        The sweep
      </ButtonLink>
    );
  }
  return (
    <ButtonLink to="/benchmarks/runs/$runId" params={{ runId: id }} {...button}>
      The run
    </ButtonLink>
  );
}
