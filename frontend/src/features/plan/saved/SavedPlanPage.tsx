import { Group, Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import type { SavedPlanAnswer, TodayCluster as StatedCluster } from "@/api/generated";
import { savedPlan } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { NONE, savedViewFrom, type View, viewFrom, withView } from "@/features/plan/address/view";
import { Answer, AnswerSkeleton } from "@/features/plan/answer/Answer";
import { TodayCluster } from "@/features/plan/baseline/TodayCluster";
import { OutlookLink } from "@/features/plan/details/OutlookLink";
import { pinned } from "@/features/plan/PlanPage";
import { choiceFromDocument, type Search, searchOf } from "@/features/plan/workload/choice";
import { moment } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { Unread } from "@/ui/feedback/QueryState";
import { DecidedCard } from "./DecidedCard";
import { decidedIn, storedOf, viewOfDecided } from "./decided";
import { MarkedSaving } from "./MarkedSaving";
import { Outdated } from "./Outdated";
import { QuestionHead } from "./QuestionHead";
import { TodayDifference } from "./TodayDifference";

interface SavedPlanPageProps {
  id: string;
  view: View;
  onView: (view: View, replace: boolean) => void;
  /** Builds the link to the form with the question and the view. */
  openAsNew: (search: Search) => ReactNode;
  /** Builds the same link for the newest catalog. */
  openOnNewest: (search: Search) => ReactNode;
  /** Renders the button that makes a report of the plan, with the baseline that is shown. */
  makeReport?: (plan: SavedPlanAnswer, today: StatedCluster | null) => ReactNode;
  /** Renders the watch of the plan. */
  watch?: (name: string) => ReactNode;
  /** Link to the team's measurements. */
  toMeasurements?: ReactNode;
  /** Link to a report of some of its options. */
  reportOf?: ((ranks: number[], baseline: Pick<View, "today" | "pays">) => ReactNode) | undefined;
  /** Content if the plan does not exist. */
  missing: ReactNode;
}

/** Saved plan page: the stored answer, which does not change. */
export function SavedPlanPage(props: SavedPlanPageProps) {
  const query = useQuery(savedPlan(props.id));
  useDocumentTitle(`${query.data?.name ?? "Saved plan"} · Stowage`);
  if (query.data !== undefined) return <Saved {...props} saved={query.data} />;
  return (
    <Unread
      query={query}
      title="Saved plan"
      titleClass="title wraps"
      kept="The plan is kept."
      placeholder={
        <>
          <Skeleton height={24} width={320} mb="md" />
          <AnswerSkeleton />
        </>
      }
      missing={props.missing}
    />
  );
}

function Saved({ saved, view, onView, reportOf, ...props }: SavedPlanPageProps & { saved: SavedPlanAnswer }) {
  const { answer, decided } = saved;
  const { choice, lost } = useMemo(() => choiceFromDocument(answer.workload), [answer]);
  const best = answer.configurations[0];
  // Its question cannot be computed again.
  const isOutdated = saved.question === "";
  const document = useMemo(() => pinned(answer.workload, answer.catalog_version), [answer]);
  const kept = useMemo(() => viewOfDecided(decided, choice), [decided, choice]);
  const stored = useMemo(() => storedOf(decided, choice), [decided, choice]);
  const shown = shownOf(view, kept);
  const mayWrite = useMay("plans.write");
  const question = { ...searchOf(choice), ...shown };
  const changed = DECIDED.some((key) => shown[key] !== kept[key]);
  // Notes as written; dropped once others are stored, and on the page of another plan.
  const of = `${saved.id} ${decided.notes}`;
  const [draft, setDraft] = useState<{ of: string; text: string } | null>(null);
  const now = decidedIn(shown, answer.workload, choice);
  const notes = (
    <DecidedCard
      saved={saved}
      now={now}
      changed={changed}
      notes={draft?.of === of ? draft.text : decided.notes}
      onNotes={(text) => setDraft({ of, text })}
      onStored={() =>
        onView(savedViewFrom({ ...view, ...Object.fromEntries(DECIDED.map((key) => [key, undefined])) }), true)
      }
    />
  );
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="8px 16px" mb={16}>
        <div>
          <h1 className="title wraps" data-testid="plan-name">
            {saved.name}
          </h1>
          <QuestionHead question={saved.question} saving={saved.saving} />
          <MarkedSaving saved={saved} />
          {mayWrite && !isOutdated && decided.today === null && answer.configurations.length > 0 && (
            <div className="no-print" data-testid="no-baseline">
              <TodayCluster
                today={shown.today}
                words="Add what you run today, to see the saving"
                onToday={(today) => onView(addressOf(withView(shown, { today }), kept), true)}
                paid={shown.pays ?? ""}
                onPaid={(pays) => onView(addressOf(withView(shown, { pays }), kept), true)}
                problems={[]}
              />
            </div>
          )}
          <p className="dim small line">Saved {moment(saved.created_at)}; the answer of that day does not change.</p>
        </div>
        <Group align="flex-start" gap={10} className="no-print">
          {!isOutdated && props.makeReport?.(saved, now.today ?? null)}
          {best !== undefined && !isOutdated && <OutlookLink document={document} cluster={best} />}
          {props.openAsNew(question)}
        </Group>
      </Group>
      {changed && notes}
      <Answer
        answer={answer}
        document={document}
        ranking={{ of: "plan", id: saved.id }}
        current
        view={shown}
        onView={(change, replace) => onView(addressOf(withView(shown, change), kept), replace)}
        actions={null}
        measured={
          <>
            <Outdated plan={saved} />
            {!isOutdated && (
              <TodayDifference
                saved={saved}
                onNewest={props.openOnNewest(question)}
                toMeasurements={props.toMeasurements}
              />
            )}
            {lost.length > 0 && (
              <Notice tone="warn">Not part of the form, and lost in a new plan: {lost.join(", ")}.</Notice>
            )}
          </>
        }
        reportOf={reportOf && !isOutdated ? (ranks) => reportOf(ranks, shown) : undefined}
        stored={stored}
        durabilities={decided.durabilities}
      />
      {!changed && <div style={{ marginTop: "var(--mantine-spacing-md)" }}>{notes}</div>}
      {props.watch?.(saved.name)}
    </>
  );
}

const DECIDED = ["today", "pays", "pins", "durabilities"] as const;

/** Return the view: the one stored with the plan, overridden by the URL. */
function shownOf(view: View, kept: View): View {
  const own = DECIDED.flatMap((key) => (view[key] === undefined ? [] : [[key, view[key] === NONE ? "" : view[key]]]));
  return viewFrom({ ...view, ...kept, ...Object.fromEntries(own) });
}

/** Return the part of the view for the URL: the differences from the stored one. */
function addressOf(shown: View, kept: View): View {
  const differing = DECIDED.map((key) => [key, shown[key] === kept[key] ? undefined : (shown[key] ?? NONE)]);
  return savedViewFrom({ ...shown, ...Object.fromEntries(differing) });
}
