// The figures of several configurations, row by row, with the best value and the differences.

import type { CostPartsAnswer, LimitsAnswer } from "@/api/generated";
import { partName } from "@/features/plan/configurations/costParts";
import { percentWords } from "@/features/plan/configurations/difference";
import { moneyOf } from "@/features/plan/configurations/money";
import { atRuns, runsPerMonth } from "@/features/plan/configurations/saving";
import type { Configuration, Named } from "@/features/plan/configurations/useConfigurations";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { resourceName } from "@/lib/resources";
import { chance, duration, durationRange, usd, usdRange } from "@/lib/wording";

export interface Compared {
  text: string;
  range?: string;
  /** All digits, with the unit. */
  exact?: string;
  best: boolean;
  /** Difference from the current cluster if there is one, else from the best value of the row. */
  difference?: string;
}

export interface ComparedRow {
  name: string;
  /** Cells in column order; null if unknown. */
  cells: (Compared | null)[];
}

interface Figure {
  name: string;
  value: (configuration: Configuration) => number | null;
  text: (value: number) => string;
  range?: (configuration: Configuration) => string;
  unit: string;
  /** Direction of better values; low for costs and times. */
  better: "low" | "high";
  /** True if percentages are meaningful; false for chances. */
  relative: boolean;
  /** True if the figure rests on the runs per month. */
  ofRuns?: boolean;
}

const time = { text: duration, unit: "s", better: "low", relative: true } as const;
const money = { text: usd, unit: "USD", better: "low", relative: true } as const;

const FIGURES: readonly Figure[] = [
  { ...time, name: "Time", value: ({ time_s }) => time_s.p50, range: ({ time_s }) => durationRange(time_s) },
];

/** Figures of clusters launched for each run; always-on clusters have monthly costs instead. */
const RUN_FIGURES: readonly Figure[] = [
  { ...money, name: "Cost", value: ({ cost_usd }) => cost_usd.p50, range: ({ cost_usd }) => usdRange(cost_usd) },
  {
    ...money,
    name: "Per month",
    ofRuns: true,
    value: ({ cost_per_month_usd }) => cost_per_month_usd.p50,
    range: ({ cost_per_month_usd }) => usdRange(cost_per_month_usd),
  },
];

const ALWAYS_ON = "Always-on monthly cost";

/** The cost of clusters that are kept running, which is not that of clusters launched for each run. */
const MONTH_FIGURES: readonly Figure[] = [
  { ...money, name: ALWAYS_ON, value: ({ cost_always_on_usd }) => cost_always_on_usd },
];

/** Figures that only some configurations have. */
const SOME_FIGURES: readonly Figure[] = [
  { ...time, name: "Time with empty burst buckets", value: ({ on_empty }) => on_empty?.time_s ?? null },
  { ...time, name: "Physical limit", value: ({ physical_limit_s }) => physical_limit_s },
  { ...time, name: "Latency of one I/O", value: ({ latency }) => (latency === null ? null : latency.mean_ms / 1_000) },
];

function chanceFigure(name: string, value: Figure["value"], better: Figure["better"]): Figure {
  return {
    name,
    value: (configuration) => percents(value(configuration)),
    text: (percent) => chance(percent / 100),
    unit: "%",
    better,
    relative: false,
  };
}

function percents(share: number | null): number | null {
  return share === null ? null : 100 * share;
}

/** Figures of a current cluster that follow from its stated cost. */
const GIVEN = { run: RUN_FIGURES.map(({ name }) => name), month: [ALWAYS_ON] };

