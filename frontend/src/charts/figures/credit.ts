import type { ChartAxis } from "@/charts/axes/chartAxis";
import type { Mark, Panel, PlaneFigure } from "@/charts/figure";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import { chosenUnit, inChosenUnit } from "@/lib/units";
import { duration, percent, threeDigits } from "@/lib/wording";
import { since } from "./axes";

interface CreditPoint {
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

interface DayMoment {
  hour: number;
  /** Throughput from this hour to the next point [MB/s]. */
  mb_per_s: number;
  /** Share of the full bucket, by line key; linear between points. */
  credits: Record<string, number | null>;
}

interface DayCredit {
  key: string;
  label: string;
  kind: ResourceKind;
}

interface Day {
  moments: readonly DayMoment[];
  credits: readonly DayCredit[];
  asked_mb_per_s: number;
}

const JOB_PX = 136;
const PANEL_PX = 96;
/** Dash patterns that keep overlapping lines visible. */
const DASHES = [undefined, "7 4", "2 3"];
const SHARES: ChartAxis = {
  of: "amount",
  low: 0,
  high: 1,
  log: false,
  ticks: [0, 0.5, 1].map((value) => ({ value, text: percent(value) })),
};
const DAY: ChartAxis = {
  of: "duration",
  low: 0,
  high: 24,
  log: false,
  ticks: [0, 6, 12, 18, 24].map((hour) => ({ value: hour, text: hour === 0 ? "0" : `${hour} h` })),
};

/** Draw burst credit as a share of the full bucket, over the duration of the job. */
export function creditFigure(lines: readonly CreditLine[], phases: readonly CreditPhase[]): PlaneFigure {
  const whole_s = Math.max(...phases.map(({ to_s }) => to_s));
  const marks = lines.flatMap(({ points, unit, full, ...line }, index) =>
    creditMarks(
      line,
      index,
      points.map(({ phase, time_s, amount, share }) => ({
        key: `${phase} ${time_s}`,
        x: time_s,
        y: share,
        words: `${line.label}, ${phase}, after ${duration(time_s)}: ${percent(share)}, ${threeDigits(amount)} of ${threeDigits(full)} ${unit}`,
      })),
    ),
  );
  return {
    kind: "plane",
    x: since(whole_s > 0 ? whole_s : 1),
    panels: [{ key: "credit", height: JOB_PX, y: SHARES, marks }],
    phases: phases.map(({ name, from_s, to_s }) => ({ name, from: from_s, to: to_s })),
  };
}

interface Share {
  key: string;
  x: number;
  y: number;
  words: string;
}

function creditMarks({ key, label, kind }: DayCredit, index: number, points: readonly Share[]): Mark[] {
  const { colour, glyph } = RESOURCES[kind];
  return [
    { kind: "line", key, points, colour, dash: DASHES[index % DASHES.length], width: 2, name: [label], glyph },
    {
      kind: "points",
      key: `${key} points`,
      hidden: true,
      points: points.map((point) => ({ ...point, words: [point.words] })),
    },
  ];
}

/** Draw a day: throughput above, remaining burst credit below. */
export function dayFigure({ moments, credits, asked_mb_per_s }: Day): PlaneFigure {
  const kept: Panel = {
    key: "credit",
    title: "Burst credit left",
    height: PANEL_PX,
    y: SHARES,
    marks: credits.flatMap((credit, index) =>
      creditMarks(
        credit,
        index,
        moments.map(({ hour, credits: left }) => {
          const share = left[credit.key] ?? 0;
          const words = `${credit.label}, after ${duration(3_600 * hour)}: ${percent(share)} of the full bucket`;
          return { key: String(hour), x: hour, y: share, words };
        }),
      ),
    ),
  };
  return { kind: "plane", x: DAY, panels: [delivered(moments, asked_mb_per_s), ...(credits.length > 0 ? [kept] : [])] };
}

function delivered(moments: readonly DayMoment[], asked_mb_per_s: number): Panel {
  const most = Math.max(asked_mb_per_s, ...moments.map(({ mb_per_s }) => mb_per_s));
  const ticks = [0, asked_mb_per_s].map((value) => ({ value, text: threeDigits(inChosenUnit(value, "MB/s").value) }));
  return {
    key: "delivered",
    title: `Delivered, ${chosenUnit("MB/s")}`,
    height: PANEL_PX,
    y: { of: "amount", low: 0, high: 1.1 * most, log: false, ticks },
    marks: [
      {
        kind: "line",
        key: "delivered",
        points: moments.slice(0, -1).map(({ hour, mb_per_s }) => ({ x: hour, y: mb_per_s })),
        colour: "var(--accent)",
        width: 1,
        steps: true,
        until: 24,
        area: 0.25,
      },
      { kind: "rule", key: "asked", along: "y", at: asked_mb_per_s, colour: "var(--edge)", width: 1, name: ["asked"] },
    ],
  };
}
