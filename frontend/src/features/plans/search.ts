// Address of the list of plans.

export interface PlansSearch {
  search?: string;
}

export const LONGEST_SEARCH = 200;

/** Keep the valid parts of an address; never fails. */
export function plansSearchFrom(raw: Record<string, unknown>): PlansSearch {
  const text = typeof raw["search"] === "string" ? raw["search"].slice(0, LONGEST_SEARCH) : "";
  return text.trim() === "" ? {} : { search: text };
}
