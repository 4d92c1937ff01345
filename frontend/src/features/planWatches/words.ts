import type { PlanWinner } from "@/api/generated";
import type { Every, Objective, PlanCheck, PlanWatch } from "@/api/planning/planWatches";
import type { WatchStep } from "@/charts/figures/watchHistory";
import { count, duration, usd } from "@/lib/wording";

export const EVERY: Record<Every, string> = { day: "every day", week: "every week", month: "every month" };

export function winnerName({ nodes, instance, storage, storage_words }: PlanWinner): string {
  return `${count(nodes)} × ${instance}${storage.kind === "ebs" ? ` on ${storage_words}` : ""}`;
}

/** Names of the objectives. */
export const SOUGHT: Record<Objective, string> = { cost: "cost a run", month: "cost a month", time: "time" };

/** Return the compared value of a winner [USD or s]; null if an older answer lacks it. */
export function numberOf(winner: PlanWinner, sought: Objective): number | null {
  return { cost: winner.cost_usd, month: winner.month_usd ?? null, time: winner.time_s }[sought];
}

export function amount(value: number, sought: Objective): string {
  return sought === "time" ? duration(value) : usd(value);
}

/** Describe a winner with its compared value. */
export function wonWords(winner: PlanWinner, sought: Objective): string {
  const value = numberOf(winner, sought);
  if (sought === "time") return `${winnerName(winner)} in ${duration(winner.time_s)}`;
  if (value === null) return `${winnerName(winner)} for ${usd(winner.cost_usd)} a run`;
  return `${winnerName(winner)} for ${usd(value)} a ${sought === "month" ? "month" : "run"}`;
}

/** Describe the result of a check in a sentence. */
export function foundWords({ winner, problem, catalog_version }: PlanCheck, sought: Objective): string {
  if (problem !== null) return `It could not be answered: ${problem}`;
  if (winner === null) return `Nothing meets the limits, by catalog ${catalog_version}.`;
  return `${wonWords(winner, sought)}, by catalog ${catalog_version}.`;
}

/** Convert the checks to steps of the chart. */
export function stepsOf(checks: readonly PlanCheck[], sought: Objective): WatchStep[] {
  return checks.map((check) => ({
    at: check.at,
    value: check.winner === null ? null : numberOf(check.winner, sought),
    words: `${foundWords(check, sought)}${check.told ? " The team was told." : ""}`,
    marked: check.told,
  }));
}

/** Compute the band within which cost or time may move without an alert. */
export function bandOf({ told, percent }: PlanWatch) {
  const known = told?.winner == null ? null : numberOf(told.winner, told.objective);
  if (told === null || known === null || percent === null) return null;
  const [low, high] = [Math.max(0, known * (1 - percent / 100)), known * (1 + percent / 100)];
  return {
    low,
    high,
    since: told.at,
    words: `Between ${amount(low, told.objective)} and ${amount(high, told.objective)} there is no alert`,
  };
}

/** Parse a percentage; null if invalid. */
export function percentFrom(text: string): number | null {
  const trimmed = text.replace("%", "").replace(",", ".").trim();
  const value = Number(trimmed);
  return trimmed === "" || !Number.isFinite(value) || value <= 0 ? null : value;
}
