// Round ticks with units.

import { duration } from "@/lib/wording";
import type { Axis } from "./axis";

const DAY_S = 86_400;
/** Minimum number of ticks; below it, equal steps replace 1, 2 and 5. */
const FEWEST_TICKS = 4;

const ROUND_TIMES_S: number[] = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30],
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * 60),
  ...[1, 2, 5, 12].map((hours) => hours * 3_600),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000].map((days) => days * DAY_S),
];

const TIME_STEPS_S: number[] = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600),
  ...oneTwoFive(0, 9).map((days) => days * DAY_S),
];

/** Return 1, 2 and 5 in each decade. */
function oneTwoFive(from: number, to: number): number[] {
  const exponents = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return exponents.flatMap((exponent) => [1, 2, 5].map((digit) => Number(`${digit}e${exponent}`)));
}

function within(values: number[], { low, high }: Axis): number[] {
  return values.filter((value) => value >= low && value <= high);
}

/** Remove every second tick until at most `most` remain. */
function thinned(values: number[], most: number): number[] {
  return values.length <= most
    ? values
    : thinned(
        values.filter((_, index) => index % 2 === 0),
        most,
      );
}

/** Return the multiples of the smallest suitable step; of the previous step if only one tick would remain. */
function multiples(sizes: number[], axis: Axis, most: number): number[] {
  let before: number[] = [];
  for (const size of sizes) {
    if ((axis.high - axis.low) / size > 3 * most) continue;
    const first = Math.ceil(axis.low / size);
    const length = Math.floor(axis.high / size) - first + 1;
    const ticks = Array.from({ length }, (_, index) => (first + index) * size);
    if (ticks.length < 2) return before;
    if (ticks.length <= most) return ticks;
    before = ticks;
  }
  return before;
}

/** Compute at most about `most` ticks for an axis of durations [s]. */
export function timeTicks(axis: Axis, most: number): number[] {
  const round = axis.log ? within(ROUND_TIMES_S, axis) : [];
  if (round.length >= Math.min(FEWEST_TICKS, most)) return thinned(round, most);
  return multiples(TIME_STEPS_S, axis, most);
}

/** Compute at most about `most` ticks for an axis of costs [USD]. */
export function costTicks(axis: Axis, most: number): number[] {
  const sizes = oneTwoFive(Math.floor(Math.log10(axis.high)) - 3, Math.ceil(Math.log10(axis.high)));
  const decades = [Math.floor(Math.log10(axis.low || axis.high)), Math.ceil(Math.log10(axis.high))] as const;
  const round = axis.log ? within(oneTwoFive(...decades), axis) : [];
  if (round.length >= Math.min(FEWEST_TICKS, most)) return thinned(round, most);
  return multiples(sizes, axis, most);
}

/** Format a tick of the time axis. */
export function timeLabel(seconds: number): string {
  return seconds === 0 ? "0" : duration(seconds);
}
