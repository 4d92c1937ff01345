import { type PlaneFigure, plane } from "@/charts/figure";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import { fromZero, since } from "./axes";

export interface NodeLine {
  node: number;
  times_s: readonly number[];
  values: readonly number[];
}

interface LiveRates {
  lines: readonly NodeLine[];
  /** Resource that sets the color. */
  kind: ResourceKind;
  words: (value: number) => string;
  title: string;
}

const HEIGHT_PX = 200;
/** Maximum number of lines that are all labeled. */
const MOST_NAMED = 8;
/** Minimum span of the time axis, for the start of a run [s]. */
const LEAST_S = 30;

/** Draw the throughput of each node over time, one labeled line per node. */
export function liveRatesFigure({ lines, kind, words, title }: LiveRates): PlaneFigure {
  const most_s = Math.max(LEAST_S, ...lines.map(({ times_s }) => times_s.at(-1) ?? 0));
  const named = new Set(namedOf(lines));
  const many = lines.length > MOST_NAMED;
  return plane({
    height: HEIGHT_PX,
    x: { ...since(most_s), title: "since the first was heard" },
    y: { ...fromZero(lines.flatMap(({ values }) => [...values])), words, title },
    marks: lines.map((line) => ({
      kind: "line",
      key: String(line.node),
      points: line.times_s.map((x, index) => ({ x, y: line.values[index] ?? 0 })),
      colour: RESOURCES[kind].colour,
      dotted: true,
      words: `node ${line.node}: ${words(line.values.at(-1) ?? 0)}`,
      ...(many && { width: 1, opacity: 0.45 }),
      ...(named.has(line) && { name: [`node ${line.node}`] }),
    })),
  });
}

/** Return the lines to label: all if there are few, else the current slowest and fastest. */
function namedOf(lines: readonly NodeLine[]): NodeLine[] {
  if (lines.length <= MOST_NAMED) return [...lines];
  const order = lines.toSorted((a, b) => (a.values.at(-1) ?? 0) - (b.values.at(-1) ?? 0));
  return [order[0], order.at(-1)].filter((line) => line !== undefined);
}
