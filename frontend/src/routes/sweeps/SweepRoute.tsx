import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { catalogs } from "@/api/catalog/catalogs";
import type { SweepAnswer } from "@/api/generated";
import { useMay } from "@/api/teams/session";
import { choiceFromDocument, searchOf } from "@/features/plan/workload/choice";
import { workloadWords } from "@/features/plan/workload/workloadWords";
import { ShareLinks } from "@/features/shared/ShareLinks";
import { cellDocument, type Place } from "@/features/sweeps/cell";
import { QUANTITIES } from "@/features/sweeps/quantities";
import { SweepPage } from "@/features/sweeps/SweepPage";
import { ReportButton } from "@/routes/reports/reportLinks";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { NotFound } from "@/ui/links/NotFound";

export function SweepRoute() {
  const { sweepId } = useParams({ from: "/plans/scenarios/$sweepId" });
  const address = useAddress("/plans/scenarios/$sweepId");
  const navigate = useNavigate({ from: "/plans/scenarios/$sweepId" });
  const mayAsk = useMay("plans.ask");
  const mayShare = useMay("links.write");
  return (
    <SweepPage
      id={sweepId}
      {...address}
      onStarted={(id) => void navigate({ to: "/plans/scenarios/$sweepId", params: { sweepId: id }, search: {} })}
      onDeleted={() => void navigate({ to: "/plans/scenarios" })}
      openAsPlan={(sweep, place) => mayAsk && <OpenAsPlan sweep={sweep} place={place} />}
      share={
        <>
          <ReportButton of={{ sweep: sweepId }} />
          {mayShare && <ShareLinks kind="sweep" objectId={sweepId} />}
        </>
      }
      baseWords={baseWords}
      missing={<NotFound what="There is no such sweep, or it belongs to another team." />}
    />
  );
}

/** Return descriptions of the workload that all cells of a sweep share. */
export function baseWords({ base, columns, rows }: SweepAnswer): string[] {
  const { choice } = choiceFromDocument(base);
  // The catalog is displayed with the date.
  return workloadWords(choice, ["catalog", QUANTITIES[columns.quantity].field, QUANTITIES[rows.quantity].field]);
}

/** Render a link to the plan page with a cell's workload and the sweep's catalog version. */
function OpenAsPlan({ sweep, place }: { sweep: SweepAnswer; place: Place }) {
  const newest = useQuery(catalogs).data?.[0]?.version;
  const { choice, lost } = choiceFromDocument(cellDocument(sweep, place));
  const catalog = sweep.catalog_version === newest ? choice.catalog : sweep.catalog_version;
  return (
    <>
      <ButtonLink to="/plans/new" search={searchOf({ ...choice, catalog })} size="compact-sm">
        Open as plan
      </ButtonLink>
      {lost.length > 0 && <p className="dim small">Not part of the form, and lost there: {lost.join(", ")}.</p>}
    </>
  );
}
