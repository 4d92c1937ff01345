// Cost over time: curves of types, the frontier, ranked rows, pins. The page draws the draggable limits over the chart;
// saved pictures include them as lines.

import { type Axis, axisOver, placeOf } from "@/charts/axes/axis";
import { LETTER_PX } from "@/charts/axes/chartAxis";
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
  resource: ResourceKind;
  /** Further facts of a tooltip: `bottleneck network`. */
  facts: readonly string[];
}

/** Configuration that the page shows, with its ranges. */
export interface ChosenPoint extends CostTimePoint {
  time: Quantiles;
  cost: Quantiles;
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
  chosen: ChosenPoint | null;
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
const MARK_PX = 8;
const RING_PX = 11;
const MARKED_PX = 7.5;
const SAFER_PX = 2.5;
const FRONTIER_PX = 3;
/** Half of the thickness of whiskers and rings, and of the space around them [px]. */
const STROKE_PX = 2;
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
  points.push(...data.ranked);
  // Of all ranges, only that of the chosen configuration is always drawn.
  const { time, cost } = data.chosen ?? {};
  const times = [...points.map((point) => point.time_s), ...(time === undefined ? [] : [time.p10, time.p90])];
  const costs = [...points.map((point) => point.cost_usd), ...(cost === undefined ? [] : [cost.p10, cost.p90])];
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
    list: true,
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
      points("safer", data.safer, data, { r: SAFER_PX, fill: "ring", width: 1.25, colour: PALE, listed: false }),
      ...frontierMarks(data),
      { kind: "points", key: "ranked", points: data.ranked.map((row) => rankedPoint(row, data)) },
      points("marked", data.marked.filter(isNotIn(data.ranked)), data, MARKED),
      points("marked rows", data.marked.filter(isIn(data.ranked)), data, { ...MARKED, listed: false }),
      unsaid("marked centers", data.marked, { r: 1.5, width: 0, colour: INK }),
      ...chosenMarks(data),
      { kind: "labels", key: "names", place: (at) => labels(data, limits, at) },
    ],
  });
}

const MARKED: Partial<ChartPoint> = { r: MARKED_PX, fill: "ring", width: 1.5, colour: INK };

function isIn(others: readonly CostTimePoint[]): (point: CostTimePoint) => boolean {
  return ({ key }) => others.some((other) => other.key === key);
}

function isNotIn(others: readonly CostTimePoint[]): (point: CostTimePoint) => boolean {
  return (point) => !isIn(others)(point);
}

/** Draw the ring of the chosen configuration and its ranges. */
function chosenMarks({ chosen }: CostTimeData): Mark[] {
  if (chosen === null) return [];
  const ranges = {
    across: { low: chosen.time.p10, high: chosen.time.p90 },
    up: { low: chosen.cost.p10, high: chosen.cost.p90 },
  };
  return [
    unsaid("ranges of chosen", [chosen], { r: 0, colour: INK, ...ranges }),
    unsaid("chosen", [chosen], { r: RING_PX, fill: "ring", width: 2.5, colour: "var(--accent)" }),
  ];
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
      points: curve.points.map((point) => ({ ...pointOf(point, data), listed: false })),
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
      points: frontier.map((point) => ({
        ...pointOf(point, data),
        ...{ r: FRONTIER_PX, width: 0, colour: INK, listed: false },
      })),
    },
  ];
}

