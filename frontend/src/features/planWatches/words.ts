import type { Every, PlanCheck, PlanWatch, PlanWinner } from "@/api/planWatches";
import type { CostStep } from "@/charts/CostHistory";
import { count, usd } from "@/lib/wording";

export const EVERY: Record<Every, string> = { day: "every day", week: "every week", month: "every month" };

export function winnerName({ nodes, instance, storage, storage_words }: PlanWinner): string {
  return `${count(nodes)} × ${instance}${storage.kind === "ebs" ? ` on ${storage_words}` : ""}`;
}

/** What a check found, in a sentence. */
export function foundWords({ winner, problem, catalogue_version }: PlanCheck): string {
  if (problem !== null) return `It could not be answered: ${problem}`;
  if (winner === null) return `Nothing meets the limits, by catalogue ${catalogue_version}.`;
  return `${winnerName(winner)} for ${usd(winner.cost_usd)} a run, by catalogue ${catalogue_version}.`;
}

/** The checks as the chart draws them. */
export function stepsOf(checks: readonly PlanCheck[]): CostStep[] {
  return checks.map((check) => ({
    at: check.at,
    cost_usd: check.winner?.cost_usd ?? null,
    words: `${foundWords(check)}${check.told ? " The team was told." : ""}`,
    marked: check.told,
  }));
}

/** Between which the cost of what the team knows may move before it is told again. */
export function bandOf({ told, percent }: PlanWatch) {
  const known = told?.winner?.cost_usd;
  if (told === null || known === undefined || percent === null) return null;
  const [low, high] = [Math.max(0, known * (1 - percent / 100)), known * (1 + percent / 100)];
  return { low, high, since: told.at, words: `Between ${usd(low)} and ${usd(high)} nobody is told` };
}

/** Read a percentage as people write it; null where it is none. */
export function percentFrom(text: string): number | null {
  const trimmed = text.replace("%", "").replace(",", ".").trim();
  const value = Number(trimmed);
  return trimmed === "" || !Number.isFinite(value) || value <= 0 ? null : value;
}
