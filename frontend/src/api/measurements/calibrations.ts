// Finished jobs and calibrations.

import { queryOptions } from "@tanstack/react-query";
import {
  type CalibrationAnswer,
  type CalibrationPoint,
  type CalibrationRow,
  type FinishedJobAnswer,
  type FinishedJobRow,
  fitFramework,
  type KeepLoggedJobs,
  type KeptJobsAnswer,
  keepFinishedJobs,
  keepLoggedJobs as keepLogged,
  type LoggedJobAnswer,
  listCalibrations,
  listFinishedJobs,
  listLoggedJobs,
  readCalibration,
  readFinishedJob,
  restoreFinishedJob,
  setSeriesOfJob,
  withdrawFinishedJob,
} from "@/api/generated";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

export type {
  CalibrationAnswer as Calibration,
  CalibrationPoint,
  CalibrationRow,
  FinishedJobAnswer as FinishedJob,
  FinishedJobRow as JobRow,
  KeptJobsAnswer as KeptJobs,
  LoggedJobAnswer as LoggedJob,
};

/** Cluster details that a log does not contain. */
export type ClusterOfLog = Omit<KeepLoggedJobs, "positions">;

export function jobsKey() {
  return ["finished jobs", currentTeam()];
}

const PAGE = 100;

/** Query the last hundred finished jobs, newest first. */
export function finishedJobs() {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["finished jobs", team, "list"],
    queryFn: ({ signal }) => answered(listFinishedJobs({ query: { ...teamQuery(team), limit: PAGE }, signal })),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

export function finishedJob(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["finished jobs", team, "one", id],
    queryFn: ({ signal }) =>
      answered(readFinishedJob({ path: { finished_job_id: id }, query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

/** Store the runs of a CSV file; invalid lines are reported and skipped. */
export function keepJobs(csv: Blob): Promise<KeptJobsAnswer> {
  return answered(keepFinishedJobs({ body: csv }));
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
        const page = await answered(
          listLoggedJobs({
            path: { upload_id: uploadId },
            query: { ...teamQuery(team), offset: found.length, limit: LOGGED_PAGE },
            signal,
          }),
        );
        found.push(...page.jobs);
        if (page.jobs.length === 0 || found.length >= page.total) return found;
      }
    },
    refetchInterval: retryUnreachable,
  });
}

/** Store jobs of an uploaded log as finished jobs and delete the upload. */
export function keepLoggedJobs(uploadId: string, positions: number[], cluster: ClusterOfLog): Promise<KeptJobsAnswer> {
  return answered(keepLogged({ path: { upload_id: uploadId }, body: { ...cluster, positions } }));
}

export function attachSeries(id: string, measurements: string[]): Promise<FinishedJobAnswer> {
  return answered(setSeriesOfJob({ path: { finished_job_id: id }, body: { measurements } }));
}

export function withdrawJob(id: string) {
  return answered(withdrawFinishedJob({ path: { finished_job_id: id } }));
}

export function restoreJob(id: string) {
  return answered(restoreFinishedJob({ path: { finished_job_id: id } }));
}

export function calibrations() {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["finished jobs", team, "calibrations"],
    queryFn: ({ signal }) => answered(listCalibrations({ query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

export function calibration(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["finished jobs", team, "calibration", id],
    queryFn: ({ signal }) =>
      answered(readCalibration({ path: { calibration_id: id }, query: teamQuery(team), signal })),
    refetchInterval: retryUnreachable,
  });
}

export function calibrate(framework: string): Promise<CalibrationAnswer> {
  return answered(fitFramework({ body: { framework } }));
}
