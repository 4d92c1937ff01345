import { Skeleton, Stack } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { type ComponentProps, lazy, type ReactNode, Suspense, useMemo } from "react";
import type { BestOfDurabilityAnswer, CurveAnswer, PlanAnswer } from "@/api/generated";
import type { RankingSource } from "@/api/planning/rankings";
import type { WorkloadDocument } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { clusterKey } from "@/features/plan/address/cluster";
import { pinsFrom, pinsText, SIDE_BY_SIDE, type View, type ViewChange } from "@/features/plan/address/view";
import { Compare, type CompareProps } from "@/features/plan/comparison/Compare";
import { storedDurabilities, useDurabilities } from "@/features/plan/comparison/useDurabilities";
import { savingSentence, withGiven } from "@/features/plan/configurations/saving";
import { type Named, type Stored, useConfigurations } from "@/features/plan/configurations/useConfigurations";
import { whyThisOne } from "@/features/plan/configurations/why";
import { useDrawnRows, useMoveLimit } from "@/features/plan/dragging/dragging";
import { ChartCard } from "@/features/plan/frontier/ChartCard";
import { useLandscape } from "@/features/plan/frontier/useLandscape";
import { NetworkNotices } from "@/features/plan/limits/NetworkNotices";
import { NothingFits } from "@/features/plan/limits/NothingFits";
import { Rejections } from "@/features/plan/limits/Rejections";
import { PinsProvider } from "@/features/plan/pins/PinButton";
import { pinOf } from "@/features/plan/pins/pins";
import { RankedTable } from "@/features/plan/ranking/RankedTable";
import { useRanking, type WholeRanking } from "@/features/plan/ranking/useRanking";
import { type Choice, choiceFromDocument, valueAt } from "@/features/plan/workload/choice";
import { openIn } from "@/features/plan/workload/place";
import type { Change } from "@/features/plan/workload/useChoice";
import { useMedia } from "@/lib/useMedia";
import { useCurrency } from "@/ui/values/InCurrency";
import { Priced } from "@/ui/values/PriceTerms";
import classes from "./Answer.module.css";
import { AnswerHead } from "./AnswerHead";
import { Assumed } from "./Assumed";
import { OtherConfidences } from "./OtherConfidences";
import { Purchases } from "./Purchases";
import { Regions } from "./Regions";

const Details = lazy(() =>
  import("@/features/plan/details/Details").then((module) => ({ default: module.DetailsPanel })),
);

/** The editable question, with its limits as entered. */
export interface Question {
  asked: { deadline: string; budget: string };
  change: Change;
}

export interface AnswerProps {
  answer: PlanAnswer;
  /** The answered document, with the catalog of the answer. */
  document: WorkloadDocument;
  /** Source of the ranking: a saved plan, or the current answer. */
  ranking: RankingSource;
  /** False while the answer belongs to an earlier input. */
  current: boolean;
  view: View;
  onView: (change: ViewChange, replace: boolean) => void;
  /** Undefined for a saved plan, which cannot be changed. */
  question?: Question | undefined;
  actions: ReactNode;
  /** Effect of the team's own measurements on the answer. */
  measured?: ReactNode;
  /** Link to a report of these ranks. */
  reportOf?: ((ranks: number[]) => ReactNode) | undefined;
  /** Predictions stored with the plan, and the best configuration of each durability at that time. */
  stored?: Stored | undefined;
  durabilities?: readonly BestOfDurabilityAnswer[];
}

/** Answer to a plan: sentence, chart, ranking, comparison, and details of the selected configuration. */
export function Answer(props: AnswerProps) {
  return (
    <Priced terms={props.answer.price_terms}>
      <AnswerParts {...props} />
    </Priced>
  );
}

