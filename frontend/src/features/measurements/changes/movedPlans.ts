// Effect of the team's measurements on its saved plans.

import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { planToday } from "@/api/catalog/catalogs";
import type { MeasuredAnswer, PlanAnswer, PlanSummaryAnswer, WinnerAnswer } from "@/api/generated";
import { savedPlans } from "@/api/queries";
import { differenceWords } from "@/lib/measured";
import { usd } from "@/lib/wording";

/** Plans that are searched at the same time: each search takes a second or more. */
const AT_ONCE = 2;
/** Cost differences below this are not reported [1]. */
const SAME = 0.005;

/** Saved plan with another answer than before the team's measurements. */
export interface MovedPlan {
  id: string;
  name: string;
  words: string;
  /** Figure that caused it; empty if no figure of the winners changed. */
  why: string;
}

export interface MovedPlans {
  /** The newest saved plans, which are checked. */
  plans: readonly PlanSummaryAnswer[];
  /** True if there are older plans, which are not checked. */
  more: boolean;
  checked: number;
  /** Number of checked plans that could not be computed. */
  failed: number;
  moved: readonly MovedPlan[];
  /** The list of saved plans is loading, or a plan is being checked. */
  pending: boolean;
  error: unknown;
}

/**
 * Recompute the newest saved plans with the team's measurements, a few at a time.
 *
 * @param most number of plans to check
 * @param instances only changes caused by figures of these instance types; by default all
 */
export function useMovedPlans(most: number, instances?: readonly string[]): MovedPlans {
  const list = useInfiniteQuery(savedPlans(""));
  const first = list.data?.pages[0];
  const plans = first?.plans.slice(0, most) ?? [];
  const [allowed, setAllowed] = useState(AT_ONCE);
  const results = useQueries({
    queries: plans.map(({ id }, index) => ({ ...planToday(id), enabled: index < allowed })),
  });
  const settled = results.filter(({ data, error }) => data !== undefined || error !== null).length;
  useEffect(() => setAllowed((now) => Math.max(now, settled + AT_ONCE)), [settled]);
  const moved = plans.flatMap(({ id, name }, index) => {
    const today = results[index]?.data;
    if (today?.measured == null || !concerns(today.measured, instances)) return [];
    const words = movedWords(today.measured, today.answer.objective);
    return words === null ? [] : [{ id, name, words, why: whyMoved(today.measured) }];
  });
  return {
    plans,
    more: (first?.plans.length ?? 0) > plans.length || (first?.next_cursor ?? null) !== null,
    checked: settled,
    failed: results.filter(({ data, error }) => data === undefined && error !== null).length,
    moved,
    pending: list.isPending || settled < plans.length,
    error: list.error,
  };
}

function concerns({ differences }: MeasuredAnswer, instances: readonly string[] | undefined): boolean {
  return instances === undefined || differences.some(({ target }) => instances.includes(target));
}

/** Return what wins now and the change of its cost; null if the answer is the same. */
export function movedWords(
  { changed, winner_before: before, winner_now: now }: MeasuredAnswer,
  objective: PlanAnswer["objective"],
): string | null {
  if (before === null && now === null) return null;
  if (now === null) return `nothing meets its limits any more; ${nameOf(before as WinnerAnswer)} did.`;
  if (before === null) return `${nameOf(now)} meets its limits; nothing did before.`;
  const cost = costsOf(before, now, objective);
  const same = cost.was > 0 && Math.abs(cost.is / cost.was - 1) < SAME;
  if (!changed && same && before.nodes === now.nodes) return null;
  return `${winnerWords(before, now, changed)}. ${costWords(cost, same)}.`;
}

interface Costs {
  was: number;
  is: number;
  each: "a month" | "a run";
}

function costsOf(before: WinnerAnswer, now: WinnerAnswer, objective: PlanAnswer["objective"]): Costs {
  return objective === "month" && before.month_usd !== null && now.month_usd !== null
    ? { was: before.month_usd, is: now.month_usd, each: "a month" }
    : { was: before.cost_usd, is: now.cost_usd, each: "a run" };
}

function costWords({ was, is, each }: Costs, same: boolean): string {
  if (same) return `It costs ${usd(is)} ${each}, as before`;
  const change = was > 0 ? ` (${differenceWords(100 * (is / was - 1))})` : "";
  return `It costs ${usd(is)} ${each} instead of ${usd(was)}${change}`;
}

function winnerWords(before: WinnerAnswer, now: WinnerAnswer, changed: boolean): string {
  if (changed) return `${nameOf(now)} wins now, instead of ${nameOf(before)}`;
  return before.nodes === now.nodes
    ? `${nameOf(now)} still wins`
    : `${nameOf(now)} wins now, instead of ${before.nodes} nodes`;
}

function nameOf({ nodes, instance, storage, storage_words }: WinnerAnswer): string {
  return `${nodes} × ${instance}${storage.kind === "ebs" ? ` on ${storage_words}` : ""}`;
}

/** Return the most changed figure of the previous or of the current winner. */
function whyMoved({ differences, winner_before, winner_now }: MeasuredAnswer): string {
  const size = ({ percent }: (typeof differences)[number]) => Math.abs(percent ?? 0);
  const of = [winner_before?.instance, winner_now?.instance];
  const most = differences.filter(({ target }) => of.includes(target)).toSorted((a, b) => size(b) - size(a))[0];
  return most === undefined ? "" : `${most.target}: ${most.words}`;
}
