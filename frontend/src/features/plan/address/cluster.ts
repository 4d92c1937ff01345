// A cluster in the URL: `98-i2.8xlarge-4-4` on own disks, `98-i2.8xlarge-own` on own disks with the best division,
// `182-i2.4xlarge-gp2-8x128GiB` on EBS volumes (with the suffix `-6000iops-500MiBps` if provisioned for each volume),
// `12-i2.4xlarge-s3` with the object store.

import type { CandidateAnswer, RankedAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { count } from "@/lib/wording";

export interface Cluster {
  instance: string;
  nodes: number;
  storage: CandidateAnswer["storage"];
}

type Volumes = Extract<Cluster["storage"], { kind: "ebs" }>;

/** Format a cluster for the URL. */
export function clusterKey({ instance, nodes, storage }: Cluster): string {
  return `${nodes}-${instance}-${storageKey(storage)}`;
}

function storageKey(storage: Cluster["storage"]): string {
  if (storage.kind === "object-store") return "s3";
  if (storage.kind === "ebs") return volumesKey(storage);
  const { input_output_disks: outer, intermediate_disks: inner } = storage;
  return typeof outer === "number" && typeof inner === "number" ? `${outer}-${inner}` : "own";
}

function volumesKey({ type, count, size, iops, throughput_mib_per_s }: Volumes): string {
  const provisioned = [
    ...(typeof iops === "number" ? [`-${iops}iops`] : []),
    ...(typeof throughput_mib_per_s === "number" ? [`-${throughput_mib_per_s}MiBps`] : []),
  ];
  return `${type}-${count}x${size.replaceAll(" ", "")}${provisioned.join("")}`;
}

/** Number of nodes that the API accepts: 1 to 10,000,000. */
export const NODES = /^0*(?:[1-9]\d{0,6}|10000000)$/;
export const NODES_WANTED = "A whole number from 1 to 10,000,000, like 40";

const LEADING = /^(\d{1,8})-/;
/** Parts between hyphens contain a letter: all-digit parts belong to the storage. */
const INSTANCE = /^[a-z0-9]{1,20}(?:-[a-z0-9]{1,20})?\.[a-z0-9]{1,20}(?:-\d{0,4}[a-z][a-z0-9]{0,15})?$/i;
const VOLUMES = "([a-z0-9]{2,10})-(\\d{1,4})x(\\d{1,7}(?:\\.\\d{1,3})?)([KMGTP]i?B)";
const PROVISIONED = "(?:-(\\d{1,8})iops)?(?:-(\\d{1,7})mibps)?";
const STORAGE = new RegExp(`-(?:(own)|(s3)|(\\d{1,4})-(\\d{1,4})|${VOLUMES}${PROVISIONED})$`, "i");

/** Parse a cluster from the URL; null if invalid. */
export function clusterFromKey(key: string): Cluster | null {
  const [start, end] = [LEADING.exec(key), STORAGE.exec(key)];
  if (start === null || end === null) return null;
  const instance = key.slice(start[0].length, end.index);
  if (!INSTANCE.test(instance)) return null;
  const [, own, objects, outer, inner, type = "", volumes, size, unit, iops, throughput] = end;
  const nodes = Number(start[1]);
  if (own !== undefined) return { instance, nodes, storage: { kind: "instance-store" } };
  if (objects !== undefined) return { instance, nodes, storage: { kind: "object-store" } };
  if (outer !== undefined) {
    const disks = { input_output_disks: Number(outer), intermediate_disks: Number(inner) };
    return { instance, nodes, storage: { kind: "instance-store", ...disks } };
  }
  const provisioned = {
    ...(iops === undefined ? {} : { iops: Number(iops) }),
    ...(throughput === undefined ? {} : { throughput_mib_per_s: Number(throughput) }),
  };
  const volume = { type, count: Number(volumes), size: `${size} ${unit}`, ...provisioned };
  return { instance, nodes, storage: { kind: "ebs", ...volume } };
}

/** Add a cluster to a workload file, to request its prediction. */
export function documentWithCluster(
  document: WorkloadDocument,
  { instance, nodes, storage }: Cluster,
): WorkloadDocument {
  return { ...document, cluster: { instance, nodes, storage } };
}

/** Find the ranked row of a cluster. */
export function rankedRow(rows: readonly RankedAnswer[], key: string): RankedAnswer | undefined {
  return rows.find((row) => clusterKey(row) === key);
}

/** Describe the storage layout of a candidate in the wording of the ranking. */
export function storageWords(storage: Cluster["storage"]): string {
  if (storage.kind === "object-store") return "object store";
  if (storage.kind === "ebs") return volumeWords(storage);
  if (typeof storage.input_output_disks !== "number") return "own disks, divided as is best";
  const [outer, inner] = [storage.input_output_disks ?? 0, storage.intermediate_disks ?? 0];
  if (inner > 0) return `${outer} data + ${inner} scratch disks`;
  return outer === 1 ? "1 shared disk" : `${outer} shared disks`;
}

function volumeWords({ type, count: volumes, size, iops, throughput_mib_per_s }: Volumes): string {
  const provisioned = [
    ...(typeof iops === "number" ? [`${count(iops)} IOPS`] : []),
    ...(typeof throughput_mib_per_s === "number" ? [`${count(throughput_mib_per_s)} MiB/s`] : []),
  ];
  const performance = provisioned.length === 0 ? "" : ` of ${provisioned.join(" and ")}`;
  return `${volumes} × ${size} ${type}${performance}`;
}

/** Describe the additional head node: `1 × m6g.xlarge as NameNode`; undefined if there is none. */
export function headWords({ head_node }: Pick<RankedAnswer, "head_node">): string | undefined {
  return head_node ? `1 × ${head_node.instance} as ${head_node.role}` : undefined;
}

/** Describe all paid nodes: `29 × d3en.xlarge and 1 × m6g.xlarge as NameNode`. */
export function nodesWords(row: Pick<RankedAnswer, "nodes" | "instance" | "head_node">): string {
  const head = headWords(row);
  return head === undefined ? clusterName(row) : `${clusterName(row)} and ${head}`;
}

/** Describe the head node included in all costs: of a chosen type, or of each row's type. */
export function headsSentence(rows: readonly Pick<RankedAnswer, "head_node">[]): string | undefined {
  const heads = rows.flatMap(({ head_node }) => head_node ?? []);
  const [first] = heads;
  if (first === undefined) return undefined;
  const alike = heads.every(({ instance }) => instance === first.instance);
  return `Costs include ${alike ? `1 × ${first.instance}` : "one more node of the same type"} as ${first.role}.`;
}

/** Format the name of a cluster: `98 × i2.8xlarge`. */
export function clusterName({ nodes, instance }: Pick<Cluster, "nodes" | "instance">): string {
  return `${count(nodes)} × ${instance}`;
}
