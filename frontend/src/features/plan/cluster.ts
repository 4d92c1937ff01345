// A cluster in the address: `98-i2.8xlarge-4-4` on own disks, `182-i2.4xlarge-gp2-8x128GiB` on EBS volumes.

import type { CandidateAnswer, RankedAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";

export interface Cluster {
  instance: string;
  nodes: number;
  storage: CandidateAnswer["storage"];
}

/** Write a cluster as the address keeps it. */
export function clusterKey({ instance, nodes, storage }: Cluster): string {
  const where =
    storage.kind === "ebs"
      ? `${storage.type}-${storage.count}x${storage.size.replaceAll(" ", "")}`
      : `${storage.input_output_disks ?? "?"}-${storage.intermediate_disks ?? "?"}`;
  return `${nodes}-${instance}-${where}`;
}

/** Read a cluster from the address; null where it is none. */
export function clusterFromKey(key: string): Cluster | null {
  const match = /^(\d{1,8})-([a-z0-9.]{2,40})-(?:(\d{1,4})-(\d{1,4})|([a-z0-9]{2,10})-(\d{1,3})x(\d{1,6})GiB)$/i.exec(
    key,
  );
  if (match === null) return null;
  const [, nodes, instance = "", outer, inner, type, volumes, size] = match;
  const storage: Cluster["storage"] =
    type === undefined
      ? { kind: "instance-store", input_output_disks: Number(outer), intermediate_disks: Number(inner) }
      : { kind: "ebs", type, count: Number(volumes), size: `${size} GiB` };
  return { instance, nodes: Number(nodes), storage };
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
  const [outer, inner] = [storage.input_output_disks ?? 0, storage.intermediate_disks ?? 0];
  if (inner > 0) return `disks ${outer} + ${inner}`;
  return outer === 1 ? "its one disk shared" : `${outer} disks shared`;
}
