import { type ChartPoint, FAINT, MAIN, type Mark, OTHER, type PlaneFigure, plane } from "@/charts/figure";
import { dates, zoomed } from "./axes";

/** Weighting of a value: full, reduced, or excluded. */
export type Standing = "counts" | "doubtful" | "left out";

export interface TimedValue {
  key: string;
  at_ms: number;
  value: number;
  /** Weight relative to the largest, from 0 to 1. */
  weight: number;
  standing: Standing;
  /** Text of the tooltip. */
  words: string;
}

interface ChangeMark {
  at_ms: number;
  words: string;
}

interface ValuesOverTime {
  values: readonly TimedValue[];
  mean: number;
  /** Range of the mean. */
  band: { low: number; high: number };
  /** Published value, if any. */
  published: number | null;
  changes: readonly ChangeMark[];
  words: (value: number) => string;
  title: string;
}

const HEIGHT_PX = 260;
const DAY_MS = 86_400_000;

/** Draw measurements over time, with their mean and its range, the published value, and changes. */
export function valuesFigure({ values, mean, band, published, changes, words, title }: ValuesOverTime): PlaneFigure {
  const times = values.map(({ at_ms }) => at_ms);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const room = Math.max(DAY_MS / 2, 0.04 * (last - first));
  const x = dates(first - room, last + room);
  const up = [...values.map(({ value }) => value), band.low, band.high, ...(published === null ? [] : [published])];
  const range: Mark = {
    kind: "band",
    key: "band",
    points: [x.low, x.high].map((at) => ({ x: at, ...band })),
    opacity: 0.13,
    words: `mean, 95% interval: ${words(band.low)} to ${words(band.high)}`,
  };
  return plane({
    height: HEIGHT_PX,
    x: { ...x, title: "measured on" },
    y: { ...zoomed(up), words, title },
    marks: [
      range,
      ...(published === null ? [] : [rule("published", published, words, OTHER, "6 4")]),
      rule("your mean", mean, words, MAIN),
      ...changes.map(changeMark),
      { kind: "points", key: "values", points: values.map(pointOf) },
    ],
  });
}

function rule(name: string, at: number, words: (value: number) => string, colour: string, dash?: string): Mark {
  const style = dash === undefined ? {} : { dash };
  return { kind: "rule", key: name, along: "y", at, colour, name: [name, words(at)], ...style };
}

function changeMark({ at_ms, words }: ChangeMark): Mark {
  return {
    kind: "rule",
    key: `change ${at_ms}`,
    along: "x",
    at: at_ms,
    width: 1.25,
    dash: "2 3",
    name: [words],
    words,
  };
}

const LOOKS: Record<Standing, Partial<ChartPoint>> = {
  counts: {},
  doubtful: { fill: "open" },
  "left out": { shape: "cross", colour: FAINT },
};

function pointOf({ key, at_ms, value, weight, standing, words }: TimedValue): ChartPoint {
  const r = standing === "left out" ? 4 : 3 + 2.5 * Math.sqrt(weight);
  return { key, x: at_ms, y: value, words: [words], r, ...LOOKS[standing] };
}
