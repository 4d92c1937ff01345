import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { cancel, eventsAddress, isEnded, type Job, job, jobIn, retry } from "./jobs";
import { retryUnreachable } from "./queries";
import { follow } from "./stream";

/** How often to ask while the stream of events does not come [ms]. */
const POLL_MS = 2_000;

interface FollowedJob {
  job: Job;
  cancel: () => void;
  retry: () => void;
  /** A cancel or a retry is on its way. */
  asking: boolean;
  /** Why the last cancel or retry did not happen. */
  error: Error | null;
}

/**
 * Follow a job to its end: by its events, and by asking where these do not come.
 *
 * Each event is the whole job, so that a stream which breaks off (a restart of the service, a sleeping laptop)
 * is simply opened again.
 *
 * @param first the job as it was last read elsewhere
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
        // What is still on its way was asked before this was said.
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
