// What the page asks the service, as options for TanStack Query. A document is part of the key: an answer
// belongs to its question for good, so that a late answer can never stand for a newer question.

import { queryOptions } from "@tanstack/react-query";
import { listCatalogues, listPlans, predict, previewPlan, readPlan, savePlan, type WorkloadFile } from "./generated";
import { ApiProblem, answered, Unreachable } from "./problem";

/** A workload file as the page writes it; what a field may hold is for the service to judge. */
export type WorkloadDocument = Record<string, unknown>;

const RETRY_UNREACHABLE_MS = 5_000;

function retryUnreachable(query: { state: { error: unknown } }): number | false {
  return query.state.error instanceof Unreachable ? RETRY_UNREACHABLE_MS : false;
}

function asFile(document: WorkloadDocument): WorkloadFile {
  return document as unknown as WorkloadFile;
}

export const catalogues = queryOptions({
  queryKey: ["catalogues"],
  queryFn: ({ signal }) => answered(listCatalogues({ signal })),
  refetchInterval: retryUnreachable,
});

export function preview(document: WorkloadDocument) {
  return queryOptions({
    queryKey: ["preview", document],
    queryFn: ({ signal }) => answered(previewPlan({ body: asFile(document), signal })),
    refetchInterval: retryUnreachable,
  });
}

export function prediction(document: WorkloadDocument) {
  return queryOptions({
    queryKey: ["prediction", document],
    queryFn: ({ signal }) => answered(predict({ body: asFile(document), signal })),
    refetchInterval: retryUnreachable,
  });
}

export const savedPlans = queryOptions({
  queryKey: ["plans"],
  queryFn: ({ signal }) => answered(listPlans({ query: { limit: 100 }, signal })),
  staleTime: 0,
  refetchInterval: retryUnreachable,
});

export function savedPlan(id: string) {
  return queryOptions({
    queryKey: ["plans", id],
    queryFn: ({ signal }) => answered(readPlan({ path: { plan_id: id }, signal })),
    refetchInterval: retryUnreachable,
  });
}

export function save(document: WorkloadDocument) {
  return answered(savePlan({ body: asFile(document) }));
}

/** Whether asking again may help: a refusal stays a refusal. */
export function worthRetrying(failures: number, error: unknown): boolean {
  return failures < 2 && error instanceof ApiProblem && error.status >= 500;
}
