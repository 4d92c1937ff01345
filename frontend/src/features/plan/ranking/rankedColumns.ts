// Columns of the ranking, for the screen and for CSV.

import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import type { SortedColumn } from "@/api/planning/rankings";
import { headWords } from "@/features/plan/address/cluster";
import { longestPhase } from "@/features/plan/configurations/longest";
import { type Money, moneyOf } from "@/features/plan/configurations/money";
import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import { chosenWords, openIn } from "@/features/plan/workload/place";
import { type CsvCell, csv } from "@/lib/csv";
import { resourceName } from "@/lib/resources";

export type Objective = PlanAnswer["objective"];

/** Objectives in words. */
export const OBJECTIVE_WORDS: Record<Objective, string> = { cost: "cost", time: "time", month: "monthly cost" };

export type ColumnName = "rank" | "configuration" | "time" | "cost" | "month" | "limit" | "risk" | "today";

export interface RankedColumn {
  name: ColumnName;
  head: string;
  number?: boolean;
  /** Sort column in the API; percentages of the current cluster sort by the underlying value. */
  sort?: SortedColumn;
  /** Objective that ranks by this column. */
  objective?: Objective;
  /** Columns in the CSV file: units in the headers, all digits. */
  copied: readonly (readonly [head: string, value: (row: RankedAnswer) => CsvCell | null])[];
}

const TIME: RankedColumn = {
  name: "time",
  head: "Time",
  sort: "time",
  objective: "time",
  copied: [
    ["time_p50_s", ({ time_s }) => time_s.p50],
    ["time_p10_s", ({ time_s }) => time_s.p10],
    ["time_p90_s", ({ time_s }) => time_s.p90],
    ["time_on_empty_buckets_s", ({ on_empty }) => on_empty?.time_s ?? null],
    ["physical_limit_s", ({ physical_limit_s }) => physical_limit_s],
  ],
};
const COST: RankedColumn = {
  name: "cost",
  head: "Cost",
  number: true,
  sort: "cost",
  objective: "cost",
  copied: [
    ["cost_on_empty_buckets_usd", ({ on_empty }) => on_empty?.cost_usd ?? null],
    ["cost_p50_usd", ({ cost_usd }) => cost_usd.p50],
    ["cost_p10_usd", ({ cost_usd }) => cost_usd.p10],
    ["cost_p90_usd", ({ cost_usd }) => cost_usd.p90],
  ],
};
const MONTH: RankedColumn = {
  name: "month",
  head: "Monthly cost",
  number: true,
  sort: "month",
  objective: "month",
  copied: [["month_always_on_usd", ({ cost_always_on_usd }) => cost_always_on_usd]],
};
const LIMIT: RankedColumn = {
  name: "limit",
  head: "Limited by",
  sort: "limit",
  copied: [["limited_by", (row) => resourceName(longestPhase(row)?.bottleneck ?? "")]],
};
const RISK: RankedColumn = {
  name: "risk",
  head: "Deadline risk",
  number: true,
  sort: "risk",
  copied: [
    ["chance_to_miss_deadline_percent", ({ meets_deadline: chance }) => (chance === null ? null : 100 * (1 - chance))],
  ],
};

/** Columns by objective. A run on an always-on cluster has no cost of its own, so only the monthly cost is shown. */
const MEASURES: Record<Objective, readonly RankedColumn[]> = {
  cost: [TIME, COST],
  time: [TIME, COST],
  month: [MONTH, { ...TIME, head: "Time of a run" }],
};

/**
 * Return the columns of a ranking, in order.
 *
 * @param document the question; its open choices add columns
 * @param today the current cluster, if known
 * @param headed true if costs include an additional head node
 */
export function rankedColumns(
  objective: Objective,
  document: unknown,
  today: Configuration | undefined,
  headed = false,
): RankedColumn[] {
  const open = openIn(document);
  const configuration: RankedColumn = {
    name: "configuration",
    head: "Configuration",
    sort: "configuration",
    copied: [
      ["instance", ({ instance }) => instance],
      ["nodes", ({ nodes }) => nodes],
      ...(headed ? [["head_node", (row: RankedAnswer) => headWords(row) ?? null] as const] : []),
      ["storage", ({ storage_words }) => storage_words],
      ...(open.purchase ? [["paid", ({ purchase }: RankedAnswer) => purchase] as const] : []),
      ...(open.durability
        ? [["kept", (row: RankedAnswer) => chosenWords(row, { purchase: false, durability: true })[0] ?? null] as const]
        : []),
    ],
  };
  return [
    { name: "rank", head: "#", copied: [["rank", ({ rank }) => rank]] },
    configuration,
    ...MEASURES[objective],
    LIMIT,
    RISK,
    ...(today === undefined ? [] : [againstToday(today, moneyOf(objective))]),
  ];
}

function againstToday(today: Configuration, { range, of }: Money): RankedColumn {
  const percent = (value: number, reference: number) => 100 * (value / reference - 1);
  return {
    name: "today",
    head: "Against today",
    number: true,
    copied: [
      [
        `${of === "month" ? "monthly_cost" : "cost"}_against_today_percent`,
        (row) => percent(range(row).p50, range(today).p50),
      ],
      ["time_against_today_percent", ({ time_s }) => percent(time_s.p50, today.time_s.p50)],
    ],
  };
}

/** Format rows as CSV: the columns of the screen, in their order, and the discounts that costs include. */
export function rankedCsv(rows: readonly RankedAnswer[], columns: readonly RankedColumn[], terms?: string): string {
  const named: RankedColumn["copied"] = terms === undefined ? [] : [["price_terms", () => terms]];
  const copied = [...columns.flatMap((column) => column.copied), ...named];
  return csv(
    copied.map(([head]) => head),
    rows.map((row) => copied.map(([, value]) => value(row) ?? "")),
  );
}