function AnswerParts(props: AnswerProps) {
  const { answer, document, current, view, onView, question, actions, measured } = props;
  const first = answer.configurations[0];
  const firstKey = first === undefined ? undefined : clusterKey(first);
  const ranking = useRanking(props.ranking, view, answer.objective);
  const known = useKnown(answer, ranking);
  const { chosen, pins, today: predicted, why, best } = useView(known, props, firstKey);
  const today = withGiven(predicted, answer.objective, view.pays);
  const curves = useLandscape(answer, document, question !== undefined);
  const chosenAs = useChosenAs(known, document, curves);
  const moveLimit = useMoveLimit();
  const currency = useCurrency();
  const docked = useMedia("(min-width: 90em)");
  const pick = (row: string | undefined) => onView({ row, ...(row === undefined ? { tab: undefined } : {}) }, false);
  const setPins = (keys: readonly string[]) => onView({ pins: pinsText(keys) }, false);
  return (
    <PinsProvider pins={{ keys: pins.map((pin) => pin.asked), pinOf: chosenAs, onChange: setPins }}>
      <div className={classes.answer} data-docked={(docked && view.row !== undefined) || undefined}>
        <Stack gap="md" className={classes.main} data-stale={!current || undefined}>
          <AnswerHead
            answer={answer}
            // A saved plan states its stored saving with its question.
            saving={question && savingSentence(best, today, answer.objective, view.pays, currency)}
            why={whyThisOne(answer, today, view.pays)}
            actions={actions}
            onCredits={question && ((credits) => question.change({ credits }, "new entry"))}
            onDetails={firstKey === undefined ? undefined : () => onView({ row: firstKey, tab: "certainty" }, false)}
          />
          <OtherConfidences answer={answer} document={document} question={question} />
          <Assumed assumed={answer.assumed} document={document} question={question} />
          {measured}
          <NetworkNotices
            answer={answer}
            unlimited={valueAt(document, "assume.network") === "unlimited"}
            onNetwork={question && ((network) => question.change({ network }, "new entry"))}
          />
          {curves.length + answer.frontier.length > 0 && (
            <ChartCard
              answer={answer}
              document={document}
              curves={curves}
              chosen={chosen}
              pins={pins}
              today={predicted}
              given={today?.configuration?.given !== undefined}
              scale={view.scale === "linear" ? "linear" : "log"}
              handles={
                question && {
                  asked: question.asked,
                  onMove: moveLimit,
                  onChange: (limit, { text, first: begins }) =>
                    question.change({ [limit]: text }, begins ? "new entry" : "drag"),
                }
              }
              onScale={(scale) => onView({ scale }, true)}
              onPick={pick}
            />
          )}
          <div className={classes.beside}>
            <div data-comparing={isComparing(pins, today, view) || undefined}>
              <Ranking
                answer={answer}
                document={document}
                ranking={ranking}
                chosen={view.row}
                today={today}
                view={view}
                onView={onView}
                onPick={pick}
                question={question}
              />
              <Comparison {...props} pins={pins} today={today} best={best} onPick={pick} onPins={setPins} />
            </div>
          </div>
          <OtherOffers {...props} chosen={chosen} />
          <Rejections answer={answer} />
        </Stack>
        {view.row !== undefined && chosen !== undefined && (
          <Suspense fallback={docked ? <Skeleton height={400} /> : null}>
            <Details
              answer={known}
              document={chosen.document}
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

type ComparisonProps = AnswerProps &
  Pick<Viewed, "pins" | "today" | "best"> &
  Required<Pick<CompareProps, "onPick" | "onPins">>;

/** Comparison of the pins with the current cluster, and optionally with the best configuration of each durability. */
function Comparison(props: ComparisonProps) {
  const {
    answer,
    document,
    view,
    onView,
    reportOf,
    pins,
    today,
    best,
    onPick,
    onPins,
    durabilities: kept = [],
  } = props;
  const mayAsk = useMay("plans.ask");
  const beside = view.durabilities === SIDE_BY_SIDE;
  const sought = useDurabilities(answer, document, beside && mayAsk && kept.length === 0);
  const stored = useMemo(() => (beside ? storedDurabilities(kept, document) : []), [beside, kept, document]);
  const durabilities = kept.length > 0 ? stored : sought;
  const maySwitch = mayAsk || kept.length > 0;
  return (
    <Compare
      pins={pins}
      today={today}
      best={best}
      durabilities={durabilities}
      limits={answer.limits}
      objective={answer.objective}
      onPick={onPick}
      onPins={onPins}
      onToday={(key) => onView({ today: key, pays: undefined }, false)}
      onDurabilities={
        maySwitch ? (side) => onView({ durabilities: side ? SIDE_BY_SIDE : undefined }, false) : undefined
      }
      report={reportOf?.(pins.flatMap((pin) => pin.rank ?? []))}
    />
  );
}

/** Check if there is something to compare beside the ranking. */
function isComparing(pins: readonly Named[], today: Named | undefined, { durabilities }: View): boolean {
  return pins.length > 0 || today !== undefined || durabilities === SIDE_BY_SIDE;
}

/** The same question by other purchase options and in other regions, which are searches. */
function OtherOffers({ answer, document, view, onView, question, chosen }: AnswerProps & Pick<Viewed, "chosen">) {
  if (!useMay("plans.ask")) return null;
  return (
    <>
      {chosen?.cluster != null && (
        <Purchases answer={answer} document={document} chosen={chosen} view={view} onView={onView} />
      )}
      <Regions document={document} view={view} onView={onView} question={question} />
    </>
  );
}

type RankingProps = Omit<ComponentProps<typeof RankedTable>, "onObjective" | "still"> & Pick<AnswerProps, "question">;

/** Ranking, or the reasons why it is empty. */
function Ranking({ question, ...props }: RankingProps) {
  const { ref, inViewport } = useInViewport();
  const still = useDrawnRows(props.answer, false);
  const rows = useDrawnRows(props.answer, inViewport);
  const [first] = rows;
  const change = question && ((changes: Partial<Choice>) => question.change(changes, "new entry"));
  const drawn = first && {
    ...props,
    answer: { ...props.answer, configurations: rows },
    still: still === rows ? undefined : still,
    chosen: props.chosen ?? clusterKey(first),
  };
  return (
    <div ref={ref}>
      {drawn === undefined ? (
        <NothingFits answer={props.answer} onChange={change} />
      ) : (
        <RankedTable {...drawn} onObjective={change && ((objective) => change({ objective }))} />
      )}
    </div>
  );
}

/** Add the ranking rows fetched since to the answer, so that they are not requested again. */
function useKnown(answer: PlanAnswer, { rows, current }: WholeRanking): PlanAnswer {
  return useMemo(() => {
    const carried = new Set(answer.configurations.map(clusterKey));
    const behind = current && rows !== undefined ? rows.filter((row) => !carried.has(clusterKey(row))) : [];
    return behind.length === 0 ? answer : { ...answer, configurations: [...answer.configurations, ...behind] };
  }, [answer, rows, current]);
}

interface Viewed {
  /** The open configuration, by default the first row. */
  chosen: Named | undefined;
  pins: Named[];
  today: Named | undefined;
  why: Named | undefined;
  /** The first row. */
  best: Named | undefined;
}

/** Find all configurations that the URL names, without duplicates. */
function useView(
  answer: PlanAnswer,
  { document, view, ranking, stored }: AnswerProps,
  first: string | undefined,
): Viewed {
  const row = view.row ?? first;
  const pinned = pinsFrom(view.pins);
  const wanted = [row, first, view.today, view.why, ...pinned].filter((key) => key !== undefined);
  const keys = [...new Set(wanted)];
  const plan = ranking.of === "plan" ? ranking.id : undefined;
  const found = useConfigurations(answer, document, keys, { detailed: view.row, stored, plan });
  const find = (key: string | undefined) => found.find(({ asked }) => asked === key);
  return {
    chosen: find(row),
    pins: pinned.flatMap((key) => find(key) ?? []),
    today: find(view.today),
    why: find(view.why),
    best: find(first),
  };
}

/** Return a function that adds the options chosen by the search to the pin of a configuration. */
function useChosenAs(
  answer: PlanAnswer,
  document: WorkloadDocument,
  curves: readonly CurveAnswer[],
): (configuration: string) => string {
  return useMemo(() => {
    const open = openIn(document);
    if (!open.purchase && !open.durability) return (configuration) => configuration;
    const base = choiceFromDocument(document).choice;
    const points = curves.flatMap((curve) => curve.points);
    // The last entry wins: ranking rows over frontier points over curve points.
    const known = [...points, ...answer.frontier, ...answer.configurations].map(
      (each) => [clusterKey(each), pinOf(each, open, base)] as const,
    );
    const chosen = new Map(known);
    return (configuration) => chosen.get(configuration) ?? configuration;
  }, [answer, document, curves]);
}

/** Skeleton shown while the first answer is computed. */
export function AnswerSkeleton() {
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
