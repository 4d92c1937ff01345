import { expect, it } from "vitest";
import { type Cluster, clusterFromKey, clusterKey } from "@/features/plan/cluster";

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
];

it.each(CLUSTERS)("the address %s names a cluster and is named by it", (key, cluster) => {
  expect(clusterFromKey(key)).toEqual(cluster);
  expect(clusterKey(cluster)).toBe(key);
});

it.each([
  "",
  "zzz",
  "98",
  "98-i2.8xlarge",
  "-1-i2.8xlarge-4-4",
  "98-i2.8xlarge-4-4-4",
  "98-i2-4-4",
  "9".repeat(30),
  `1-${"a-".repeat(90)}own`,
])("the address %j names none", (key) => expect(clusterFromKey(key)).toBeNull());
