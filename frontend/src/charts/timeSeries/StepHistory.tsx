import { useElementSize } from "@mantine/hooks";
import type { CSSProperties } from "react";
import { axisOver, shareOf } from "@/charts/axes/axis";
import { apart } from "@/charts/axes/labels";
import { costTicks } from "@/charts/axes/ticks";
import { day, usd } from "@/lib/wording";
import classes from "./StepHistory.module.css";

/** Value from a day [ISO date] until the next step. */
export interface Step {
  day: string;
  value: number;
}

export interface StepSeries {
  name: string;
  steps: readonly Step[];
}

const HEIGHT_PX = 200;
const MARGIN = { left: 54, right: 112, top: 10, bottom: 26 };
const DAY_MS = 86_400_000;
const LINE_PX = 14;
const STROKES = ["", "6 3", "2 3", "8 3 2 3"];
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"];

/** Render amounts [USD] that change from day to day, with a label at the end of each series. */
export function StepHistory({ series, until, label }: { series: readonly StepSeries[]; until: string; label: string }) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const days = series.flatMap(({ steps }) => steps.map((step) => Date.parse(step.day)));
  const [from, to] = [Math.min(...days), Math.max(Date.parse(until), ...days)];
  const axis = axisOver(
    series.flatMap(({ steps }) => steps.map(({ value }) => value)),
    false,
  );
  const plot = {
    width: Math.max(1, width - MARGIN.left - MARGIN.right),
    height: HEIGHT_PX - MARGIN.top - MARGIN.bottom,
  };
  const x = (time: number) => MARGIN.left + ((time - from) / Math.max(DAY_MS, to - from)) * plot.width;
  const y = (value: number) => MARGIN.top + (1 - shareOf(value, axis)) * plot.height;
  const ends = apart(
    series.map(({ steps }) => y(steps.at(-1)?.value ?? 0)),
    LINE_PX,
    MARGIN.top + plot.height,
  );
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${HEIGHT_PX}px` } as CSSProperties}>
      {width > 0 && (
        <svg className={classes.plot} width={width} height={HEIGHT_PX} role="img" aria-label={label}>
          {costTicks(axis, 5).map((value) => (
            <g key={value}>
              <line
                className={classes.grid}
                x1={MARGIN.left}
                x2={MARGIN.left + plot.width}
                y1={y(value)}
                y2={y(value)}
              />
              <text className={classes.tick} x={MARGIN.left - 6} y={y(value) + 4} textAnchor="end">
                {usd(value)}
              </text>
            </g>
          ))}
          {[from, to].map((time, index) => (
            <text
              key={index === 0 ? "from" : "to"}
              className={classes.tick}
              x={index === 0 ? MARGIN.left : MARGIN.left + plot.width}
              y={HEIGHT_PX - 6}
              textAnchor={index === 0 ? "start" : "end"}
            >
              {day(new Date(time).toISOString())}
            </text>
          ))}
          {series.map(({ name, steps }, index) => (
            <g key={name} style={{ "--line": COLOURS[index % COLOURS.length] } as CSSProperties}>
              <path
                className={classes.line}
                strokeDasharray={STROKES[index % STROKES.length]}
                d={stepsPath(steps, x, y, x(to))}
              />
              {steps.map((step) => (
                <circle key={step.day} className={classes.mark} cx={x(Date.parse(step.day))} cy={y(step.value)} r="3.5">
                  <title>{`${name}: ${step.value} USD/h from ${day(step.day)}`}</title>
                </circle>
              ))}
              <text x={MARGIN.left + plot.width + 6} y={(ends[index] ?? 0) + 4}>
                {name}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

function stepsPath(
  steps: readonly Step[],
  x: (time: number) => number,
  y: (value: number) => number,
  end: number,
): string {
  const [first] = steps;
  if (first === undefined) return "";
  const moves = steps.slice(1).map((step) => `H${x(Date.parse(step.day)).toFixed(1)}V${y(step.value).toFixed(1)}`);
  return `M${x(Date.parse(first.day)).toFixed(1)},${y(first.value).toFixed(1)}${moves.join("")}H${end.toFixed(1)}`;
}
