// Many points over two figures of each, both axes of the same kind.

import { type Axis, axisOver, shareOf } from "@/charts/axes/axis";
import { placeLabels } from "@/charts/axes/labels";
import { costTicks } from "@/charts/axes/ticks";
import { briefNumber, threeDigits } from "@/lib/wording";

/** A point; on logarithmic axes both figures are above zero. */
export interface ScatterPoint {
  key: string;
  x: number;
  y: number;
  /** Left out by a filter: still there, less to be seen. */
  faint: boolean;
  /** Held against others: ringed, and named before others. */
  marked: boolean;
}

/** A part of the plot that means something, between two values of one axis; null is the end of the axis. */
export interface Band {
  along: "x" | "y";
  from: number | null;
  to: number | null;
  label: string;
  /** How strongly it is shaded: 0 not at all, 1 faintly, 2 more so. */
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
/** Two names nearer to each other than this [px] say the same. */
const LABELS_APART_PX = 72;
const MARK_PX = 4;
const TICK_PX = { x: 76, y: 40 };
const TEXT_PX = 6.4;
const NOTHING: Axis = { low: 0.1, high: 10, log: true };

/** Span both axes over every point. */
export function scatterAxes(points: readonly ScatterPoint[], log: boolean): ScatterAxes {
  const over = (values: number[]): Axis => {
    if (values.length === 0 || Math.max(...values) <= 0) return { ...NOTHING, low: log ? NOTHING.low : 0, log };
    return axisOver(values, log);
  };
  return { x: over(points.map(({ x }) => x)), y: over(points.map(({ y }) => y)) };
}

/** Where a point stands on the page [px], y downwards; beyond an axis at its end. */
export function spotOf({ x, y }: Spot, axes: ScatterAxes, frame: ScatterFrame): Spot {
  const along = (value: number, axis: Axis) =>
    Math.min(1, Math.max(0, shareOf(Math.max(value, axis.log ? axis.low : 0), axis)));
  return { x: frame.left + along(x, axes.x) * frame.width, y: frame.top + (1 - along(y, axes.y)) * frame.height };
}

/** One path for a great many round marks: a line of no length for each, with round ends. */
export function dotsPath(spots: readonly Spot[]): string {
  return spots.map(({ x, y }) => `M${x.toFixed(1)},${y.toFixed(1)}h0`).join("");
}

/** Place round ticks: powers of ten where the axis spans many of them. */
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

/** The point that is nearest to a place, and within reach [px] of it; one that is kept before one that is not. */
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

/** A name beside its mark: the left end of its base line [px]. */
export interface ScatterLabel extends Spot {
  key: string;
}

/** Name a few: what is marked, then what has the most of y for its x, then what stands apart from the rest. */
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
    // The room was measured generously: a name at the left of its mark stands close to it.
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

/** In which order points deserve their name. */
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
  // Every so many of the rest, from the least to the most.
  for (let step = 0; step < byY.length; step += Math.max(1, Math.floor(byY.length / 40))) rest.push(byY[step] ?? 0);
  const marked = points.flatMap((point, index) => (point.marked ? [index] : []));
  return [...new Set([...marked, ...ahead, ...rest])];
}
