import { useMutation } from "@tanstack/react-query";
import { cancelJob, retryJob } from "./generated";
import { eventsAddress, isEnded, type Job, job, jobIn } from "./jobs";
import { forTeam } from "./requests";
import { useFollowed } from "./useFollowed";

/** Polling interval while the event stream is down [ms]. */
const POLL_MS = 2_000;

interface FollowedJob {
  job: Job;
  cancel: () => void;
  retry: () => void;
  /** True while a cancel or retry is pending. */
  asking: boolean;
  /** Error of the last cancel or retry. */
  error: Error | null;
}

/**
 * Follow a job to its end.
 *
 * @param first initial state of the job
 */
export function useJob(first: Job): FollowedJob {
  const { now, changing } = useFollowed<Job>({
    first,
    options: job(first.id),
    address: eventsAddress(first.id),
    event: "job",
    read: jobIn,
    isEnded,
    poll_ms: () => POLL_MS,
  });
  const path = { job_id: first.id };
  const cancelling = useMutation({ mutationFn: () => cancelJob({ path, ...forTeam() }), ...changing });
  const retrying = useMutation({ mutationFn: () => retryJob({ path, ...forTeam() }), ...changing });
  return {
    job: now,
    cancel: () => cancelling.mutate(),
    retry: () => retrying.mutate(),
    asking: cancelling.isPending || retrying.isPending,
    error: cancelling.error ?? retrying.error,
  };
}
