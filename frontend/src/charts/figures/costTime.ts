// Cost over time: curves of types, the frontier, ranked rows, pins. The page draws the draggable limits over the chart;
// saved pictures include them as lines.

import { type Axis, axisOver } from "@/charts/axes/axis";
import { type Box, boxAround, placedIn, type Spot } from "@/charts/axes/labels";
import {
  type ChartPoint,
  INK,
  type Mark,
  PALE,
  type PlacedLabel,
  type Plane,
  type PlaneFigure,
  plane,
} from "@/charts/figure";
import type { Shape } from "@/charts/plot/shapes";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import { briefNumber, duration, type Quantiles, usd } from "@/lib/wording";

export interface CostTimePoint {
  key: string;
  name: string;
  time_s: number;
  cost_usd: number;
}

export interface RankedPoint extends CostTimePoint {
  rank: number;
  time: Quantiles;
  cost: Quantiles;
  resource: ResourceKind;
}

/** Point with a badge: the number of a pin, or `today`. */
export interface MarkedPoint extends CostTimePoint {
  badge: string;
}

export interface CostTimeData {
  /** Unit of all costs: one run, or a month of a permanent cluster. */
  of: "run" | "month";
  curves: { name: string; points: CostTimePoint[] }[];
  /** Pareto-optimal configurations in time and cost, fastest first. */
  frontier: CostTimePoint[];
  /** Configurations off the frontier with a lower risk of data loss than all cheaper and faster ones. */
  safer: CostTimePoint[];
  ranked: RankedPoint[];
  chosen: CostTimePoint | null;
  marked: MarkedPoint[];
}

export interface Limits {
  deadline_s: number | null;
  budget_usd: number | null;
}

export interface Axes {
  time: Axis;
  cost: Axis;
}

/** Space above the plot for the deadline's handle [px]. */
const TOP_PX = 34;
const HEIGHT_PX = { wide: 312, narrow: 240 };
/** Limits beyond the data by more than this factor do not extend the axis. */
const FAR = 8;
const MANY_POINTS = 60;
const MARK_PX = 7;
const LABEL_HEADROOM = 0.12;
const NARROW_PX = 480;
/** Maximum number of type names; hovering and the data table show the rest. */
const MOST_NAMES = 8;
const NAMES_IN_NARROW = 3;

function near(limit: number | null, values: number[]): number | null {
  if (limit === null) return null;
  return limit <= FAR * Math.max(...values) && limit >= Math.min(...values) / FAR ? limit : null;
}

/** Costs from here on are abbreviated: the axis has space for six characters [USD]. */
const BRIEF_FROM_USD = 100_000;

function costLabel(amount: number): string {
  return amount < BRIEF_FROM_USD ? usd(amount) : `$${briefNumber(amount)}`;
}

/** Compute axes that cover the data and nearby limits. */
export function costTimeAxes(data: CostTimeData, limits: Limits, log: boolean): Axes {
  const { frontier, safer, marked } = data;
  const points = [...data.curves.flatMap((curve) => curve.points), ...frontier, ...safer, ...marked];
  if (data.chosen !== null) points.push(data.chosen);
  const times = [...points.map((point) => point.time_s), ...data.ranked.flatMap(({ time }) => [time.p10, time.p90])];
  const costs = [...points.map((point) => point.cost_usd), ...data.ranked.flatMap(({ cost }) => [cost.p10, cost.p90])];
  const [deadline, budget] = [near(limits.deadline_s, times), near(limits.budget_usd, costs)];
  return {
    time: axisOver(deadline === null ? times : [...times, deadline], log),
    cost: axisOver(budget === null ? costs : [...costs, budget], log, LABEL_HEADROOM),
  };
}

/** Draw cost over time of all relevant configurations. */
export function costTimeFigure(data: CostTimeData, axes: Axes, limits: Limits): PlaneFigure {
  const { time, cost } = axes;
  return plane({
    top: TOP_PX,
    height: HEIGHT_PX.wide,
    narrow: HEIGHT_PX.narrow,
    x: { of: "duration", ...time, title: "time of one run", grid: true },
    y: {
      of: "amount",
      ...cost,
      words: costLabel,
      title: data.of === "month" ? "always-on monthly cost" : "cost of one run",
    },
    marks: [
      ...curveMarks(data),
      ...limitMarks(limits, axes),
      points("safer", data.safer, data, { r: 2.5, fill: "ring", width: 1.25, colour: PALE }),
      ...frontierMarks(data),
      { kind: "points", key: "ranked", points: data.ranked.map((row) => rankedPoint(row, data)) },
      points("marked", data.marked, data, { r: 7.5, fill: "ring", width: 1.5, colour: INK }),
      unsaid("marked centers", data.marked, { r: 1.5, width: 0, colour: INK }),
      unsaid("chosen", data.chosen === null ? [] : [data.chosen], {
        r: 12,
        fill: "ring",
        width: 2.5,
        colour: "var(--accent)",
      }),
      { kind: "labels", key: "names", place: (at) => labels(data, at) },
    ],
  });
}

/** Return the lines of a tooltip: name, time and cost as people read them, and with full precision. */
function wordsOf({ name, time_s, cost_usd }: CostTimePoint, { of }: CostTimeData): string[] {
  const each = of === "month" ? " a month" : "";
  return [name, `${duration(time_s)} · ${usd(cost_usd)}${each}`, `${time_s} s · ${cost_usd} USD${each}`];
}

