// The cost that an objective weighs against time: of a run, or of a month of an always-on cluster.

import type { CandidateAnswer, CostPartsAnswer, PlanAnswer, Range } from "@/api/generated";
import { duration, type Quantiles, usd } from "@/lib/wording";
import { COST_PARTS, MONTH_PARTS } from "./costParts";
import type { Configuration } from "./useConfigurations";

type Objective = PlanAnswer["objective"];
type Costs = Pick<Configuration, "cost_usd" | "cost_always_on_usd">;

export interface Money {
  of: "run" | "month";
  /** Header of a column, label of a row. */
  head: string;
  /** Word for differences: `−38% cost`. */
  word: string;
  /** Suffix of an amount without a header. */
  each: string;
  /** Header of a CSV column. */
  copied: string;
  range: (configuration: Costs) => Quantiles;
  at: (point: Pick<CandidateAnswer, "cost_usd" | "cost_always_on_usd">) => number;
  parts: (configuration: Configuration) => CostPartsAnswer | null;
  partNames: readonly (readonly [part: keyof CostPartsAnswer, name: string])[];
}

const RUN: Money = {
  of: "run",
  head: "Cost",
  word: "cost",
  each: " a run",
  copied: "cost_usd",
  range: ({ cost_usd }) => cost_usd,
  at: ({ cost_usd }) => cost_usd,
  parts: ({ cost_parts_usd }) => cost_parts_usd,
  partNames: COST_PARTS,
};

const MONTH: Money = {
  of: "month",
  head: "Monthly cost",
  word: "monthly cost",
  each: " a month",
  copied: "cost_always_on_usd",
  // An always-on cluster costs the same regardless of the duration of its runs.
  range: ({ cost_usd, cost_always_on_usd: always }) => (always === null ? cost_usd : same(always)),
  at: ({ cost_usd, cost_always_on_usd: always }) => always ?? cost_usd,
  parts: ({ cost_always_on_parts_usd }) => cost_always_on_parts_usd ?? null,
  partNames: MONTH_PARTS,
};

function same(value: number): Range {
  return { p10: value, p50: value, p90: value };
}

export function moneyOf(objective: Objective): Money {
  return objective === "month" ? MONTH : RUN;
}

/** Return the cost of a frontier; older saved plans only have the cost of a run. */
export function frontierMoney({ objective, frontier }: Pick<PlanAnswer, "objective" | "frontier">): Money {
  const older = frontier.some(({ cost_always_on_usd: always }) => typeof always !== "number");
  return older ? RUN : moneyOf(objective);
}

/** Format time and cost: `16 min 50 s for $325`, `$8,830 a month, 2 h a run`. */
export function amountsWords(configuration: Costs & Pick<Configuration, "time_s">, objective: Objective): string {
  const money = moneyOf(objective);
  const [time, cost] = [duration(configuration.time_s.p50), usd(money.range(configuration).p50)];
  return money.of === "month" ? `${cost}${money.each}, ${time} a run` : `${time} for ${cost}`;
}
