// Queries and mutations of sweeps.

import {
  checkSweep,
  listSweeps,
  readSweep,
  type SweepFile,
  type SweepSummaryAnswer,
  startSweep,
} from "@/api/generated";
import { asFile, type WorkloadDocument } from "@/api/queries";
import { FRESH, ofTeam, pagesOfTeam, retryUnreachable, storedOnce } from "@/api/requests";
import { currentTeam } from "@/api/team";

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
  return pagesOfTeam(
    ["sweeps", "list"],
    ({ query, signal }) => listSweeps({ query: { ...query, limit: PAGE }, signal }),
    {
      refetchInterval: (query) => {
        const watched = query.state.data?.pages.some((page) => page.sweeps.some(({ job }) => isUnderway(job)));
        return watched === true ? WATCH_MS : retryUnreachable(query);
      },
    },
  );
}

export function sweep(id: string) {
  return ofTeam(["sweeps", "one", id], (request) => readSweep({ path: { sweep_id: id }, ...request }), FRESH);
}

/** Return the key prefix of the team's sweep lists. */
export function sweepsKey() {
  return ["sweeps", currentTeam()];
}

/** Query whether the service accepts all values of a sweep; refused ones fail with an `ApiProblem` that names them. */
export function checked({ base, ...rest }: SweepDocument) {
  return ofTeam(["sweeps", "checked", base, rest], (request) =>
    checkSweep({ body: { ...rest, base: asFile(base) }, ...request }),
  );
}

export function start({ base, ...rest }: SweepDocument) {
  return storedOnce(["sweep", base, rest], (request) =>
    startSweep({
      body: { ...rest, base: asFile(base) },
      ...request,
    }),
  );
}
