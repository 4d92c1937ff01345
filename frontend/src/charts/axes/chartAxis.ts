// Axes of charts: kind of values, title, ticks and their texts.

import { briefNumber, day, duration, threeDigits } from "@/lib/wording";
import type { Axis } from "./axis";
import { type AxisKind, ticksOf } from "./ticks";

export interface AxisTick {
  value: number;
  text: string;
}

/** Axis of a chart. */
export interface ChartAxis extends Axis {
  /** Kind of the values: amounts, durations [s], or times [ms]. */
  of: AxisKind;
  title?: string;
  /** Format of a tick (default: by the kind of values). */
  words?: (value: number) => string;
  /** Ticks instead of computed ones, thinned to avoid overlap. */
  ticks?: readonly AxisTick[];
  /** True for grid lines across the plot; by default only the vertical axis has them. */
  grid?: boolean;
}

const DAY_MS = 86_400_000;
/** Estimated width of a letter [px]. */
export const LETTER_PX = 7;
/** Smallest distance between the texts of two ticks [px]. */
const GAP_PX = 14;
/** Smallest distance of ticks of a vertical axis [px]. */
const ROW_PX = 40;
/** Smallest distance of ticks of a horizontal axis, whatever their texts [px]. */
const COLUMN_PX = 64;
const FEWEST = 2;
const MOST = 12;

export function widthOf(text: string): number {
  return text.length * LETTER_PX;
}

/** Compute the ticks that fit on an axis of a length, with their texts. */
export function axisTicks(axis: ChartAxis, length_px: number, along: "x" | "y"): AxisTick[] {
  if (axis.ticks !== undefined) return spaced(axis.ticks, axis, length_px, along);
  const most = clamped(Math.floor(length_px / (along === "y" ? ROW_PX : COLUMN_PX)));
  let ticks: AxisTick[] = [];
  for (let count = most; count >= FEWEST; count -= 1) {
    ticks = ticksOf(axis.of, axis, count).map((value) => ({ value, text: textOf(value, axis) }));
    if (along === "y" || fits(ticks, axis, length_px)) return ticks;
  }
  return spaced(ticks, axis, length_px, along);
}

function clamped(count: number): number {
  return Math.min(MOST, Math.max(FEWEST, count));
}

/** Format a tick. */
function textOf(value: number, axis: ChartAxis): string {
  if (axis.words !== undefined) return axis.words(value);
  if (axis.of === "duration") return value === 0 ? "0" : duration(value);
  return axis.of === "date" ? dateText(value, axis.high - axis.low) : plainWords(value);
}

/** Format a number without unit. */
export function plainWords(value: number): string {
  return value < 1_000 ? threeDigits(value) : briefNumber(value);
}

/** Format a time: with the hour if the axis spans few days, else the day. */
function dateText(at_ms: number, span_ms: number): string {
  const iso = new Date(at_ms).toISOString();
  if (span_ms > 300 * DAY_MS) return day(iso);
  const short = day(iso).replace(/ \d{4}$/, "");
  if (span_ms > 2 * DAY_MS) return short;
  return `${short} ${iso.slice(11, 16)}`;
}

function positions(ticks: readonly AxisTick[], { low, high, log }: Axis, length_px: number): number[] {
  const at = (value: number) => (log ? Math.log(value) : value);
  return ticks.map(({ value }) => ((at(value) - at(low)) / (at(high) - at(low))) * length_px);
}

function fits(ticks: readonly AxisTick[], axis: Axis, length_px: number): boolean {
  const places = positions(ticks, axis, length_px);
  return ticks.every(({ text }, index) => {
    const before = ticks[index - 1];
    if (before === undefined) return true;
    const apart = (places[index] ?? 0) - (places[index - 1] ?? 0);
    return apart >= (widthOf(text) + widthOf(before.text)) / 2 + GAP_PX;
  });
}

/** Remove ticks that would overlap the previous one. */
function spaced(ticks: readonly AxisTick[], axis: Axis, length_px: number, along: "x" | "y"): AxisTick[] {
  const places = positions(ticks, axis, length_px);
  let free = Number.NEGATIVE_INFINITY;
  return ticks.filter(({ text }, index) => {
    const place = places[index] ?? 0;
    const half = along === "x" ? Math.max(28, widthOf(text) + GAP_PX) / 2 : 0;
    if (place - half < free) return false;
    free = place + half;
    return true;
  });
}
