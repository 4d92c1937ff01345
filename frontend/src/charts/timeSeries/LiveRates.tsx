import type { CSSProperties } from "react";
import { axisOver, shareOf } from "@/charts/axes/axis";
import { apart } from "@/charts/axes/labels";
import { type Frame, Plane } from "@/charts/axes/Plane";
import classes from "@/charts/axes/Plane.module.css";
import { costTicks, timeLabel, timeTicks } from "@/charts/axes/ticks";
import { RESOURCES, type ResourceKind } from "@/lib/resources";

export interface NodeLine {
  node: number;
  times_s: readonly number[];
  values: readonly number[];
}

interface LiveRatesProps {
  lines: readonly NodeLine[];
  /** Resource that sets the color. */
  kind: ResourceKind;
  words: (value: number) => string;
  title: string;
  label: string;
}

const HEIGHT_PX = 260;
const NAMES_PX = 66;
const TICK_PX = { x: 66, y: 44 };
const LINE_PX = 14;
/** Maximum number of lines that are all labeled. */
const MOST_NAMED = 8;
/** Minimum span of the time axis, for the start of a run [s]. */
const LEAST_S = 30;

/** Render the throughput of each node over time, one labeled line per node. */
export function LiveRates({ lines, kind, words, title, label }: LiveRatesProps) {
  const most_s = Math.max(LEAST_S, ...lines.map(({ times_s }) => times_s.at(-1) ?? 0));
  const across = { low: 0, high: most_s, log: false };
  const up = axisOver([1e-9, ...lines.flatMap(({ values }) => [...values])], false);
  const along = (time_s: number, frame: Frame) => shareOf(time_s, across) * frame.width;
  const down = (value: number, frame: Frame) => (1 - shareOf(value, up)) * frame.height;
  return (
    <div style={{ "--node": RESOURCES[kind].colour } as CSSProperties}>
      <Plane
        label={label}
        height={HEIGHT_PX}
        names={NAMES_PX}
        x={(frame) => ({
          title: "since the first was heard",
          ticks: timeTicks(across, Math.max(2, Math.floor(frame.width / TICK_PX.x))).map((time_s) => ({
            at: along(time_s, frame),
            text: timeLabel(time_s),
          })),
        })}
        y={(frame) => ({
          title,
          ticks: costTicks(up, Math.floor(frame.height / TICK_PX.y)).map((value) => ({
            at: down(value, frame),
            text: words(value),
          })),
        })}
      >
        {(frame) => (
          <Lines
            lines={lines}
            frame={frame}
            words={words}
            x={(time_s) => frame.left + along(time_s, frame)}
            y={(value) => frame.top + down(value, frame)}
          />
        )}
      </Plane>
    </div>
  );
}

interface LinesProps extends Pick<LiveRatesProps, "lines" | "words"> {
  frame: Frame;
  x: (time_s: number) => number;
  y: (value: number) => number;
}

function Lines({ lines, words, frame, x, y }: LinesProps) {
  const named = namedOf(lines);
  // All nodes report at about the same times, so the names are aligned with the end of the longest line.
  const at = Math.max(...lines.map(({ times_s }) => x(times_s.at(-1) ?? 0)));
  const ends = apart(
    named.map(({ values }) => y(values.at(-1) ?? 0)),
    LINE_PX,
    frame.top + frame.height,
  );
  return (
    <>
      {lines.map(({ node, times_s, values }) => (
        <g key={node}>
          <title>{`node ${node}: ${words(values.at(-1) ?? 0)}`}</title>
          <polyline
            className={classes.nodeLine}
            data-faint={lines.length > MOST_NAMED || undefined}
            points={times_s
              .map((time_s, index) => `${x(time_s).toFixed(1)},${y(values[index] ?? 0).toFixed(1)}`)
              .join(" ")}
          />
          <circle className={classes.nodeEnd} cx={x(times_s.at(-1) ?? 0)} cy={y(values.at(-1) ?? 0)} r="3" />
        </g>
      ))}
      {named.map(({ node }, index) => (
        <text key={node} className={classes.name} x={at + 8} y={(ends[index] ?? 0) + 4}>
          {`node ${node}`}
        </text>
      ))}
    </>
  );
}

/** Return the lines to label: all if there are few, else the current slowest and fastest. */
function namedOf(lines: readonly NodeLine[]): NodeLine[] {
  if (lines.length <= MOST_NAMED) return [...lines];
  const order = lines.toSorted((a, b) => (a.values.at(-1) ?? 0) - (b.values.at(-1) ?? 0));
  return [order[0], order.at(-1)].filter((line) => line !== undefined);
}
