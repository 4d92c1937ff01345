// The quantities that a sweep can vary, with their labels.

import type { AxisSection, CatalogSummary } from "@/api/generated";
import { SWEEP_QUANTITIES } from "@/api/generated/registry.gen";

export type Quantity = AxisSection["quantity"];

/** Quantity of an axis, as the service declares it. */
type AxisQuantity = (typeof SWEEP_QUANTITIES)[number];

export const ALL_QUANTITIES: readonly Quantity[] = SWEEP_QUANTITIES.map(({ name }) => name);

export const QUANTITIES = Object.fromEntries(SWEEP_QUANTITIES.map((each) => [each.name, each])) as Readonly<
  Record<Quantity, AxisQuantity>
>;

export function isQuantity(text: unknown): text is Quantity {
  return typeof text === "string" && ALL_QUANTITIES.some((quantity) => quantity === text);
}

/** Durabilities as typed, and in a workload file. */
const DURABILITY: readonly [word: string, model: string][] = [
  ["none", "none"],
  ["copies", "application"],
  ["EBS", "infrastructure"],
  ["S3", "object-store"],
];

/** Convert a typed value for the API. */
export function written(quantity: Quantity, text: string): string {
  if (quantity !== "durability") return text;
  const known = DURABILITY.find(([word]) => word.toLowerCase() === text.toLowerCase());
  return known?.[1] ?? text;
}

/** Format a value of the API for display. */
export function spoken(quantity: Quantity, value: string): string {
  if (quantity === "replicas") return value === "1" ? "1 copy" : `${value} copies`;
  if (quantity !== "durability") return value;
  return DURABILITY.find(([, model]) => model === value)?.[0] ?? value;
}

/** Default number of regions in a sweep. */
const MOST_REGIONS = 5;

/** Suggest values; the regions are those with the most types in the newest catalog, the default one first. */
export function suggested(quantity: Quantity, known: readonly CatalogSummary[]): string {
  const newest = known.find(({ searchable }) => searchable);
  if (quantity !== "region" || newest === undefined) return QUANTITIES[quantity].suggested;
  const usual = QUANTITIES.region.suggested;
  const most = newest.regions.toSorted((a, b) => b.priced - a.priced).map(({ name }) => name);
  return [...new Set([...most.filter((name) => name === usual), ...most])].slice(0, MOST_REGIONS).join(", ");
}
