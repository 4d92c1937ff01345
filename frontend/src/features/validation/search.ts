// Address of the validation page.

import type { CaseGroup, CaseKind } from "./answer";

export const KINDS: readonly CaseKind[] = ["predicted", "fitted", "reproduced", "context"];
export const GROUPS: readonly CaseGroup[] = ["job time", "device rate", "price", "arithmetic"];

/** By the size of the error; without an order, the cases stand as they were answered. */
export type Order = "worst" | "best";
export const ORDERS: readonly Order[] = ["worst", "best"];

/** All of it optional: what is not there is every case, as answered, none open. */
export interface ValidationSearch {
  kind?: CaseKind;
  group?: CaseGroup;
  /** Only what is off by more than the band. */
  misses?: "yes";
  /** Words that a case must hold, all of them. */
  search?: string;
  sort?: Order;
  /** What the chart shows upwards, where it is not the prediction itself. */
  show?: "ratio";
  /** The case whose row is open. */
  case?: string;
}

export type ValidationChange = { [key in keyof ValidationSearch]?: string | undefined };

export const LONGEST_SEARCH = 200;

/** Keep the valid parts of an address; never fails. */
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

/** Change some of it; undefined takes a key away. */
export function withChange(search: ValidationSearch, change: ValidationChange): ValidationSearch {
  return validationSearchFrom({ ...search, ...change });
}

/** The same without what leaves cases out. */
export function withoutFilters({ sort, show, case: open }: ValidationSearch): ValidationSearch {
  return validationSearchFrom({ sort, show, case: open });
}
