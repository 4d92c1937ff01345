import { useElementSize } from "@mantine/hooks";
import type { CSSProperties } from "react";
import { type Axis, shareOf } from "@/charts/axes/axis";
import { dateText, dateTicks } from "@/charts/axes/dates";
import { costTicks, timeLabel, timeTicks } from "@/charts/axes/ticks";
import { moment, usd } from "@/lib/wording";
import classes from "./WatchHistory.module.css";

/** Cost or time from a moment [ISO time] until the next step. */
export interface WatchStep {
  at: string;
  /** Value [USD or s]; null breaks the line. */
  value: number | null;
  /** Subject and notes of the check. */
  words: string;
  /** True if the team was alerted: drawn larger. */
  marked: boolean;
}

interface WatchHistoryProps {
  steps: readonly WatchStep[];
  /** Range without alerts [USD or s], since a moment [ISO time]. */
  band: { low: number; high: number; since: string; words: string } | null;
  unit: "USD" | "s";
  label: string;
}

const HEIGHT_PX = 190;
const MARGIN = { left: 58, right: 16, top: 10, bottom: 26 };
const LEAST_SPAN_MS = 3_600_000;
const TICK_PX = 110;

/** Render the history of a cost or time over all checks. */
export function WatchHistory({ steps, band, unit, label }: WatchHistoryProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const values = [...steps.flatMap(({ value }) => value ?? []), ...(band === null ? [] : [band.low, band.high])];
  const axis = closeAxis(values);
  const plot = {
    width: Math.max(1, width - MARGIN.left - MARGIN.right),
    height: HEIGHT_PX - MARGIN.top - MARGIN.bottom,
  };
  const times = steps.map(({ at }) => Date.parse(at));
  const from = Math.min(...times);
  const to = Math.max(from + LEAST_SPAN_MS, ...times);
  const known = Math.min(to, Math.max(from, band === null ? from : Date.parse(band.since)));
  const x = (time: number) => MARGIN.left + ((time - from) / (to - from)) * plot.width;
  const y = (value: number) => MARGIN.top + (1 - shareOf(value, axis)) * plot.height;
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${HEIGHT_PX}px` } as CSSProperties}>
      {width > 0 && values.length > 0 && (
        <svg className={classes.plot} width={width} height={HEIGHT_PX} role="img" aria-label={label}>
          {band !== null && (
            <rect
              className={classes.band}
              x={x(known)}
              width={MARGIN.left + plot.width - x(known)}
              y={y(band.high)}
              height={Math.max(0, y(band.low) - y(band.high))}
            >
              <title>{band.words}</title>
            </rect>
          )}
          {(unit === "s" ? timeTicks : costTicks)(axis, 5).map((value) => (
            <g key={value}>
              <line
                className={classes.grid}
                x1={MARGIN.left}
                x2={MARGIN.left + plot.width}
                y1={y(value)}
                y2={y(value)}
              />
              <text className={classes.tick} x={MARGIN.left - 6} y={y(value) + 4} textAnchor="end">
                {unit === "s" ? timeLabel(value) : usd(value)}
              </text>
            </g>
          ))}
          {dateTicks(from, to, Math.max(1, Math.floor(plot.width / TICK_PX))).map((time) => (
            <text key={time} className={classes.tick} x={x(time)} y={HEIGHT_PX - 6} textAnchor={anchor(x(time), width)}>
              {dateText(time, to - from)}
            </text>
          ))}
          <path className={classes.line} d={stepsPath(steps, x, y)} />
          {steps.map(({ at, value, words, marked }) =>
            value === null ? (
              <text
                key={at}
                className={classes.none}
                x={x(Date.parse(at))}
                y={MARGIN.top + plot.height}
                textAnchor="middle"
              >
                ×<title>{`${moment(at)}: ${words}`}</title>
              </text>
            ) : (
              <circle
                key={at}
                className={classes.mark}
                data-marked={marked || undefined}
                cx={x(Date.parse(at))}
                cy={y(value)}
                r={marked ? 5.5 : 3}
              >
                <title>{`${moment(at)}: ${words}`}</title>
              </circle>
            ),
          )}
        </svg>
      )}
    </div>
  );
}

/** Compute an axis that shows changes of a few percent, which would be invisible from 0. */
function closeAxis(values: readonly number[]): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((most - least) * 0.12, most * 0.01, 1e-6);
  return { low: Math.max(0, least - room), high: most + room, log: false };
}

function anchor(x: number, width: number): "start" | "middle" | "end" {
  if (x < MARGIN.left + 30) return "start";
  return x > width - 40 ? "end" : "middle";
}

/** Build a step path that holds each value until the next check, with gaps for null. */
function stepsPath(steps: readonly WatchStep[], x: (time: number) => number, y: (value: number) => number): string {
  let path = "";
  let drawing = false;
  for (const { at, value } of steps) {
    const across = x(Date.parse(at)).toFixed(1);
    if (drawing) path += `H${across}`;
    if (value !== null) path += drawing ? `V${y(value).toFixed(1)}` : `M${across},${y(value).toFixed(1)}`;
    drawing = value !== null;
  }
  return path;
}
