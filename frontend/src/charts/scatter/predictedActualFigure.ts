// Predicted against actual: both axes the same, so that a perfect prediction stands on the diagonal; or how many times
// the actual figure the prediction is, so that a perfect one stands at 1.

import { type Axis, axisOver, shareOf } from "@/charts/axes/axis";
import { placeLabels, type Spot } from "@/charts/axes/labels";
import { costTicks } from "@/charts/axes/ticks";
import { briefNumber, threeDigits } from "@/lib/wording";

export type MarkKind = "reproduced" | "predicted" | "fitted" | "context";
export type MarkGroup = "job time" | "device rate" | "price" | "arithmetic";

/** Okabe and Ito's colours; how a mark is filled says the same again. */
export const KIND_COLOURS: Record<MarkKind, string> = {
  reproduced: "#009E73",
  predicted: "#0072B2",
  fitted: "#D55E00",
  context: "#8A8A8A",
};

/** The outline of each group's mark around the origin, of some 6 px radius; all of about the same area. */
export const GROUP_PATHS: Record<MarkGroup, string> = {
  "job time": "M-5.5,0A5.5,5.5,0,1,1,5.5,0A5.5,5.5,0,1,1,-5.5,0Z",
  "device rate": "M-4.8,-4.8H4.8V4.8H-4.8Z",
  price: "M0,-6.8L6.8,0L0,6.8L-6.8,0Z",
  arithmetic: "M0,-6.6L6.4,5H-6.4Z",
};

/** A case with both its figures, in its own unit. Both are positive: the axes are logarithmic. */
export interface ComparedPoint {
  key: string;
  /** What it is, in words. */
  name: string;
  /** All that is to be said of it, a line each, with all digits. */
  facts: readonly string[];
  kind: MarkKind;
  group: MarkGroup;
  predicted: number;
  actual: number;
  range: { p10: number; p90: number } | null;
  /** Where the prediction is a bound of what was measured: to which side it may differ. */
  bound: "above" | "below" | null;
  /** Stands beside the mark. */
  label: string | null;
  /** Left out by a filter: still there, less to be seen. */
  faint: boolean;
}

export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Off by so much at most is within the band. */
const BAND = 0.15;
const MARK_PX = 7;
const TICK_PX = { x: 70, y: 40 };
const LONGEST_LABEL = 34;
/** Room for a letter, and about what it takes of it. */
const LETTER_PX = 7;
const TEXT_PX = 5.9;
const HALF_LABEL_PX = 7.5;
const ROOMY_PX = 480;

/** What stands upwards: the prediction, or how many times the actual figure it is. */
export type Upwards = "predicted" | "ratio";

export interface Axes {
  actual: Axis;
  up: Axis;
}

/** How high a prediction stands. */
function heightOf(predicted: number, actual: number, upwards: Upwards): number {
  return upwards === "ratio" ? predicted / actual : predicted;
}

/** Span the axes over every mark and its range: one span for both where both are figures. */
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

/** Where a value stands along the frame [px]: x to the right, y downwards. */
export function place(frame: Frame, { actual, up }: Axes, x: number, y: number): Spot {
  const within = (value: number, axis: Axis) => shareOf(Math.min(axis.high, Math.max(axis.low, value)), axis);
  return { x: frame.left + within(x, actual) * frame.width, y: frame.top + (1 - within(y, up)) * frame.height };
}

/** Where a prediction stands, and its range. */
export function placeOf(frame: Frame, axes: Axes, { actual, predicted, range }: ComparedPoint, upwards: Upwards) {
  const at = (value: number) => place(frame, axes, actual, heightOf(value, actual, upwards));
  return { ...at(predicted), range: range === null ? null : { low: at(range.p10).y, high: at(range.p90).y } };
}

/** The line on which a perfect prediction stands. */
export function perfectLine(frame: Frame, axes: Axes, upwards: Upwards): [Spot, Spot] {
  const { low, high } = axes.actual;
  return [
    place(frame, axes, low, heightOf(low, low, upwards)),
    place(frame, axes, high, heightOf(high, high, upwards)),
  ];
}

