import { type Choice, choiceFrom, type Search, searchOf } from "@/features/plan/workload/choice";
import { FIELDS } from "@/features/plan/workload/fields";
import { type AxesSearch, axesSearchFrom } from "@/features/sweeps/question";

/** What a new sweep asks: the workload, as the plan page has it, and the axes. */
export type NewSweepSearch = AxesSearch & Omit<Search, keyof AxesSearch>;

/** Keep what can be understood of an address; how an answer is looked at has no meaning here. */
export function newSweepSearchFrom(raw: Record<string, unknown>): NewSweepSearch {
  return { ...searchOf(choiceOf(raw)), ...axesSearchFrom(raw) };
}

/** Give every question of the workload its answer. */
export function choiceOf(raw: Record<string, unknown>): Choice {
  const kept: Search = {};
  for (const field of FIELDS) if (typeof raw[field] === "string") kept[field] = (raw[field] as string).slice(0, 200);
  return choiceFrom(kept);
}
