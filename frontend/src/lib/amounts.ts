// Durations, money and shares as people write them. What may be asked is for the service to judge: this only finds out
// where on a scale it stands.

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

/** Read a duration [s]: `30 min`, `1 h 30 min`; null where it is none. */
export function secondsIn(text: string): number | null {
  if (!DURATION.test(text)) return null;
  let seconds = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(PART)) {
    seconds += numberIn(amount) * (UNITS_S[unit.toLowerCase()] ?? Number.NaN);
  }
  return positive(seconds);
}

/** Read an amount of money [USD]: `$500`, `1,200 USD`; null where it is none. */
export function usdIn(text: string): number | null {
  const [, amount] = MONEY.exec(text) ?? [];
  return amount === undefined ? null : positive(numberIn(amount));
}

/** Write a share as people write it: `95 %`. */
export function shareText(share: number): string {
  return `${Number((100 * share).toPrecision(12))} %`;
}
