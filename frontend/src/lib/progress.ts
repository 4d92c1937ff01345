// Estimate of the remaining time of a job, from its progress while the page is open.

/** What was done at a time: units, and when [ms]. */
export interface Sample {
  done: number;
  at_ms: number;
}

/** What lies further back says little about now. */
const WINDOW_MS = 20_000;
const LEAST_MS = 1_000;

/** Add what was just seen; a lower count (work that was restarted) resets the history. */
export function sampled(samples: readonly Sample[], now: Sample): Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && now.done < last.done) return [now];
  const recent = samples.filter(({ at_ms }) => now.at_ms - at_ms <= WINDOW_MS);
  const before = samples.at(-1 - recent.length);
  // One from before the window is kept, so that slow work has a rate too.
  return [...(recent.length < 2 && before !== undefined ? [before] : []), ...recent, now];
}

/** Estimate what the rest takes [s]; null while too little was seen to say. */
export function remaining_s(samples: readonly Sample[], total: number, now_ms: number): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.done <= first.done) return null;
  // Up to now, not up to the last step: what stands still takes longer with each second.
  const watched_ms = now_ms - first.at_ms;
  if (watched_ms < LEAST_MS) return null;
  const perUnit_s = watched_ms / 1_000 / (last.done - first.done);
  return Math.max(0, (total - last.done) * perUnit_s);
}

/** Write an estimate as roughly as it is: `under 5 s`, `about 40 s`, `about 3 min`. */
export function roughly(seconds: number): string {
  if (seconds < 5) return "under 5 s";
  if (seconds < 55) return `about ${5 * Math.ceil(seconds / 5)} s`;
  if (seconds < 5_400) return `about ${Math.max(1, Math.round(seconds / 60))} min`;
  return `about ${Math.round(seconds / 3_600)} h`;
}
