import { Group, SegmentedControl, UnstyledButton } from "@mantine/core";
import { Fragment, useCallback, useMemo } from "react";
import type { CandidateAnswer, CurveAnswer, PlanAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { Chart, type ChartData } from "@/charts/Chart";
import { chartTable, secondsCell, usdCell } from "@/charts/chartTable";
import { type LimitHandles, useCostTime } from "@/charts/costTime/useCostTime";
import type { ChosenPoint, CostTimeData, CostTimePoint, MarkedPoint } from "@/charts/figures/costTime";
import { clusterKey, clusterName, headsSentence, storageWords } from "@/features/plan/address/cluster";
import { bottleneckWords, longestPhase } from "@/features/plan/configurations/longest";
import { frontierMoney, type Money } from "@/features/plan/configurations/money";
import type { Named } from "@/features/plan/configurations/useConfigurations";
import { PinButton } from "@/features/plan/pins/PinButton";
import { RESOURCES, resourceKind } from "@/lib/resources";
import { duration, usd } from "@/lib/wording";
import { ResourceMark } from "@/ui/values/ResourceMark";
import classes from "./ChartCard.module.css";
import { parted } from "./frontier";
import { usePointCard } from "./PointCard";

interface ChartCardProps {
  answer: PlanAnswer;
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  /** Curves to draw the limits with. */
  curves: CurveAnswer[];
  chosen: Named | undefined;
  pins: Named[];
  /** The current cluster with its predicted cost. */
  today: Named | undefined;
  /** True if the user has given the cost of the current cluster. */
  given?: boolean;
  scale: "log" | "linear";
  handles: LimitHandles | undefined;
  onScale: (scale: "log" | "linear") => void;
  /** Opens a configuration; undefined if the chart is read-only. */
  onPick: ((key: string) => void) | undefined;
}

const NOT_DRAWN = "What runs today is drawn at its predicted cost, not the given one.";

/** Chart of cost against time, with a description and a data table. */
export function ChartCard(props: ChartCardProps) {
  const { answer, document, curves, chosen, pins, today, given, scale, handles, onScale, onPick } = props;
  const money = frontierMoney(answer);
  const ringed = useSame(chosen === undefined ? null : chosenPoint(chosen, money));
  const marked = useSame(markedPoints(pins, today, money));
  const data = useMemo(() => chartData(answer, curves, ringed, marked), [answer, curves, ringed, marked]);
  const { figure, over } = useCostTime({ data, limits: answer.limits, handles, scale });
  const terms = answer.price_terms;
  const discounts = terms == null ? undefined : `Costs include ${terms.words}.`;
  const said = [
    caption(data, money),
    discounts,
    headsSentence(answer.configurations),
    undrawnWords(answer, money),
    given && NOT_DRAWN,
  ]
    .filter((part) => typeof part === "string")
    .join(" ");
  const table = useCallback(() => dataTable(data, answer, curves, onPick), [data, answer, curves, onPick]);
  const { card, onCursor } = usePointCard({ answer, document, curves, money, onPick });
  const kinds = [...new Set(data.ranked.map((row) => row.resource))];
  return (
    <Chart
      title={`${money.head} against time`}
      filename="stowage-cost-time"
      data={table}
      controls={
        <SegmentedControl
          size="xs"
          className="no-print"
          aria-label="Scale of the axes"
          value={scale}
          onChange={(value) => onScale(value === "linear" ? "linear" : "log")}
          data={[
            { value: "log", label: "Logarithmic" },
            { value: "linear", label: "Linear" },
          ]}
        />
      }
      caption={
        <>
          {said}{" "}
          {kinds.length > 0 && (
            <>
              Marks show what limits the longest phase:{" "}
              {kinds.map((kind, index) => (
                <Fragment key={kind}>
                  <span className={classes.key}>
                    <ResourceMark kind={kind} />
                    {RESOURCES[kind].label}
                  </span>
                  {/* Outside of the unbroken key, so that the line can wrap. */}
                  {index < kinds.length - 1 ? ", " : "."}
                </Fragment>
              ))}
            </>
          )}
        </>
      }
      label={`Chart of ${money.word} against time. ${said}`}
      figure={figure}
      over={over}
      selected={chosen?.key}
      onPick={onPick}
      onCursor={onCursor}
      card={card}
    />
  );
}

/** Return the same object for equal data, so that the chart is redrawn only for new points. */
function useSame<Data>(data: Data): Data {
  const text = JSON.stringify(data);
  return useMemo(() => JSON.parse(text) as Data, [text]);
}

function pointOf({ key, name, configuration }: Named, { range }: Money): CostTimePoint | null {
  if (configuration === undefined) return null;
  return { key, name, time_s: configuration.time_s.p50, cost_usd: range(configuration).p50 };
}

function chosenPoint(named: Named, money: Money): ChosenPoint | null {
  const [point, { configuration }] = [pointOf(named, money), named];
  if (point === null || configuration === undefined) return null;
  return { ...point, time: configuration.time_s, cost: money.range(configuration) };
}

function markedPoints(pins: Named[], today: Named | undefined, money: Money): MarkedPoint[] {
  const badges = pins.map((pin, index): [Named, string] => [pin, String(index + 1)]);
  if (today !== undefined) badges.push([today, "today"]);
  return badges.flatMap(([named, badge]) => {
    const point = pointOf(named, money);
    return point === null ? [] : { ...point, badge };
  });
}

function candidatePoint(candidate: CandidateAnswer, { at }: Money): CostTimePoint {
  const { time_s } = candidate;
  return { key: clusterKey(candidate), name: clusterName(candidate), time_s, cost_usd: at(candidate) };
}

export function chartData(
  answer: PlanAnswer,
  curves: CurveAnswer[],
  chosen: ChosenPoint | null,
  marked: MarkedPoint[],
): CostTimeData {
  const money = frontierMoney(answer);
  const point = (candidate: CandidateAnswer) => candidatePoint(candidate, money);
  const { cheaper, safer } = parted(answer.frontier, money.at);
  return {
    of: money.of,
    curves: curves.map(({ instance, points }) => ({ name: instance, points: points.map(point) })),
    frontier: cheaper.map(point),
    safer: safer.map(point),
    ranked: answer.configurations.map((row) => ({
      key: clusterKey(row),
      name: clusterName(row),
      rank: row.rank,
      time_s: row.time_s.p50,
      cost_usd: money.range(row).p50,
      resource: resourceKind(longestPhase(row)?.bottleneck ?? ""),
      facts: [bottleneckWords(row)].filter((words) => words !== undefined),
    })),
    chosen,
    marked,
  };
}

/** Describe the chart: the trade-off of cost and time. */
function caption(data: CostTimeData, money: Money): string {
  return data.safer.length === 0
    ? frontierWords(data, money)
    : `${frontierWords(data, money)} Small rings cost more, and are less likely to lose data.`;
}

/** Describe a limit that is not drawn: a budget limits a run, and does not fit an axis of monthly costs. */
function undrawnWords({ limits }: PlanAnswer, { of }: Money): string | undefined {
  return of === "month" && limits.budget_usd !== null
    ? `The budget of ${usd(limits.budget_usd)} limits a run, and is not drawn.`
    : undefined;
}

function frontierWords({ frontier }: CostTimeData, { each }: Money): string {
  const [fastest, cheapest] = [frontier[0], frontier.at(-1)];
  if (fastest === undefined || cheapest === undefined) {
    return "Nothing is within the limits. The faint lines show what would be without deadline and budget.";
  }
  if (fastest.key === cheapest.key) return `${fastest.name} is both the fastest and the cheapest.`;
  return (
    `The bold line is the Pareto frontier, where no option is both faster and cheaper by more than 0.25%: from ${duration(fastest.time_s)} for ` +
    `${usd(fastest.cost_usd)}${each} (${fastest.name}) to ${duration(cheapest.time_s)} for ${usd(cheapest.cost_usd)}${each} ` +
    `(${cheapest.name}).`
  );
}

function dataTable(
  data: CostTimeData,
  answer: PlanAnswer,
  curves: CurveAnswer[],
  onPick: ((key: string) => void) | undefined,
): ChartData {
  const words = new Map(
    [...answer.frontier, ...curves.flatMap((curve) => curve.points)].map((point) => [
      clusterKey(point),
      storageWords(point.storage),
    ]),
  );
  const money = frontierMoney(answer);
  const parts: [string, CostTimePoint[]][] = [
    ["ranked", data.ranked],
    ...data.marked.map((point): [string, CostTimePoint[]] => [
      point.badge === "today" ? "today" : `pinned as ${point.badge}`,
      [point],
    ]),
    ["frontier", data.frontier],
    ["loses less data", data.safer],
    ...data.curves.map((curve): [string, CostTimePoint[]] => [`curve of ${curve.name}`, curve.points]),
  ];
  const rows = parts.flatMap(([part, points]) => points.map((point) => ({ part, ...point })));
  return chartTable(rows, ({ part, key }) => `${part} ${key}`, [
    {
      head: "Configuration",
      copied: "configuration",
      cell: ({ part, key, name }) => ({
        copied: name,
        shown: (
          <Group gap={4} wrap="nowrap">
            <PinButton configuration={key} name={`${name}, ${part}`} />
            <span>
              {onPick === undefined ? (
                name
              ) : (
                <UnstyledButton className="pick" onClick={() => onPick(key)}>
                  {name}
                </UnstyledButton>
              )}{" "}
              <span className="dim">{words.get(key)}</span>
            </span>
          </Group>
        ),
      }),
    },
    { head: "Part of", copied: "part", cell: ({ part }) => part },
    { head: "Time", copied: "time_s", number: true, cell: ({ time_s }) => secondsCell(time_s) },
    { head: money.head, copied: money.copied, number: true, cell: ({ cost_usd }) => usdCell(cost_usd) },
  ]);
}