/** The corners of the band around it. */
export function bandCorners(frame: Frame, axes: Axes, upwards: Upwards): Spot[] {
  const { low, high } = axes.actual;
  const [more, less] = [1 + BAND, 1 - BAND];
  const corners: [number, number][] =
    upwards === "ratio"
      ? [
          [low, more],
          [high, more],
          [high, less],
          [low, less],
        ]
      : [
          [low, low],
          [low, low * more],
          [high / more, high],
          [high, high],
          [high, high * less],
          [low / less, low],
        ];
  return corners.map(([x, y]) => place(frame, axes, x, y));
}

/** Place ticks: powers of ten, as many as there is room for; 1, 2 and 5 where the axis spans few of them. */
export function comparedTicks(axis: Axis, length_px: number, along: "x" | "y"): number[] {
  const most = Math.max(3, Math.min(8, Math.floor(length_px / TICK_PX[along])));
  const first = Math.ceil(Math.log10(axis.low));
  const decades = Math.floor(Math.log10(axis.high)) - first + 1;
  if (decades < 3) return costTicks(axis, most);
  const step = Math.ceil(decades / most);
  return Array.from({ length: Math.ceil(decades / step) }, (_, index) => Number(`1e${first + index * step}`));
}

/** Write a tick; the unit is each mark's own. */
export function tickText(value: number): string {
  return value < 1_000 ? threeDigits(value) : briefNumber(value);
}

/** A label and where it stands [px]: its left end, on its base line. */
export interface PlacedLabel extends Spot {
  key: string;
  text: string;
  /** From the label to its mark, where they are far from each other. */
  leader: [Spot, Spot] | null;
}

/** Put the labels where they hide no mark, as far as that is possible. */
export function comparedLabels(
  points: readonly ComparedPoint[],
  axes: Axes,
  frame: Frame,
  upwards: Upwards,
): PlacedLabel[] {
  const spotOf = (point: ComparedPoint): Spot => {
    const { x, y } = placeOf(frame, axes, point, upwards);
    return { x: x - frame.left, y: frame.height - (y - frame.top) };
  };
  const longest = Math.min(LONGEST_LABEL, Math.floor((0.6 * frame.width) / LETTER_PX));
  const named = points.flatMap((point) =>
    point.label === null ? [] : [{ key: point.key, text: shortened(point.label, longest), ...spotOf(point) }],
  );
  const marks = points.map((point) => {
    const { x, y } = spotOf(point);
    return { left: x - MARK_PX, right: x + MARK_PX, bottom: y - MARK_PX, top: y + MARK_PX };
  });
  const whiskers = points.flatMap((point) => {
    const { x, range } = placeOf(frame, axes, point, upwards);
    if (range === null) return [];
    return [[range.low, range.high].map((y) => ({ x: x - frame.left, y: frame.height - (y - frame.top) }))];
  });
  const shifts = placeLabels(
    // Where there is little room, a name less is better than one over the other.
    named.map(({ text, x, y }) => ({ text, x, y, needed: frame.width >= ROOMY_PX })),
    { marks, lines: whiskers },
    frame,
  );
  return named.flatMap(({ key, text, x, y }, index) => {
    const shift = shifts[index];
    if (shift === null || shift === undefined) return [];
    const { dx, dy } = shift;
    const at = { x: frame.left + x + dx, y: frame.top + frame.height - (y + dy) - 3 };
    const mark = { x: frame.left + x, y: frame.top + frame.height - y };
    const width = text.length * TEXT_PX;
    const end = { x: Math.min(at.x + width + 3, Math.max(at.x - 3, mark.x)), y: at.y - 4 };
    const far = Math.abs(dy + HALF_LABEL_PX) > 2 * HALF_LABEL_PX;
    return { key, text, ...at, leader: far ? [end, mark] : null };
  });
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).trimEnd()}…`;
}
