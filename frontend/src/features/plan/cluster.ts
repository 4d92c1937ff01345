// A cluster in the address: `98-i2.8xlarge-4-4` on own disks, `98-i2.8xlarge-own` on own disks divided as is best,
// `182-i2.4xlarge-gp2-8x128GiB` on EBS volumes.

import type { CandidateAnswer, RankedAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { count } from "@/lib/wording";

export interface Cluster {
  instance: string;
  nodes: number;
  storage: CandidateAnswer["storage"];
}

/** Write a cluster as the address keeps it. */
export function clusterKey({ instance, nodes, storage }: Cluster): string {
  return `${nodes}-${instance}-${storageKey(storage)}`;
}

function storageKey(storage: Cluster["storage"]): string {
  if (storage.kind === "ebs") return `${storage.type}-${storage.count}x${storage.size.replaceAll(" ", "")}`;
  const { input_output_disks: outer, intermediate_disks: inner } = storage;
  return typeof outer === "number" && typeof inner === "number" ? `${outer}-${inner}` : "own";
}

const NODES = /^(\d{1,8})-/;
/** Parts between hyphens hold a letter: what is all digits belongs to the storage. */
const INSTANCE = /^[a-z0-9]{1,20}(?:-[a-z0-9]{1,20})?\.[a-z0-9]{1,20}(?:-\d{0,4}[a-z][a-z0-9]{0,15})?$/i;
const STORAGE = /-(?:(own)|(\d{1,4})-(\d{1,4})|([a-z0-9]{2,10})-(\d{1,4})x(\d{1,7}(?:\.\d{1,3})?)([KMGTP]i?B))$/i;

/** Read a cluster from the address; null where it is none. */
export function clusterFromKey(key: string): Cluster | null {
  const [start, end] = [NODES.exec(key), STORAGE.exec(key)];
  if (start === null || end === null) return null;
  const instance = key.slice(start[0].length, end.index);
  if (!INSTANCE.test(instance)) return null;
  const [, own, outer, inner, type = "", volumes, size, unit] = end;
  const nodes = Number(start[1]);
  if (own !== undefined) return { instance, nodes, storage: { kind: "instance-store" } };
  if (outer !== undefined) {
    const disks = { input_output_disks: Number(outer), intermediate_disks: Number(inner) };
    return { instance, nodes, storage: { kind: "instance-store", ...disks } };
  }
  return { instance, nodes, storage: { kind: "ebs", type, count: Number(volumes), size: `${size} ${unit}` } };
}

/** Add a cluster to a workload file, to ask for its prediction. */
export function documentWithCluster(
  document: WorkloadDocument,
  { instance, nodes, storage }: Cluster,
): WorkloadDocument {
  return { ...document, cluster: { instance, nodes, storage } };
}

/** Find the ranked row that is this very cluster. */
export function rankedRow(rows: readonly RankedAnswer[], key: string): RankedAnswer | undefined {
  return rows.find((row) => clusterKey(row) === key);
}

/** Name the layout of a candidate in the words of the ranking. */
export function storageWords(storage: Cluster["storage"]): string {
  if (storage.kind === "ebs") return `${storage.count} × ${storage.size} ${storage.type}, intermediate on own disks`;
  if (typeof storage.input_output_disks !== "number") return "own disks, divided as is best";
  const [outer, inner] = [storage.input_output_disks ?? 0, storage.intermediate_disks ?? 0];
  if (inner > 0) return `disks ${outer} + ${inner}`;
  return outer === 1 ? "its one disk shared" : `${outer} disks shared`;
}

/** `98 × i2.8xlarge` */
export function clusterName({ nodes, instance }: Pick<Cluster, "nodes" | "instance">): string {
  return `${count(nodes)} × ${instance}`;
}
