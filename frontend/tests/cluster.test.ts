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
];

it.each(CLUSTERS)("the address %s names a cluster and is named by it", (key, cluster) => {
  expect(clusterFromKey(key)).toEqual(cluster);
  expect(clusterKey(cluster)).toBe(key);
});

it.each(["", "zzz", "98", "98-i2.8xlarge", "-1-i2.8xlarge-4-4", "98-i2.8xlarge-4-4-4", "9".repeat(30)])(
  "the address %j names none",
  (key) => expect(clusterFromKey(key)).toBeNull(),
);
