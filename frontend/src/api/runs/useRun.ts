import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { retryUnreachable } from "@/api/queries";
import { follow } from "@/api/stream";
import { approve, cancel, eventsAddress, hasEnded, type Run, run, runIn, runsKey } from "./runs";

/** How often to ask while the stream of events does not come [ms]. */
const POLL_MS = 2_000;
/** Polling interval for the approval of a quoted run [ms]. */
const POLL_QUOTED_MS = 15_000;

interface FollowedRun {
  run: Run;
  approve: (agreed_usd: number) => Promise<Run>;
  cancel: () => Promise<Run>;
  asking: boolean;
  /** Why the last of them did not happen. */
  error: Error | null;
}

/** Follow a run to its end: by its events, and by asking where these do not come. */
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
        // What is still on its way was asked before this was said.
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
    // Refused because it is another sum by now, or no longer to be had: what it is, is to be seen.
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

/** Whether the stream of a run ends: it is over, or awaits approval. */
function isSilent(run: Pick<Run, "state">): boolean {
  return run.state === "quoted" || hasEnded(run);
}