function rankedPoint(row: RankedPoint, data: CostTimeData): ChartPoint {
  const { colour, symbol } = RESOURCES[row.resource];
  const [shape, open] = symbol.split("-open") as [Shape, string | undefined];
  const point = pointOf(row, data);
  return {
    ...point,
    words: [...(point.words ?? []), ...row.facts],
    r: 6,
    shape,
    ...(open !== undefined && { fill: "ring" as const }),
    colour,
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
function labels(data: CostTimeData, limits: Limits, at: Plane): PlacedLabel[] {
  const { frame } = at;
  const spot = spotIn(at);
  const most = frame.width < NARROW_PX ? NAMES_IN_NARROW : MOST_NAMES;
  // Extra candidates, because some names may not fit.
  const names = named(data).slice(0, 3 * most);
  const texts = [
    ...data.marked.map((point) => ({ text: point.badge, needed: true, ...spot(point) })),
    ...names.map(({ name, end }) => ({ text: name, needed: false, ...spot(end) })),
  ];
  const lines = [...data.curves.map((curve) => curve.points.map(spot)), ...limitLines(limits, at)];
  const marks = [...markBoxes(data, at), ...handleBoxes(data, limits, at)];
  const placed = placedIn(frame, texts, { marks, lines, bold: [data.frontier.map(spot)] });
  return placed.slice(0, data.marked.length + most).map(({ label, corner }, index) => {
    const { text, needed } = label;
    return { key: `${text} ${index}`, text, boxed: needed, ...corner, leader: leaderOf(label, corner, text.length) };
  });
}

function spotIn(at: Plane): (point: CostTimePoint) => Spot {
  return ({ time_s, cost_usd }) => ({ x: at.x(time_s), y: at.y(cost_usd) });
}

/** Return what labels must not cover: marks, rings, and the ranges of the chosen configuration. */
function markBoxes(data: CostTimeData, at: Plane): Box[] {
  const spot = spotIn(at);
  const around = (points: readonly CostTimePoint[], half: number) => points.map((one) => boxAround(spot(one), half));
  const { chosen, frontier } = data;
  const boxes = [
    ...around(data.ranked, MARK_PX),
    ...around(data.marked, MARKED_PX + STROKE_PX),
    ...around(data.safer, SAFER_PX + STROKE_PX),
    ...(frontier.length > MANY_POINTS ? [] : around(frontier, FRONTIER_PX + 1)),
  ];
  if (chosen === null) return boxes;
  const { x, y } = spot(chosen);
  const [left, right] = [at.x(chosen.time.p10), at.x(chosen.time.p90)];
  const [bottom, top] = [at.y(chosen.cost.p10), at.y(chosen.cost.p90)];
  boxes.push(
    boxAround({ x, y }, RING_PX + STROKE_PX),
    { left, right, top: y - 2 * STROKE_PX, bottom: y + 2 * STROKE_PX },
    { left: x - 2 * STROKE_PX, right: x + 2 * STROKE_PX, top, bottom },
  );
  return boxes;
}

/** Width and height of the budget's handle over the plot [px]. */
const HANDLE_PX = { width: 180, height: 28 };

/** Return the place of the budget's handle, at the right end of its line. */
function handleBoxes({ of }: CostTimeData, { budget_usd }: Limits, at: Plane): Box[] {
  if (of === "month") return [];
  const { frame, axes } = at;
  const right = frame.left + frame.width;
  const share = placeOf(budget_usd, axes.y);
  const top = frame.top + (1 - share) * (frame.height - HANDLE_PX.height);
  return [{ left: right - HANDLE_PX.width, right, top: top - STROKE_PX, bottom: top + HANDLE_PX.height + STROKE_PX }];
}

function limitLines({ deadline_s, budget_usd }: Limits, at: Plane): Spot[][] {
  const { left, top, width, height } = at.frame;
  const across = (y: number): Spot[] => [
    { x: left, y },
    { x: left + width, y },
  ];
  const up = (x: number): Spot[] => [
    { x, y: top },
    { x, y: top + height },
  ];
  return [
    ...(deadline_s === null ? [] : [up(at.x(deadline_s))]),
    ...(budget_usd === null ? [] : [across(at.y(budget_usd))]),
  ];
}

/** Distance from its point from which a label has a line to it [px]. */
const LEADER_FROM_PX = 16;

/** Return the line from a label to its point; null if it stands beside it. */
function leaderOf(point: Spot, corner: Spot, letters: number): [Spot, Spot] | null {
  const end = {
    x: Math.min(corner.x + LETTER_PX * letters + 4, Math.max(corner.x - 4, point.x)),
    y: Math.min(corner.y + 4, Math.max(corner.y - 12, point.y)),
  };
  return Math.hypot(end.x - point.x, end.y - point.y) < LEADER_FROM_PX ? null : [end, { x: point.x, y: point.y }];
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
