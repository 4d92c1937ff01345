// Units in which this browser shows sizes and rates. They are stored like the color scheme: the service knows nothing
// of them, and links, files and requests keep the units in which AWS states a figure.

import { useSyncExternalStore } from "react";
import { threeDigits } from "./wording";

export const SIZE_UNITS = ["stated", "decimal", "binary"] as const;
export const RATE_UNITS = ["stated", "MB/s", "MiB/s", "Gbit/s"] as const;

/** Units of sizes and rates; `stated` is that in which AWS states a figure. */
export interface Units {
  sizes: (typeof SIZE_UNITS)[number];
  rates: (typeof RATE_UNITS)[number];
}

export const AS_STATED: Units = { sizes: "stated", rates: "stated" };

const KEY = "stowage.units";

/** Sizes of units: of rates [MB/s], of data [MB]. */
const RATES: Readonly<Record<string, number>> = { "MB/s": 1, "MiB/s": 2 ** 20 / 1e6, "Gbit/s": 125 };
const DECIMAL: Readonly<Record<string, number>> = { kB: 1e-3, MB: 1, GB: 1e3, TB: 1e6, PB: 1e9 };
const BINARY: Readonly<Record<string, number>> = {
  KiB: 2 ** 10 / 1e6,
  MiB: 2 ** 20 / 1e6,
  GiB: 2 ** 30 / 1e6,
  TiB: 2 ** 40 / 1e6,
  PiB: 2 ** 50 / 1e6,
};
const SIZES = { ...DECIMAL, ...BINARY };
/** A rate may be one per dollar. */
const PER_DOLLAR = " per USD/h";

let chosen: Units | undefined;
const followers = new Set<() => void>();

// Chosen in another tab.
window.addEventListener("storage", ({ key }) => {
  if (key === null || key === KEY) show(stored());
});

/** Return the chosen units. */
export function chosenUnits(): Units {
  chosen ??= stored();
  return chosen;
}

/** Return the chosen units, and render again when they change, also in another tab of the browser. */
export function useUnits(): Units {
  return useSyncExternalStore(follow, chosenUnits);
}

function follow(follower: () => void): () => void {
  followers.add(follower);
  return () => followers.delete(follower);
}

function show(units: Units): void {
  chosen = units;
  for (const follower of followers) follower();
}

export function chooseUnits(units: Units): void {
  show(units);
  try {
    window.localStorage.setItem(KEY, JSON.stringify(units));
  } catch {
    // A browser without storage keeps them until the page is left.
  }
}

function stored(): Units {
  try {
    const { sizes, rates } = JSON.parse(window.localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    return {
      sizes: SIZE_UNITS.find((unit) => unit === sizes) ?? "stated",
      rates: RATE_UNITS.find((unit) => unit === rates) ?? "stated",
    };
  } catch {
    return AS_STATED;
  }
}

/** Return the number of units `to` in one unit `from`; undefined if they do not measure the same. */
export function unitRatio(from: string, to: string): number | undefined {
  if (from === to) return 1;
  if (from.endsWith(PER_DOLLAR) && to.endsWith(PER_DOLLAR)) {
    return unitRatio(from.slice(0, -PER_DOLLAR.length), to.slice(0, -PER_DOLLAR.length));
  }
  for (const units of [RATES, SIZES]) {
    const [one, other] = [units[from], units[to]];
    if (one !== undefined && other !== undefined) return one / other;
  }
  return undefined;
}

/** Return the chosen unit in place of a unit; the same unit if it is neither a size nor a rate. */
export function chosenUnit(unit: string, { sizes, rates } = chosenUnits()): string {
  if (unit.endsWith(PER_DOLLAR)) {
    return chosenUnit(unit.slice(0, -PER_DOLLAR.length), { sizes, rates }) + PER_DOLLAR;
  }
  if (unit in RATES) return rates === "stated" ? unit : rates;
  if (sizes === "decimal") return unit in BINARY ? unit.replace("K", "k").replace("i", "") : unit;
  if (sizes === "binary") return unit in DECIMAL ? `${unit[0]?.toUpperCase()}iB` : unit;
  return unit;
}

/** Convert a figure to the chosen unit; exact but for the rounding of floating point. */
export function inChosenUnit<Value extends number | null>(
  value: Value,
  unit: string,
  units = chosenUnits(),
): { value: Value | number; unit: string } {
  const to = chosenUnit(unit, units);
  return { value: value === null || to === unit ? value : value * (unitRatio(unit, to) ?? 1), unit: to };
}

/** Format a size or rate in the chosen unit: `250 MiB/s`. */
export function amountWords(value: number, unit: string): string {
  const shown = inChosenUnit(value, unit);
  return `${threeDigits(shown.value)} ${shown.unit}`;
}
