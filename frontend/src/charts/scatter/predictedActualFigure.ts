// Predicted over actual figures: perfect predictions are on the diagonal, or at 1 if the ratio is shown.

import { type Axis, axisOver, shareOf } from "@/charts/axes/axis";
import { placeLabels, type Spot } from "@/charts/axes/labels";
import { costTicks } from "@/charts/axes/ticks";
import { briefNumber, threeDigits } from "@/lib/wording";

export type MarkKind = "reproduced" | "predicted" | "fitted" | "context";
export type MarkGroup = "job time" | "device rate" | "price" | "arithmetic";

/** Okabe-Ito colors; the fill of a mark shows the same information. */
export const KIND_COLOURS: Record<MarkKind, string> = {
  reproduced: "#009E73",
  predicted: "#0072B2",
  fitted: "#D55E00",
  context: "#8A8A8A",
};

/** Outline of each group's mark around the origin; radius about 6 px, similar areas. */
export const GROUP_PATHS: Record<MarkGroup, string> = {
  "job time": "M-5.5,0A5.5,5.5,0,1,1,5.5,0A5.5,5.5,0,1,1,-5.5,0Z",
  "device rate": "M-4.8,-4.8H4.8V4.8H-4.8Z",
  price: "M0,-6.8L6.8,0L0,6.8L-6.8,0Z",
  arithmetic: "M0,-6.6L6.4,5H-6.4Z",
};

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

export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Largest relative error inside the band. */
const BAND = 0.15;
const MARK_PX = 7;
const TICK_PX = { x: 70, y: 40 };
const LONGEST_LABEL = 34;
/** Reserved width per letter, and typical width. */
const LETTER_PX = 7;
const TEXT_PX = 5.9;
const HALF_LABEL_PX = 7.5;
const ROOMY_PX = 480;

/** Quantity of the vertical axis: the prediction, or its ratio to the actual figure. */
export type Upwards = "predicted" | "ratio";

export interface Axes {
  actual: Axis;
  up: Axis;
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

/** Convert values to a position in the frame [px], with y pointing down. */
export function place(frame: Frame, { actual, up }: Axes, x: number, y: number): Spot {
  const within = (value: number, axis: Axis) => shareOf(Math.min(axis.high, Math.max(axis.low, value)), axis);
  return { x: frame.left + within(x, actual) * frame.width, y: frame.top + (1 - within(y, up)) * frame.height };
}

/** Compute the position of a prediction and its range. */
export function placeOf(frame: Frame, axes: Axes, { actual, predicted, range }: ComparedPoint, upwards: Upwards) {
  const at = (value: number) => place(frame, axes, actual, heightOf(value, actual, upwards));
  return { ...at(predicted), range: range === null ? null : { low: at(range.p10).y, high: at(range.p90).y } };
}

/** Return the end points of the line of perfect predictions. */
export function perfectLine(frame: Frame, axes: Axes, upwards: Upwards): [Spot, Spot] {
  const { low, high } = axes.actual;
  return [
    place(frame, axes, low, heightOf(low, low, upwards)),
    place(frame, axes, high, heightOf(high, high, upwards)),
  ];
}

/** Return the corners of the tolerance band. */
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

/** Compute ticks: powers of ten as far as they fit; 1, 2 and 5 if the axis spans few decades. */
export function comparedTicks(axis: Axis, length_px: number, along: "x" | "y"): number[] {
  const most = Math.max(3, Math.min(8, Math.floor(length_px / TICK_PX[along])));
  const first = Math.ceil(Math.log10(axis.low));
  const decades = Math.floor(Math.log10(axis.high)) - first + 1;
  if (decades < 3) return costTicks(axis, most);
  const step = Math.ceil(decades / most);
  return Array.from({ length: Math.ceil(decades / step) }, (_, index) => Number(`1e${first + index * step}`));
}

/** Format a tick without a unit; each mark has its own. */
export function tickText(value: number): string {
  return value < 1_000 ? threeDigits(value) : briefNumber(value);
}

/** Label with its position [px]: left end, on the baseline. */
export interface PlacedLabel extends Spot {
  key: string;
  text: string;
  /** Line from the label to its mark, if they are far apart. */
  leader: [Spot, Spot] | null;
}

/** Place the labels so that they cover no marks, if possible. */
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
    // In narrow charts, labels are omitted rather than overlapped.
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
