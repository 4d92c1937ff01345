// URL of the page Model accuracy.

import { oneOf, type SearchOf, searchOf, text } from "@/lib/address";
import { LONGEST_SEARCH } from "@/lib/wordsSearch";
import type { CaseGroup, CaseKind } from "./answer";

export const KINDS: readonly CaseKind[] = ["predicted", "fitted", "reproduced", "context"];
export const GROUPS: readonly CaseGroup[] = ["job time", "device rate", "price", "arithmetic"];

/** Order by size of the error; undefined for the order of the answer. */
export type Order = "worst" | "best";
export const ORDERS: readonly Order[] = ["worst", "best"];

/** Without parameters, the page shows every case in the order of the answer, none open. */
const PARAMETERS = {
  kind: oneOf(KINDS),
  group: oneOf(GROUPS),
  /** Only cases with an error outside the band. */
  misses: oneOf(["yes"]),
  /** Words that a case must all contain. */
  search: text(LONGEST_SEARCH),
  sort: oneOf(ORDERS),
  /** Vertical axis of the chart, if not the prediction itself. */
  show: oneOf(["ratio"]),
  /** The case with an open row. */
  case: text(LONGEST_SEARCH),
};

export type ValidationSearch = SearchOf<typeof PARAMETERS>;
export type ValidationChange = { [key in keyof ValidationSearch]?: string | undefined };
export const validationSearchFrom = searchOf(PARAMETERS);

/** Apply changes to the parameters; undefined removes a key. */
export function withChange(search: ValidationSearch, change: ValidationChange): ValidationSearch {
  return validationSearchFrom({ ...search, ...change });
}

/** Remove all filters. */
export function withoutFilters({ sort, show, case: open }: ValidationSearch): ValidationSearch {
  return validationSearchFrom({ sort, show, case: open });
}
