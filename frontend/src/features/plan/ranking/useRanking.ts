import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { RankedAnswer } from "@/api/generated";
import { isSort, type RankingQuery, type RankingSource, rankingPages } from "@/api/planning/rankings";
import type { View } from "@/features/plan/address/view";

/** A whole ranking may be as much work as twenty answers: fetched when the question rests, not during a drag [ms]. */
const REST_MS = 300;

/** The ranking beyond the rows that came with the answer. */
export interface WholeRanking {
  source: RankingSource;
  query: RankingQuery;
  /** Whether it is asked for: filtered, sorted, or beyond what one takes in at a glance. */
  wanted: boolean;
  /** The rows that are there; undefined where none are yet. */
  rows: RankedAnswer[] | undefined;
  /** Whether they are those of this question, filter and order. */
  current: boolean;
  /** Rows that pass the filter, and all. */
  matching: number;
  total: number;
  /** Why it has only its first rows. */
  incomplete: string | null;
  /** Fetches the next rows; undefined where there are none. */
  more: (() => void) | undefined;
  fetching: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Ask for the whole ranking where the view looks at more of it than the answer carries.
 *
 * @param objective what it is ranked by: sorted by that, it is in its own order
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
