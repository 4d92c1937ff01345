// Filters as typed in a column header: `>=8`, `<1.5`, `4..16`, `>= 3 GB/s`, `?` for unknown values.

import { unitText } from "@/lib/quantities";
import { unitRatio } from "@/lib/units";

export type Keeps = (value: number | null) => boolean;

/** A parsed filter, or an error message. */
export type Filter = { keeps: Keeps } | { error: string };

/** A comma separates thousands only: `1,5` is rejected, so that it is not read as fifteen. */
const NUMBER = "[+-]?(?:\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+)(?:e[+-]?\\d+)?\\s*[kKmM]?";
const SIGN = ">=|<=|>|<|=|≥|≤";
const BOUND = new RegExp(`^(${SIGN})\\s*(${NUMBER})$`);
const SPAN = new RegExp(`^(${NUMBER})\\s*(?:\\.\\.|–|-|to)\\s*(${NUMBER})$`);
const EXACT = new RegExp(`^${NUMBER}$`);
const BEGUN = new RegExp(
  `^(?:${SIGN}|[+\\-.]|${NUMBER}\\s*(?:\\.|\\.\\.|–|-|to?)|(?:${SIGN})?\\s*(?:\\d{1,3}(?:,\\d{3})*,|\\d+\\.))$`,
);
const COMMA_AS_POINT = /\d,\d{1,2}(?!\d)/;
const THOUSANDS: Record<string, number> = { k: 1e3, K: 1e3, m: 1e6, M: 1e6 };

const HINT = ">=8, <1.5, 4..16, 8";

type Units = Readonly<Record<string, number>>;

/** Units of MB/s. Case matters: Mb is a megabit, MB a megabyte. */
const RATES: Units = {
  ...{ "kB/s": 1e-3, "MB/s": 1, "GB/s": 1e3, "MiB/s": 1.048576, "GiB/s": 1073.741824 },
  ...{ "Mbit/s": 0.125, "Gbit/s": 125, Mbps: 0.125, Gbps: 125, "Mb/s": 0.125, "Gb/s": 125 },
};
/** Units of bytes. */
const SIZES: Units = { MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50 };

/** Return the accepted units with their factors to the column's unit; always includes that unit. */
function unitsOf(of: string): Units {
  const unit = unitText(of);
  for (const units of [RATES, SIZES]) {
    const own = units[unit];
    if (own !== undefined) return Object.fromEntries(Object.entries(units).map(([name, one]) => [name, one / own]));
  }
  return unit === "" ? {} : { [unit]: 1 };
}

const PLAIN_NUMBER = "\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+";
const WITH_WORD = new RegExp(`(?<=^|[^\\d.]|\\.\\.)(${PLAIN_NUMBER})\\s*([A-Za-z/]+)`, "g");

/** Convert numbers with units to the column's unit; undefined while the last unit is incomplete. */
function inOwnUnit(text: string, units: Units): string | undefined {
  const names = Object.keys(units);
  let begun = false;
  const written = text.replace(WITH_WORD, (all: string, number: string, word: string, at: number) => {
    const one = units[word];
    if (one !== undefined) return String(Number(number.replaceAll(",", "")) * one);
    const isLast = at + all.length === text.length;
    if (isLast && !/^[kKmM]$/.test(word)) begun ||= names.some((name) => name.startsWith(word));
    return all;
  });
  return begun ? undefined : written;
}

/** Parse a number: `1,250`, `1.5`, `20k`. */
function numberIn(text: string): number {
  const scale = THOUSANDS[text.trim().at(-1) ?? ""] ?? 1;
  return Number(text.replaceAll(",", "").replace(/\s*[kKmM]$/, "")) * scale;
}

const COMPARED: Record<string, (bound: number) => Keeps> = {
  ">=": (bound) => (value) => value !== null && value >= bound,
  "<=": (bound) => (value) => value !== null && value <= bound,
  ">": (bound) => (value) => value !== null && value > bound,
  "<": (bound) => (value) => value !== null && value < bound,
  "=": (bound) => (value) => value !== null && isNear(value, bound),
};

