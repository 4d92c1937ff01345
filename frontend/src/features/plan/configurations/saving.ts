// What the recommendation saves against the current cluster, with the arithmetic and words of `workloads/saving.py`,
// which the API applies to saved plans.

import type { Currency } from "@/api/generated";
import { usdIn } from "@/lib/amounts";
import { about, usd } from "@/lib/wording";
import { percentWords } from "./difference";
import { moneyOf } from "./money";
import type { Configuration, Named } from "./useConfigurations";

type Costs = Pick<Configuration, "cost_usd" | "cost_per_month_usd" | "cost_always_on_usd">;
type Objective = Parameters<typeof moneyOf>[0];

/** Current cost and the cost of the recommendation, over the same period [USD]. */
export interface Saving {
  now_usd: number;
  then_usd: number;
  each: " a run" | " a month";
}

/**
 * Compare the cost of a configuration with that of the current cluster: a month if it is always on, if there are several
 * runs a month or if the user states what it costs a month, else a run.
 *
 * @param paid stated cost of the current cluster in a month, as entered; it replaces the computed one if it is valid
 */
export function savingOf(recommended: Costs, today: Costs, objective: Objective, paid = ""): Saving {
  const stated = usdIn(paid);
  const money = moneyOf(objective);
  if (money.of === "month") {
    return { now_usd: stated ?? money.range(today).p50, then_usd: money.range(recommended).p50, each: " a month" };
  }
  const isMonthly = stated !== null || today.cost_per_month_usd.p50 !== today.cost_usd.p50;
  if (!isMonthly) return { now_usd: today.cost_usd.p50, then_usd: recommended.cost_usd.p50, each: " a run" };
  return {
    now_usd: stated ?? today.cost_per_month_usd.p50,
    then_usd: recommended.cost_per_month_usd.p50,
    each: " a month",
  };
}

/** Format a saving: `Saves $1,120 a month (−38%) against 178 × i2.8xlarge.` A negative one costs more. */
export function savingWords(
  { now_usd, then_usd, each }: Saving,
  name: string,
  currency: Currency | null = null,
): string {
  const change = percentWords(then_usd, now_usd);
  const apart = Math.abs(then_usd - now_usd);
  const amount = `${usd(apart)}${each}`;
  const beside = currency === null ? change : `${about(apart, currency)}, ${change}`;
  if (change === "same") return `Costs the same as ${name}.`;
  if (then_usd < now_usd) return `Saves ${amount} (${beside}) against ${name}.`;
  return `Costs ${amount} more (${beside}) than ${name}.`;
}

/** Name the current cluster; with its storage if the recommendation has its name, as in the API's `saving`. */
function nameOf({ name, configuration }: Named, recommended: string): string {
  return configuration !== undefined && name === recommended ? `${name} (${configuration.storage_words})` : name;
}

/** Describe the saving of the first row against the current cluster; undefined while either has no figures. */
export function savingSentence(
  best: Named | undefined,
  today: Named | undefined,
  objective: Objective,
  paid: string | undefined,
  currency: Currency | null = null,
): string | undefined {
  if (best?.configuration === undefined || today?.configuration === undefined) return undefined;
  if (today.rank === 1 && usdIn(paid ?? "") === null) return `${today.name}, the current cluster, is the best option.`;
  const saving = savingOf(best.configuration, today.configuration, objective, paid);
  return savingWords(saving, nameOf(today, best.name), currency);
}
