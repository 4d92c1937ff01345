import { axisOver } from "@/charts/axes/axis";
import type { ChartAxis } from "@/charts/axes/chartAxis";
import { boxAround, placedIn } from "@/charts/axes/labels";
import {
  type ChartPoint,
  FAINT,
  type Mark,
  OTHER,
  type PlacedLabel,
  type Plane,
  type PlaneFigure,
  plane,
} from "@/charts/figure";

/** Finished job: measured time, and predicted times without and with the calibration [s]. */
export interface FittedRun {
  key: string;
  name: string;
  measured_s: number;
  before_s: number;
  after_s: number;
  range: { low: number; high: number };
  words: string;
}

const HEIGHT_PX = 380;
const MARK_PX = 6;
const LETTER_PX = 6;

/** Look of the marks before and after the calibration. */
export const BEFORE = { fill: "open", r: 4.5, colour: OTHER } as const;
export const AFTER = { fill: "full", r: 5 } as const;

/**
 * Draw predicted over measured times on logarithmic axes: open marks before the calibration, filled marks after,
 * connected by a line.
 */
export function beforeAfterFigure(runs: readonly FittedRun[]): PlaneFigure {
  const times = runs
    .flatMap(({ measured_s, before_s, after_s, range }) => [measured_s, before_s, after_s, range.low, range.high])
    .filter((seconds) => seconds > 0);
  const axis: ChartAxis = { of: "duration", ...axisOver(times, true) };
  const points = (look: Partial<ChartPoint>, of: (run: FittedRun) => Partial<ChartPoint> & { y: number }) =>
    runs.map((run): ChartPoint => ({ key: run.key, x: run.measured_s, words: [run.words], ...look, ...of(run) }));
  return plane({
    height: HEIGHT_PX,
    x: { ...axis, title: "measured (logarithmic)" },
    y: { ...axis, title: "predicted (logarithmic)" },
    marks: [
      diagonal(axis),
      ...runs.map(moved),
      { kind: "points", key: "before", points: points(BEFORE, ({ before_s }) => ({ y: before_s })) },
      { kind: "points", key: "after", points: points(AFTER, ({ after_s, range }) => ({ y: after_s, up: range })) },
      { kind: "labels", key: "names", place: (at) => names(runs, at) },
    ],
  });
}

/**
 * Draw the line of equal values.
 *
 * @param ratio value on the Y axis that equals 1 on the X axis, if their units differ
 */
export function diagonal({ low, high }: { low: number; high: number }, ratio = 1): Mark {
  const points = [low, high].map((value) => ({ x: value, y: ratio * value }));
  return { kind: "line", key: "diagonal", points, colour: FAINT, width: 1, dash: "5 4" };
}

function moved({ key, measured_s, before_s, after_s }: FittedRun): Mark {
  const points = [before_s, after_s].map((y) => ({ x: measured_s, y }));
  return { kind: "line", key: `moved ${key}`, points, colour: FAINT, width: 1 };
}

function names(runs: readonly FittedRun[], { frame, x, y }: Plane): PlacedLabel[] {
  const spots = runs.map((run) => ({ key: run.key, text: run.name, x: x(run.measured_s), y: y(run.after_s) }));
  const marks = spots.map((spot) => boxAround(spot, MARK_PX));
  const right = frame.left + frame.width + 12;
  return placedIn(frame, spots, { marks })
    .map(({ label: { key, text }, corner }) => ({ key, text, ...corner }))
    .filter((label) => label.x + label.text.length * LETTER_PX < right);
}
