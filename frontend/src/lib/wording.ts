// Numbers as text: three significant digits, always with a unit, ranges with an en dash. Uses the same rules as the
// service's sentences, so that figures agree everywhere.

import type { Currency } from "@/api/generated";
import { CURRENCY_SIGNS, RISK_LEVELS } from "@/api/generated/registry.gen";

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Range of quantiles. */
export interface Quantiles {
  p10: number;
  p50: number;
  p90: number;
}

/** Round half to even, like the service. */
function rounded(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

/** Round to significant digits, half to even like the service. */
function significant(value: number, digits: number): number {
  const kept = value.toExponential(digits - 1);
  const exact = value.toExponential(20);
  const rest = exact.slice(exact.indexOf(".") + digits, exact.indexOf("e"));
  if (!/^50*$/.test(rest)) return Number(kept);
  const below = Number(`${exact.slice(0, exact.indexOf(".") + digits)}${exact.slice(exact.indexOf("e"))}`);
  return Number(
    below
      .toExponential(digits - 1)
      .split("e")[0]
      ?.at(-1),
  ) %
    2 ===
    0
    ? below
    : Number(kept);
}

// Formatters are cached: to create one takes longer than to render the rest of a table cell.
const FORMATS = new Map<number, Intl.NumberFormat>();
const DAYS = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

function grouped(value: number, places: number): string {
  let format = FORMATS.get(places);
  if (format === undefined) {
    format = new Intl.NumberFormat("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
    FORMATS.set(places, format);
  }
  return format.format(value);
}

/** Format a number with three significant digits and thousands separators: `1,230`, `12.3`, `0.988`. */
export function threeDigits(value: number): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return "—";
  const kept = significant(value, 3);
  const places = Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(kept)))));
  const text = grouped(kept, places);
  return places > 0 ? text.replace(/\.?0+$/, "") : text;
}

function twoUnits(count: number, perLarge: number, large: string, small: string): string {
  const whole = Math.floor(count / perLarge);
  const rest = count % perLarge;
  const parts: string[] = [];
  if (whole > 0) parts.push(`${grouped(whole, 0)} ${large}`);
  if (rest > 0 || whole === 0) parts.push(`${rest} ${small}`);
  return parts.join(" ");
}

/** Format a duration [s] in its two largest units: `16 min 50 s`. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${threeDigits(1000 * seconds)} ms`;
  if (seconds < 10) return `${threeDigits(seconds)} s`;
  if (rounded(seconds) < HOUR) return twoUnits(rounded(seconds), 60, "min", "s");
  if (rounded(seconds / 60) < 2 * 24 * 60) return twoUnits(rounded(seconds / 60), 60, "h", "min");
  return twoUnits(rounded(seconds / HOUR), 24, "d", "h");
}

/** Compute the duration as rounded by `duration` [s]. */
function written_s(seconds: number): number {
  if (seconds < 1) return significant(1000 * seconds, 3) / 1000;
  if (seconds < 10) return significant(seconds, 3);
  if (rounded(seconds) < HOUR) return rounded(seconds);
  if (rounded(seconds / 60) < 2 * 24 * 60) return 60 * rounded(seconds / 60);
  return HOUR * rounded(seconds / HOUR);
}

/** Format a duration [s] in its largest unit, for narrow spaces: `16.8 min`. */
export function oneUnit(seconds: number): string {
  if (seconds < 1) return `${threeDigits(1000 * seconds)} ms`;
  const [size, unit] =
    seconds < 120 ? [1, "s"] : seconds < 2 * HOUR ? [60, "min"] : seconds < 2 * DAY ? [HOUR, "h"] : [DAY, "d"];
  return `${threeDigits(seconds / Number(size))} ${unit}`;
}

/** Format a number in at most four characters: `325`, `1.2k`, `48M`. The unit is displayed elsewhere. */
export function briefNumber(value: number): string {
  if (value < 1) return Number(value.toPrecision(1)).toString().slice(0, 5);
  const power = Math.min(4, Math.floor(Math.log10(Number(value.toPrecision(2))) / 3));
  const scaled = value / 1000 ** power;
  return `${scaled < 10 ? Number(scaled.toPrecision(2)) : Math.round(scaled)}${["", "k", "M", "G", "T"][power]}`;
}

/**
 * Format p10 to p90 of a duration [s] in one unit: `25–35 min`.
 *
 * The range always contains p50 as formatted by `duration`: ends are rounded outwards if necessary.
 */
