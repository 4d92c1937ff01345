// The quantities that a sweep can vary, with their labels.

import type { AxisSection, CatalogSummary } from "@/api/generated";

export type Quantity = AxisSection["quantity"];

interface QuantityWords {
  /** Label of the axis. */
  label: string;
  /** Name within a sentence: `data size by deadline`. */
  inText: string;
  hint: string;
  suggested: string;
}

export const QUANTITIES: Record<Quantity, QuantityWords> = {
  data: {
    label: "Data size",
    inText: "data size",
    hint: "1 TB, 3 TB, 10 TB, or 1 TB to 1 PB, 7 steps",
    suggested: "1 TB, 3 TB, 10 TB, 30 TB, 100 TB, 300 TB, 1 PB",
  },
  deadline: {
    label: "Deadline",
    inText: "deadline",
    hint: "15 min, 30 min, 1 h, or 10 min to 8 h, 6 steps",
    suggested: "10 min, 15 min, 30 min, 1 h, 2 h, 4 h, 8 h",
  },
  durability: {
    label: "Durability",
    inText: "durability",
    hint: "none, copies, EBS",
    suggested: "none, copies, EBS",
  },
  replicas: {
    label: "Copies of the output",
    inText: "copies of the output",
    hint: "1, 2, 3, or 1 to 5",
    suggested: "1, 2, 3",
  },
  region: { label: "Region", inText: "region", hint: "us-east-1", suggested: "us-east-1" },
  purchase: { label: "How it is paid", inText: "way of paying", hint: "on-demand", suggested: "on-demand" },
};

export const ALL_QUANTITIES = Object.keys(QUANTITIES) as Quantity[];

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
