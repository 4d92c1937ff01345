import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { RankedAnswer } from "@/api/generated";
import { isSort, type RankingQuery, type RankingSource, rankingPages } from "@/api/planning/rankings";
import type { View } from "@/features/plan/address/view";

/** A whole ranking may take as long as twenty answers: fetched once the question settles, not during a drag [ms]. */
const REST_MS = 300;

/** The ranking beyond the rows that came with the answer. */
export interface WholeRanking {
  source: RankingSource;
  query: RankingQuery;
  /** True if requested: filtered, sorted, or expanded beyond the initial rows. */
  wanted: boolean;
  /** Loaded rows; undefined if there are none yet. */
  rows: RankedAnswer[] | undefined;
  /** True if the rows belong to the current question, filter and order. */
  current: boolean;
  /** Number of rows that pass the filter, and total number. */
  matching: number;
  total: number;
  /** Reason why only the first rows are available. */
  incomplete: string | null;
  /** Fetches the next rows; undefined if there are no more. */
  more: (() => void) | undefined;
  fetching: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Query the whole ranking if the view shows more of it than the answer contains.
 *
 * @param objective objective of the ranking: sorting by it is the original order
 */
export function useRanking(source: RankingSource, view: View, objective: string): WholeRanking {
  const sort = view.sort ?? "";
  const query: RankingQuery = { find: view.find ?? "", sort: isSort(sort) && sort !== objective ? sort : undefined };
  const wanted = query.find !== "" || query.sort !== undefined || view.shown === "all";
  const key = JSON.stringify(source);
  const [asked] = useDebouncedValue(key, REST_MS);
  const found = useInfiniteQuery({ ...rankingPages(JSON.parse(asked) as RankingSource, query), enabled: wanted });
  const last = found.data?.pages.at(-1);
  const hasMore = found.hasNextPage && !found.isPlaceholderData;
  return {
    source,
    query,
    wanted,
    rows: wanted ? found.data?.pages.flatMap(({ configurations }) => configurations) : undefined,
    current: asked === key && last !== undefined && !found.isPlaceholderData,
    matching: last?.matching ?? 0,
    total: last?.total ?? 0,
    incomplete: last?.incomplete ?? null,
    more: hasMore ? () => void found.fetchNextPage() : undefined,
    fetching: found.isFetching,
    error: found.error,
    retry: () => void (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch()),
  };
}
