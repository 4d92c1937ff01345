// Ways to relax a question without a result: each binding limit, and how to remove or raise it.

import type { NearMissAnswer, Rejection } from "@/api/generated";
import { type Choice, MEDIAN } from "@/features/plan/workload/choice";
import { DEFAULTS, type Field, PATHS } from "@/features/plan/workload/fields";

export const SELECTION: readonly Field[] = [
  ...(["families", "notfamilies", "types", "nottypes", "sizes", "notsizes"] as const),
  ...(["architectures", "generation", "volumes", "notvolumes", "measured"] as const),
  ...(["minvcpus", "minmemory"] as const),
];
export const QUOTAS: readonly Field[] = ["vcpus", "perzone", "percluster", "ceilings", "volumequotas"];

interface UserLimit {
  /** Name within a sentence: `The deadline excludes the most`. */
  name: string;
  plural: boolean;
  fields: readonly Field[];
}

/** Limits set by the user, who can remove them. */
const OF_THE_USER: Partial<Record<Rejection["limit"], UserLimit>> = {
  "max nodes": { name: "The number of nodes", plural: false, fields: ["nodes"] },
  deadline: { name: "The deadline", plural: false, fields: ["deadline"] },
  budget: { name: "The budget", plural: false, fields: ["budget"] },
  chance: { name: "The deadline with its confidence", plural: false, fields: ["deadline"] },
  loss: { name: "The chance of loss", plural: false, fields: ["loss"] },
  "free space": { name: "The free space", plural: false, fields: ["freespace", "lostnodes"] },
  "head node memory": { name: "Head node memory", plural: false, fields: ["namenode"] },
  "task memory": { name: "The sort memory per task", plural: false, fields: ["taskmemory"] },
  "re-replication": { name: "The limit on re-replication", plural: false, fields: ["rereplication"] },
  quota: { name: "Your quotas", plural: true, fields: QUOTAS },
  selection: { name: "Your choice of types", plural: false, fields: SELECTION },
};

export function userLimit(limit: Rejection["limit"]): UserLimit | undefined {
  return OF_THE_USER[limit];
}

/** Values that disable limits with an assumed default. */
const OFF: Partial<Record<Field, string>> = {
  deadline: "none",
  freespace: "0 %",
  lostnodes: "0",
  rereplication: "none",
  namenode: "1 kB",
  percluster: "100000",
  minvcpus: "0",
  minmemory: "1 kB",
};

/**
 * Remove limits.
 *
 * @param assumed paths of the fields that the answer assumed: if left empty, they would be assumed again
 */
export function dropped(fields: readonly Field[], assumed: readonly string[] = []): Partial<Choice> {
  const without = (field: Field) => (assumed.includes(PATHS[field]) ? OFF[field] : undefined) ?? DEFAULTS[field];
  return Object.fromEntries(fields.map((field) => [field, without(field)])) as Partial<Choice>;
}

const WRITTEN: readonly (readonly [need: keyof NearMissAnswer["needs"] & string, field: Field])[] = [
  ["deadline", "deadline"],
  ["chance", "chance"],
  ["budget", "budget"],
  ["max_nodes", "nodes"],
  ["loss", "loss"],
  ["rereplication", "rereplication"],
];

/** Limits that can only be removed as a whole, with their labels. */
const DROPPED: Partial<Record<Rejection["limit"], string>> = {
  "free space": "the free space",
  "head node memory": "head node memory",
  quota: "your quotas",
  selection: "your choice of types",
};

/** Compute the changes that admit a near miss: numeric limits are raised, others removed. */
export function relaxed(
  { needs, limits }: Pick<NearMissAnswer, "needs" | "limits">,
  assumed: readonly string[] = [],
): Partial<Choice> {
  const changes: Partial<Choice> = limits.includes("chance") ? { chance: MEDIAN } : {};
  for (const limit of limits) {
    if (DROPPED[limit] !== undefined) Object.assign(changes, dropped(OF_THE_USER[limit]?.fields ?? [], assumed));
  }
  for (const [need, field] of WRITTEN) {
    const text = needs[need];
    if (text !== undefined) changes[field] = text;
  }
  return changes;
}

/** Format the changes for a button: `Allow a deadline of 15 min`, `Drop your quotas`. */
export function relaxationWords(miss: Pick<NearMissAnswer, "needs" | "limits" | "relaxation">): string {
  const names = miss.limits.flatMap((limit) => DROPPED[limit] ?? []);
  if (names.length === 0) return `Allow ${miss.relaxation}`;
  return `Drop ${names.join(" and ")}${Object.keys(miss.needs).length === 0 ? "" : ", and allow the rest"}`;
}
