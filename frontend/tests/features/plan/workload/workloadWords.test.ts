import { expect, it } from "vitest";
import type { Choice } from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";
import { workloadWords } from "@/features/plan/workload/workloadWords";

const STORIES: [Partial<Choice>, string][] = [
  [{}, "100 TB, sort, one copy, us-east-1"],
  [{ durability: "object-store" }, "100 TB, sort, kept in the object store, us-east-1"],
  [{ job: "hdfs-write", data: "10 TB" }, "10 TB, write to HDFS, 3 copies (Hadoop default), us-east-1"],
  [
    { job: "hdfs-write", data: "10 TB", service: "emr" },
    "10 TB, write to HDFS, EMR default replication, us-east-1, service emr",
  ],
  [
    { job: "hdfs-read", replication: "3", durability: "infrastructure" },
    "100 TB, read from HDFS, replication 3, kept on EBS, us-east-1",
  ],
  [
    { job: "append-log", fsync: "always", record: "4 KiB" },
    "100 TB, append to a log, one copy, us-east-1, records of 4 KiB, waits for the disk always",
  ],
  [
    { job: "random-io", depth: "16", durability: "application", replicas: "3" },
    "100 TB, random I/O, 3 copies, us-east-1, outstanding 16",
  ],
  [{ job: "phases", phases: '[{"name":"load"},{"name":"merge"}]' }, "100 TB, phases load merge, one copy, us-east-1"],
  [
    { input: "object-store", output: "object-store", launch: "counted" },
    "100 TB, sort, one copy, us-east-1, input in the object store, output to the object store, launch time counted",
  ],
  // What the job does not ask is not said.
  [{ job: "sort", depth: "16" }, "100 TB, sort, one copy, us-east-1"],
];

it.each(STORIES)("says %j", (changes, words) => {
  expect(workloadWords({ ...DEFAULTS, ...changes }).join(", ")).toBe(words);
});
