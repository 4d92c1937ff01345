import { Menu } from "@mantine/core";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { OutlookLinks } from "@/features/plan/details/OutlookLink";
import { SavedPlanPage } from "@/features/plan/saved/SavedPlanPage";
import { PlanActions } from "@/features/plans/PlanActions";
import { PlanWatchSection } from "@/features/planWatches/PlanWatchSection";
import { WatchButton } from "@/features/planWatches/WatchButton";
import { MakeReport } from "@/features/reports/MakeReport";
import { ShareLinks } from "@/features/shared/ShareLinks";
import { ReportButton } from "@/routes/reports/reportLinks";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { NotFound } from "@/ui/links/NotFound";
import { outlookOf } from "./outlookLinks";

export function SavedPlanRoute() {
  const { planId } = useParams({ from: "/plans/$planId" });
  const { search, onSearch } = useAddress("/plans/$planId");
  const navigate = useNavigate({ from: "/plans/$planId" });
  const mayAsk = useMay("plans.ask");
  const mayShare = useMay("links.write");
  const mayReport = useMay("reports.write");
  return (
    <OutlookLinks value={mayAsk ? outlookOf : null}>
      <SavedPlanPage
        key={planId}
        id={planId}
        view={search}
        onView={onSearch}
        openAsNew={(asked) => (
          <PlanActions
            id={planId}
            open={
              mayAsk && (
                <ButtonLink to="/plans/new" search={asked} size="compact-sm" variant="default">
                  Open as new plan
                </ButtonLink>
              )
            }
            again={
              mayAsk && (
                <Link to="/plans/new" search={{ ...asked, catalog: "latest", again: planId }}>
                  Answer it again today
                </Link>
              )
            }
            share={
              <>
                <WatchButton planId={planId} />
                {mayShare && <ShareLinks kind="plan" objectId={planId} />}
              </>
            }
            more={
              mayReport && (
                <Menu.Item
                  onClick={() =>
                    void navigate({
                      to: "/reports/new",
                      search: { plan: planId, ...baselineOf(asked) },
                    })
                  }
                >
                  Customize report
                </Menu.Item>
              )
            }
            onDuplicated={(copy) => void navigate({ to: "/plans/$planId", params: { planId: copy }, search: {} })}
            onDeleted={() => void navigate({ to: "/plans" })}
          />
        )}
        openOnNewest={(asked) =>
          mayAsk && (
            <ButtonLink
              to="/plans/new"
              search={{ ...asked, catalog: "latest", again: planId }}
              variant="default"
              size="compact-sm"
            >
              Answer on the newest
            </ButtonLink>
          )
        }
        reportOf={(ranks, shown) =>
          ranks.length > 0 && (
            <ReportButton of={{ plan: planId, ranks: ranks.join(","), ...baselineOf(shown) }} words="Report of these" />
          )
        }
        makeReport={(plan, today) => (
          <MakeReport
            plan={plan}
            notes={plan.decided.notes}
            today={today}
            onMade={({ id }) => void navigate({ to: "/reports/$reportId", params: { reportId: id } })}
          />
        )}
        watch={(name) => (
          <PlanWatchSection
            planId={planId}
            planName={name}
            toAlerts={
              <Link to="/benchmarks" search={{ tab: "changes" }}>
                the changes
              </Link>
            }
          />
        )}
        toMeasurements={<Link to="/benchmarks">What was measured</Link>}
        missing={<NotFound what="There is no such plan, or it belongs to another team." />}
      />
    </OutlookLinks>
  );
}

/** Return the current cluster and its stated cost for the address of a new report. */
function baselineOf({ today, pays }: { today?: string; pays?: string }) {
  return { ...(today === undefined ? {} : { today }), ...(pays === undefined ? {} : { pays }) };
}
