// The standard normal distribution, for chances of meeting a limit.

/** Quantile of 90%, by which p10 and p90 lie off the median in deviations of the logarithm. */
export const Z90 = 1.2815515655446004;

/** Chance that a standard normal variable is at most a value; its error is below 1.2e-7 of the smaller tail. */
export function normalCdf(value: number): number {
  const tail = 0.5 * erfc(Math.abs(value) / Math.SQRT2);
  return value > 0 ? 1 - tail : tail;
}

/** Complementary error function of a value of at least 0: W. H. Press et al., Numerical Recipes, section 6.2. */
function erfc(value: number): number {
  const t = 1 / (1 + 0.5 * value);
  const sum = COEFFICIENTS.reduceRight((rest, coefficient) => rest * t + coefficient, 0);
  return t * Math.exp(-value * value + sum);
}

const COEFFICIENTS = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
  0.17087277,
];
