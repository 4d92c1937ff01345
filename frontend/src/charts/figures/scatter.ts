// Scatter plots of many points over two figures, with both axes on the same kind of scale.

import { type Axis, axisOver } from "@/charts/axes/axis";
import { boxAround, placedIn } from "@/charts/axes/labels";
import {
  type DotsMark,
  FAINT,
  type Mark,
  OTHER,
  type PlacedLabel,
  type Plane,
  type PlaneFigure,
  plane,
} from "@/charts/figure";
import { diagonal } from "./beforeAfter";

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

const MOST_LABELS = 16;
/** Minimum distance of labels; closer points are redundant [px]. */
const LABELS_APART_PX = 72;
const MARK_PX = 4;
const HEIGHT_PX = { wide: 388, narrow: 308 };
const TOP_PX = 26;
const TEXT_PX = 6.4;
const NOTHING: Axis = { low: 0.1, high: 10, log: true };

interface Scatter {
  points: readonly ScatterPoint[];
  /** Axis titles with units. */
  xTitle: string;
  yTitle: string;
  log: boolean;
  bands: readonly Band[];
  /** Line of equal values: its label, and the value on the Y axis that equals 1 on the X axis. */
  equal: { label: string; ratio: number } | undefined;
  /** Returns the lines of a point's tooltip. */
  facts: (point: ScatterPoint) => readonly string[];
}

/** Shading of a band by its strength, as an opacity. */
const SHADES = [0, 0.07, 0.16];

/** Draw a large number of points over two figures, on logarithmic axes by default. */
export function scatterFigure({ points, xTitle, yTitle, log, bands, equal, facts }: Scatter): PlaneFigure {
  const axes = scatterAxes(points, log);
  return plane({
    list: true,
    crowded: true,
    top: TOP_PX,
    height: HEIGHT_PX.wide,
    narrow: HEIGHT_PX.narrow,
    x: { of: "amount", ...axes.x, title: xTitle, grid: true },
    y: { of: "amount", ...axes.y, title: yTitle },
    marks: [
      ...bands.map(bandMark),
      ...(equal === undefined ? [] : equalMarks(axes, equal)),
      dots("faint", points, { r: 2.5, opacity: 0.13 }),
      dots("kept", points, { r: 3.5, opacity: 0.55 }),
      {
        kind: "points",
        key: "compared",
        points: points
          .filter(({ marked }) => marked)
          .map(({ key, x, y }) => ({ key, x, y, r: 8, fill: "ring", width: 2, colour: OTHER })),
      },
      {
        kind: "points",
        key: "all",
        hidden: true,
        points: points.map((point) => ({ ...point, words: [point.key, ...facts(point)] })),
      },
      { kind: "labels", key: "names", place: (at) => scatterLabels(points, at) },
    ],
  });
}

function bandMark({ along, from, to, label, shade }: Band): Mark {
  const opacity = SHADES[shade] ?? 0;
  return { kind: "span", key: label, along, from, to, colour: "var(--accent)", opacity, name: label };
}

function dots(key: "faint" | "kept", points: readonly ScatterPoint[], look: Pick<DotsMark, "r" | "opacity">): DotsMark {
  return { kind: "dots", key, spots: points.filter(({ faint }) => faint === (key === "faint")), ...look };
}

/** Draw the line of equal values as far as both axes reach, with its label. */
function equalMarks({ x, y }: Record<"x" | "y", Axis>, { label: text, ratio }: NonNullable<Scatter["equal"]>): Mark[] {
  const [low, high] = [Math.max(x.low, y.low / ratio), Math.min(x.high, y.high / ratio)];
  if (low >= high) return [];
  const place = (at: Plane): PlacedLabel[] => {
    const width = text.length * TEXT_PX;
    return [
      {
        key: text,
        text,
        x: at.x(high) - 6 - width,
        y: Math.max(at.frame.top + 12, at.y(ratio * high) + 12),
        colour: FAINT,
      },
    ];
  };
  return [diagonal({ low, high }, ratio), { kind: "labels", key: "equal", place }];
}

/** Compute axes that cover all points. */
export function scatterAxes(points: readonly ScatterPoint[], log: boolean): Record<"x" | "y", Axis> {
  const over = (values: number[]): Axis => {
    if (values.length === 0 || Math.max(...values) <= 0) return { ...NOTHING, low: log ? NOTHING.low : 0, log };
    return axisOver(values, log);
  };
  return { x: over(points.map(({ x }) => x)), y: over(points.map(({ y }) => y)) };
}

/** Choose and place the labels: marked points, then the highest y for their x, then points apart from others. */
export function scatterLabels(points: readonly ScatterPoint[], { frame, x, y }: Plane): PlacedLabel[] {
  const spots = points.map((point) => ({ x: x(point.x), y: y(point.y) }));
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
  const marks = spots.filter((_, index) => !points[index]?.faint).map((spot) => boxAround(spot, MARK_PX));
  const named = chosen.flatMap((index) => {
    const [point, spot] = [points[index], spots[index]];
    return point === undefined || spot === undefined ? [] : { text: point.key, needed: point.marked, ...spot };
  });
  return placedIn(frame, named, { marks }).map(({ label: { text }, corner, shift: { dx } }) => {
    // The estimated width is generous: move labels at the left closer to their marks.
    const closer = dx < -20 && Math.abs(dx) > text.length * TEXT_PX ? 0.6 * text.length : 0;
    return { key: text, text, x: corner.x + closer, y: corner.y };
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
