// Round ticks of amounts, durations and times.

import type { Axis } from "./axis";

/** Kind of an axis' values: amounts, durations [s], or times [ms]. */
export type AxisKind = "amount" | "duration" | "date";

const DAY_S = 86_400;
/** Minimum number of ticks; below it, equal steps replace 1, 2 and 5. */
const FEWEST_TICKS = 4;
/** Number of decades from which a logarithmic axis has ticks at powers of ten only. */
const MANY_DECADES = 4;

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

const DATE_STEPS_MS: number[] = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 7, 14, 28, 91, 182, 365, 730, 1_825].map((days) => days * 1_000 * DAY_S),
];

function stepsOf(of: AxisKind, { high }: Axis): number[] {
  if (of === "duration") return TIME_STEPS_S;
  if (of === "date") return DATE_STEPS_MS;
  return oneTwoFive(Math.floor(Math.log10(high)) - 3, Math.ceil(Math.log10(high)));
}

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

/** Return the round values that logarithmic axes prefer: powers of ten over many decades, else 1, 2 and 5. */
function roundValues(of: AxisKind, axis: Axis, most: number): number[] {
  if (of === "duration") return within(ROUND_TIMES_S, axis);
  const [first, last] = [Math.ceil(Math.log10(axis.low)), Math.floor(Math.log10(axis.high))];
  const decades = last - first + 1;
  if (decades < MANY_DECADES) return within(oneTwoFive(first - 1, last), axis);
  const step = Math.ceil(decades / most);
  return Array.from({ length: Math.ceil(decades / step) }, (_, index) => Number(`1e${first + index * step}`));
}

/** Compute at most about `most` round ticks of an axis. */
export function ticksOf(of: AxisKind, axis: Axis, most: number): number[] {
  const round = axis.log ? roundValues(of, axis, most) : [];
  if (round.length >= Math.min(FEWEST_TICKS, most)) return thinned(round, most);
  return multiples(stepsOf(of, axis), axis, most);
}
