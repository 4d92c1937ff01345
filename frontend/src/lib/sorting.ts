// Sort order of a table as text in the URL: a column, with a minus prefix for descending.

export interface Sorting {
  column: string;
  descending: boolean;
}

export type SortState = "ascending" | "descending" | "none";

export const SORT_ARROWS: Record<SortState, string> = { ascending: "↑", descending: "↓", none: "" };

export function sortingIn(sort: string | undefined): Sorting | undefined {
  if (sort === undefined) return undefined;
  return sort.startsWith("-") ? { column: sort.slice(1), descending: true } : { column: sort, descending: false };
}

/** Return the order after a click on a column head: ascending, descending, then unsorted. */
export function nextSorting(sort: string | undefined, column: string): string | undefined {
  const now = sortingIn(sort);
  if (now?.column !== column) return column;
  return now.descending ? undefined : `-${column}`;
}

/** Return the `aria-sort` state of a column. */
export function sortState(sorting: Sorting | undefined, column: string): SortState {
  if (sorting?.column !== column) return "none";
  return sorting.descending ? "descending" : "ascending";
}
