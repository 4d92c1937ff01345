// Units of sizes, and parsing of sizes.

/** Decimal units, largest first [bytes]. */
export const SIZES: readonly [unit: string, bytes: number][] = [
  ["EB", 1e18],
  ["PB", 1e15],
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
  ["B", 1],
];

/** Binary units, largest first [bytes]. */
export const BINARY_SIZES: readonly [unit: string, bytes: number][] = [
  ["EiB", 2 ** 60],
  ["PiB", 2 ** 50],
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
];

const LEAST_GB = 1;
const SIZE = /^\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*([a-z]{1,3})\s*$/i;

/** Parse a size [bytes]: `100 TB`, `1,500 GiB`; null if invalid. */
export function bytesIn(text: string): number | null {
  const [, amount = "", unit = ""] = SIZE.exec(text) ?? [];
  const found = [...SIZES, ...BINARY_SIZES].find(([name]) => name.toLowerCase() === unit.toLowerCase());
  const bytes = Number(amount.replaceAll(",", "")) * (found?.[1] ?? 0);
  return unit !== "" && found !== undefined && Number.isFinite(bytes) ? bytes : null;
}

/** Parse a size of at least a gigabyte [GB]: `100 TB`, `1,500 GiB`; null if invalid. */
export function gigabytesIn(text: string): number | null {
  const bytes = bytesIn(text);
  return bytes !== null && bytes / 1e9 >= LEAST_GB ? bytes / 1e9 : null;
}
