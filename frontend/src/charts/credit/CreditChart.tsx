import { useElementSize } from "@mantine/hooks";
import type { CSSProperties } from "react";
import type { Axis } from "@/charts/axes/axis";
import { timeLabel, timeTicks } from "@/charts/axes/ticks";
import type { ResourceKind } from "@/lib/resources";
import { duration, percent, threeDigits } from "@/lib/wording";
import classes from "./CreditChart.module.css";
import { CreditLines, TimeTick } from "./CreditLines";

export interface CreditPoint {
  phase: string;
  /** Time since the start of the job [s]. */
  time_s: number;
  amount: number;
  /** Share of the full bucket, from 0 to 1. */
  share: number;
}

/** Burst credit of a resource over the whole job; linear between points. */
export interface CreditLine {
  key: string;
  label: string;
  kind: ResourceKind;
  unit: string;
  /** Capacity of the bucket [unit]. */
  full: number;
  points: CreditPoint[];
}

export interface CreditPhase {
  name: string;
  from_s: number;
  to_s: number;
}

interface CreditChartProps {
  lines: readonly CreditLine[];
  phases: readonly CreditPhase[];
  label: string;
}

const HEIGHT_PX = 190;
const TOP_PX = 26;
const BOTTOM_PX = 28;
const LEFT_PX = 44;
const RIGHT_PX = 10;
const LETTER_PX = 7;
const TICK_PX = 52;

/** Render burst credit as a share of the full bucket, over the duration of the job. */
export function CreditChart({ lines, phases, label }: CreditChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${HEIGHT_PX}px` } as CSSProperties}>
      {width > 0 && <Drawing lines={lines} phases={phases} label={label} width={width} />}
    </div>
  );
}

function Drawing({ lines, phases, label, width }: CreditChartProps & { width: number }) {
  const whole_s = Math.max(...phases.map(({ to_s }) => to_s));
  const names = Math.max(...lines.map((line) => line.label.length + 2)) * LETTER_PX;
  const right = width - RIGHT_PX - names;
  const bottom = HEIGHT_PX - BOTTOM_PX;
  const axis: Axis = { low: 0, high: whole_s, log: false };
  const x = (time_s: number) => LEFT_PX + (whole_s > 0 ? time_s / whole_s : 0) * (right - LEFT_PX);
  const y = (share: number) => bottom - share * (bottom - TOP_PX);
  const credits = lines.map(({ points, unit, full, ...line }) => ({
    ...line,
    points: points.map(({ phase, time_s, amount, share }) => ({
      key: `${phase} ${time_s}`,
      x: x(time_s),
      share,
      words: `${line.label}, ${phase}, after ${duration(time_s)}: ${percent(share)}, ${threeDigits(amount)} of ${threeDigits(full)} ${unit}`,
    })),
  }));
  return (
    <svg className={classes.plot} width={width} height={HEIGHT_PX} role="img" aria-label={label}>
      {timeTicks(axis, Math.max(2, Math.floor((right - LEFT_PX) / TICK_PX))).map((time_s) => (
        <TimeTick key={time_s} x={x(time_s)} bottom={bottom} label={timeLabel(time_s)} />
      ))}
      {phases.map(({ name, from_s, to_s }) => (
        <g key={name}>
          {from_s > 0 && <line className={classes.border} x1={x(from_s)} x2={x(from_s)} y1={8} y2={bottom} />}
          {x(to_s) - x(from_s) > name.length * LETTER_PX && (
            <text className={classes.phase} x={x(from_s) + 4} y={16}>
              {name}
            </text>
          )}
        </g>
      ))}
      <CreditLines credits={credits} left={LEFT_PX} right={right} y={y} />
    </svg>
  );
}
