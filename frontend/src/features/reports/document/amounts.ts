// Details of an amount: all digits, and its change since another report.

import type { Amount } from "@/api/generated";

/** Return all digits of a value with its unit; shares and chances have no unit. */
export function digits(value: number, unit: string): string {
  return unit === "1" || unit === "" ? String(value) : `${value} ${unit}`;
}

/** Return all digits of an amount and of its range. */
export function exactly({ value, unit, low, high }: Amount): string {
  const range = low === null || high === null ? "" : ` (p10 ${digits(low, unit)}, p90 ${digits(high, unit)})`;
  return digits(value, unit) + range;
}
