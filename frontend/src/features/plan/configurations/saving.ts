// What the recommendation saves against the current cluster, with the arithmetic and words of `workloads/saving.py`,
// which the API applies to saved plans.

import type { Currency } from "@/api/generated";
import { usdIn } from "@/lib/amounts";
import { about, threeDigits, usd } from "@/lib/wording";
import { percentWords } from "./difference";
import { moneyOf } from "./money";
import type { Configuration, Named } from "./useConfigurations";

type Costs = Pick<Configuration, "cost_usd" | "cost_per_month_usd" | "cost_always_on_usd">;
type Objective = Parameters<typeof moneyOf>[0];

/**
 * Replace the predicted cost of the current cluster by the stated one: of a month, and the share of a run in it.
 *
 * @param paid stated cost of the current cluster in a month, as entered; without a valid one, nothing is replaced
 */
export function withGiven(today: Named | undefined, objective: Objective, paid = ""): Named | undefined {
  const [stated, predicted] = [usdIn(paid), today?.configuration];
  if (stated === null || today === undefined || predicted === undefined) return today;
  const { cost_usd, cost_per_month_usd } = predicted;
  const run = (stated * cost_usd.p50) / cost_per_month_usd.p50;
  const given = moneyOf(objective).of;
  const isMonth = given === "month";
  const configuration: Configuration = {
    ...predicted,
    given,
    cost_usd: isMonth ? cost_usd : same(run),
    cost_per_month_usd: same(stated),
    cost_always_on_usd: isMonth ? stated : predicted.cost_always_on_usd,
  };
  return { ...today, configuration };
}

function same(value: number) {
  return { p10: value, p50: value, p90: value };
}

/** Current cost and the cost of the recommendation, over the same period [USD]. */
export interface Saving {
  now_usd: number;
  then_usd: number;
  each: " a run" | " a month";
  /** Runs per month in the cost of the recommendation; undefined for the cost of a run and of an always-on cluster. */
  runs?: number;
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
    runs: runsPerMonth(recommended),
  };
}

/** Return the runs per month in the costs of a configuration. */
export function runsPerMonth({ cost_usd: run, cost_per_month_usd: month }: Costs): number {
  return run.p50 > 0 ? Number((month.p50 / run.p50).toPrecision(6)) : 1;
}

/** Format the runs per month on which a cost rests: ` at 30 runs`. */
export function atRuns(runs: number): string {
  return ` at ${runs === 1 ? "1 run" : `${threeDigits(runs)} runs`}`;
}

/** Format a saving: `Saves $1,120 a month at 30 runs (−38%) against 178 × i2.8xlarge.` A negative one costs more. */
export function savingWords(
  { now_usd, then_usd, each, runs }: Saving,
  name: string,
  currency: Currency | null = null,
): string {
  const change = percentWords(then_usd, now_usd);
  const apart = Math.abs(then_usd - now_usd);
  const amount = `${usd(apart)}${each}`;
  const at = runs === undefined ? "" : atRuns(runs);
  const beside = currency === null ? change : `${about(apart, currency)}, ${change}`;
  if (change === "same") return `Costs the same as ${name}.`;
  if (then_usd < now_usd) return `Saves ${amount}${at} (${beside}) against ${name}.`;
  return `Costs ${amount} more${at} (${beside}) than ${name}.`;
}

/**
 * Name the current cluster; with its storage if the recommendation has its name, and with its cost if that is given, as
 * in the API's `saving`.
 */
function nameOf({ name, configuration }: Named, recommended: string, stated: number | null): string {
  const details = [
    ...(configuration !== undefined && name === recommended ? [configuration.storage_words] : []),
    ...(stated === null ? [] : [`given: ${usd(stated)} a month`]),
  ];
  return details.length === 0 ? name : `${name} (${details.join(", ")})`;
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
  const stated = usdIn(paid ?? "");
  if (today.rank === 1 && stated === null) return `${today.name}, the current cluster, is the best option.`;
  const saving = savingOf(best.configuration, today.configuration, objective, paid);
  return savingWords(saving, nameOf(today, best.name, stated), currency);
}
