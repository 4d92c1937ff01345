import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { useState } from "react";

/** Read a list page by page; the rows are those of the pages read so far, or of the last list that was read, after a failed search. */
export function useRows<Page, Row>(
  options: UseInfiniteQueryOptions<Page, Error, InfiniteData<Page, string | null>, QueryKey, string | null>,
  rowsOf: (page: Page) => readonly Row[],
) {
  const query = useInfiniteQuery(options);
  const [kept, setKept] = useState(query.data);
  if (query.data !== undefined && query.data !== kept) setKept(query.data);
  return { query, rows: (query.data ?? kept)?.pages.flatMap(rowsOf) };
}
