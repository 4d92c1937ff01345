import { Skeleton, Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PlanSummaryAnswer } from "@/api/generated";
import { savedPlans } from "@/api/queries";
import { duration, moment, usd } from "@/lib/wording";
import { ProblemNotice } from "@/ui/ProblemNotice";
import { Value } from "@/ui/Value";
import classes from "./SavedPlansPage.module.css";

interface SavedPlansPageProps {
  linkTo: (plan: PlanSummaryAnswer) => ReactNode;
  /** The one thing to do where nothing is saved. */
  start: ReactNode;
}

/** The saved plans, newest first. */
export function SavedPlansPage({ linkTo, start }: SavedPlansPageProps) {
  useDocumentTitle("Saved plans · Stowage");
  const query = useQuery(savedPlans);
  return (
    <section className={`card ${classes.page}`} aria-labelledby="saved-plans">
      <h1 id="saved-plans" className={classes.title}>
        Saved plans
      </h1>
      {query.error !== null && (
        <ProblemNotice
          error={query.error}
          kept={query.data === undefined ? "What was saved is kept." : "The list below is the last one read."}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && (
        <Stack gap="xs" role="status" aria-label="Reading the list">
          {[1, 2, 3].map((line) => (
            <Skeleton key={line} height={36} />
          ))}
        </Stack>
      )}
      {query.data !== undefined && query.data.plans.length === 0 && (
        <div className={classes.empty}>
          <p>A saved plan keeps its question and the answer of that day, to share by its address.</p>
          {start}
        </div>
      )}
      {query.data !== undefined && query.data.plans.length > 0 && (
        <ul className={classes.list} aria-label="Saved plans">
          {query.data.plans.map((plan) => (
            <li key={plan.id}>
              <div className={classes.name}>{linkTo(plan)}</div>
              <div className="dim small">
                {moment(plan.created_at)} · catalogue {plan.catalogue_version}
              </div>
              <div className={classes.best}>
                {plan.best_time_s === null || plan.best_cost_usd === null ? (
                  "nothing fitted"
                ) : (
                  <>
                    <Value text={duration(plan.best_time_s)} exact={plan.best_time_s} unit="s" /> ·{" "}
                    <Value text={usd(plan.best_cost_usd)} exact={plan.best_cost_usd} unit="USD" />
                  </>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {query.data !== undefined && query.data.next_cursor !== null && (
        <p className="dim small">The newest {query.data.plans.length} are shown.</p>
      )}
    </section>
  );
}
