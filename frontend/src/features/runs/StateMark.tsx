import type { RunSummary } from "@/api/runs/runs";
import classes from "./Runs.module.css";
import { STATE_GLYPHS, STATE_WORDS } from "./words";

/** The state of a run: a mark and a word. */
export function StateMark({ run }: { run: Pick<RunSummary, "state"> }) {
  return (
    <span className={classes.state} data-state={run.state}>
      <span aria-hidden="true">{STATE_GLYPHS[run.state]}</span> {STATE_WORDS[run.state]}
    </span>
  );
}
