import type { RunSummary } from "@/api/runs/runs";
import { Mark } from "@/ui/values/Mark";
import { STATES } from "./words";

/** The state of a run: a mark and a word. */
export function StateMark({ run }: { run: Pick<RunSummary, "state"> }) {
  const { glyph, tone, words } = STATES[run.state];
  return (
    <Mark glyph={glyph} tone={tone} data-state={run.state}>
      {words}
    </Mark>
  );
}
