// Predicted over actual figures: perfect predictions are on the diagonal, or at 1 if the ratio is shown.

import { type Axis, axisOver } from "@/charts/axes/axis";
import { boxAround, placedIn } from "@/charts/axes/labels";
import { type ChartPoint, FAINT, type PlacedLabel, type Plane, type PlaneFigure, plane } from "@/charts/figure";
import type { Shape } from "@/charts/plot/shapes";

export type MarkKind = "reproduced" | "predicted" | "fitted" | "context";
export type MarkGroup = "job time" | "device rate" | "price" | "arithmetic";

/** Okabe-Ito colors; the fill of a mark shows the same information. */
export const KIND_COLOURS: Record<MarkKind, string> = {
  reproduced: "#009E73",
  predicted: "#0072B2",
  fitted: "#D55E00",
  context: "#8A8A8A",
};

/** Shape of each group's marks. */
export const GROUP_SHAPES: Record<MarkGroup, Shape> = {
  "job time": "circle",
  "device rate": "square",
  price: "diamond",
  arithmetic: "triangle-up",
};

const KIND_FILLS = { reproduced: "open", predicted: "full", fitted: "dotted", context: "dashed" } as const;

/** Return the look of a mark. */
export function lookOf(kind: MarkKind, group: MarkGroup) {
  return { shape: GROUP_SHAPES[group], r: RADIUS_PX, fill: KIND_FILLS[kind], colour: KIND_COLOURS[kind] };
}

/** Case with both figures, in its own unit. Both are positive, because the axes are logarithmic. */
export interface ComparedPoint {
  key: string;
  name: string;
  /** Lines of the tooltip, with full precision. */
  facts: readonly string[];
  kind: MarkKind;
  group: MarkGroup;
  predicted: number;
  actual: number;
  range: { p10: number; p90: number } | null;
  /** Side to which the actual value may differ, if the prediction is a bound. */
  bound: "above" | "below" | null;
  /** Text beside the mark. */
  label: string | null;
  /** True if excluded by a filter: drawn faintly. */
  faint: boolean;
}

/** Largest relative error inside the band. */
const BAND = 0.15;
const MARK_PX = 7;
const RADIUS_PX = 5.5;
const HEIGHT_PX = { wide: 402, narrow: 302 };
const LONGEST_LABEL = 34;
/** Reserved width per letter, and typical width. */
const LETTER_PX = 7;
const TEXT_PX = 5.9;
const HALF_LABEL_PX = 7.5;
const ROOMY_PX = 480;

/** Quantity of the vertical axis: the prediction, or its ratio to the actual figure. */
export type Upwards = "predicted" | "ratio";

/** Position in the plot, in values or [px]. */
interface Position {
  x: number;
  y: number;
}

export interface Axes {
  actual: Axis;
  up: Axis;
}

/** Draw predictions, or their ratio to the actual figures, over published figures on logarithmic axes. */
export function predictedFigure(points: readonly ComparedPoint[], upwards: Upwards): PlaneFigure {
  const axes = comparedAxes(points, upwards);
  return plane({
    list: true,
    height: HEIGHT_PX.wide,
    narrow: HEIGHT_PX.narrow,
    x: { of: "amount", ...axes.actual, title: "actual (own unit)", grid: true },
    y: { of: "amount", ...axes.up, title: upwards === "ratio" ? "predicted ÷ actual" : "predicted (own unit)" },
    marks: [
      { kind: "band", key: "band", points: bandPoints(axes, upwards), colour: "var(--accent)", opacity: 0.12 },
      { kind: "line", key: "perfect", points: perfectLine(axes, upwards), colour: FAINT, width: 1, dash: "5 4" },
      { kind: "points", key: "cases", points: points.map((point) => pointOf(point, upwards)) },
      { kind: "labels", key: "names", place: (at) => comparedLabels(points, at, upwards) },
    ],
  });
}

