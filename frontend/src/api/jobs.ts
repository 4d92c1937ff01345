// Background jobs: progress, cancel, retry.

import { queryOptions } from "@tanstack/react-query";
import { cancelJob, type JobAnswer, readJob, retryJob } from "./generated";
import { client } from "./generated/client.gen";
import { answered } from "./problem";
import { retryUnreachable } from "./queries";
import { currentTeam, teamQuery } from "./team";

export type Job = JobAnswer;

export function job(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["jobs", team, id],
    queryFn: ({ signal }) => answered(readJob({ path: { job_id: id }, query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

export function cancel(id: string) {
  return answered(cancelJob({ path: { job_id: id }, query: teamQuery(currentTeam()) }));
}

export function retry(id: string) {
  return answered(retryJob({ path: { job_id: id }, query: teamQuery(currentTeam()) }));
}

export function isEnded({ state }: Pick<Job, "state">): boolean {
  return state === "done" || state === "failed" || state === "cancelled";
}

/** Return the URL of a job's event stream. */
export function eventsAddress(id: string): string {
  return client.buildUrl({
    url: "/api/v1/jobs/{job_id}/events",
    path: { job_id: id },
    query: teamQuery(currentTeam()),
  });
}

/** Parse the data of an event as a job; null if invalid. */
export function jobIn(data: unknown): Job | null {
  try {
    const found: unknown = typeof data === "string" ? JSON.parse(data) : null;
    return typeof found === "object" && found !== null && "state" in found && "done" in found ? (found as Job) : null;
  } catch {
    return null;
  }
}
