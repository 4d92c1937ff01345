// Durations, money and shares as text. The service validates input; these parsers only find its position on a scale.

const UNITS_S: Record<string, number> = { s: 1, min: 60, h: 3_600, d: 86_400 };
const NUMBER = "(?:\\d{1,3}(?:,\\d{3})+|\\d{1,15})(?:\\.\\d{1,15})?(?:e[+-]?\\d{1,2})?";
const DURATION = new RegExp(`^(?:\\s*${NUMBER}\\s*(?:s|min|h|d))+\\s*$`, "i");
const PART = new RegExp(`(${NUMBER})\\s*(s|min|h|d)`, "gi");
const MONEY = new RegExp(`^\\s*(?:\\$|USD)?\\s*(${NUMBER})\\s*(?:USD|\\$)?\\s*$`, "i");

function numberIn(text: string): number {
  return Number(text.replaceAll(",", ""));
}

function positive(value: number): number | null {
  return Number.isFinite(value) && value > 0 ? value : null;
}

/** Parse a duration [s]: `30 min`, `1 h 30 min`; null if invalid. */
export function secondsIn(text: string): number | null {
  if (!DURATION.test(text)) return null;
  let seconds = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(PART)) {
    seconds += numberIn(amount) * (UNITS_S[unit.toLowerCase()] ?? Number.NaN);
  }
  return positive(seconds);
}

/** Parse an amount of money [USD]: `$500`, `1,200 USD`; null if invalid. */
export function usdIn(text: string): number | null {
  const [, amount] = MONEY.exec(text) ?? [];
  return amount === undefined ? null : positive(numberIn(amount));
}

/** Format a share: `95 %`. */
export function shareText(share: number): string {
  return `${Number((100 * share).toPrecision(12))} %`;
}
