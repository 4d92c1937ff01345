import { expect, it } from "vitest";
import { type Cluster, clusterFromKey, clusterKey, storageWords } from "@/features/plan/address/cluster";

const CLUSTERS: [string, Cluster][] = [
  [
    "98-i2.8xlarge-4-4",
    {
      instance: "i2.8xlarge",
      nodes: 98,
      storage: { kind: "instance-store", input_output_disks: 4, intermediate_disks: 4 },
    },
  ],
  [
    "182-i2.4xlarge-gp2-8x128GiB",
    { instance: "i2.4xlarge", nodes: 182, storage: { kind: "ebs", type: "gp2", count: 8, size: "128 GiB" } },
  ],
  ["40-i2.8xlarge-own", { instance: "i2.8xlarge", nodes: 40, storage: { kind: "instance-store" } }],
  ["7-c7gd.metal-48xl-own", { instance: "c7gd.metal-48xl", nodes: 7, storage: { kind: "instance-store" } }],
  [
    "3-u-6tb1.metal-gp3-12x1.5TiB",
    { instance: "u-6tb1.metal", nodes: 3, storage: { kind: "ebs", type: "gp3", count: 12, size: "1.5 TiB" } },
  ],
  [
    "4-r5.4xlarge-gp3-2x512GiB-6000iops-500MiBps",
    {
      instance: "r5.4xlarge",
      nodes: 4,
      storage: { kind: "ebs", type: "gp3", count: 2, size: "512 GiB", iops: 6000, throughput_mib_per_s: 500 },
    },
  ],
  [
    "4-r5.4xlarge-io2-2x512GiB-16000iops",
    {
      instance: "r5.4xlarge",
      nodes: 4,
      storage: { kind: "ebs", type: "io2", count: 2, size: "512 GiB", iops: 16000 },
    },
  ],
  ["12-i2.4xlarge-s3", { instance: "i2.4xlarge", nodes: 12, storage: { kind: "object-store" } }],
];

it.each(CLUSTERS)("the address %s names a cluster and is named by it", (key, cluster) => {
  expect(clusterFromKey(key)).toEqual(cluster);
  expect(clusterKey(cluster)).toBe(key);
});

it("takes what the service leaves open for what is not provisioned", () => {
  const storage = { kind: "ebs", type: "gp2", count: 8, size: "117 GiB", iops: null, throughput_mib_per_s: null };
  expect(clusterKey({ instance: "c3.4xlarge", nodes: 1, storage } as Cluster)).toBe("1-c3.4xlarge-gp2-8x117GiB");
});

it.each([
  [CLUSTERS[5], "2 × 512 GiB gp3 of 6,000 IOPS and 500 MiB/s"],
  [CLUSTERS[1], "8 × 128 GiB gp2"],
  [CLUSTERS[7], "object store"],
])("names the storage of %j as the ranking does", (cluster, words) => {
  expect(cluster === undefined ? "" : storageWords(cluster[1].storage)).toBe(words);
});

it.each([
  "",
  "zzz",
  "98",
  "98-i2.8xlarge",
  "-1-i2.8xlarge-4-4",
  "98-i2.8xlarge-4-4-4",
  "98-i2-4-4",
  "4-r5.4xlarge-gp3-2x512GiB-500MiBps-6000iops",
  "9".repeat(30),
  `1-${"a-".repeat(90)}own`,
])("the address %j names none", (key) => expect(clusterFromKey(key)).toBeNull());
