// URL of the validation page.

import type { CaseGroup, CaseKind } from "./answer";

export const KINDS: readonly CaseKind[] = ["predicted", "fitted", "reproduced", "context"];
export const GROUPS: readonly CaseGroup[] = ["job time", "device rate", "price", "arithmetic"];

/** Order by size of the error; undefined for the order of the answer. */
export type Order = "worst" | "best";
export const ORDERS: readonly Order[] = ["worst", "best"];

/**
 * URL search parameters. All are optional; without any, the page shows every case in the order of the answer, none
 * open.
 */
export interface ValidationSearch {
  kind?: CaseKind;
  group?: CaseGroup;
  /** Only cases with an error outside the band. */
  misses?: "yes";
  /** Words that a case must all contain. */
  search?: string;
  sort?: Order;
  /** Vertical axis of the chart, if not the prediction itself. */
  show?: "ratio";
  /** The case with an open row. */
  case?: string;
}

export type ValidationChange = { [key in keyof ValidationSearch]?: string | undefined };

export const LONGEST_SEARCH = 200;

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function validationSearchFrom(raw: Record<string, unknown>): ValidationSearch {
  const text = (key: keyof ValidationSearch) =>
    typeof raw[key] === "string" ? (raw[key] as string).slice(0, LONGEST_SEARCH) : "";
  const search: ValidationSearch = {};
  const kind = KINDS.find((known) => known === raw["kind"]);
  const group = GROUPS.find((known) => known === raw["group"]);
  const sort = ORDERS.find((known) => known === raw["sort"]);
  if (kind !== undefined) search.kind = kind;
  if (group !== undefined) search.group = group;
  if (raw["misses"] === "yes") search.misses = "yes";
  if (text("search").trim() !== "") search.search = text("search");
  if (sort !== undefined) search.sort = sort;
  if (raw["show"] === "ratio") search.show = "ratio";
  if (text("case") !== "") search.case = text("case");
  return search;
}

/** Apply changes to the parameters; undefined removes a key. */
export function withChange(search: ValidationSearch, change: ValidationChange): ValidationSearch {
  return validationSearchFrom({ ...search, ...change });
}

/** Remove all filters. */
export function withoutFilters({ sort, show, case: open }: ValidationSearch): ValidationSearch {
  return validationSearchFrom({ sort, show, case: open });
}
