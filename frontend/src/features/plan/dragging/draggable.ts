// Limits that a slider or a handle can be dragged to.

import { COSTS, type Scale, stepped, TIMES } from "@/charts/drag/steps";

/** Ranges of draggable limits: beyond them the service is asked. */
const DEADLINES_S = { low: 30, high: 14 * 86_400 };
const BUDGETS_USD = { low: 0.1, high: 1e6 };

/** Return all draggable deadlines, ascending [s]. */
export function draggableDeadlines_s(): number[] {
  return every(DEADLINES_S, TIMES);
}

/** Return all draggable budgets, ascending [USD]. */
export function draggableBudgets_usd(): number[] {
  return every(BUDGETS_USD, COSTS);
}

function every({ low, high }: { low: number; high: number }, scale: Scale): number[] {
  const found: number[] = [];
  for (let value = low; value <= high; value = stepped(value, 1, false, scale)) found.push(value);
  return found;
}