/** Build the rows of the comparison; rows without any values are left out. */
export function comparedRows(
  columns: readonly Named[],
  today: Named | undefined,
  limits: LimitsAnswer,
  objective: Objective,
): ComparedRow[] {
  const known = columns.map(({ configuration }) => configuration);
  const sought = moneyOf(objective);
  const chances = [
    ...(limits.deadline_s === null ? [] : [chanceFigure("Meets the deadline", (row) => row.meets_deadline, "high")]),
    ...(limits.budget_usd === null ? [] : [chanceFigure("Keeps to the budget", (row) => row.meets_budget, "high")]),
    chanceFigure("Chance of loss", (row) => row.loss_probability, "low"),
  ];
  const partOf = (row: Configuration, part: keyof CostPartsAnswer) =>
    row.given ? null : (sought.parts(row)?.[part] ?? null);
  const parts = sought.partNames
    .filter(([part]) => known.some((row) => row && (partOf(row, part) ?? 0) > 0))
    .map(([part, name]): Figure => {
      const named = partName(
        part,
        name,
        known.filter((row) => row !== undefined),
      );
      return { ...money, name: named, value: (row) => partOf(row, part) };
    });
  const figures = [
    ...FIGURES,
    ...(sought.of === "run" ? RUN_FIGURES.map((figure) => namedWithRuns(figure, known)) : []),
    ...[...(sought.of === "month" ? MONTH_FIGURES : []), ...SOME_FIGURES].filter(({ value }) =>
      known.some((row) => row && value(row) !== null),
    ),
  ];
  const reference = today?.configuration;
  return [
    ...figures.map((figure) => figureRow(figure, known, reference)),
    ...limitRows(known),
    ...chances.map((figure) => figureRow(figure, known, reference)),
    ...parts.map((figure) => figureRow(figure, known, reference)),
  ];
}

/** Add the runs per month to the name of a figure that rests on them: `Per month at 30 runs`. */
function namedWithRuns(figure: Figure, known: readonly (Configuration | undefined)[]): Figure {
  const first = known.find((row) => row !== undefined);
  if (figure.ofRuns !== true || first === undefined) return figure;
  return { ...figure, name: `${figure.name}${atRuns(runsPerMonth(first))}` };
}

function figureRow(
  figure: Figure,
  known: readonly (Configuration | undefined)[],
  reference: Configuration | undefined,
): ComparedRow {
  const values = known.map((row) => (row === undefined ? null : figure.value(row)));
  const numbers = values.filter((value) => value !== null);
  const best = figure.better === "low" ? Math.min(...numbers) : Math.max(...numbers);
  // No value is best if all read the same, or if one is $0 because the configuration pays for something else instead.
  const differ = new Set(numbers.map(figure.text)).size > 1 && !(figure.unit === "USD" && numbers.includes(0));
  const held = reference === undefined ? (differ ? best : null) : figure.value(reference);
  return {
    name: figure.name,
    cells: known.map((row, index) => {
      const value = values[index] ?? null;
      if (row === undefined || value === null) return null;
      return {
        text: figure.text(value),
        exact: `${value} ${figure.unit}`,
        best: differ && figure.text(value) === figure.text(best),
        ...detail(figure, row),
        ...difference(figure, value, held, row === reference, reference !== undefined),
      };
    }),
  };
}

/** Return the range of a predicted figure, or that a cost is given. */
function detail(figure: Figure, row: Configuration): { range?: string } {
  if (row.given !== undefined && GIVEN[row.given].some((name) => figure.name.startsWith(name)))
    return { range: "given" };
  return figure.range === undefined ? {} : { range: figure.range(row) };
}

function difference(
  figure: Figure,
  value: number,
  held: number | null,
  isReference: boolean,
  ofToday: boolean,
): { difference?: string } {
  if (!figure.relative || held === null || held === 0 || isReference || (!ofToday && value === held)) return {};
  const words = percentWords(value, held);
  const what = ofToday ? "today’s" : "the best";
  if (words === "same") return { difference: `same as ${what}` };
  return { difference: words.endsWith("×") ? `${words} ${what}` : `${words} of ${what}` };
}

/** Build the rows with the bottleneck of each phase. */
function limitRows(known: readonly (Configuration | undefined)[]): ComparedRow[] {
  const names = [...new Set(known.flatMap((row) => row?.phases.map(({ name }) => name) ?? []))];
  return names.map((name) => ({
    name: `${name}: limit`,
    cells: known.map((row) => {
      const phase = row?.phases.find((one) => one.name === name);
      return phase === undefined
        ? null
        : { text: resourceName(phase.bottleneck), range: duration(phase.time_s), best: false };
    }),
  }));
}
