// Amounts set by dragging, with human-friendly rounding.

import { duration, threeDigits } from "@/lib/wording";

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Steps of durations [s]. Not 2: it would allow 44 min but not 45 min. */
const CLOCK_STEPS_S: readonly number[] = [1, 5, 10, 30, MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 6 * HOUR];
/** Below this duration, steps of one second are too coarse [s]. */
const CLOCK_FROM_S = 20;
/** Largest step as a share of the value, equal to two or three digits. */
const COARSEST = 0.05;
const COARSEST_COST = 0.02;
const COARSEST_SIZE = 0.02;
const SIZE_UNITS: readonly [unit: string, gb: number][] = [
  ["EB", 1e9],
  ["PB", 1e6],
  ["TB", 1e3],
];
const COARSE_STEPS = 10;

/** Rounding, steps and format of an amount. */
export interface Scale {
  /** Step for values of this size. */
  step: (value: number) => number;
  /** Text for the question: `22 min`, `430 USD`. */
  written: (value: number) => string;
}

function decimalStep(value: number, coarsest: number): number {
  const most = value * coarsest;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [5, 2, 1].find((digit) => digit * power <= most * (1 + 1e-9)) ?? 1;
  return step * power;
}

export const TIMES: Scale = {
  step: (value) => {
    if (value < CLOCK_FROM_S) return decimalStep(value, COARSEST);
    const days = decimalStep(value / DAY, COARSEST) * DAY;
    return days >= DAY ? days : (CLOCK_STEPS_S.findLast((step) => step <= value * COARSEST) ?? 1);
  },
  // The service does not parse milliseconds.
  written: (value) => (value < CLOCK_FROM_S ? `${threeDigits(value)} s` : duration(value)),
};

/** Data sizes [GB]. */
export const SIZES: Scale = {
  step: (value) => decimalStep(value, COARSEST_SIZE),
  written: (value) => {
    const [unit, gb] = SIZE_UNITS.find(([, size]) => value >= size) ?? ["GB", 1];
    return `${tidy(value / gb)} ${unit}`;
  },
};

export const COSTS: Scale = {
  step: (value) => decimalStep(value, COARSEST_COST),
  written: (value) => `${tidy(value)} USD`,
};

/** Round to a step that suits the value. */
export function rounded(value: number, scale: Scale): number {
  const step = scale.step(value);
  return tidy(Math.round(value / step) * step);
}

/** Move a value one step up or down (ten if coarse), to the next round value. */
export function stepped(value: number, direction: 1 | -1, coarse: boolean, scale: Scale): number {
  let at = value;
  for (let count = 0; count < (coarse ? COARSE_STEPS : 1); count += 1) {
    // Going down from a round value uses the finer step below it.
    const step = scale.step(direction > 0 ? at : at * (1 - 1e-6));
    const place = at / step;
    at = tidy((direction > 0 ? Math.floor(place + 1e-6) + 1 : Math.ceil(place - 1e-6) - 1) * step);
  }
  return at;
}

/** Remove floating-point noise: 0.30000000000000004 is 0.3. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
