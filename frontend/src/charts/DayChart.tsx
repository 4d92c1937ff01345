import { useElementSize } from "@mantine/hooks";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import { duration, percent, threeDigits } from "@/lib/wording";
import classes from "./CreditChart.module.css";
import { apart } from "./labels";

export interface DayMoment {
  hour: number;
  /** Delivered from here to the next moment. */
  mb_per_s: number;
  /** Of the full bucket, by the key of its line; straight between moments. */
  credits: Record<string, number | null>;
}

export interface DayCredit {
  key: string;
  label: string;
  kind: ResourceKind;
}

interface DayChartProps {
  moments: readonly DayMoment[];
  credits: readonly DayCredit[];
  asked_mb_per_s: number;
  label: string;
}

const PANEL_PX = 96;
const TITLE_PX = 22;
const GAP_PX = 14;
const BOTTOM_PX = 24;
const LEFT_PX = 52;
const RIGHT_PX = 64;
const HOURS = [0, 6, 12, 18, 24];
const DASHES = [undefined, "7 4"];

/** A day: above what is delivered, below the burst credit that is left, over the same hours. */
export function DayChart(props: DayChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  return (
    <div ref={ref} className={classes.chart}>
      {width > 0 && <Drawing {...props} width={width} />}
    </div>
  );
}

function Drawing({ moments, credits, asked_mb_per_s, label, width }: DayChartProps & { width: number }) {
  const right = width - RIGHT_PX;
  const x = (hour: number) => LEFT_PX + (hour / 24) * (right - LEFT_PX);
  const most = 1.1 * Math.max(asked_mb_per_s, ...moments.map(({ mb_per_s }) => mb_per_s));
  const delivered = { top: TITLE_PX, bottom: TITLE_PX + PANEL_PX };
  const kept = { top: delivered.bottom + GAP_PX + TITLE_PX, bottom: delivered.bottom + GAP_PX + TITLE_PX + PANEL_PX };
  const last = credits.length > 0 ? kept.bottom : delivered.bottom;
  const rate = (mb_per_s: number) => delivered.bottom - (mb_per_s / most) * PANEL_PX;
  const share = (part: number) => kept.bottom - part * PANEL_PX;
  const ends = apart(
    credits.map(({ key }) => share(moments.at(-1)?.credits[key] ?? 0)),
    15,
    kept.bottom,
  );
  return (
    <svg className={classes.plot} width={width} height={last + BOTTOM_PX} role="img" aria-label={label}>
      <text className={classes.phase} x={0} y={12}>
        Delivered, MB/s
      </text>
      {[0, asked_mb_per_s].map((mb_per_s) => (
        <g key={mb_per_s}>
          <line className={classes.grid} x1={LEFT_PX} x2={right} y1={rate(mb_per_s)} y2={rate(mb_per_s)} />
          <text className={classes.tick} x={LEFT_PX - 6} y={rate(mb_per_s) + 4} textAnchor="end">
            {threeDigits(mb_per_s)}
          </text>
        </g>
      ))}
      <text className={classes.tick} x={right + 6} y={rate(asked_mb_per_s) + 4}>
        asked
      </text>
      <path d={steps(moments, x, rate)} style={{ fill: "var(--accent)", fillOpacity: 0.25, stroke: "var(--accent)" }} />
      {credits.length > 0 && (
        <>
          <text className={classes.phase} x={0} y={kept.top - 10}>
            Burst credit left
          </text>
          {[0, 0.5, 1].map((part) => (
            <g key={part}>
              <line className={classes.grid} x1={LEFT_PX} x2={right} y1={share(part)} y2={share(part)} />
              <text className={classes.tick} x={LEFT_PX - 6} y={share(part) + 4} textAnchor="end">
                {percent(part)}
              </text>
            </g>
          ))}
        </>
      )}
      {credits.map(({ key, kind, label: name }, index) => {
        const { colour, glyph } = RESOURCES[kind];
        return (
          <g key={key}>
            <polyline
              className={classes.line}
              points={moments.map((moment) => `${x(moment.hour)},${share(moment.credits[key] ?? 0)}`).join(" ")}
              style={{ stroke: colour, strokeDasharray: DASHES[index % DASHES.length] }}
            />
            {moments.map((moment) => (
              <circle
                key={moment.hour}
                className={classes.target}
                cx={x(moment.hour)}
                cy={share(moment.credits[key] ?? 0)}
                r={7}
              >
                <title>{`${name}, after ${duration(3_600 * moment.hour)}: ${percent(moment.credits[key] ?? 0)} of the full bucket`}</title>
              </circle>
            ))}
            <text x={right + 6} y={(ends[index] ?? 0) + 4}>
              <tspan style={{ fill: colour }}>{glyph} </tspan>
              {name}
            </text>
          </g>
        );
      })}
      {HOURS.map((hour) => (
        <g key={hour}>
          <line className={classes.grid} x1={x(hour)} x2={x(hour)} y1={last} y2={last + 4} />
          <text className={classes.tick} x={x(hour)} y={last + 17} textAnchor="middle">
            {hour === 0 ? "0" : `${hour} h`}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** What is delivered holds from one moment to the next. */
function steps(moments: readonly DayMoment[], x: (hour: number) => number, y: (mb_per_s: number) => number): string {
  const parts = moments.slice(0, -1).map((moment, index) => {
    const until = moments[index + 1]?.hour ?? 24;
    return `L${x(moment.hour)},${y(moment.mb_per_s)}L${x(until)},${y(moment.mb_per_s)}`;
  });
  return `M${x(0)},${y(0)}${parts.join("")}L${x(24)},${y(0)}Z`;
}
