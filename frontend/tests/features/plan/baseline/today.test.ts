import { describe, expect, it } from "vitest";
import { TODAY_DEFAULTS, todayFrom, todayKey, todayRemarks } from "@/features/plan/baseline/today";

const fields = (changes: Partial<typeof TODAY_DEFAULTS>) => ({ ...TODAY_DEFAULTS, ...changes });

describe("what runs today", () => {
  it.each([
    "80-i2.8xlarge-own",
    "80-i2.8xlarge-4-4",
    "12-i2.4xlarge-gp2-8x128GiB",
    "12-i2.4xlarge-gp3-8x128GiB-6000iops-500MiBps",
    "12-i2.4xlarge-s3",
  ])("comes back into the fields from %s", (key) => expect(todayKey(todayFrom(key))).toEqual({ key, errors: {} }));

  it("is nothing until type and nodes are there, without an error", () => {
    expect(todayKey(fields({}))).toEqual({ key: undefined, errors: {} });
    expect(todayKey(fields({ instance: "i2.8xlarge" }))).toEqual({ key: undefined, errors: {} });
  });

  it("says at the field what cannot be read", () => {
    expect(todayKey(fields({ instance: "i2.8xlarge", nodes: "many" })).errors).toEqual({
      nodes: "A whole number from 1 to 10,000,000, like 40",
    });
    const ebs = fields({ instance: "i2.8xlarge", nodes: "4", storage: "ebs", size: "large" });
    expect(todayKey(ebs)).toEqual({ key: undefined, errors: { size: "A size with its unit, like 500 GiB" } });
  });

  it.each(["", "zzz", "<script>", "80-i2.8xlarge"])("reads nothing out of %j", (key) =>
    expect(todayFrom(key)).toEqual(TODAY_DEFAULTS),
  );

  it("asks for IOPS only of volumes that are given them", () => {
    const ebs = fields({ instance: "i2.8xlarge", nodes: "4", storage: "ebs", iops: "6000", throughput: "500" });
    expect(todayKey(ebs).key).toBe("4-i2.8xlarge-gp2-1x500GiB");
    expect(todayKey({ ...ebs, type: "io2" }).key).toBe("4-i2.8xlarge-io2-1x500GiB-6000iops");
    expect(todayKey({ ...ebs, type: "gp3", iops: "many" }).errors).toEqual({ iops: "A whole number, like 6000" });
  });

  it("brings what the service refused to its field", () => {
    const problems = [
      { path: "cluster.nodes", message: "0 is too few" },
      { path: "cluster.storage.size", message: "not shown" },
    ];
    expect(todayRemarks(problems, fields({}))).toEqual({
      fields: { nodes: "0 is too few" },
      elsewhere: ["cluster.storage.size: not shown"],
    });
  });
});
