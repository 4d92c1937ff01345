// Ticks on an axis of minutes, hours or days.

import { day } from "@/lib/wording";

const DAY_MS = 86_400_000;
const MINUTES_MS = [1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000);
const HOURS_MS = [1, 2, 3, 6, 12].map((hours) => hours * 3_600_000);
const DAYS_MS = [1, 2, 7, 14, 28, 91, 182, 365, 730, 1_825].map((days) => days * DAY_MS);

/** Compute at most `most` ticks between two times [ms], at equal and round steps. */
export function dateTicks(from_ms: number, to_ms: number, most: number): number[] {
  const span = Math.max(1, to_ms - from_ms);
  const steps = [...MINUTES_MS, ...HOURS_MS, ...DAYS_MS];
  const step = steps.find((size) => span / size <= most) ?? span / Math.max(1, most);
  const first = Math.ceil(from_ms / step) * step;
  return Array.from(
    { length: Math.max(0, Math.floor((to_ms - first) / step) + 1) },
    (_, index) => first + index * step,
  );
}

/** Format a tick: with the hour if the axis spans few days, else the day. */
export function dateText(at_ms: number, span_ms: number): string {
  const iso = new Date(at_ms).toISOString();
  if (span_ms > 2 * DAY_MS) return span_ms > 300 * DAY_MS ? day(iso) : day(iso).replace(/ \d{4}$/, "");
  return `${day(iso).replace(/ \d{4}$/, "")} ${iso.slice(11, 16)}`;
}
