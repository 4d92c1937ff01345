import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { cancel, eventsAddress, isEnded, type Job, job, jobIn, retry } from "./jobs";
import { retryUnreachable } from "./queries";
import { follow } from "./stream";

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
 * Follow a job to its end through its event stream, with polling as a fallback.
 *
 * Each event is the complete job, so that a broken stream (service restart, laptop sleep) can simply be reopened.
 *
 * @param first initial state of the job
 */
export function useJob(first: Job): FollowedJob {
  const client = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const options = job(first.id);
  const query = useQuery({
    ...options,
    initialData: first,
    enabled: ({ state }) => !isEnded(state.data ?? first),
    refetchInterval: (current) => {
      const known = current.state.data;
      if (known !== undefined && isEnded(known)) return false;
      return retryUnreachable(current) || (streaming ? false : POLL_MS);
    },
  });
  const now = query.data;
  const ended = isEnded(now);
  const key = JSON.stringify(options.queryKey);
  useEffect(() => {
    if (ended || typeof EventSource === "undefined") return;
    const queryKey = JSON.parse(key) as typeof options.queryKey;
    return follow(eventsAddress(now.id), {
      event: "job",
      read: jobIn,
      isLast: isEnded,
      onHeard: (heard) => {
        // Pending requests are older than this event.
        void client.cancelQueries({ queryKey });
        client.setQueryData(queryKey, heard);
      },
      onStream: setStreaming,
    });
  }, [ended, now.id, key, client]);
  const told = (answer: Job) => client.setQueryData(options.queryKey, answer);
  const before = () => client.cancelQueries({ queryKey: options.queryKey });
  const cancelling = useMutation({ mutationFn: () => cancel(first.id), onMutate: before, onSuccess: told });
  const retrying = useMutation({ mutationFn: () => retry(first.id), onMutate: before, onSuccess: told });
  return {
    job: now,
    cancel: () => cancelling.mutate(),
    retry: () => retrying.mutate(),
    asking: cancelling.isPending || retrying.isPending,
    error: cancelling.error ?? retrying.error,
  };
}
