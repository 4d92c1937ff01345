import { axisOver } from "@/charts/axes/axis";
import { type ChartPoint, type LineMark, MAIN, OTHER, type PlaneFigure, plane } from "@/charts/figure";
import { count } from "@/lib/wording";
import { fromZero } from "./axes";

export interface SizedRate {
  nodes: number;
  value: number;
  /** Confidence range, if known. */
  range: { low: number; high: number } | null;
  measured: boolean;
  words: string;
}

interface ClusterCurve {
  rates: readonly SizedRate[];
  words: (value: number) => string;
  title: string;
}

const HEIGHT_PX = 220;

/** Draw a rate over cluster size: own measurements filled and connected, published ones open. */
export function clusterFigure({ rates, words, title }: ClusterCurve): PlaneFigure {
  const sizes = [...new Set(rates.map(({ nodes }) => nodes))].toSorted((a, b) => a - b);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const [own, others] = [true, false].map((measured) =>
    rates.filter((rate) => rate.measured === measured).toSorted((a, b) => a.nodes - b.nodes),
  );
  return plane({
    height: HEIGHT_PX,
    x: {
      of: "amount",
      ...axisOver([Math.max(1, least / 1.2), most * 1.2], true),
      title: "nodes in the cluster (logarithmic)",
      // Existing sizes only.
      ticks: sizes.map((value) => ({ value, text: count(value) })),
    },
    y: { ...fromZero(rates.flatMap(({ value, range }) => [value, range?.high ?? value])), words, title },
    marks: [
      line("others", others ?? [], { colour: OTHER, dash: "6 4" }),
      line("own", own ?? [], { colour: MAIN }),
      { kind: "points", key: "rates", points: [...(others ?? []), ...(own ?? [])].map(pointOf) },
    ],
  });
}

function line(key: string, rates: readonly SizedRate[], look: Partial<LineMark>): LineMark {
  return { kind: "line", key, points: rates.map(({ nodes, value }) => ({ x: nodes, y: value })), width: 2, ...look };
}

function pointOf({ nodes, value, range, measured, words }: SizedRate): ChartPoint {
  const look = measured ? ({ r: 5 } as const) : ({ r: 4.5, fill: "open", colour: OTHER } as const);
  return { key: `${nodes} ${measured} ${words}`, x: nodes, y: value, up: range, words: [words], ...look };
}
