import { type Choice, choiceFrom, type Search, searchOf } from "@/features/plan/workload/choice";
import { FIELDS } from "@/features/plan/workload/fields";
import { type AxesSearch, axesSearchFrom } from "@/features/sweeps/question";

/** Search parameters of a new sweep: the workload, as on the plan page, and the axes. */
export type NewSweepSearch = AxesSearch & Omit<Search, keyof AxesSearch>;

/** Parse the search parameters; view options of the plan page are dropped. */
export function newSweepSearchFrom(raw: Record<string, unknown>): NewSweepSearch {
  return { ...searchOf(choiceOf(raw)), ...axesSearchFrom(raw) };
}

/** Return a complete workload, with defaults for missing fields. */
export function choiceOf(raw: Record<string, unknown>): Choice {
  const kept: Search = {};
  for (const field of FIELDS) if (typeof raw[field] === "string") kept[field] = (raw[field] as string).slice(0, 200);
  return choiceFrom(kept);
}
