import type { PhaseAnswer, RankedAnswer } from "@/api/generated";

import { resourceName } from "@/lib/resources";

/** Return the longest phase: its bottleneck is that of the job. */
export function longestPhase({ phases }: Pick<RankedAnswer, "phases">): PhaseAnswer | undefined {
  return phases.reduce<PhaseAnswer | undefined>(
    (longest, phase) => (longest === undefined || phase.time_s > longest.time_s ? phase : longest),
    undefined,
  );
}

/** Describe the bottleneck: `Bottleneck: scratch disks (map and shuffle)`; undefined without phases. */
export function bottleneckWords(row: Pick<RankedAnswer, "phases">): string | undefined {
  const phase = longestPhase(row);
  return phase === undefined ? undefined : `Bottleneck: ${resourceName(phase.bottleneck)} (${phase.name})`;
}
