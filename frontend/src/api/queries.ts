// Service requests as options for TanStack Query. The document and the team are part of the key, so a late answer
// cannot be attributed to a newer question.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  type Decided,
  decidePlan,
  deletePlan,
  duplicatePlan,
  listPlans,
  predict,
  previewPlan,
  readPlan,
  renamePlan,
  restorePlan,
  savePlan,
  type WorkloadFile,
} from "./generated";
import { once } from "./once";
import { ApiProblem, answered, Unreachable } from "./problem";
import { currentTeam, teamQuery } from "./team";

/** Workload file as written by the page; the service validates its fields. */
export type WorkloadDocument = Record<string, unknown>;

const RETRY_UNREACHABLE_MS = 5_000;
const PAGE = 30;

export function retryUnreachable(query: { state: { error: unknown } }): number | false {
  return query.state.error instanceof Unreachable ? RETRY_UNREACHABLE_MS : false;
}

export function asFile(document: WorkloadDocument): WorkloadFile {
  return document as unknown as WorkloadFile;
}

export function preview(document: WorkloadDocument) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["preview", team, document],
    // Details of the rows after the first are fetched when a row is opened.
    queryFn: ({ signal }) =>
      answered(previewPlan({ body: asFile(document), query: { ...teamQuery(team), sources: "first" }, signal })),
    refetchInterval: retryUnreachable,
  });
}

export function prediction(document: WorkloadDocument) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["prediction", team, document],
    queryFn: ({ signal }) => answered(predict({ body: asFile(document), query: teamQuery(team), signal })),
    refetchInterval: retryUnreachable,
  });
}

/** Return the key prefix of all cached data about the team's plans. */
export function plansKey() {
  return ["plans", currentTeam()];
}

/** Query the saved plans that contain all search words, newest first. Keeps the previous list while loading. */
export function savedPlans(search: string) {
  const team = currentTeam();
  return infiniteQueryOptions({
    queryKey: ["plans", team, "list", search],
    queryFn: ({ signal, pageParam }) =>
      answered(listPlans({ query: { ...teamQuery(team), limit: PAGE, cursor: pageParam, search }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: retryUnreachable,
  });
}

export function savedPlan(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["plans", team, "one", id],
    queryFn: ({ signal }) => answered(readPlan({ path: { plan_id: id }, query: teamQuery(team), signal })),
    refetchInterval: retryUnreachable,
  });
}

export function save(document: WorkloadDocument, decided: Decided) {
  const team = currentTeam();
  const body = { ...asFile(document), decided };
  return once([team, "plan", body], (key) =>
    answered(savePlan({ body, headers: { "Idempotency-Key": key }, query: teamQuery(team) })),
  );
}

/** Replace the current cluster, pins and notes of a plan. */
export function decideSaved(id: string, decided: Decided) {
  return answered(decidePlan({ path: { plan_id: id }, body: decided, query: teamQuery(currentTeam()) }));
}

export function renameSaved(id: string, name: string) {
  return answered(renamePlan({ path: { plan_id: id }, body: { name }, query: teamQuery(currentTeam()) }));
}

export function duplicateSaved(id: string) {
  const team = currentTeam();
  return once([team, "copy", id], (key) =>
    answered(duplicatePlan({ path: { plan_id: id }, headers: { "Idempotency-Key": key }, query: teamQuery(team) })),
  );
}

export function removeSaved(id: string) {
  return answered(deletePlan({ path: { plan_id: id }, query: teamQuery(currentTeam()) }));
}

/** Undo a removal. Uses the team of the removal, even if the page shows another one by now. */
export function restoringSaved(id: string) {
  const team = currentTeam();
  return () => answered(restorePlan({ path: { plan_id: id }, query: teamQuery(team) }));
}

/** Longest wait before an automatic retry after status 429 [ms]. */
const LONGEST_WAIT_MS = 5_000;

/** Check if a retry may help: not after a refusal, unless its `Retry-After` is short. */
export function worthRetrying(failures: number, error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false;
  if (error.status === 429) return failures < 4 && wait_ms(error) <= LONGEST_WAIT_MS;
  return failures < 2 && error.status >= 500;
}

/** Compute the delay before a retry [ms]: `Retry-After`, else exponential backoff. */
export function retryDelay_ms(failures: number, error: unknown): number {
  // Jitter keeps the waiting clients from retrying all at once.
  if (error instanceof ApiProblem && error.status === 429) return Math.max(200, wait_ms(error)) * (1 + Math.random());
  return Math.min(1_000 * 2 ** failures, 30_000);
}

function wait_ms({ retryAt_ms }: ApiProblem): number {
  return retryAt_ms === null ? Number.POSITIVE_INFINITY : retryAt_ms - Date.now();
}
