import type { ChartAxis } from "@/charts/axes/chartAxis";
import { type ChartPoint, INK, type Mark, OTHER, type PlaneFigure, plane } from "@/charts/figure";
import { moment, usd } from "@/lib/wording";
import { dates } from "./axes";

/** Cost or time from a moment [ISO time] until the next step. */
export interface WatchStep {
  at: string;
  /** Value [USD or s]; null breaks the line. */
  value: number | null;
  /** Subject and notes of the check. */
  words: string;
  /** True if the team was alerted: drawn larger. */
  marked: boolean;
}

interface WatchHistory {
  steps: readonly WatchStep[];
  /** Range without alerts [USD or s], since a moment [ISO time]. */
  band: { low: number; high: number; since: string; words: string } | null;
  unit: "USD" | "s";
}

const HEIGHT_PX = 154;
const LEAST_SPAN_MS = 3_600_000;

/** Draw the history of a cost or time over all checks. */
export function watchFigure({ steps, band, unit }: WatchHistory): PlaneFigure | null {
  const values = [...steps.flatMap(({ value }) => value ?? []), ...(band === null ? [] : [band.low, band.high])];
  if (values.length === 0) return null;
  const times = steps.map(({ at }) => Date.parse(at));
  const from = Math.min(...times);
  const to = Math.max(from + LEAST_SPAN_MS, ...times);
  const up = closeAxis(values, unit);
  return plane({
    height: HEIGHT_PX,
    x: dates(from, to),
    y: up,
    marks: [
      ...(band === null ? [] : [bandMark(band, from, to)]),
      {
        kind: "line",
        key: "steps",
        points: steps.map(({ at, value }) => ({ x: Date.parse(at), y: value })),
        width: 2,
        steps: true,
      },
      { kind: "points", key: "checks", points: steps.map((step) => pointOf(step, up)) },
    ],
  });
}

function bandMark({ low, high, since, words }: NonNullable<WatchHistory["band"]>, from: number, to: number): Mark {
  const known = Math.min(to, Math.max(from, Date.parse(since)));
  const points = [known, to].map((x) => ({ x, low, high }));
  return { kind: "band", key: "band", points, colour: INK, opacity: 0.06, words };
}

/** Draw a check without a value at the bottom of the plot. */
function pointOf({ at, value, words, marked }: WatchStep, { low }: ChartAxis): ChartPoint {
  const common = { key: at, x: Date.parse(at), words: [`${moment(at)}: ${words}`] };
  if (value === null) return { ...common, y: low, shape: "cross", r: 4, colour: OTHER };
  if (marked) return { ...common, y: value, fill: "open", r: 5.5, width: 2.5, colour: OTHER };
  return { ...common, y: value, r: 3.5 };
}

/** Compute an axis that shows changes of a few percent, which would be invisible from 0. */
function closeAxis(values: readonly number[], unit: "USD" | "s"): ChartAxis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((most - least) * 0.12, most * 0.01, 1e-6);
  const ends = { low: Math.max(0, least - room), high: most + room, log: false };
  return unit === "s" ? { of: "duration", ...ends } : { of: "amount", ...ends, words: usd };
}
