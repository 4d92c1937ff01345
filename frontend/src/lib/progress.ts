// Estimate of the remaining time of a job, from its progress while the page is open.

/** Progress at a time: completed units, and time [ms]. */
export interface Sample {
  done: number;
  at_ms: number;
}

/** Window of the samples that count [ms]. */
const WINDOW_MS = 20_000;
const LEAST_MS = 1_000;

/** Add a sample; a lower count (restarted work) resets the history. */
export function sampled(samples: readonly Sample[], now: Sample): Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && now.done < last.done) return [now];
  const recent = samples.filter(({ at_ms }) => now.at_ms - at_ms <= WINDOW_MS);
  const before = samples.at(-1 - recent.length);
  // Keep one sample from before the window, so that slow work has a rate too.
  return [...(recent.length < 2 && before !== undefined ? [before] : []), ...recent, now];
}

/** Estimate the remaining time [s]; null without enough samples. */
export function remaining_s(samples: readonly Sample[], total: number, now_ms: number): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.done <= first.done) return null;
  // Measured until now rather than the last step, so that the estimate grows while work is stalled.
  const watched_ms = now_ms - first.at_ms;
  if (watched_ms < LEAST_MS) return null;
  const perUnit_s = watched_ms / 1_000 / (last.done - first.done);
  return Math.max(0, (total - last.done) * perUnit_s);
}

/** Format an estimate with suitable precision: `under 5 s`, `about 40 s`, `about 3 min`. */
export function roughly(seconds: number): string {
  if (seconds < 5) return "under 5 s";
  if (seconds < 55) return `about ${5 * Math.ceil(seconds / 5)} s`;
  if (seconds < 5_400) return `about ${Math.max(1, Math.round(seconds / 60))} min`;
  return `about ${Math.round(seconds / 3_600)} h`;
}