function pointOf(point: ComparedPoint, upwards: Upwards): ChartPoint {
  const { key, name, facts, kind, group, predicted, actual, range, bound, faint } = point;
  const up = (value: number) => heightOf(value, actual, upwards);
  return {
    key,
    x: actual,
    y: up(predicted),
    words: [name, ...facts],
    ...lookOf(kind, group),
    up: range === null ? null : { low: up(range.p10), high: up(range.p90) },
    bound,
    faint,
  };
}

/** Compute the vertical value of a prediction. */
function heightOf(predicted: number, actual: number, upwards: Upwards): number {
  return upwards === "ratio" ? predicted / actual : predicted;
}

/** Compute axes that cover all marks and ranges; both axes are the same unless the vertical one is a ratio. */
export function comparedAxes(points: readonly ComparedPoint[], upwards: Upwards): Axes {
  const actual = points.map((point) => point.actual);
  const heights = points.flatMap((point) => {
    const { p10 = point.predicted, p90 = point.predicted } = point.range ?? {};
    return [point.predicted, p10, p90].map((value) => heightOf(value, point.actual, upwards));
  });
  if (upwards === "ratio") return { actual: spanned(actual), up: spanned([...heights, 1 - BAND, 1 + BAND]) };
  const both = spanned([...actual, ...heights]);
  return { actual: both, up: both };
}

function spanned(values: number[]): Axis {
  const positive = values.filter((value) => value > 0);
  return positive.length === 0 ? { low: 0.1, high: 10, log: true } : axisOver(positive, true);
}

/** Return the ends of the line of perfect predictions. */
export function perfectLine({ actual: { low, high } }: Axes, upwards: Upwards): [Position, Position] {
  return [
    { x: low, y: heightOf(low, low, upwards) },
    { x: high, y: heightOf(high, high, upwards) },
  ];
}

/** Return the tolerance band between its lower and upper edge, within the axes. */
export function bandPoints(
  { actual: { low, high } }: Axes,
  upwards: Upwards,
): { x: number; low: number; high: number }[] {
  const [more, less] = [1 + BAND, 1 - BAND];
  if (upwards === "ratio") return [low, high].map((x) => ({ x, low: less, high: more }));
  return [low, low / less, high / more, high].map((x) => ({
    x,
    low: Math.max(low, x * less),
    high: Math.min(high, x * more),
  }));
}

/** Place the labels so that they cover no marks, if possible. */
export function comparedLabels(points: readonly ComparedPoint[], at: Plane, upwards: Upwards): PlacedLabel[] {
  const { frame } = at;
  const spotOf = ({ actual }: ComparedPoint, predicted: number): Position => ({
    x: at.x(actual),
    y: at.y(heightOf(predicted, actual, upwards)),
  });
  const spots = points.map((point) => spotOf(point, point.predicted));
  const longest = Math.min(LONGEST_LABEL, Math.floor((0.6 * frame.width) / LETTER_PX));
  // In narrow charts, labels are omitted rather than overlapped.
  const needed = frame.width >= ROOMY_PX;
  const named = points.flatMap(({ key, label }, index) => {
    const spot = spots[index];
    return label === null || spot === undefined ? [] : { key, text: shortened(label, longest), needed, ...spot };
  });
  const whiskers = points.flatMap((point) => {
    const { range } = point;
    return range === null ? [] : [[range.p10, range.p90].map((end) => spotOf(point, end))];
  });
  const obstacles = { marks: spots.map((spot) => boxAround(spot, MARK_PX)), lines: whiskers };
  return placedIn(frame, named, obstacles).map(({ label: { key, text, x, y }, corner, shift: { dy } }) => {
    const width = text.length * TEXT_PX;
    const end = { x: Math.min(corner.x + width + 3, Math.max(corner.x - 3, x)), y: corner.y - 4 };
    const far = Math.abs(dy + HALF_LABEL_PX) > 2 * HALF_LABEL_PX;
    return { key, text, ...corner, leader: far ? [end, { x, y }] : null };
  });
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).trimEnd()}…`;
}
