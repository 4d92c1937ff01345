// Finished jobs and calibrations.

import { queryOptions } from "@tanstack/react-query";
import {
  type KeepLoggedJobs,
  type KeptJobsAnswer,
  keepLoggedJobs as keepLogged,
  type LoggedJobAnswer,
  listCalibrations,
  listFinishedJobs,
  listLoggedJobs,
  readCalibration,
  readFinishedJob,
} from "@/api/generated";
import { FRESH, ofTeam, retryUnreachable } from "@/api/requests";
import { currentTeam, teamQuery } from "@/api/team";

export type {
  CalibrationAnswer as Calibration,
  FinishedJobAnswer as FinishedJob,
  FinishedJobRow as JobRow,
  KeptJobsAnswer as KeptJobs,
  LoggedJobAnswer as LoggedJob,
} from "@/api/generated";

/** Cluster details that a log does not contain. */
export type ClusterOfLog = Omit<KeepLoggedJobs, "positions">;

export function jobsKey() {
  return ["finished jobs", currentTeam()];
}

const PAGE = 100;

/** Query the last hundred finished jobs, newest first. */
export function finishedJobs() {
  return ofTeam(
    ["finished jobs", "list"],
    ({ query, signal }) => listFinishedJobs({ query: { ...query, limit: PAGE }, signal }),
    FRESH,
  );
}

export function finishedJob(id: string) {
  return ofTeam(
    ["finished jobs", "one", id],
    (request) => readFinishedJob({ path: { finished_job_id: id }, ...request }),
    FRESH,
  );
}

const LOGGED_PAGE = 500;

/** Query all finished jobs parsed from an uploaded log. */
export function loggedJobs(uploadId: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["uploads", team, "logged jobs", uploadId],
    queryFn: async ({ signal }) => {
      const found: LoggedJobAnswer[] = [];
      for (;;) {
        const page = await listLoggedJobs({
          path: { upload_id: uploadId },
          query: { ...teamQuery(team), offset: found.length, limit: LOGGED_PAGE },
          signal,
        });
        found.push(...page.jobs);
        if (page.jobs.length === 0 || found.length >= page.total) return found;
      }
    },
    refetchInterval: retryUnreachable,
  });
}

/** Store jobs of an uploaded log as finished jobs and delete the upload. */
export function keepLoggedJobs(uploadId: string, positions: number[], cluster: ClusterOfLog): Promise<KeptJobsAnswer> {
  return keepLogged({ path: { upload_id: uploadId }, body: { ...cluster, positions } });
}

export function calibrations() {
  return ofTeam(["finished jobs", "calibrations"], listCalibrations, FRESH);
}

export function calibration(id: string) {
  return ofTeam(["finished jobs", "calibration", id], (request) =>
    readCalibration({ path: { calibration_id: id }, ...request }),
  );
}
