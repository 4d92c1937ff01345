// The values of an axis as typed: a list (`1 TB, 3 TB, 10 TB`), or two ends and a number of steps (`1 TB to 1 PB, 7
// steps`). The API validates the single values.

import { BINARY_SIZES, SIZES } from "@/lib/sizes";
import { QUANTITIES, type Quantity, written } from "./quantities";

export const MOST_VALUES = 50;
const USUAL_STEPS = 7;
const LONGEST_TEXT = 2_000;

type Amounts = NonNullable<(typeof QUANTITIES)[Quantity]["amounts"]>;

export type AxisValues = { values: string[]; problem?: never } | { problem: string; values?: never };

const TIMES: readonly [unit: string, seconds: number][] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["m", 60],
  ["s", 1],
];
/** Minimum amount to use a larger unit: `90 min`, then `2 h`. */
const LEAST_TIME = 2;

/** A comma separates values, except between the thousands of a number. */
const BETWEEN = /[;\n]|(?<!\d),|,(?!\d{3}(?!\d))/;
const NUMBER = "(?:\\d{1,3}(?:,\\d{3})+|\\d{1,30})(?:\\.\\d{1,30})?(?:e[+-]?\\d{1,3})?";
const BARE = new RegExp(`^${NUMBER}$`, "i");
const MEASURE = new RegExp(`^(${NUMBER})\\s*([a-z]{1,10})$`, "i");
/** A hyphen separates two amounts, as in `1-6 h`, but not the parts of a name, as in `us-east-1`. */
const RANGE =
  /^(.{1,60}?)\s*(?:\bto\b|–|…|\.\.|(?<=^[\d.,]{1,30}\s?[a-z]{0,4}\s?)-(?=\s?\d))\s*([^,;]{1,60}?)(?:\s*[,;]?\s*(?:in\s+)?(\d{1,6})\s*(?:steps?|values?))?$/i;

/** Parse the values of an axis. */
export function axisValues(quantity: Quantity, text: string): AxisValues {
  const trimmed = text.trim().slice(0, LONGEST_TEXT);
  if (trimmed === "") return { problem: "Give at least one value." };
  const range = RANGE.exec(trimmed);
  const found = range === null ? { values: listed(quantity, trimmed) } : stepped(quantity, range);
  if (found.values === undefined) return found;
  if (found.values.length === 0) return { problem: "Give at least one value." };
  if (found.values.length > MOST_VALUES) {
    return { problem: `${found.values.length} values; an axis has at most ${MOST_VALUES}.` };
  }
  return found;
}

function listed(quantity: Quantity, text: string): string[] {
  const items = text
    .split(BETWEEN)
    .map((item) => item.trim())
    .filter((item) => item !== "");
  if (QUANTITIES[quantity].amounts === null) return items.map((item) => written(quantity, item));
  // In `1, 3, 10 TB`, a bare number has the unit of the next one.
  let unit: string | undefined;
  return items
    .toReversed()
    .map((item) => {
      if (BARE.test(item)) return unit === undefined ? item : `${item} ${unit}`;
      unit = MEASURE.exec(item)?.[2];
      return item;
    })
    .toReversed();
}

function stepped(quantity: Quantity, [, from = "", to = "", count]: RegExpExecArray): AxisValues {
  if (quantity === "replicas") return whole(from, to, count);
  const { amounts } = QUANTITIES[quantity];
  if (amounts === null) {
    return { problem: "Steps need a size, a time or a number. List the values instead." };
  }
  const end = measure(amounts, to);
  const begin = measure(amounts, BARE.test(from.trim()) ? `${from} ${end?.unit ?? ""}` : from);
  const problem = "Write two ends with their units, as in ";
  const example = amounts === "sizes" ? "1 TB to 1 PB, 7 steps." : "10 min to 8 h, 6 steps.";
  if (begin === null || end === null || begin.amount <= 0 || end.amount <= 0) return { problem: problem + example };
  const steps = count === undefined ? USUAL_STEPS : Number(count);
  if (steps < 2 || steps > MOST_VALUES) return { problem: `Between 2 and ${MOST_VALUES} steps.` };
  const ratio = end.amount / begin.amount;
  const binary = end.binary || begin.binary;
  const values = Array.from({ length: steps }, (_, step) => {
    if (step === 0) return begin.text;
    if (step === steps - 1) return end.text;
    return amountText(amounts, begin.amount * ratio ** (step / (steps - 1)), binary);
  });
  return { values: [...new Set(values)] };
}

function whole(from: string, to: string, count: string | undefined): AxisValues {
  const [first, last] = [Number(from.trim()), Number(to.trim())];
  if (!Number.isInteger(first) || !Number.isInteger(last) || first < 1 || last < first) {
    return { problem: "Write two whole numbers, the smaller first, as in 1 to 5." };
  }
  const span = last - first;
  const steps = count === undefined ? span + 1 : Number(count);
  if (steps < 1 || steps > MOST_VALUES) return { problem: `Between 1 and ${MOST_VALUES} values.` };
  const values = Array.from({ length: steps }, (_, step) =>
    String(first + Math.round((span * step) / Math.max(1, steps - 1))),
  );
  return { values: [...new Set(values)] };
}

interface Measure {
  amount: number;
  unit: string;
  binary: boolean;
  text: string;
}

/** Parse a size or time, in bytes or seconds; null if invalid. */
function measure(amounts: Amounts, text: string): Measure | null {
  const found = MEASURE.exec(text.trim());
  if (found === null) return null;
  const [, number = "", unit = ""] = found;
  const units = amounts === "sizes" ? [...SIZES, ...BINARY_SIZES] : TIMES;
  const known =
    units.find(([name]) => name === unit) ?? units.find(([name]) => name.toLowerCase() === unit.toLowerCase());
  if (known === undefined) return null;
  const amount = Number(number.replaceAll(",", "")) * known[1];
  if (!Number.isFinite(amount)) return null;
  return { amount, unit: known[0], binary: known[0].endsWith("iB"), text: `${number} ${known[0]}` };
}

/** Format an amount with two significant digits. */
function amountText(amounts: Amounts, amount: number, binary: boolean): string {
  const units = amounts === "durations" ? TIMES : binary ? BINARY_SIZES : SIZES;
  const least = amounts === "durations" ? LEAST_TIME : 1;
  const rounded = Number(amount.toPrecision(2));
  const [unit, size] = units.find(([, each]) => rounded >= least * each) ?? units.at(-1) ?? ["", 1];
  return `${Number((amount / size).toPrecision(2))} ${unit}`;
}
