import { useElementSize } from "@mantine/hooks";
import type { CSSProperties } from "react";
import { type Axis, shareOf } from "@/charts/axes/axis";
import classes from "@/charts/axes/Plane.module.css";
import { costTicks } from "@/charts/axes/ticks";

export interface NodeValue {
  node: number;
  value: number;
  /** True if only partially measured. */
  open: boolean;
  /** True for outliers. */
  marked: boolean;
}

interface NodeStripProps {
  nodes: readonly NodeValue[];
  words: (value: number) => string;
  label: string;
}

const MARGIN = { left: 34, right: 34, top: 24, bottom: 22 };
const HEIGHT_PX = 100;
const TICK_PX = 84;
const DOT_PX = 5;
const ROWS = 4;

/** Render one dot per node on one axis; the slowest and the fastest are labeled with their number. */
export function NodeStrip({ nodes, words, label }: NodeStripProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${HEIGHT_PX}px` } as CSSProperties}>
      {width > 0 && (
        <svg className={classes.plot} width={width} height={HEIGHT_PX} role="img" aria-label={label}>
          <Inside nodes={nodes} words={words} width={width} />
        </svg>
      )}
    </div>
  );
}

function Inside({ nodes, words, width }: Omit<NodeStripProps, "label"> & { width: number }) {
  const values = nodes.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // The axis spans at least a tenth of the value, so that similar nodes look similar.
  const room = Math.max(0.06 * (most - least), 0.05 * Math.abs(most) - (most - least) / 2, 1e-9);
  const axis: Axis = { low: Math.max(0, least - room), high: most + room, log: false };
  const inner = Math.max(1, width - MARGIN.left - MARGIN.right);
  const x = (value: number) => MARGIN.left + shareOf(value, axis) * inner;
  const bottom = HEIGHT_PX - MARGIN.bottom;
  const placed = spread(nodes.toSorted((a, b) => a.value - b.value).map((node) => ({ node, x: x(node.value) })));
  const [first, last] = [placed[0], placed.at(-1)];
  return (
    <>
      <line className={classes.grid} x1={MARGIN.left} x2={width - MARGIN.right} y1={bottom} y2={bottom} />
      {costTicks(axis, Math.max(2, Math.floor(inner / TICK_PX))).map((value) => (
        <text key={value} className={classes.tick} x={x(value)} y={bottom + 16} textAnchor="middle">
          {words(value)}
        </text>
      ))}
      {placed.map(({ node, x: at, row }) => (
        <g key={node.node} transform={`translate(${at.toFixed(1)} ${bottom - 8 - row * 2 * DOT_PX})`}>
          <title>{`node ${node.node}: ${words(node.value)}`}</title>
          {node.marked ? (
            <path className={classes.cross} d="M-5,-5L5,5M-5,5L5,-5" />
          ) : (
            <circle className={classes.mark} data-open={node.open || undefined} r={DOT_PX} />
          )}
        </g>
      ))}
      {first !== undefined && (
        <text className={classes.name} x={first.x} y={MARGIN.top - 10} textAnchor={first.x < 60 ? "start" : "middle"}>
          {`node ${first.node.node}`}
        </text>
      )}
      {last !== undefined && first !== undefined && last.x - first.x > 80 && (
        <text
          className={classes.name}
          x={last.x}
          y={MARGIN.top - 10}
          textAnchor={last.x > width - 60 ? "end" : "middle"}
        >
          {`node ${last.node.node}`}
        </text>
      )}
    </>
  );
}

/** Stack overlapping dots in a few rows; the remaining ones overlap. */
function spread<Placed extends { x: number }>(placed: readonly Placed[]): (Placed & { row: number })[] {
  const ends: number[] = [];
  return placed.map((one) => {
    const free = Array.from({ length: ROWS }, (_, row) => row).find(
      (row) => one.x - (ends[row] ?? Number.NEGATIVE_INFINITY) >= 2 * DOT_PX,
    );
    const row = free ?? ROWS - 1;
    ends[row] = one.x;
    return { ...one, row };
  });
}
