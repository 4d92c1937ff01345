import type { PhaseAnswer, RankedAnswer } from "@/api/generated";

/** The phase that takes longest: what limits it limits the job. */
export function longestPhase({ phases }: Pick<RankedAnswer, "phases">): PhaseAnswer | undefined {
  return phases.reduce<PhaseAnswer | undefined>(
    (longest, phase) => (longest === undefined || phase.time_s > longest.time_s ? phase : longest),
    undefined,
  );
}
