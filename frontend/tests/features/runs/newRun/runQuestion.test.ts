import { expect, it } from "vitest";
import {
  askedOf,
  DEFAULTS,
  newRunSearchFrom,
  type Question,
  questionOf,
  remarksFrom,
  searchOfSpec,
} from "@/features/runs/newRun/question";

const question = (change: Partial<Question> = {}): Question => ({ ...DEFAULTS, ...change });

it("asks for four nodes of the network where nothing is said", () => {
  const { spec, remarks } = askedOf(questionOf({}));
  expect(remarks).toEqual({});
  expect(spec).toMatchObject({ benchmark: "netbench", nodes: 4, storage: null, placement_group: true });
  expect(spec?.time_limit_s).toBe(1_800);
});

it("asks only for what bears on the benchmark", () => {
  const disks = askedOf(question({ benchmark: "diskbench", connections: "many" })).spec;
  expect(disks?.net).toBeUndefined();
  expect(disks?.storage).toEqual({ kind: "instance-store" });
  expect(disks?.placement_group).toBe(false);
  const both = askedOf(question({ benchmark: "screening", measured: "30 s" })).spec;
  expect(both?.disk).toEqual({ measured_s: 30 });
  expect(both?.net).toMatchObject({ measured_s: 30, connections: 1 });
});

it("sends volumes as they were bought, and nothing for what their type includes", () => {
  const { spec } = askedOf(
    question({ benchmark: "diskbench", storage: "ebs", size: "1,000", iops: "6000", count: "4" }),
  );
  expect(spec?.storage).toEqual({
    kind: "ebs",
    type: "gp3",
    size_gib: 1_000,
    iops: 6_000,
    throughput_mib_per_s: null,
    count: 4,
  });
});

it("says at the field what cannot be read, and asks nothing then", () => {
  const { spec, remarks } = askedOf(question({ nodes: "four", limit: "soon", instance: " " }));
  expect(spec).toBeNull();
  expect(Object.keys(remarks).toSorted()).toEqual(["instance", "limit", "nodes"]);
});

it("leaves a wrong field that is not asked for alone", () => {
  expect(askedOf(question({ size: "huge", iops: "6k" })).spec).not.toBeNull();
});

it("keeps in the address only what differs, and nothing that it does not know", () => {
  expect(newRunSearchFrom({ nodes: "4", instance: "m5.large", evil: "x", region: 7 })).toEqual({
    instance: "m5.large",
  });
  expect(newRunSearchFrom(questionOf({ limit: "1 h" }))).toEqual({ limit: "1 h" });
});

it("asks for the same run again", () => {
  const asked = question({
    benchmark: "screening",
    storage: "ebs",
    type: "io2",
    size: "200",
    iops: "9000",
    count: "2",
    nodes: "12",
    market: "spot",
    group: "no",
    limit: "1 h 30 min",
    measured: "45 s",
    warm: "5 s",
    connections: "3",
    compare: "no",
    zone: "us-east-1c",
  });
  const { spec } = askedOf(asked);
  if (spec === null) throw new Error("it can be read");
  expect(askedOf(questionOf(searchOfSpec(spec, null, ""))).spec).toEqual(spec);
});

it("puts what the service says to the field it is about, if that stands in the form", () => {
  const said = remarksFrom(
    [
      { path: "spec.nodes", message: "at most 200" },
      { path: "spec.storage.ebs.size_gib", message: "too large" },
      { path: "spec", message: "not possible" },
    ],
    question(),
  );
  expect(said.fields).toEqual({ nodes: "at most 200" });
  expect(said.elsewhere.map(({ path }) => path)).toEqual(["spec.storage.ebs.size_gib", "spec"]);
});
