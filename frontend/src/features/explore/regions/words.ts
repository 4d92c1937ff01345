import type { CatalogRegionsAnswer } from "@/api/generated";
import { differenceWords } from "@/lib/measured";
import { counted, listed } from "@/lib/wording";

/** Format a price level against the reference region: `+22.2%`. */
export function levelWords(level: number): string {
  return differenceWords(100 * (level - 1));
}

/** Describe the range of price levels: the least and the most expensive regions. */
export function sentenceOf({ regions, reference }: CatalogRegionsAnswer): string {
  const compared = regions.flatMap(({ name, price_level }) => (price_level === null ? [] : [{ name, price_level }]));
  const [least, most] = [compared[0], compared.at(-1)];
  if (least === undefined || most === undefined || compared.length < 2) {
    return `${counted(regions.length, "region")}, whose prices cannot be compared.`;
  }
  const namesAt = (level: number) =>
    listed(compared.filter((one) => levelWords(one.price_level) === levelWords(level)).map(({ name }) => name));
  const [low, high] = [namesAt(least.price_level), namesAt(most.price_level)];
  return (
    `Of ${counted(compared.length, "region")}, ${low} charge${low === least.name ? "s" : ""} the least ` +
    `(${levelWords(least.price_level)} against ${reference}) and ${high} the most (${levelWords(most.price_level)}).`
  );
}
