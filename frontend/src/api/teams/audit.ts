// The team's audit log, and the search across all pages that a person may see.

import { keepPreviousData } from "@tanstack/react-query";
import { readAudit, search as searchAll } from "@/api/generated";
import { client } from "@/api/generated/client.gen";
import { ofTeam, pages } from "@/api/requests";

const PAGE = 50;

/** Query the events that contain all search words, newest first. */
export function auditLog(search: string) {
  return pages(["audit log", search], ({ query, signal }) =>
    readAudit({ query: { ...query, limit: PAGE, search }, signal }),
  );
}

/** Return the URL of the complete audit log as a file. */
export function auditFile(): string {
  return client.buildUrl({ url: "/api/v1/audit/export" });
}

/** Query plans, sweeps, types, volumes and members by name. Keeps the previous hits while loading. */
export function hits(text: string) {
  return ofTeam(["search", text], ({ query, signal }) => searchAll({ query: { ...query, text }, signal }), {
    enabled: text !== "",
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}
