// The team's audit log, and the search across all pages that a person may see.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type AuditRow, type Hit, readAudit, search as searchAll } from "@/api/generated";
import { client } from "@/api/generated/client.gen";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

export type { AuditRow, Hit };

const PAGE = 50;

/** Query the events that contain all search words, newest first. */
export function auditLog(search: string) {
  return infiniteQueryOptions({
    queryKey: ["audit log", search],
    queryFn: ({ signal, pageParam }) =>
      answered(readAudit({ query: { limit: PAGE, cursor: pageParam, search }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: retryUnreachable,
  });
}

/** Return the URL of the complete audit log as a file. */
export function auditFile(): string {
  return client.buildUrl({ url: "/api/v1/audit/export" });
}

/** Query plans, sweeps, types, volumes and members by name. Keeps the previous hits while loading. */
export function hits(text: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["search", team, text],
    queryFn: ({ signal }) => answered(searchAll({ query: { ...teamQuery(team), text }, signal })),
    enabled: text !== "",
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    refetchInterval: retryUnreachable,
  });
}
