// Place of a workload file, and its open choices.

import type { CandidateAnswer } from "@/api/generated";
import { PURCHASE_WORDS } from "@/lib/purchases";
import { valueAt } from "./choice";
import { DEFAULTS } from "./fields";
import { ANY } from "./jobs";

/** Return the region of a workload file, or the default region. */
export function regionIn(document: unknown): string {
  const region = valueAt(document, "place.region");
  return typeof region === "string" ? region : DEFAULTS.region;
}

/** Options chosen by the search if left open: purchase option and durability. */
export type Chosen = Pick<CandidateAnswer, "purchase" | "durability" | "replicas">;

/** Return the choices that a workload file leaves to the search. */
export function openIn(document: unknown): { purchase: boolean; durability: boolean } {
  return {
    purchase: valueAt(document, "place.purchase") === ANY,
    durability: valueAt(document, "workload.durability.model") === ANY,
  };
}

/** Describe the options chosen by the search: `spot, 2 copies`. */
export function chosenWords(chosen: Chosen, open: ReturnType<typeof openIn>): string[] {
  const { purchase, durability, replicas } = chosen;
  return [
    ...(open.purchase && purchase ? [PURCHASE_WORDS[purchase].toLowerCase()] : []),
    ...(open.durability && durability ? [keptWords(durability, replicas)] : []),
  ];
}

function keptWords(durability: NonNullable<Chosen["durability"]>, replicas: number | null | undefined): string {
  if (durability === "application") return `${replicas ?? "several"} copies`;
  return { none: "one copy", infrastructure: "kept on EBS", "object-store": "kept in S3" }[durability];
}
