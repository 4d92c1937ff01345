import type { RunSummary } from "@/api/runs/runs";
import classes from "./Runs.module.css";
import { STATES } from "./words";

/** The state of a run: a mark and a word. */
export function StateMark({ run }: { run: Pick<RunSummary, "state"> }) {
  const { glyph, words } = STATES[run.state];
  return (
    <span className={classes.state} data-state={run.state}>
      <span aria-hidden="true">{glyph}</span> {words}
    </span>
  );
}
