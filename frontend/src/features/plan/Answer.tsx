import { Skeleton, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect } from "react";
import type { PlanAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { useMay } from "@/api/session";
import classes from "./Answer.module.css";
import { AnswerHead } from "./AnswerHead";
import { Assumed } from "./Assumed";
import { ChartCard, preloadChart } from "./ChartCard";
import { Compare } from "./Compare";
import { type Choice, valueAt } from "./choice";
import { clusterKey, rankedRow } from "./cluster";
import { NetworkNotices } from "./NetworkNotices";
import { NothingFits } from "./NothingFits";
import { PinsProvider } from "./PinButton";
import { RankedTable } from "./RankedTable";
import { Regions } from "./Regions";
import { Rejections } from "./Rejections";
import type { Change } from "./useChoice";
import { type Named, useConfigurations } from "./useConfigurations";
import { useLandscape } from "./useLandscape";
import { pinsFrom, pinsText, type View, type ViewChange } from "./view";

const Details = lazy(() => import("./Details").then((module) => ({ default: module.DetailsPanel })));

/** What can be changed of the question; the limits as they stand in it. */
export interface Question {
  asked: { deadline: string; budget: string };
  change: Change;
}

export interface AnswerProps {
  answer: PlanAnswer;
  /** What was answered, with the catalogue that answered. */
  document: WorkloadDocument;
  /** False while the answer belongs to an earlier input. */
  current: boolean;
  view: View;
  onView: (change: ViewChange, replace: boolean) => void;
  /** A saved plan has none: it cannot be changed. */
  question?: Question | undefined;
  actions: ReactNode;
  /** What the team's own measurements changed in it. */
  measured?: ReactNode;
  /** Leads to a report of these places in the ranking. */
  reportOf?: ((ranks: number[]) => ReactNode) | undefined;
}

/** The answer to a plan: sentence, chart, ranking, comparison, and the details of what was picked. */
export function Answer(props: AnswerProps) {
  const { answer, document, current, view, onView, question, actions, measured, reportOf } = props;
  const first = answer.configurations[0];
  const firstKey = first === undefined ? undefined : clusterKey(first);
  const { chosen, pins, today, why } = useView(answer, document, view, firstKey);
  const mayAsk = useMay("plans.ask");
  const curves = useLandscape(answer, document, question !== undefined);
  const docked = useMediaQuery("(min-width: 90em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const pick = (row: string | undefined) => onView({ row, ...(row === undefined ? { tab: undefined } : {}) }, false);
  const setPins = (keys: readonly string[]) => onView({ pins: pinsText(keys) }, false);
  return (
    <PinsProvider pins={{ keys: pins.map((pin) => pin.asked), onChange: setPins }}>
      <div className={classes.answer} data-docked={(docked && view.row !== undefined) || undefined}>
        <Stack gap="md" className={classes.main} data-stale={!current || undefined}>
          <AnswerHead
            answer={answer}
            actions={actions}
            onCredits={question && ((credits) => question.change({ credits }, "new entry"))}
            onDetails={firstKey === undefined ? undefined : () => onView({ row: firstKey, tab: "certainty" }, false)}
          />
          <Assumed assumed={answer.assumed} document={document} question={question} />
          {measured}
          <NetworkNotices
            answer={answer}
            unlimited={valueAt(document, "assume.network") === "unlimited"}
            onNetwork={question && ((network) => question.change({ network }, "new entry"))}
          />
          {curves.length > 0 && (
            <ChartCard
              answer={answer}
              curves={curves}
              chosen={chosen}
              pins={pins}
              today={today}
              scale={view.scale === "linear" ? "linear" : "log"}
              handles={
                question && {
                  asked: question.asked,
                  onChange: (limit, { text, first: begins }) =>
                    question.change({ [limit]: text }, begins ? "new entry" : "hand"),
                }
              }
              onScale={(scale) => onView({ scale }, true)}
              onPick={pick}
            />
          )}
          <Ranking
            answer={answer}
            document={document}
            chosen={view.row ?? firstKey}
            today={today}
            view={view}
            onView={onView}
            onPick={pick}
            question={question}
          />
          <Compare
            pins={pins}
            today={today}
            limits={answer.limits}
            objective={answer.objective}
            onPick={pick}
            onPins={setPins}
            onToday={(key) => onView({ today: key }, false)}
            report={reportOf?.(pins.flatMap((pin) => rankedRow(answer.configurations, pin.asked)?.rank ?? []))}
          />
          {mayAsk && <Regions document={document} view={view} onView={onView} question={question} />}
          <Rejections answer={answer} />
        </Stack>
        {view.row !== undefined && chosen !== undefined && (
          <Suspense fallback={docked ? <Skeleton height={400} /> : null}>
            <Details
              answer={answer}
              document={document}
              chosen={chosen}
              others={{ pins, today, why }}
              view={view}
              docked={docked}
              onView={onView}
              onClose={() => pick(undefined)}
            />
          </Suspense>
        )}
      </div>
    </PinsProvider>
  );
}

type RankingProps = Omit<ComponentProps<typeof RankedTable>, "onObjective"> & Pick<AnswerProps, "question">;

/** The ranking, or what stands in its way. */
function Ranking({ question, ...ranking }: RankingProps) {
  const change = question && ((changes: Partial<Choice>) => question.change(changes, "new entry"));
  if (ranking.answer.configurations.length === 0) return <NothingFits answer={ranking.answer} onChange={change} />;
  return <RankedTable {...ranking} onObjective={change && ((objective) => change({ objective }))} />;
}

interface Viewed {
  /** What is open; without that, the first row. */
  chosen: Named | undefined;
  pins: Named[];
  today: Named | undefined;
  why: Named | undefined;
}

/** Find everything that the address names, each once. */
function useView(answer: PlanAnswer, document: WorkloadDocument, view: View, first: string | undefined): Viewed {
  const row = view.row ?? first;
  const pinned = pinsFrom(view.pins);
  const wanted = [row, view.today, view.why, ...pinned].filter((key) => key !== undefined);
  const keys = [...new Set(wanted)];
  const found = useConfigurations(answer, document, keys, view.row);
  const find = (key: string | undefined) => found.find(({ asked }) => asked === key);
  return {
    chosen: find(row),
    pins: pinned.flatMap((key) => find(key) ?? []),
    today: find(view.today),
    why: find(view.why),
  };
}

/** The shape of an answer while the first one is computed. */
export function AnswerSkeleton() {
  useEffect(preloadChart, []);
  return (
    <Stack gap="md" role="status" aria-label="Computing the first answer">
      <div className="card">
        <Skeleton height={22} width="90%" mb="xs" />
        <Skeleton height={22} width="50%" mb="md" />
        <Skeleton height={14} width="70%" />
      </div>
      <div className="card">
        <Skeleton height={16} width={180} mb="md" />
        <Skeleton height={392} />
      </div>
      <div className="card">
        {[1, 2, 3].map((line) => (
          <Skeleton key={line} height={28} mb="sm" />
        ))}
      </div>
    </Stack>
  );
}
