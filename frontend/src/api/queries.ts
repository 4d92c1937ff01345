// Service requests as options for TanStack Query. The document and the team are part of the key, so a late answer
// cannot be attributed to a newer question.

import {
  type Decided,
  duplicatePlan,
  type InfeasibleAnswer,
  listPlans,
  openPlanRow,
  type PredictionAnswer,
  predict,
  previewColumns,
  previewCurves,
  readPlanColumns,
  savePlanColumns,
  type WorkloadFile,
} from "./generated";
import { curvesFrom, planFrom, savedFrom } from "./planning/columns";
import { ApiProblem } from "./problem";
import { ofTeam, pagesOfTeam, storedOnce } from "./requests";
import { currentTeam } from "./team";

/** Workload file as written by the page; the service validates its fields. */
export type WorkloadDocument = Record<string, unknown>;

const PAGE = 30;

export function asFile(document: WorkloadDocument): WorkloadFile {
  return document as unknown as WorkloadFile;
}

export function preview(document: WorkloadDocument) {
  // Details of the rows after the first are fetched when a row is opened.
  return ofTeam(["preview", document], async (request) =>
    planFrom(await previewColumns({ body: asFile(document), ...request })),
  );
}

/** Query the curves of a preview alone, which takes the service less than half the time. */
export function previewedCurves(document: WorkloadDocument) {
  return ofTeam(["curves", document], async (request) =>
    curvesFrom(await previewCurves({ body: asFile(document), ...request })),
  );
}

export function prediction(document: WorkloadDocument) {
  return ofTeam(["prediction", document], (request) => predict({ body: asFile(document), ...request }));
}

/** Query a ranked row of a saved plan with its sources, which has the numbers of the plan. */
export function openedRow(plan: string, rank: number) {
  return ofTeam(
    ["plans", "row", plan, rank],
    // As predictions, which may be infeasible.
    (request): Promise<PredictionAnswer | InfeasibleAnswer> =>
      openPlanRow({ path: { plan_id: plan, rank }, ...request }),
  );
}

/** Return the key prefix of all cached data about the team's plans. */
export function plansKey() {
  return ["plans", currentTeam()];
}

/** Query the saved plans that contain all search words, newest first. Keeps the previous list while loading. */
export function savedPlans(search: string) {
  return pagesOfTeam(["plans", "list", search], ({ query, signal }) =>
    listPlans({ query: { ...query, limit: PAGE, search }, signal }),
  );
}

export function savedPlan(id: string) {
  return ofTeam(["plans", "one", id], async (request) =>
    savedFrom(await readPlanColumns({ path: { plan_id: id }, ...request })),
  );
}

export function save(document: WorkloadDocument, decided: Decided) {
  const body = { ...asFile(document), decided };
  return storedOnce(["plan", body], async (request) => savedFrom(await savePlanColumns({ body, ...request })));
}

export function duplicateSaved(id: string) {
  return storedOnce(["copy", id], (request) => duplicatePlan({ path: { plan_id: id }, ...request }));
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
