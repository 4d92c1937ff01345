// Scatter plots of many points over two figures, with both axes on the same kind of scale.

import { type Axis, axisOver, shareOf } from "@/charts/axes/axis";
import { placeLabels } from "@/charts/axes/labels";
import { costTicks } from "@/charts/axes/ticks";
import { briefNumber, threeDigits } from "@/lib/wording";

/** Data point; both figures are positive on logarithmic axes. */
export interface ScatterPoint {
  key: string;
  x: number;
  y: number;
  /** True if excluded by a filter: drawn faintly. */
  faint: boolean;
  /** True if selected for comparison: ringed, and labeled first. */
  marked: boolean;
}

/** Highlighted range of one axis; null means the end of the axis. */
export interface Band {
  along: "x" | "y";
  from: number | null;
  to: number | null;
  label: string;
  /** Strength of the shading: 0 none, 1 faint, 2 stronger. */
  shade: 0 | 1 | 2;
}

export interface ScatterAxes {
  x: Axis;
  y: Axis;
}

export interface ScatterFrame {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Spot {
  x: number;
  y: number;
}

const MOST_LABELS = 16;
/** Minimum distance of labels; closer points are redundant [px]. */
const LABELS_APART_PX = 72;
const MARK_PX = 4;
const TICK_PX = { x: 76, y: 40 };
const TEXT_PX = 6.4;
const NOTHING: Axis = { low: 0.1, high: 10, log: true };

/** Compute axes that cover all points. */
export function scatterAxes(points: readonly ScatterPoint[], log: boolean): ScatterAxes {
  const over = (values: number[]): Axis => {
    if (values.length === 0 || Math.max(...values) <= 0) return { ...NOTHING, low: log ? NOTHING.low : 0, log };
    return axisOver(values, log);
  };
  return { x: over(points.map(({ x }) => x)), y: over(points.map(({ y }) => y)) };
}

/** Compute a point's position on the page [px], with y pointing down; clipped to the axes. */
export function spotOf({ x, y }: Spot, axes: ScatterAxes, frame: ScatterFrame): Spot {
  const along = (value: number, axis: Axis) =>
    Math.min(1, Math.max(0, shareOf(Math.max(value, axis.log ? axis.low : 0), axis)));
  return { x: frame.left + along(x, axes.x) * frame.width, y: frame.top + (1 - along(y, axes.y)) * frame.height };
}

/** Build one path for many round marks: lines of zero length with round caps. */
export function dotsPath(spots: readonly Spot[]): string {
  return spots.map(({ x, y }) => `M${x.toFixed(1)},${y.toFixed(1)}h0`).join("");
}

/** Compute ticks: powers of ten if the axis spans many decades, else round values. */
export function scatterTicks(axis: Axis, length_px: number, along: "x" | "y"): number[] {
  const most = Math.max(3, Math.min(9, Math.floor(length_px / TICK_PX[along])));
  if (!axis.log) return costTicks(axis, most);
  const first = Math.ceil(Math.log10(axis.low));
  const decades = Math.floor(Math.log10(axis.high)) - first + 1;
  if (decades < 4) return costTicks(axis, most);
  const step = Math.ceil(decades / most);
  return Array.from({ length: Math.ceil(decades / step) }, (_, index) => Number(`1e${first + index * step}`));
}

export function tickWords(value: number): string {
  return value === 0 || value < 1_000 ? threeDigits(value) : briefNumber(value);
}

/** Return the point nearest to a position, within `reach` [px]; unfiltered points take precedence. */
export function nearest(points: readonly ScatterPoint[], spots: readonly Spot[], at: Spot, reach: number): number {
  let found = -1;
  let least = reach;
  for (const [index, spot] of spots.entries()) {
    const far = Math.hypot(spot.x - at.x, spot.y - at.y) + (points[index]?.faint ? reach / 2 : 0);
    if (far < least) {
      least = far;
      found = index;
    }
  }
  return found;
}

/** Label beside a mark: left end of the baseline [px]. */
export interface ScatterLabel extends Spot {
  key: string;
}

/** Choose and place the labels: marked points, then the highest y for their x, then points apart from others. */
export function scatterLabels(
  points: readonly ScatterPoint[],
  spots: readonly Spot[],
  frame: ScatterFrame,
): ScatterLabel[] {
  const most = frame.width < 480 ? 6 : MOST_LABELS;
  const chosen: number[] = [];
  for (const index of labelOrder(points)) {
    const spot = spots[index];
    if (spot === undefined || chosen.length >= most) break;
    const near = chosen.some((other) => {
      const taken = spots[other];
      return taken !== undefined && Math.hypot(taken.x - spot.x, 2 * (taken.y - spot.y)) < LABELS_APART_PX;
    });
    if (!near || points[index]?.marked) chosen.push(index);
  }
  const upwards = ({ x, y }: Spot): Spot => ({ x: x - frame.left, y: frame.height - (y - frame.top) });
  const marks = points.flatMap((point, index) => {
    const spot = spots[index];
    if (point.faint || spot === undefined) return [];
    const { x, y } = upwards(spot);
    return [{ left: x - MARK_PX, right: x + MARK_PX, bottom: y - MARK_PX, top: y + MARK_PX }];
  });
  const named = chosen.flatMap((index) => {
    const [point, spot] = [points[index], spots[index]];
    return point === undefined || spot === undefined ? [] : [{ point, ...upwards(spot) }];
  });
  const shifts = placeLabels(
    named.map(({ point, x, y }) => ({ text: point.key, x, y, needed: point.marked })),
    { marks, lines: [] },
    frame,
  );
  return named.flatMap(({ point, x, y }, index) => {
    const shift = shifts[index];
    if (shift === null || shift === undefined) return [];
    // The estimated width is generous: move labels at the left closer to their marks.
    const closer = shift.dx < -20 && Math.abs(shift.dx) > point.key.length * TEXT_PX ? 0.6 * point.key.length : 0;
    return [
      {
        key: point.key,
        x: frame.left + x + shift.dx + closer,
        y: frame.top + frame.height - (y + shift.dy) - 3,
      },
    ];
  });
}

/** Return the indices of unfiltered points in order of label priority. */
function labelOrder(points: readonly ScatterPoint[]): number[] {
  const kept = points.flatMap((point, index) => (point.faint ? [] : [index]));
  const at = (index: number) => points[index] ?? { x: 0, y: 0, marked: false };
  const byY = kept.toSorted((a, b) => at(b).y - at(a).y || at(a).x - at(b).x);
  const ahead: number[] = [];
  const rest: number[] = [];
  for (const side of [1, -1]) {
    let best = Number.NEGATIVE_INFINITY;
    for (const index of byY) {
      if (side * at(index).x > best) {
        best = side * at(index).x;
        ahead.push(index);
      }
    }
  }
  // An even sample of the remaining points, by y.
  for (let step = 0; step < byY.length; step += Math.max(1, Math.floor(byY.length / 40))) rest.push(byY[step] ?? 0);
  const marked = points.flatMap((point, index) => (point.marked ? [index] : []));
  return [...new Set([...marked, ...ahead, ...rest])];
}
