import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from "@tanstack/react-query";

/** Read a list page by page; the rows are those of the pages read so far. */
export function useRows<Page, Row>(
  options: UseInfiniteQueryOptions<Page, Error, InfiniteData<Page, string | null>, QueryKey, string | null>,
  rowsOf: (page: Page) => readonly Row[],
) {
  const query = useInfiniteQuery(options);
  return { query, rows: query.data?.pages.flatMap(rowsOf) };
}
