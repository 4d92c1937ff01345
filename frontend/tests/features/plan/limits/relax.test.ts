import { expect, it } from "vitest";
import { dropped, relaxationWords, relaxed, userLimit } from "@/features/plan/limits/relax";
import { DEFAULTS } from "@/features/plan/workload/fields";

it("writes the limits that a near miss needs", () => {
  const needs = { deadline: "3 min 12 s", max_nodes: "1000", loss: "0.5 %" };
  expect(relaxed({ limits: ["deadline", "max nodes", "loss"], needs })).toEqual({
    deadline: "3 min 12 s",
    nodes: "1000",
    loss: "0.5 %",
  });
});

it("writes the confidence that can be had", () => {
  const miss = { limits: ["chance" as const], needs: { chance: "61 %" }, relaxation: "a confidence of 61%" };
  expect(relaxed(miss)).toEqual({ chance: "61 %" });
  expect(relaxationWords(miss)).toBe("Allow a confidence of 61%");
  expect(dropped(userLimit("chance")?.fields ?? [])).toEqual({ deadline: "" });
});

it("takes away what no single number would relax", () => {
  expect(relaxed({ limits: ["chance", "quota"], needs: {} })).toEqual({
    chance: "50 %",
    vcpus: "",
    perzone: "",
    percluster: "",
    ceilings: "",
    volumequotas: "",
  });
});

it("offers nothing where the user's limits are not in the way", () => {
  expect(relaxed({ limits: ["capacity"], needs: {} })).toEqual({});
  expect(userLimit("capacity")).toBeUndefined();
});

it("drops a choice of types whole", () => {
  const fields = userLimit("selection")?.fields ?? [];
  expect(dropped(fields)).toMatchObject({ families: "", generation: "any", measured: "no" });
  expect(fields.every((field) => dropped(fields)[field] === DEFAULTS[field])).toBe(true);
});

it("drops the memory of a task that no type holds", () => {
  expect(userLimit("task memory")?.name).toBe("The sort memory per task");
  expect(dropped(userLimit("task memory")?.fields ?? [])).toEqual({ taskmemory: "" });
});

it("switches off what would be assumed again if its field were left empty", () => {
  const fields = userLimit("free space")?.fields ?? [];
  expect(dropped(fields, ["limits.free_space"])).toEqual({ freespace: "0 %", lostnodes: "" });
  expect(dropped(["deadline"], ["limits.deadline"])).toEqual({ deadline: "none" });
  expect(relaxed({ limits: ["free space"], needs: {} }, ["limits.free_space", "limits.lost_nodes"])).toEqual({
    freespace: "0 %",
    lostnodes: "0",
  });
});

it("allows the time that copying again takes", () => {
  const miss = { limits: ["re-replication" as const], needs: { rereplication: "5 h" } };
  expect(relaxed(miss)).toEqual({ rereplication: "5 h" });
  expect(relaxationWords({ ...miss, relaxation: "5 h to re-replicate a failed node" })).toBe(
    "Allow 5 h to re-replicate a failed node",
  );
});

it("says on the button what it does", () => {
  const relaxation = "a deadline of 15 min and a quota of 640 vCPUs";
  const needs = { deadline: "15 min" };
  expect(relaxationWords({ limits: ["deadline"], needs, relaxation: "a deadline of 15 min" })).toBe(
    "Allow a deadline of 15 min",
  );
  expect(relaxationWords({ limits: ["quota"], needs: {}, relaxation })).toBe("Drop your quotas");
  expect(relaxationWords({ limits: ["deadline", "quota"], needs, relaxation })).toBe(
    "Drop your quotas, and allow the rest",
  );
});
