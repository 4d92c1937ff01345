// Requests as options for TanStack Query, and what the requests of a team carry.

import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  queryOptions,
  type UndefinedInitialDataInfiniteOptions,
  type UndefinedInitialDataOptions,
} from "@tanstack/react-query";
import { client } from "./generated/client.gen";
import { once } from "./once";
import { Unreachable } from "./problem";
import { currentTeam, type TeamQuery, teamQuery } from "./team";

const RETRY_UNREACHABLE_MS = 5_000;

/** Options of data that other people or jobs may have changed since the last look. */
export const FRESH = { staleTime: 0 };

/** Options of data that is not asked for again while the service is unreachable. */
export const ONCE = { refetchInterval: false } as const;

export function retryUnreachable(query: { state: { error: unknown } }): number | false {
  return query.state.error instanceof Unreachable ? RETRY_UNREACHABLE_MS : false;
}

interface Request {
  signal: AbortSignal;
}

interface TeamRequest extends Request {
  query: TeamQuery;
}

type Send<Asked, Data> = (request: Asked) => Promise<Data>;
type Options<Data> = Omit<UndefinedInitialDataOptions<Data>, "queryKey" | "queryFn">;
/** Subject of the request and what distinguishes it; the team comes between the two. */
type Subject = readonly [string, ...unknown[]];

/** Query what is the same for every team; an unreachable service is asked again. */
export function requested<Data>(queryKey: QueryKey, send: Send<Request, Data>, options: Options<Data> = {}) {
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => send({ signal }),
    refetchInterval: retryUnreachable,
    ...options,
  });
}

/** Query data of the team in the URL. The team is part of the key: a late answer cannot count as another team's. */
export function ofTeam<Data>([subject, ...rest]: Subject, send: Send<TeamRequest, Data>, options: Options<Data> = {}) {
  const team = currentTeam();
  const query = teamQuery(team);
  return requested([subject, team, ...rest], (request) => send({ ...request, query }), options);
}

interface Page {
  next_cursor: string | null;
}

type PageOptions<Data> = Omit<
  UndefinedInitialDataInfiniteOptions<Data, Error, InfiniteData<Data, string | null>, QueryKey, string | null>,
  "queryKey" | "queryFn" | "initialPageParam" | "getNextPageParam"
>;

/** Query a list page by page. Keeps the previous list while loading another one. */
export function pages<Data extends Page>(
  queryKey: QueryKey,
  send: Send<Request & { query: { cursor: string | null } }, Data>,
  options: PageOptions<Data> = {},
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ signal, pageParam }) => send({ signal, query: { cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: retryUnreachable,
    ...options,
  });
}

/** Query a list of the team in the URL page by page. */
export function pagesOfTeam<Data extends Page>(
  [subject, ...rest]: Subject,
  send: Send<{ signal: AbortSignal; query: TeamQuery & { cursor: string | null } }, Data>,
  options: PageOptions<Data> = {},
) {
  const team = currentTeam();
  return pages(
    [subject, team, ...rest],
    ({ signal, query }) => send({ signal, query: { ...teamQuery(team), ...query } }),
    options,
  );
}

/** Return what a request to change data of the team in the URL carries. */
export function forTeam(): { query: TeamQuery } {
  return { query: teamQuery(currentTeam()) };
}

/**
 * Send a request of the team in the URL that must be stored once.
 *
 * @param content identifies the request
 */
export function storedOnce<Data>(
  content: readonly unknown[],
  send: Send<{ headers: { "Idempotency-Key": string }; query: TeamQuery }, Data>,
): Promise<Data> {
  const now = forTeam();
  return once([currentTeam(), ...content], (key) => send({ headers: { "Idempotency-Key": key }, ...now }));
}

/** Return the URL of a file or event stream of the team in the URL. */
export function addressOf(url: string, path: Record<string, string>): string {
  return client.buildUrl({ url, path, ...forTeam() });
}
