import { hasEnded, type Run } from "@/api/runs/runs";
import classes from "@/features/runs/Runs.module.css";
import { endingOf, RESOURCE_WORDS, standing } from "@/features/runs/words";
import { moment, usd } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { sentence } from "@/ui/feedback/Refusal";

/** Result of a run: the reason of a failure, and remaining resources in the account. */
export function Ending({ run }: { run: Run }) {
  if (!hasEnded(run)) {
    // The reason of a failure is known before the end; the remaining resources are not.
    if (run.failure === null) return null;
    return (
      <Notice tone="warn" title="It will not come to all of its results.">
        <p className="line">{sentence(run.failure)}</p>
      </Notice>
    );
  }
  const ending = endingOf(run);
  const clear = ending === "nothing left" || ending === "nothing made";
  return (
    <>
      {run.failure !== null && (
        <Notice tone={run.state === "failed" ? "bad" : "warn"} title={TITLES[run.state] ?? "It ended early."}>
          <p className="line">{sentence(run.failure)}</p>
        </Notice>
      )}
      {!clear && <Left run={run} />}
      {ending === "nothing left" && run.finished_at !== null && (
        <p className={classes.clear}>
          <span aria-hidden="true">✓</span> Nothing is left in the account: looked at until {moment(run.finished_at)}.
        </p>
      )}
    </>
  );
}

const TITLES: Partial<Record<Run["state"], string>> = {
  failed: "It failed.",
  done: "Some of it is missing.",
  cancelled: "It was cancelled.",
};

/** Time at which nodes terminate even if they are unreachable. */
function timerWords({ deadline }: Run, now_ms: number): string {
  if (deadline === null) return "No node was launched.";
  const by = `at ${moment(deadline)} at the latest, and their volumes go with them`;
  return Date.parse(deadline) > now_ms
    ? `The nodes end themselves ${by}.`
    : `By their own timers the nodes were to end ${by}.`;
}

/** Resources that may remain, and the time until which they may cost money. */
function Left({ run }: { run: Run }) {
  const left = standing(run);
  return (
    <Notice
      tone="bad"
      title={left.length > 0 ? "Not seen to be gone:" : "It could not be seen whether anything is left."}
    >
      {left.length > 0 && (
        <ul className={`bare lines ${classes.plainList}`}>
          {left.map(({ kind, id, usd_per_hour }) => (
            <li key={`${kind} ${id}`}>
              {RESOURCE_WORDS[kind][0]} <code>{id}</code>
              {usd_per_hour > 0 && <span className="dim"> at {usd(usd_per_hour)} an hour</span>}
            </li>
          ))}
        </ul>
      )}
      <p className="line">
        {timerWords(run, Date.now())}{" "}
        {run.account_id === null
          ? "The account is not connected any more: look for the tag stowage-run there."
          : "The account is swept every minute for what is past its time."}
      </p>
    </Notice>
  );
}
