// Axes that several figures share.

import { type Axis, axisOver } from "@/charts/axes/axis";
import type { ChartAxis } from "@/charts/axes/chartAxis";

/** Build an axis of amounts from 0 to just above the largest. */
export function fromZero(values: readonly number[]): ChartAxis {
  return { of: "amount", ...axisOver([1e-9, ...values], false) };
}

/** Build an axis of amounts that need not start at 0, so that small changes are visible. */
export function zoomed(values: readonly number[]): ChartAxis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(0.08 * (most - least), 0.04 * Math.abs(most), 1e-9);
  return { of: "amount", low: Math.max(0, least - room), high: most + room, log: false };
}

/** Build an axis of durations from the start [s]. */
export function since(most_s: number): ChartAxis {
  return { of: "duration", low: 0, high: most_s, log: false };
}

/** Build an axis of times [ms]. */
export function dates(from_ms: number, to_ms: number): ChartAxis {
  return { of: "date", low: from_ms, high: to_ms, log: false };
}

/** Build an axis with equal places for names; place `index` is at `index + 0.5`. */
export function places(names: readonly string[]): ChartAxis {
  const axis: Axis = { low: 0, high: names.length, log: false };
  return { of: "amount", ...axis, ticks: names.map((text, index) => ({ value: index + 0.5, text })) };
}
