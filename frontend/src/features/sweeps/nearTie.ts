// Near-ties: cells in which another type is almost as good as the winner.

import type { CellBestAnswer, SweepAnswer, SweepCellAnswer } from "@/api/generated";
import { NEAR_TIE } from "@/api/generated/registry.gen";
import { count, threeDigits } from "@/lib/wording";
import { typeName } from "./cell";

/** Mark of a near-tie in the corner of its cell. */
export const NEAR_MARK = "≈";

/** Largest difference of a near-tie, as text. */
export const NEAR_WORDS = `${threeDigits(100 * NEAR_TIE)}%`;

export function isNearTie({ runner_up: second }: Pick<CellBestAnswer, "runner_up">): boolean {
  return second !== null && second.behind <= NEAR_TIE;
}

const MORE: Record<string, string> = { time: "takes # longer", month: "costs # more a month" };

/** Describe the second-best type of a cell: `60 × i3.8xlarge costs 1.2% more`; null without one. */
export function runnerUpWords(best: CellBestAnswer, { base }: Pick<SweepAnswer, "base">): string | null {
  const { runner_up: second } = best;
  if (second === null) return null;
  const more = MORE[String(base["objective"])] ?? "costs # more";
  return `${count(second.nodes)} × ${typeName(second)} ${more.replace("#", behindWords(second.behind))}`;
}

export function behindWords(behind: number): string {
  const percent = 100 * behind;
  return percent < 0.05 ? "less than 0.1%" : `${percent < 10 ? percent.toFixed(1) : count(Math.round(percent))}%`;
}

export function nearTies(cells: readonly SweepCellAnswer[]): number {
  return cells.filter(({ best }) => best !== null && isNearTie(best)).length;
}
