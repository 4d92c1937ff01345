import { useElementSize } from "@mantine/hooks";
import type { CSSProperties } from "react";
import classes from "@/charts/axes/Plane.module.css";
import { timeLabel, timeTicks } from "@/charts/axes/ticks";
import { RESOURCES, type ResourceKind } from "@/lib/resources";

/** Monitoring data of one resource over the duration of a job. */
export interface SeenSeries {
  key: string;
  name: string;
  kind: ResourceKind;
  times_s: readonly number[];
  values: readonly number[];
  /** Upper end of the vertical axis. */
  most: number;
  mostWords: string;
}

export interface PredictedPhase {
  name: string;
  from_s: number;
  to_s: number;
  /** Predicted bottleneck of the phase. */
  limit: ResourceKind;
}

interface PhaseSeriesProps {
  series: readonly SeenSeries[];
  phases: readonly PredictedPhase[];
  label: string;
}

const TOP_PX = 34;
const ROW_PX = 84;
const GAP_PX = 12;
const BOTTOM_PX = 28;
const LEFT_PX = 12;
const RIGHT_PX = 12;
const LETTER_PX = 7;
const TICK_PX = 62;
const MOST_POINTS = 600;

/**
 * Render the monitoring data of a finished job over its predicted phases; shaded where a resource should be busiest.
 */
export function PhaseSeries({ series, phases, label }: PhaseSeriesProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const height = TOP_PX + series.length * (ROW_PX + GAP_PX) + BOTTOM_PX;
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${height}px` } as CSSProperties}>
      {width > 0 && (
        <svg className={classes.plot} width={width} height={height} role="img" aria-label={label}>
          <Rows series={series} phases={phases} width={width} height={height} />
        </svg>
      )}
    </div>
  );
}

interface RowsProps extends Pick<PhaseSeriesProps, "series" | "phases"> {
  width: number;
  height: number;
}

function Rows({ series, phases, width, height }: RowsProps) {
  const ends = [...phases.map(({ to_s }) => to_s), ...series.map(({ times_s }) => times_s.at(-1) ?? 0)];
  const whole_s = Math.max(1e-9, ...ends);
  const right = width - RIGHT_PX;
  const x = (time_s: number) => LEFT_PX + (time_s / whole_s) * (right - LEFT_PX);
  const bottom = height - BOTTOM_PX;
  return (
    <>
      {phases.map(({ name, from_s, to_s, limit }) => (
        <g key={name}>
          <line className={classes.phase} x1={x(to_s)} x2={x(to_s)} y1={8} y2={bottom} />
          {x(to_s) - x(from_s) > name.length * LETTER_PX && (
            <text className={classes.strong} x={x(from_s) + 4} y={14}>
              {name}
            </text>
          )}
          {x(to_s) - x(from_s) > (RESOURCES[limit].label.length + 8) * LETTER_PX && (
            <text className={classes.tick} x={x(from_s) + 4} y={29}>
              {RESOURCES[limit].glyph} {RESOURCES[limit].label}
            </text>
          )}
        </g>
      ))}
      {series.map((one, index) => (
        <Row
          key={one.key}
          one={one}
          busy={phases.filter(({ limit }) => limit === one.kind)}
          top={TOP_PX + index * (ROW_PX + GAP_PX)}
          right={right}
          x={x}
        />
      ))}
      {timeTicks({ low: 0, high: whole_s, log: false }, Math.max(2, Math.floor((right - LEFT_PX) / TICK_PX))).map(
        (time_s) => (
          <text
            key={time_s}
            className={classes.tick}
            x={x(time_s)}
            y={bottom + 18}
            textAnchor={time_s === 0 ? "start" : "middle"}
          >
            {timeLabel(time_s)}
          </text>
        ),
      )}
    </>
  );
}

interface RowProps {
  one: SeenSeries;
  /** Phases with this resource as the predicted bottleneck. */
  busy: readonly PredictedPhase[];
  top: number;
  right: number;
  x: (time_s: number) => number;
}

function Row({ one, busy, top, right, x }: RowProps) {
  const bottom = top + ROW_PX;
  const step = Math.max(1, Math.ceil(one.times_s.length / MOST_POINTS));
  const points = one.times_s.flatMap((time_s, index) => {
    const value = one.values[index];
    if (value === undefined || index % step !== 0) return [];
    const share = one.most > 0 ? Math.min(1, value / one.most) : 0;
    return [`${x(time_s).toFixed(1)},${(bottom - share * (ROW_PX - 18)).toFixed(1)}`];
  });
  const ends = [one.times_s[0], one.times_s.at(-1)].map((time_s) => `${x(time_s ?? 0).toFixed(1)},${bottom}`);
  return (
    <g style={{ "--mark": RESOURCES[one.kind].colour } as CSSProperties}>
      {busy.map(({ name, from_s, to_s }) => (
        <rect key={name} className={classes.limit} x={x(from_s)} width={x(to_s) - x(from_s)} y={top} height={ROW_PX} />
      ))}
      <line className={classes.grid} x1={LEFT_PX} x2={right} y1={bottom} y2={bottom} />
      <polygon className={classes.area} points={[ends[0], ...points, ends[1]].join(" ")} />
      <polyline className={classes.line} points={points.join(" ")} />
      <text className={classes.name} x={LEFT_PX + 4} y={top + 12}>
        {RESOURCES[one.kind].glyph} {one.name}
      </text>
      <text className={classes.name} x={right - 4} y={top + 12} textAnchor="end">
        {one.mostWords}
      </text>
    </g>
  );
}
