import { useElementSize } from "@mantine/hooks";
import type { ResourceKind } from "@/lib/resources";
import { duration, percent, threeDigits } from "@/lib/wording";
import classes from "./CreditChart.module.css";
import { CreditLines, GridLine, TimeTick } from "./CreditLines";

export interface DayMoment {
  hour: number;
  /** Throughput from this hour to the next point [MB/s]. */
  mb_per_s: number;
  /** Share of the full bucket, by line key; linear between points. */
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

/** Render a day: throughput above, remaining burst credit below. */
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
  const delivered = TITLE_PX + PANEL_PX;
  const kept = { top: delivered + GAP_PX + TITLE_PX, bottom: delivered + GAP_PX + TITLE_PX + PANEL_PX };
  const last = credits.length > 0 ? kept.bottom : delivered;
  const rate = (mb_per_s: number) => delivered - (mb_per_s / most) * PANEL_PX;
  const placed = credits.map((credit) => ({
    ...credit,
    points: moments.map(({ hour, credits: left }) => {
      const share = left[credit.key] ?? 0;
      const words = `${credit.label}, after ${duration(3_600 * hour)}: ${percent(share)} of the full bucket`;
      return { key: String(hour), x: x(hour), share, words };
    }),
  }));
  return (
    <svg className={classes.plot} width={width} height={last + BOTTOM_PX} role="img" aria-label={label}>
      <text className={classes.phase} x={0} y={12}>
        Delivered, MB/s
      </text>
      {[0, asked_mb_per_s].map((mb_per_s) => (
        <GridLine key={mb_per_s} left={LEFT_PX} right={right} y={rate(mb_per_s)} label={threeDigits(mb_per_s)} />
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
          <CreditLines
            credits={placed}
            left={LEFT_PX}
            right={right}
            y={(share: number) => kept.bottom - share * PANEL_PX}
          />
        </>
      )}
      {HOURS.map((hour) => (
        <TimeTick key={hour} x={x(hour)} bottom={last} label={hour === 0 ? "0" : `${hour} h`} />
      ))}
    </svg>
  );
}

/** Build a step path: throughput is constant between points. */
function steps(moments: readonly DayMoment[], x: (hour: number) => number, y: (mb_per_s: number) => number): string {
  const parts = moments.slice(0, -1).map((moment, index) => {
    const until = moments[index + 1]?.hour ?? 24;
    return `L${x(moment.hour)},${y(moment.mb_per_s)}L${x(until)},${y(moment.mb_per_s)}`;
  });
  return `M${x(0)},${y(0)}${parts.join("")}L${x(24)},${y(0)}Z`;
}
