import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { retryUnreachable } from "@/api/queries";
import { follow } from "@/api/stream";
import { approve, cancel, eventsAddress, hasEnded, type Run, run, runIn, runsKey } from "./runs";

/** Polling interval while the event stream is down [ms]. */
const POLL_MS = 2_000;
/** Polling interval for the approval of a quoted run [ms]. */
const POLL_QUOTED_MS = 15_000;

interface FollowedRun {
  run: Run;
  approve: (agreed_usd: number) => Promise<Run>;
  cancel: () => Promise<Run>;
  asking: boolean;
  /** Error of the last approval or cancellation. */
  error: Error | null;
}

/** Follow a run to its end through its event stream, with polling as a fallback. */
export function useRun(first: Run): FollowedRun {
  const client = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const options = run(first.id);
  const query = useQuery({
    ...options,
    initialData: first,
    enabled: ({ state }) => !hasEnded(state.data ?? first),
    refetchInterval: (current) => {
      const known = current.state.data;
      if (known !== undefined && hasEnded(known)) return false;
      const poll_ms = known?.state === "quoted" ? POLL_QUOTED_MS : POLL_MS;
      return retryUnreachable(current) || (streaming ? false : poll_ms);
    },
  });
  const now = query.data;
  const silent = isSilent(now);
  const key = JSON.stringify(options.queryKey);
  useEffect(() => {
    if (silent || typeof EventSource === "undefined") return;
    const queryKey = JSON.parse(key) as typeof options.queryKey;
    return follow(eventsAddress(now.id), {
      event: "run",
      read: runIn,
      isLast: isSilent,
      onHeard: (heard) => {
        // Pending requests are older than this event.
        void client.cancelQueries({ queryKey });
        client.setQueryData(queryKey, heard);
      },
      onStream: setStreaming,
    });
  }, [silent, now.id, key, client]);
  const onMutate = () => client.cancelQueries({ queryKey: options.queryKey });
  const onSuccess = (answer: Run) => {
    client.setQueryData(options.queryKey, answer);
    void client.invalidateQueries({ queryKey: [...runsKey(), "list"] });
  };
  const approving = useMutation({
    mutationFn: (agreed_usd: number) => approve(first.id, agreed_usd),
    onMutate,
    onSuccess,
    // The price has changed or the quote has expired: fetch the current state.
    onError: () => client.invalidateQueries({ queryKey: options.queryKey }),
  });
  const cancelling = useMutation({ mutationFn: () => cancel(first.id), onMutate, onSuccess });
  return {
    run: now,
    approve: approving.mutateAsync,
    cancel: cancelling.mutateAsync,
    asking: approving.isPending || cancelling.isPending,
    error: approving.error ?? cancelling.error,
  };
}

/** Check if the run sends no events: finished, or awaiting approval. */
function isSilent(run: Pick<Run, "state">): boolean {
  return run.state === "quoted" || hasEnded(run);
}
