import { widthOf } from "@/charts/axes/chartAxis";
import { type ChartPoint, FAINT, type PlacedLabel, type Plane, type PlaneFigure, plane } from "@/charts/figure";

export interface NodeValue {
  node: number;
  value: number;
  /** True if only partially measured. */
  open: boolean;
  /** True for outliers. */
  marked: boolean;
}

const HEIGHT_PX = 54;
const DOT_PX = 5;
const ROWS = 4;
/** Distance of dots in one row, as a share of the axis. */
const APART = 0.012;
/** Distance of the two names, as a share of the axis. */
const NAMES_APART = 0.12;

/** Draw one dot per node on one axis; the slowest and the fastest are labeled with their number. */
export function nodesFigure(nodes: readonly NodeValue[], words: (value: number) => string): PlaneFigure {
  const values = nodes.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // The axis spans at least a tenth of the value, so that similar nodes look similar.
  const room = Math.max(0.06 * (most - least), 0.05 * Math.abs(most) - (most - least) / 2, 1e-9);
  const axis = { low: Math.max(0, least - room), high: most + room, log: false };
  const points = spread(
    nodes.toSorted((a, b) => a.value - b.value),
    axis.high - axis.low,
  ).map(({ one, row }) => pointOf(one, row, words));
  return plane({
    height: HEIGHT_PX,
    top: 24,
    x: { of: "amount", ...axis, words },
    y: { of: "amount", low: -0.8, high: ROWS, log: false, ticks: [] },
    marks: [
      { kind: "points", key: "nodes", points },
      { kind: "labels", key: "ends", place: (at) => endLabels(points, at, axis.high - axis.low) },
    ],
  });
}

function pointOf({ node, value, open, marked }: NodeValue, row: number, words: (value: number) => string): ChartPoint {
  const look = marked ? ({ shape: "cross", colour: FAINT } as const) : ({ fill: open ? "open" : "full" } as const);
  return { key: `node ${node}`, x: value, y: row, r: DOT_PX, words: [`node ${node}: ${words(value)}`], ...look };
}

function endLabels(points: readonly ChartPoint[], { x, frame }: Plane, span: number): PlacedLabel[] {
  const [first, last] = [points[0], points.at(-1)];
  const ends = first === undefined || last === undefined ? [] : [first];
  if (first !== undefined && last !== undefined && last.x - first.x > NAMES_APART * span) ends.push(last);
  return ends.map(({ key, x: value }) => {
    const half = widthOf(key) / 2;
    const left = Math.min(frame.left + frame.width - 2 * half, Math.max(frame.left, x(value) - half));
    return { key, text: key, x: left, y: frame.top - 8 };
  });
}

/** Stack overlapping dots in a few rows; the remaining ones overlap. */
function spread(nodes: readonly NodeValue[], span: number): { one: NodeValue; row: number }[] {
  const ends: number[] = [];
  return nodes.map((one) => {
    const free = Array.from({ length: ROWS }, (_, row) => row).find(
      (row) => one.value - (ends[row] ?? Number.NEGATIVE_INFINITY) >= APART * span,
    );
    const row = free ?? ROWS - 1;
    ends[row] = one.value;
    return { one, row };
  });
}