function pointOf(point: CostTimePoint, data: CostTimeData): ChartPoint {
  return { key: point.key, x: point.time_s, y: point.cost_usd, words: wordsOf(point, data) };
}

function points(key: string, of: readonly CostTimePoint[], data: CostTimeData, look: Partial<ChartPoint>): Mark {
  return { kind: "points", key, points: of.map((point) => ({ ...pointOf(point, data), ...look })) };
}

/** Draw points that the cursor does not find, because others are at the same place. */
function unsaid(key: string, of: readonly CostTimePoint[], look: Partial<ChartPoint>): Mark {
  const drawn = of.map((point) => ({ key: point.key, x: point.time_s, y: point.cost_usd, ...look }));
  return { kind: "points", key, points: drawn };
}

function line(key: string, of: readonly CostTimePoint[], look: { colour: string; width: number }): Mark {
  return { kind: "line", key, points: of.map(({ time_s, cost_usd }) => ({ x: time_s, y: cost_usd })), ...look };
}

function curveMarks(data: CostTimeData): Mark[] {
  return data.curves.flatMap((curve, index): Mark[] => [
    line(`${curve.name} ${index}`, curve.points, { colour: PALE, width: 1.25 }),
    {
      kind: "points",
      key: `${curve.name} ${index} points`,
      hidden: true,
      points: curve.points.map((point) => pointOf(point, data)),
    },
  ]);
}

function frontierMarks(data: CostTimeData): Mark[] {
  const { frontier } = data;
  // Marks this dense would only thicken the line; hidden marks can still be picked.
  const hidden = frontier.length > MANY_POINTS;
  return [
    line("frontier", frontier, { colour: INK, width: 2.5 }),
    {
      kind: "points",
      key: "frontier points",
      hidden,
      points: frontier.map((point) => ({ ...pointOf(point, data), r: 3, width: 0, colour: INK })),
    },
  ];
}

function rankedPoint(row: RankedPoint, data: CostTimeData): ChartPoint {
  const { colour, symbol } = RESOURCES[row.resource];
  const [shape, open] = symbol.split("-open") as [Shape, string | undefined];
  return {
    ...pointOf(row, data),
    r: 6,
    shape,
    ...(open !== undefined && { fill: "ring" as const }),
    colour,
    across: { low: row.time.p10, high: row.time.p90 },
    up: { low: row.cost.p10, high: row.cost.p90 },
  };
}

/** Draw the limits for saved pictures. */
function limitMarks({ deadline_s, budget_usd }: Limits, { time, cost }: Axes): Mark[] {
  const rule = (
    key: string,
    along: "x" | "y",
    at: number | null,
    axis: Axis,
    words: (at: number) => string,
  ): Mark[] => {
    if (at === null || at <= axis.low || at >= axis.high) return [];
    const name = [`${key} ${words(at)}`];
    return [{ kind: "rule", key, along, at, name, colour: INK, width: 1.25, dash: "9 9", saved: true }];
  };
  return [...rule("deadline", "x", deadline_s, time, duration), ...rule("budget", "y", budget_usd, cost, usd)];
}

/** Place the labels: badges of marked points, then names of types, as far as they fit. */
function labels(data: CostTimeData, at: Plane): PlacedLabel[] {
  const { frame } = at;
  const spot = ({ time_s, cost_usd }: CostTimePoint): Spot => ({ x: at.x(time_s), y: at.y(cost_usd) });
  const most = frame.width < NARROW_PX ? NAMES_IN_NARROW : MOST_NAMES;
  // Extra candidates, because some names may not fit.
  const names = named(data).slice(0, 3 * most);
  const texts = [
    ...data.marked.map((point) => ({ text: point.badge, needed: true, ...spot(point) })),
    ...names.map(({ name, end }) => ({ text: name, needed: false, ...spot(end) })),
  ];
  const marks = data.ranked.map((row): Box => {
    const [left, right] = [at.x(row.time.p10) - MARK_PX, at.x(row.time.p90) + MARK_PX];
    return { ...boxAround(spot(row), MARK_PX), left, right };
  });
  const lines = data.curves.map((curve) => curve.points.map(spot));
  const placed = placedIn(frame, texts, { marks, lines, bold: [data.frontier.map(spot)] });
  return placed
    .slice(0, data.marked.length + most)
    .map(({ label: { text, needed }, corner }, index) => ({ key: `${text} ${index}`, text, boxed: needed, ...corner }));
}

/**
 * Return the types to label, each once, most important first: the frontier's ends, chosen, pinned and current
 * configurations, then the ranking. A name is placed at the fast end of its type's curve, or at the point itself.
 */
function named(data: CostTimeData): { name: string; end: CostTimePoint }[] {
  const { frontier, chosen, marked, ranked, curves } = data;
  const telling = [frontier[0], frontier.at(-1), chosen, ...marked, ...ranked];
  const points = new Map<string, CostTimePoint>();
  for (const point of telling) {
    if (point === undefined || point === null) continue;
    const type = typeOf(point);
    if (!points.has(type)) points.set(type, point);
  }
  return [...points].map(([name, point]) => {
    const curve = curves.find((one) => one.name === name)?.points ?? [];
    const end = curve.reduce((fastest, one) => (one.time_s < fastest.time_s ? one : fastest), curve[0] ?? point);
    return { name, end };
  });
}

/** Return the type in a name: `i2.8xlarge` of `98 × i2.8xlarge`. */
function typeOf({ name }: CostTimePoint): string {
  return name.split(" ").at(-1) ?? name;
}