/** Check if two values are equal to four significant digits, within half a unit of the last. */
function isNear(value: number, wanted: number): boolean {
  return Math.abs(value - wanted) <= 5e-4 * Math.abs(wanted);
}

/** A filter ends with the unit of its numbers if that is not the one in which AWS states the column. */
const MEANT = /^(.*) in (\S+(?: per USD\/h)?)$/;

/** Return the text for the field of a filter: its unit is left out if the column is shown in it. */
export function filterShown(text: string, unit: string, stated = unit): string {
  const [, numbers, meant] = MEANT.exec(text) ?? [];
  if (meant === unit) return numbers ?? "";
  return meant === undefined && unit !== stated && /\d/.test(text) ? `${text} in ${stated}` : text;
}

/** Return the filter for the text of its field; it keeps its meaning for readers with other units. */
export function filterWritten(text: string, unit: string, stated = unit): string {
  return unit === stated || text.trim() === "" || MEANT.test(text) ? text : `${text} in ${unit}`;
}

/**
 * Parse the filter of a column. An empty text keeps all rows.
 *
 * @param unit unit of the values, as in "MB/s"; numbers may use a related unit
 * @param stated unit of numbers without one, if the filter does not end with a unit
 */
export function filterFrom(text: string, unit = "", stated = unit): Filter {
  const [, numbers = text, meant = stated] = MEANT.exec(text) ?? [];
  const size = unitRatio(meant, unit);
  if (size === undefined) return refused("", Object.keys(unitsOf(unit)));
  const filter = filterOf(numbers, meant);
  if (size === 1 || "error" in filter) return filter;
  return { keeps: (value) => filter.keeps(value === null ? null : value / size) };
}

function filterOf(text: string, unit: string): Filter {
  const units = unitsOf(unit);
  // A dollar sign is redundant: the column header shows the unit.
  const bare = inOwnUnit(text.trim().replaceAll("$", ""), units);
  if (bare === undefined) return { keeps: () => true };
  return plainFilter(bare, Object.keys(units));
}

function plainFilter(bare: string, units: readonly string[]): Filter {
  if (bare === "") return { keeps: () => true };
  // An incomplete filter is neither applied nor an error.
  if (BEGUN.test(bare)) return { keeps: () => true };
  if (bare === "?") return { keeps: (value) => value === null };
  const bound = BOUND.exec(bare);
  if (bound !== null) {
    const sign = (bound[1] ?? "=").replace("≥", ">=").replace("≤", "<=");
    return judged((COMPARED[sign] ?? COMPARED["="])?.(numberIn(bound[2] ?? "")), [numberIn(bound[2] ?? "")]);
  }
  const span = SPAN.exec(bare);
  if (span !== null) {
    const ends = [numberIn(span[1] ?? ""), numberIn(span[2] ?? "")].sort((a, b) => a - b);
    const [low = 0, high = 0] = ends;
    return judged((value) => value !== null && value >= low && value <= high, ends);
  }
  if (EXACT.test(bare)) return judged(COMPARED["="]?.(numberIn(bare)), [numberIn(bare)]);
  return refused(bare, units);
}

function refused(text: string, units: readonly string[] = []): Filter {
  if (COMMA_AS_POINT.test(text)) return { error: "Write 1.5 with a point; a comma parts thousands, as in 1,500" };
  const hint = units.length === 0 ? HINT : `${HINT}, with or without a unit (${units.join(", ")})`;
  return { error: `Write ${hint}, or ? for unknown` };
}

function judged(keeps: Keeps | undefined, numbers: readonly number[]): Filter {
  if (keeps === undefined || numbers.some((number) => !Number.isFinite(number))) {
    return refused("");
  }
  return { keeps };
}
