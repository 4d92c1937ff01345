import { type Axis, shareOf } from "@/charts/axes/axis";
import { dateText, dateTicks } from "@/charts/axes/dates";
import { apart } from "@/charts/axes/labels";
import { type Frame, Plane } from "@/charts/axes/Plane";
import classes from "@/charts/axes/Plane.module.css";
import { costTicks } from "@/charts/axes/ticks";

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

export interface ChangeMark {
  at_ms: number;
  words: string;
}

interface ValuesOverTimeProps {
  values: readonly TimedValue[];
  mean: number;
  /** Range of the mean. */
  band: { low: number; high: number };
  /** Published value, if any. */
  published: number | null;
  changes: readonly ChangeMark[];
  words: (value: number) => string;
  title: string;
  label: string;
}

const HEIGHT_PX = 320;
const NAMES_PX = 92;
const DAY_MS = 86_400_000;
const TICK_PX = { x: 96, y: 44 };
const LINE_PX = 15;

/** Compute an axis that need not start at 0, so that small changes are visible. */
export function zoomedAxis(values: readonly number[]): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(0.08 * (most - least), 0.04 * Math.abs(most), 1e-9);
  return { low: Math.max(0, least - room), high: most + room, log: false };
}

/** Render measurements over time, with their mean and its range, the published value, and changes. */
export function ValuesOverTime(props: ValuesOverTimeProps) {
  const { values, mean, band, published, changes, words, title, label } = props;
  const times = values.map(({ at_ms }) => at_ms);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const room = Math.max(DAY_MS / 2, 0.04 * (last - first));
  const [from, to] = [first - room, last + room];
  const axis = zoomedAxis([
    ...values.map(({ value }) => value),
    band.low,
    band.high,
    ...(published === null ? [] : [published]),
  ]);
  const along = (at: number, frame: Frame) => ((at - from) / (to - from)) * frame.width;
  const down = (value: number, frame: Frame) => (1 - shareOf(value, axis)) * frame.height;
  return (
    <Plane
      label={label}
      height={HEIGHT_PX}
      names={NAMES_PX}
      x={(frame) => ({
        title: "measured on",
        ticks: dateTicks(from, to, Math.max(2, Math.floor(frame.width / TICK_PX.x))).map((at) => ({
          at: along(at, frame),
          text: dateText(at, to - from),
        })),
      })}
      y={(frame) => ({
        title,
        ticks: costTicks(axis, Math.floor(frame.height / TICK_PX.y)).map((value) => ({
          at: down(value, frame),
          text: words(value),
        })),
      })}
    >
      {(frame) => (
        <Inside
          {...{ values, mean, band, published, changes, words, frame }}
          x={(at) => frame.left + along(at, frame)}
          y={(value) => frame.top + down(value, frame)}
        />
      )}
    </Plane>
  );
}

type InsideProps = Pick<ValuesOverTimeProps, "values" | "mean" | "band" | "published" | "changes" | "words"> & {
  frame: Frame;
  x: (at_ms: number) => number;
  y: (value: number) => number;
};

function Inside({ values, mean, band, published, changes, words, frame, x, y }: InsideProps) {
  const right = frame.left + frame.width;
  const named = [
    { name: "your mean", value: mean },
    ...(published === null ? [] : [{ name: "published", value: published }]),
  ];
  const ends = apart(
    named.map(({ value }) => y(value)),
    2 * LINE_PX,
    frame.top + frame.height,
  );
  return (
    <>
      <rect
        className={classes.band}
        x={frame.left}
        width={frame.width}
        y={y(band.high)}
        height={Math.max(1, y(band.low) - y(band.high))}
      >
        <title>{`mean, 95% interval: ${words(band.low)} to ${words(band.high)}`}</title>
      </rect>
      {published !== null && (
        <line className={classes.other} x1={frame.left} x2={right} y1={y(published)} y2={y(published)} />
      )}
      <line className={classes.mean} x1={frame.left} x2={right} y1={y(mean)} y2={y(mean)} />
      {changes.map((change) => (
        <line
          key={change.at_ms}
          className={classes.change}
          x1={x(change.at_ms)}
          x2={x(change.at_ms)}
          y1={frame.top}
          y2={frame.top + frame.height}
        >
          <title>{change.words}</title>
        </line>
      ))}
      {changes.map((change) => (
        <text
          key={change.at_ms}
          className={classes.name}
          x={x(change.at_ms) + (x(change.at_ms) > frame.left + 0.7 * frame.width ? -4 : 4)}
          y={frame.top + 10}
          textAnchor={x(change.at_ms) > frame.left + 0.7 * frame.width ? "end" : "start"}
        >
          {change.words}
        </text>
      ))}
      {values.map((one) => (
        <TimedMark key={one.key} one={one} x={x(one.at_ms)} y={y(one.value)} />
      ))}
      {named.map(({ name, value }, index) => (
        <text key={name} x={right + 6} y={ends[index] ?? 0}>
          <tspan>{name}</tspan>
          <tspan x={right + 6} dy={LINE_PX - 1}>
            {words(value)}
          </tspan>
        </text>
      ))}
    </>
  );
}

function TimedMark({ one, x, y }: { one: TimedValue; x: number; y: number }) {
  if (one.standing === "left out") {
    return (
      <path className={classes.cross} d={`M${x - 4},${y - 4}l8,8M${x - 4},${y + 4}l8,-8`}>
        <title>{one.words}</title>
      </path>
    );
  }
  return (
    <circle
      className={classes.mark}
      data-open={one.standing === "doubtful" || undefined}
      cx={x}
      cy={y}
      r={3 + 2.5 * Math.sqrt(one.weight)}
    >
      <title>{one.words}</title>
    </circle>
  );
}
