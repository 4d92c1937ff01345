import type { PhaseAnswer, RankedAnswer } from "@/api/generated";

/** Return the longest phase: its bottleneck is that of the job. */
export function longestPhase({ phases }: Pick<RankedAnswer, "phases">): PhaseAnswer | undefined {
  return phases.reduce<PhaseAnswer | undefined>(
    (longest, phase) => (longest === undefined || phase.time_s > longest.time_s ? phase : longest),
    undefined,
  );
}
