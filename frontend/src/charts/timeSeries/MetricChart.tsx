import type { CSSProperties } from "react";
import { type Axis, axisOver, shareOf } from "@/charts/axes/axis";
import { dateText, dateTicks } from "@/charts/axes/dates";
import { apart } from "@/charts/axes/labels";
import { type Frame, Plane } from "@/charts/axes/Plane";
import { costTicks } from "@/charts/axes/ticks";
import { day } from "@/lib/wording";
import classes from "./MetricChart.module.css";
import { segments } from "./metricSegments";

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

interface MetricChartProps {
  /** Start of the first step [ms]. */
  start_ms: number;
  step_s: number;
  lines: readonly MetricLine[];
  words: (value: number) => string;
  /** Title of the vertical axis. */
  title: string;
  /** Upper end of the axis, for shares (default: just above the largest value). */
  top?: number;
  label: string;
}

const HEIGHT_PX = 240;
const NAMES_PX = 96;
const TICK_PX = { x: 72, y: 40 };
const LINE_PX = 15;
const DAY_MS = 86_400_000;

/** Render metrics over time, with gaps for missing data and a label at the end of each line. */
export function MetricChart({ start_ms, step_s, lines, words, title, top, label }: MetricChartProps) {
  const steps = Math.max(1, ...lines.map(({ values }) => values.length));
  const end_ms = start_ms + steps * step_s * 1_000;
  const up = top === undefined ? axisOver([1e-9, ...lines.flatMap(largest)], false) : { low: 0, high: top, log: false };
  const along = (at_ms: number, frame: Frame) => ((at_ms - start_ms) / (end_ms - start_ms)) * frame.width;
  const down = (value: number, frame: Frame) => (1 - shareOf(value, up)) * frame.height;
  const span_ms = end_ms - start_ms;
  return (
    <Plane
      label={label}
      height={HEIGHT_PX}
      names={NAMES_PX}
      x={(frame) => ({
        title: span_ms > DAY_MS ? "UTC" : `${day(new Date(end_ms).toISOString())}, UTC`,
        ticks: dateTicks(start_ms, end_ms, Math.max(2, Math.floor(frame.width / TICK_PX.x))).map((at_ms) => ({
          at: along(at_ms, frame),
          text: span_ms > DAY_MS ? dateText(at_ms, span_ms) : new Date(at_ms).toISOString().slice(11, 16),
        })),
      })}
      y={(frame) => ({
        title,
        ticks: upTicks(up, top, Math.floor(frame.height / TICK_PX.y)).map((value) => ({
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
          x={(step) => frame.left + ((step + 0.5) / steps) * frame.width}
          y={(value) => frame.top + down(value, frame)}
        />
      )}
    </Plane>
  );
}

function largest({ values, spread }: MetricLine): number[] {
  return [...values, ...(spread?.high ?? [])].filter((value) => value !== null);
}

function upTicks(axis: Axis, top: number | undefined, most: number): number[] {
  return top === undefined ? costTicks(axis, most) : [0, top / 4, top / 2, (3 * top) / 4, top];
}

interface LinesProps {
  lines: readonly MetricLine[];
  words: (value: number) => string;
  frame: Frame;
  x: (step: number) => number;
  y: (value: number) => number;
}

function Lines({ lines, words, frame, x, y }: LinesProps) {
  const named = lines.flatMap((line) => {
    const step = line.values.findLastIndex((value) => value !== null);
    const value = line.values[step];
    return value === null || value === undefined ? [] : [{ line, step, value }];
  });
  const ends = apart(
    named.map(({ value }) => y(value)),
    LINE_PX,
    frame.top + frame.height,
  );
  return (
    <>
      {lines.map((line) => (
        <g key={line.key} style={{ "--line": line.colour } as CSSProperties}>
          {line.spread !== undefined &&
            segments(line.spread.low).map(([from, to]) => (
              <path key={from} className={classes.spread} d={spreadPath(line, from, to, x, y)} />
            ))}
          {segments(line.values).map(([from, to]) => (
            <Segment key={from} line={line} from={from} to={to} x={x} y={y} />
          ))}
        </g>
      ))}
      {named.map(({ line, step, value }, index) => (
        <text
          key={line.key}
          className={classes.name}
          x={Math.min(x(step), frame.left + frame.width) + 6}
          y={(ends[index] ?? 0) + 4}
        >
          {line.name}
          <title>{`${line.name}: ${words(value)}`}</title>
        </text>
      ))}
    </>
  );
}

interface SegmentProps extends Pick<LinesProps, "x" | "y"> {
  line: MetricLine;
  from: number;
  to: number;
}

function Segment({ line, from, to, x, y }: SegmentProps) {
  const there = line.values.slice(from, to + 1).map((value) => value ?? 0);
  if (from === to) return <circle className={classes.alone} cx={x(from)} cy={y(there[0] ?? 0)} r="2" />;
  return (
    <polyline
      className={classes.line}
      data-dashed={line.dashed || undefined}
      points={there.map((value, index) => `${x(from + index).toFixed(1)},${y(value).toFixed(1)}`).join(" ")}
    />
  );
}

function spreadPath({ spread }: MetricLine, from: number, to: number, x: LinesProps["x"], y: LinesProps["y"]): string {
  const corner = (values: readonly (number | null)[], step: number) =>
    `${x(step).toFixed(1)},${y(values[step] ?? 0).toFixed(1)}`;
  const steps = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const over = steps.map((step) => corner(spread?.high ?? [], step));
  const under = steps.toReversed().map((step) => corner(spread?.low ?? [], step));
  return `M${[...over, ...under].join("L")}Z`;
}
