// Discounts as people write them, and their effect on a price.

import type { ExamplePrice, PriceTerms } from "@/api/generated";

export type Service = ExamplePrice["service"];

/** Services with a discount of their own, in the order of the form. */
export const SERVICES: readonly (readonly [service: Service, name: string])[] = [
  ["on_demand", "EC2 on-demand"],
  ["spot", "EC2 Spot"],
  ["commitments", "EC2 commitments"],
  ["ebs", "EBS"],
  ["s3", "S3"],
  ["data_transfer", "Data transfer between zones"],
  ["emr", "EMR fee"],
];

export type Written = Record<"overall" | Service, string>;

export const LARGEST_PERCENT = 95;
export const ACCEPTED = `Percent from 0% to ${LARGEST_PERCENT}%, as in 12%, or none.`;

/** Parse a discount in percent; undefined if it cannot be read. The sign may be left out while typing. */
export function percentIn(text: string): number | undefined {
  const written = text.trim();
  if (written === "none") return 0;
  if (!/^\d{1,3}(\.\d{1,6})?\s*%?$/.test(written)) return undefined;
  const percent = Number(written.replace("%", ""));
  return percent <= LARGEST_PERCENT ? percent : undefined;
}

/** Return the discount on a service [%]; undefined if what applies cannot be read. */
export function percentOf(service: Service, written: Written): number | undefined {
  if (written[service].trim() !== "") return percentIn(written[service]);
  return service === "spot" ? 0 : percentIn(written.overall);
}

/** Convert stored terms to the texts of the form. */
export function writtenFrom(terms: PriceTerms | undefined): Written {
  const text = (percent: number | null | undefined) => (percent == null ? "" : percent === 0 ? "none" : `${percent}%`);
  const services = SERVICES.map(([service]) => [service, text(terms?.[service])] as const);
  return { ...Object.fromEntries(services), overall: text(terms?.overall ?? 0) } as Written;
}

/** Convert the texts of the form to the body of a request; empty fields are left out. */
export function bodyFrom(written: Written): Partial<Written> {
  const entries = Object.entries(written).filter(([, text]) => text.trim() !== "");
  return Object.fromEntries(
    entries.map(([field, text]) => [field, /^[\d.]+$/.test(text.trim()) ? `${text.trim()}%` : text.trim()]),
  );
}
