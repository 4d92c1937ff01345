import { Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { SavedPlanAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { savedPlan } from "@/api/queries";
import { moment } from "@/lib/wording";
import { Notice } from "@/ui/Notice";
import { ProblemNotice } from "@/ui/ProblemNotice";
import { Answer, AnswerSkeleton } from "./Answer";
import { choiceFromDocument, type Search, searchOf } from "./choice";
import { OutlookLink } from "./OutlookLink";
import { pinned } from "./PlanPage";
import classes from "./SavedPlanPage.module.css";
import { TodayDifference } from "./TodayDifference";
import { type View, viewFrom, withView } from "./view";

interface SavedPlanPageProps {
  id: string;
  view: View;
  onView: (view: View, replace: boolean) => void;
  /** Builds the link to the form with what was asked, and what was looked at. */
  openAsNew: (search: Search) => ReactNode;
  /** Builds the same for the newest catalogue. */
  openOnNewest: (search: Search) => ReactNode;
  /** How the plan is watched. */
  watch?: (name: string) => ReactNode;
  /** Leads to what the team measured. */
  toMeasurements?: ReactNode;
  /** Leads to a report of some of its options. */
  reportOf?: ((ranks: number[]) => ReactNode) | undefined;
  /** Shown where there is no such plan. */
  missing: ReactNode;
}

/** A stored plan: the answer of that day, which does not change. */
export function SavedPlanPage({
  id,
  view,
  onView,
  openAsNew,
  openOnNewest,
  toMeasurements,
  reportOf,
  watch,
  missing,
}: SavedPlanPageProps) {
  const query = useQuery(savedPlan(id));
  useDocumentTitle(`${query.data?.name ?? "Saved plan"} · Stowage`);
  if (query.data !== undefined) {
    return (
      <Saved
        saved={query.data}
        view={view}
        onView={onView}
        openAsNew={openAsNew}
        openOnNewest={openOnNewest}
        toMeasurements={toMeasurements}
        reportOf={reportOf}
        watch={watch}
      />
    );
  }
  if (query.error instanceof ApiProblem && [404, 422].includes(query.error.status)) return missing;
  if (query.error !== null) {
    return (
      <>
        <h1 className={classes.name}>Saved plan</h1>
        <ProblemNotice error={query.error} kept="The plan is kept." onRetry={() => void query.refetch()} />
      </>
    );
  }
  return (
    <>
      <h1 className="spoken">Saved plan</h1>
      <Skeleton height={24} width={320} mb="md" />
      <AnswerSkeleton />
    </>
  );
}

type SavedProps = Omit<SavedPlanPageProps, "id" | "missing"> & { saved: SavedPlanAnswer };

function Saved({ saved, view, onView, openAsNew, openOnNewest, toMeasurements, reportOf, watch }: SavedProps) {
  const { answer } = saved;
  const { choice, lost } = useMemo(() => choiceFromDocument(answer.workload), [answer]);
  const best = answer.configurations[0];
  const document = useMemo(() => pinned(answer.workload, answer.catalogue_version), [answer]);
  return (
    <>
      <div className={classes.head}>
        <div>
          <h1 className={classes.name} data-testid="plan-name">
            {saved.name}
          </h1>
          <p className={classes.when}>
            Saved {moment(saved.created_at)}. The answer of that day, which does not change.
          </p>
        </div>
        <div className={`no-print ${classes.acts}`}>
          {best !== undefined && <OutlookLink document={document} cluster={best} />}
          {openAsNew({ ...searchOf(choice), ...viewFrom({ ...view }) })}
        </div>
      </div>
      <TodayDifference
        saved={saved}
        onNewest={openOnNewest({ ...searchOf(choice), ...viewFrom({ ...view }) })}
        toMeasurements={toMeasurements}
      />
      {lost.length > 0 && <Notice tone="warn">Not part of the form, and lost in a new plan: {lost.join(", ")}.</Notice>}
      <Answer
        answer={answer}
        document={document}
        current
        view={view}
        onView={(change, replace) => onView(withView(view, change), replace)}
        actions={null}
        reportOf={reportOf}
      />
      {watch?.(saved.name)}
    </>
  );
}
