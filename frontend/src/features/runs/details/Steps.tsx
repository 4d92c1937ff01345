import { hasEnded, type Run, type RunStep } from "@/api/runs/runs";
import classes from "@/features/runs/Runs.module.css";
import { STATES, tookSeconds } from "@/features/runs/words";
import { useNow } from "@/lib/useNow";
import { duration, moment } from "@/lib/wording";
import { Card } from "@/ui/Card";

/** Steps of a run in order: done, current, ahead or skipped. */
export function Steps({ run }: { run: Run }) {
  const now_ms = useNow(!hasEnded(run));
  return (
    <Card id="steps" title="Steps">
      <ol className={`bare ${classes.steps}`} aria-labelledby="steps">
        {run.steps.map((step) => (
          <Step key={step.state} step={step} now_ms={now_ms} />
        ))}
      </ol>
    </Card>
  );
}

const SAID: Record<RunStep["status"], string> = {
  ended: "over",
  now: "now",
  ahead: "ahead",
  "left-out": "left out",
};

const GLYPHS: Record<RunStep["status"], string> = { ended: "✓", now: "●", ahead: "○", "left-out": "–" };

function Step({ step, now_ms }: { step: RunStep; now_ms: number }) {
  const { state, status, words, started_at } = step;
  const isEnd = state === "done" || state === "failed" || state === "cancelled";
  const took_s = isEnd ? null : tookSeconds(step, now_ms);
  return (
    <li
      className={classes.step}
      data-status={status}
      data-state={state}
      aria-current={status === "now" ? "step" : undefined}
      title={words}
    >
      <span className={classes.stepMark} aria-hidden="true">
        {isEnd && status !== "ahead" ? STATES[state].glyph : GLYPHS[status]}
      </span>
      <span className={classes.stepWords}>
        {STATES[state].step}
        <span className="spoken">, {SAID[status]}</span>
      </span>
      <span className="dim small" title={started_at === null ? undefined : moment(started_at)}>
        {took_s !== null
          ? duration(Math.max(1, Math.round(took_s)))
          : isEnd && started_at !== null
            ? moment(started_at)
            : ""}
      </span>
    </li>
  );
}
