// Background jobs: progress, cancel, retry.

import { type Job, readJob } from "./generated";
import { addressOf, FRESH, ofTeam } from "./requests";
import { eventData } from "./stream";

export type { Job };

export function job(id: string) {
  return ofTeam(["jobs", id], (request) => readJob({ path: { job_id: id }, ...request }), FRESH);
}

export function isEnded({ state }: Pick<Job, "state">): boolean {
  return state === "done" || state === "failed" || state === "cancelled";
}

/** Return the URL of a job's event stream. */
export function eventsAddress(id: string): string {
  return addressOf("/api/v1/jobs/{job_id}/events", { job_id: id });
}

/** Parse the data of an event as a job; null if invalid. */
export function jobIn(data: unknown): Job | null {
  return eventData<Job>(data, ["state", "done"]);
}
