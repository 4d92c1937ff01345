// How fast sweeps go here, to say beforehand how long one takes.

import type { Job } from "@/api/jobs";

/** One worker, the paper's catalogue: what is said before anything was measured here. */
const USUAL_S = 0.06;
/** Of fewer cells the time is mostly that of starting. */
const FEWEST_CELLS = 10;

export interface CellSpeed {
  seconds: number;
  /** Whether a sweep that ran here says so. */
  measured: boolean;
}

/** Take the time of a cell from the newest sweep that tells it. */
export function secondsPerCell(
  jobs: readonly Pick<Job, "state" | "total" | "started_at" | "finished_at">[],
): CellSpeed {
  for (const { state, total, started_at, finished_at } of jobs) {
    if (state !== "done" || total < FEWEST_CELLS) continue;
    const seconds = (Date.parse(finished_at ?? "") - Date.parse(started_at ?? "")) / 1_000 / total;
    // One that was cancelled and taken up next day did not compute all night.
    if (seconds > 0 && seconds < 10) return { seconds, measured: true };
  }
  return { seconds: USUAL_S, measured: false };
}
