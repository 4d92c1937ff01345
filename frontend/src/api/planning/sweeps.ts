// Queries and mutations of sweeps.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  deleteSweep,
  listSweeps,
  readSweep,
  renameSweep,
  restoreSweep,
  type SweepFile,
  type SweepSummaryAnswer,
  startSweep,
} from "@/api/generated";
import { once } from "@/api/once";
import { answered } from "@/api/problem";
import { asFile, retryUnreachable, type WorkloadDocument } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

const WATCH_MS = 2_000;
const PAGE = 30;

/** Sweep file as written by the page. */
export interface SweepDocument {
  name?: string;
  base: WorkloadDocument;
  columns: SweepFile["columns"];
  rows: SweepFile["rows"];
}

export function isUnderway({ state }: Pick<SweepSummaryAnswer["job"], "state">): boolean {
  return state === "queued" || state === "running";
}

/** Query the team's sweeps, newest first; polled while one is being computed. */
export function sweepList() {
  const team = currentTeam();
  return infiniteQueryOptions({
    queryKey: ["sweeps", team, "list"],
    queryFn: ({ signal, pageParam }) =>
      answered(listSweeps({ query: { ...teamQuery(team), limit: PAGE, cursor: pageParam }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: (query) => {
      const watched = query.state.data?.pages.some((page) => page.sweeps.some(({ job }) => isUnderway(job)));
      return watched === true ? WATCH_MS : retryUnreachable(query);
    },
  });
}

export function sweep(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["sweeps", team, "one", id],
    queryFn: ({ signal }) => answered(readSweep({ path: { sweep_id: id }, query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

/** Return the key prefix of the team's sweep lists. */
export function sweepsKey() {
  return ["sweeps", currentTeam()];
}

export function start({ base, ...rest }: SweepDocument) {
  const team = currentTeam();
  return once([team, "sweep", base, rest], (key) =>
    answered(
      startSweep({
        body: { ...rest, base: asFile(base) },
        headers: { "Idempotency-Key": key },
        query: teamQuery(team),
      }),
    ),
  );
}

export function rename(id: string, name: string) {
  return answered(renameSweep({ path: { sweep_id: id }, body: { name }, query: teamQuery(currentTeam()) }));
}

export function remove(id: string) {
  return answered(deleteSweep({ path: { sweep_id: id }, query: teamQuery(currentTeam()) }));
}

/** Undo a removal. Uses the team of the removal, even if the page shows another one by now. */
export function restoring(id: string) {
  const team = currentTeam();
  return () => answered(restoreSweep({ path: { sweep_id: id }, query: teamQuery(team) }));
}
