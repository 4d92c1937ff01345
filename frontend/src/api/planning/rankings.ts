// Complete rankings, page by page: of a question, a saved plan or a shared plan.

import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import {
  type PreviewRankingData,
  previewRanking,
  type RankedAnswer,
  type RankingAnswer,
  readPlanRanking,
  readSharedRanking,
} from "@/api/generated";
import { asFile, type WorkloadDocument } from "@/api/queries";
import { retryUnreachable } from "@/api/requests";
import { currentTeam, teamQuery } from "@/api/team";

/** Origin of a ranking. */
export type RankingSource =
  | { of: "question"; document: WorkloadDocument }
  | { of: "plan"; id: string }
  | { of: "link"; secret: string };

export type RankingSort = NonNullable<NonNullable<PreviewRankingData["query"]>["sort"]>;
export type SortedColumn = Exclude<RankingSort, `-${string}`>;

export interface RankingQuery {
  /** Words that each row must contain. */
  find: string;
  sort: RankingSort | undefined;
}

const COLUMNS: Record<SortedColumn, true> = {
  configuration: true,
  time: true,
  cost: true,
  month: true,
  limit: true,
  risk: true,
};

/** Rows per page on screen, and per request when fetching all rows. */
export const PAGE = 50;
const LARGEST_PAGE = 500;

/** Check that a text is a sortable column, optionally with a minus prefix. */
export function isSort(text: string): text is RankingSort {
  return Object.hasOwn(COLUMNS, text.replace(/^-/, ""));
}

/** Query a filtered and sorted ranking. Keeps the previous rows while loading. */
export function rankingPages(source: RankingSource, query: RankingQuery) {
  return infiniteQueryOptions({
    queryKey: ["ranking", currentTeam(), source, query],
    queryFn: ({ signal, pageParam }) => page(source, query, PAGE, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: retryUnreachable,
  });
}

/** Fetch all rows that match a filter, in order, and the reason if the ranking is incomplete. */
export async function allRows(
  source: RankingSource,
  query: RankingQuery,
): Promise<{ rows: RankedAnswer[]; incomplete: string | null }> {
  const rows: RankedAnswer[] = [];
  let next: RankingAnswer | undefined;
  do {
    next = await page(source, query, LARGEST_PAGE, next?.next_cursor ?? null);
    rows.push(...next.configurations);
  } while (next.next_cursor !== null);
  return { rows, incomplete: next.incomplete };
}

function page(
  source: RankingSource,
  { find, sort }: RankingQuery,
  limit: number,
  cursor: string | null,
  signal: AbortSignal | null = null,
): Promise<RankingAnswer> {
  const query = { find, limit, cursor, ...(sort === undefined ? {} : { sort }) };
  if (source.of === "link") {
    return readSharedRanking({ path: { secret: source.secret }, query, signal });
  }
  const ours = { ...teamQuery(currentTeam()), ...query };
  return source.of === "plan"
    ? readPlanRanking({ path: { plan_id: source.id }, query: ours, signal })
    : previewRanking({ body: asFile(source.document), query: ours, signal });
}
