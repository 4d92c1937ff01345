import { type LineMark, type Mark, type PlaneFigure, plane } from "@/charts/figure";
import { day } from "@/lib/wording";
import { dates, fromZero } from "./axes";

/** Metric per time step; null if not measured. */
export interface MetricLine {
  key: string;
  name: string;
  values: readonly (number | null)[];
  /** Minimum and maximum within each step, if they differ from the value. */
  spread?: { low: readonly (number | null)[]; high: readonly (number | null)[] };
  colour: string;
  dashed?: boolean;
}

interface Metrics {
  /** Start of the first step [ms]. */
  start_ms: number;
  step_s: number;
  lines: readonly MetricLine[];
  words: (value: number) => string;
  /** Title of the vertical axis. */
  title: string;
  /** Upper end of the axis, for shares (default: just above the largest value). */
  top?: number;
}

const DAY_MS = 86_400_000;
const HEIGHT_PX = 180;
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** Draw metrics over time, with gaps for missing data and a label at the end of each line. */
export function metricFigure({ start_ms, step_s, lines, words, title, top }: Metrics): PlaneFigure {
  const steps = Math.max(1, ...lines.map(({ values }) => values.length));
  const end_ms = start_ms + steps * step_s * 1_000;
  const axis = dates(start_ms, end_ms);
  const short = end_ms - start_ms <= DAY_MS;
  const up =
    top === undefined
      ? { ...fromZero(lines.flatMap(largest)), words }
      : { of: "amount" as const, low: 0, high: top, log: false, ticks: quartersOf(top, words) };
  return plane({
    height: HEIGHT_PX,
    x: {
      ...axis,
      title: short ? `${day(new Date(end_ms).toISOString())}, UTC` : "UTC",
      ...(short && { words: (at_ms: number) => new Date(at_ms).toISOString().slice(11, 16) }),
    },
    y: { ...up, title },
    marks: lines.flatMap((line) => marksOf(line, (step) => start_ms + (step + 0.5) * step_s * 1_000, words)),
  });
}

function quartersOf(top: number, words: (value: number) => string) {
  return QUARTERS.map((share) => ({ value: share * top, text: words(share * top) }));
}

function largest({ values, spread }: MetricLine): number[] {
  return [...values, ...(spread?.high ?? [])].filter((value) => value !== null);
}

function marksOf(line: MetricLine, at: (step: number) => number, words: (value: number) => string): Mark[] {
  const { key, name, values, spread, colour, dashed } = line;
  const last = values.findLast((value) => value !== null);
  const drawn: LineMark = {
    kind: "line",
    key,
    points: values.map((y, step) => ({ x: at(step), y })),
    colour,
    dash: dashed ? "6 4" : undefined,
    name: [name],
    ...(last != null && { words: `${name}: ${words(last)}` }),
  };
  if (spread === undefined) return [drawn];
  const points = spread.low.map((low, step) => ({ x: at(step), low, high: spread.high[step] ?? null }));
  return [{ kind: "band", key: `${key} spread`, points, colour, opacity: 0.16 }, drawn];
}
