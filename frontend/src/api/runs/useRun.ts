import { useMutation, useQueryClient } from "@tanstack/react-query";
import { approveRun, cancelRun } from "@/api/generated";
import { forTeam } from "@/api/requests";
import { useFollowed } from "@/api/useFollowed";
import { eventsAddress, hasEnded, type Run, run, runIn, runsKey } from "./runs";

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

/** Follow a run to its end. */
export function useRun(first: Run): FollowedRun {
  const client = useQueryClient();
  const path = { run_id: first.id };
  const options = run(first.id);
  const { now, changing } = useFollowed<Run>({
    first,
    options,
    address: eventsAddress(first.id),
    event: "run",
    read: runIn,
    isEnded: hasEnded,
    isSilent,
    poll_ms: (known) => (known?.state === "quoted" ? POLL_QUOTED_MS : POLL_MS),
  });
  const { onMutate } = changing;
  const onSuccess = (answer: Run) => {
    changing.onSuccess(answer);
    void client.invalidateQueries({ queryKey: [...runsKey(), "list"] });
  };
  const approving = useMutation({
    mutationFn: (agreed_usd: number) => approveRun({ path, body: { agreed_usd }, ...forTeam() }),
    onMutate,
    onSuccess,
    // The price has changed or the quote has expired: fetch the current state.
    onError: () => client.invalidateQueries({ queryKey: options.queryKey }),
  });
  const cancelling = useMutation({ mutationFn: () => cancelRun({ path, ...forTeam() }), onMutate, onSuccess });
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
