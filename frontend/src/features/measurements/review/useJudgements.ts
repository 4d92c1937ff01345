// Verdicts of the service for the current entries of the review.

import { useQueries } from "@tanstack/react-query";
import type { Judgement, Target } from "@/api/measurements/measurements";
import { judgement } from "@/api/measurements/uploads";
import { type Judgements, refusedFields, type Said, targetFor } from "./review";
import type { DraftProblems, HostGroup, Placed } from "./target";

/** Most readings for which verdicts are requested; the others are judged when they are stored. */
const MOST_JUDGED = 60;

interface Judged {
  judged: Judgements;
  /** Messages about invalid targets, by the key of the reading. */
  refused: ReadonlyMap<string, DraftProblems>;
}

/** Verdicts for the entries; those of the upload where the guess is unchanged. */
export function useJudgements(placed: readonly Placed[], groupOf: ReadonlyMap<string, HostGroup>, said: Said): Judged {
  const changed = placed
    .filter(({ reading }) => reading.known === null && reading.status !== "failed")
    .map((one) => ({ one, target: targetFor(one, groupOf.get(one.key), said) }))
    .filter(({ one, target }) => target !== null && isChanged(one, target))
    .slice(0, MOST_JUDGED);
  const results = useQueries({
    queries: changed.map(({ one, target }) => judgement(one.upload.id, one.reading.position, target as Target)),
  });
  const judged = new Map<string, Judgement | null>();
  const refused = new Map<string, DraftProblems>();
  for (const { reading, key } of placed) judged.set(key, reading.judgement);
  for (const [index, { one }] of changed.entries()) {
    const result = results[index];
    const problems = refusedFields(result?.error);
    if (Object.keys(problems).length > 0) refused.set(one.key, problems);
    judged.set(one.key, refused.has(one.key) ? null : (result?.data ?? one.reading.judgement));
  }
  return { judged, refused };
}

function isChanged({ reading }: Placed, target: Target): boolean {
  if (reading.judgement === null) return true;
  const { guess } = reading;
  return (Object.keys(target) as (keyof Target)[]).some(
    (field) => JSON.stringify(target[field]) !== JSON.stringify(guess[field].value ?? (field === "nodes" ? 1 : null)),
  );
}