export function durationRange({ p10, p50, p90 }: Quantiles): string {
  const units: [number, string][] = [
    [1, "s"],
    [60, "min"],
    [HOUR, "h"],
  ];
  const [seconds, unit] = units.find(([size]) => p90 < 120 * size) ?? [DAY, "d"];
  const whole = p10 / seconds >= 10;
  const centre = written_s(p50) / seconds;
  const end = (value: number, outwards: "floor" | "ceil"): string => {
    let written = whole ? rounded(value) : significant(value, 3);
    if (outwards === "floor" ? written > centre : written < centre) {
      const step = whole ? 1 : 10 ** (Math.floor(Math.log10(centre)) - 2);
      written = step * Math[outwards](Number((centre / step).toFixed(6)));
    }
    return whole ? grouped(written, 0) : threeDigits(written);
  };
  return `${end(p10 / seconds, "floor")}–${end(p90 / seconds, "ceil")} ${unit}`;
}

function money(amount: number, sign: string): string {
  const text = threeDigits(amount);
  const [whole = "0", cents] = text.split(".");
  return cents !== undefined && amount >= 0.1 ? `${sign}${whole}.${cents.padEnd(2, "0")}` : `${sign}${text}`;
}

/** Format an amount [USD]: `$325`, `$2.50`, `$0.004`. */
export function usd(amount: number): string {
  return money(amount, "$");
}

/** Convert an amount of at least 0 [USD] at the rate of the team's currency: `about €963`. */
export function about(amount: number, { code, usd_rate }: Currency): string {
  return `about ${money(amount * usd_rate, CURRENCY_SIGNS[code] ?? `${code} `)}`;
}

/** Describe the rate of a currency, with its day and origin, as the service does. */
export function rateWords({ code, usd_rate, since }: Currency): string {
  return `1 USD = ${Number(usd_rate.toPrecision(10))} ${code} as of ${since}, given by the team`;
}

/** Insert the converted amount [USD] behind its first occurrence in a sentence: `for $325, about €280 ($310–$350).` */
export function withAbout(sentence: string, amount: number, currency: Currency | null): string {
  const sum = usd(amount);
  const end = sentence.indexOf(`${sum} `) + sum.length;
  if (currency === null || end < sum.length) return sentence;
  return `${sentence.slice(0, end)}, ${about(amount, currency)}${sentence.slice(end)}`;
}

/** Format p10 to p90 of a cost [USD]. */
export function usdRange({ p10, p90 }: Quantiles): string {
  return `${usd(p10)}–${usd(p90)}`;
}

/** Format a probability in percent; 0% and 100% are only used for exact values. */
export function chance(probability: number): string {
  const percent = 100 * probability;
  if (percent === 0) return "0%";
  if (percent > 99.9 && percent < 100) return "over 99.9%";
  if (percent > 0 && percent < 1e-4) return "under 0.0001%";
  return `${significant(percent, percent < 99 ? 2 : 3)}%`;
}

/** Format the complement of a probability; never 0%. */
export function risk(met: number): string {
  return chance(met < 1 ? 1 - met : Number.MIN_VALUE);
}

export type RiskName = (typeof RISK_LEVELS)[number]["name"];

/**
 * Return the level of the risk of missing a deadline.
 *
 * @param met probability of meeting it; a search for 95% may end a rounding error below it
 */
export function riskLevel(met: number): RiskName {
  return RISK_LEVELS.find(({ most }) => 1 - met <= most + 1e-9)?.name ?? "high";
}

/** Format a share in percent with three digits. */
export function percent(share: number): string {
  return `${threeDigits(100 * share)}%`;
}

/** Format a count with thousands separators. */
export function count(value: number): string {
  return grouped(value, 0);
}

/** Format a count with a noun: `1 type`, `7 types`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Join names: `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Format a date of the API (`2014-10-01`): `1 Oct 2014`. */
export function day(isoDate: string): string {
  const date = new Date(isoDate.length === 10 ? `${isoDate}T00:00:00Z` : isoDate);
  if (Number.isNaN(date.getTime())) return isoDate;
  return DAYS.format(date);
}

/** Format a time of the API in the reader's time zone: `20 Nov 2026, 10:02`. */
export function moment(isoTime: string): string {
  const date = new Date(isoTime);
  if (Number.isNaN(date.getTime())) return isoTime;
  return date.toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}
