// URL of the list of plans.

export interface PlansSearch {
  search?: string;
}

export const LONGEST_SEARCH = 200;

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function plansSearchFrom(raw: Record<string, unknown>): PlansSearch {
  const text = typeof raw["search"] === "string" ? raw["search"].slice(0, LONGEST_SEARCH) : "";
  return text.trim() === "" ? {} : { search: text };
}
