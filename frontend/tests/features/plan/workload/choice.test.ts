import { asStored } from "@tests/stored";
import { describe, expect, it } from "vitest";
import {
  type Choice,
  choiceFrom,
  choiceFromDocument,
  documentFrom,
  remarksFrom,
  searchFrom,
  searchOf,
} from "@/features/plan/workload/choice";
import { DEFAULTS, FIELDS } from "@/features/plan/workload/fields";

const NONSENSE = [
  "",
  " ",
  "100 TB",
  "0",
  "-1",
  "1e999",
  "NaN",
  "ünïcode 🚢",
  "a&b=c",
  "null",
  "[object Object]",
  "x".repeat(200),
];

/** A small generator of its own: the same choices on every run. */
function someChoices(count: number): Choice[] {
  let state = 20_141_001;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  return Array.from({ length: count }, () => {
    const choice: Choice = { ...DEFAULTS };
    for (const field of FIELDS) if (next(3) === 0) choice[field] = NONSENSE[next(NONSENSE.length)] ?? "";
    return choice;
  });
}

const throughAddress = (search: Record<string, string>) =>
  searchFrom(Object.fromEntries(new URLSearchParams(new URLSearchParams(search).toString())));

describe("the address", () => {
  it("returns exactly what was chosen, for every choice", () => {
    for (const choice of someChoices(300)) expect(choiceFrom(throughAddress(searchOf(choice)))).toEqual(choice);
  });

  it("holds only what is not default", () => {
    expect(searchOf({ ...DEFAULTS })).toEqual({});
    expect(searchOf({ ...DEFAULTS, deadline: "30 min", data: "" })).toEqual({ data: "", deadline: "30 min" });
  });

  it("survives what is not of this page", () => {
    const raw = { data: 7, job: ["sort"], row: "", scale: "cubic", constructor: "x", deadline: null, other: "1" };
    expect(searchFrom(raw)).toEqual({});
  });

  it("keeps the row and the scale", () => {
    expect(searchFrom({ row: "98-i2.8xlarge-4-4", scale: "linear" })).toEqual({
      row: "98-i2.8xlarge-4-4",
      scale: "linear",
    });
  });
});

describe("the workload file", () => {
  const chosen = (changes: Partial<Choice>) => documentFrom({ ...DEFAULTS, ...changes });

  it("says only what was chosen, and always the data", () => {
    expect(chosen({})).toEqual({ workload: { data: "100 TB" } });
  });

  it("writes each answer where the service expects it", () => {
    expect(
      chosen({
        data: "2 PB",
        durability: "application",
        deadline: "30 min",
        budget: "$500",
        nodes: "200",
        group: "no",
        runs: "30",
        network: "unlimited",
        billing: "prorated",
      }),
    ).toEqual({
      workload: { data: "2 PB", durability: { model: "application", replicas: 2 }, runs_per_month: 30 },
      limits: { deadline: "30 min", budget: "$500", max_nodes: 200 },
      place: { placement_group: false },
      assume: { network: "unlimited", billing: "prorated" },
    });
  });

  it("asks for selectivities and copies only where they apply", () => {
    expect(chosen({ map: "0.5", replicas: "3" })).toEqual({ workload: { data: "100 TB" } });
    expect(chosen({ job: "mapreduce", map: "0.5" })).toEqual({
      workload: { data: "100 TB", job: "mapreduce", map_selectivity: 0.5 },
    });
  });

  it("writes what is looked for, and what may be chosen for it", () => {
    const document = {
      workload: { data: "100 TB", durability: { model: "any" } },
      objective: "month",
      limits: { deadline: "1 h", chance: "95 %", loss: "0.1 %" },
      place: { purchase: "any" },
      choose: {
        families: ["i3", "i4i"],
        not_families: ["t2"],
        instances: ["i3.16xlarge"],
        not_instances: ["i3.metal"],
        sizes: ["16xlarge"],
        not_sizes: ["metal"],
        architectures: ["arm64"],
        generation: "current",
        volumes: ["gp3"],
        not_volumes: ["sc1"],
        measured_only: true,
      },
      quotas: {
        vcpus: 640,
        nodes_per_zone: 100,
        nodes: { "i3.16xlarge": 20, "r5.large": 5 },
        volumes: { gp3: { size: "50 TiB", iops: 100_000 }, io2: { iops: 64_000 } },
      },
      assume: { usual: "ignored" },
    };
    const { choice, lost } = choiceFromDocument(document);
    expect(lost).toEqual([]);
    expect(choice).toMatchObject({
      families: "i3,i4i",
      ceilings: "i3.16xlarge:20;r5.large:5",
      volumequotas: "gp3:50 TiB:100000;io2::64000",
      measured: "yes",
    });
    expect(documentFrom(choiceFrom(throughAddress(searchOf(choice))))).toEqual(document);
  });

  it("asks for a chance only where there is a deadline to meet", () => {
    expect(chosen({ chance: "95 %" })).toEqual({ workload: { data: "100 TB" } });
  });

  it("reads the median from files older than the default confidence, and the default from later ones", () => {
    const stored = (chance: object, usual: string) =>
      choiceFromDocument({ workload: { data: "1 TB" }, limits: { deadline: "1 h", ...chance }, assume: { usual } })
        .choice;
    expect(stored({}, "applied").chance).toBe("50 %");
    expect(stored({ chance: null }, "applied").chance).toBe("");
    expect(stored({ chance: "90 %" }, "applied").chance).toBe("90 %");
    expect(stored({}, "ignored").chance).toBe("");
  });

  it("leaves out lists of nothing, and quotas without a number", () => {
    expect(chosen({ families: " , ", ceilings: "i3.large:", volumequotas: "gp3: :" })).toEqual({
      workload: { data: "100 TB" },
    });
  });

  it.each(["20", "i3.large", "i3.large:5;i3.large:6", ":5", "a:b:c"])(
    "leaves the ceilings %j for the service to judge",
    (ceilings) => expect(chosen({ ceilings })).toEqual({ workload: { data: "100 TB" }, quotas: { nodes: ceilings } }),
  );

  it.each(["many", "1e3", "0x10", "", "12345678901234567890"])(
    "leaves the number %j for the service to judge",
    (text) => {
      expect(chosen({ durability: "application", replicas: text })).toEqual({
        workload: { data: "100 TB", durability: { model: "application", replicas: text } },
      });
    },
  );

  it("comes back from a stored plan as the same choice", () => {
    const choice: Choice = {
      ...DEFAULTS,
      durability: "application",
      replicas: "3",
      nodes: "50",
      group: "no",
      cpu: "ignored",
    };
    expect(choiceFromDocument(asStored(documentFrom(choice)))).toEqual({ choice, lost: [] });
  });

  it("takes up a plan from before anything was assumed as one that assumes nothing", () => {
    const { choice } = choiceFromDocument({ workload: { data: "1 TB" } });
    expect(documentFrom(choice)).toEqual({ workload: { data: "1 TB" }, assume: { usual: "ignored" } });
  });

  it("takes up a plan from before there was a usual framework as one of none", () => {
    const { choice } = choiceFromDocument({ workload: { data: "1 TB" }, assume: { usual: "applied" } });
    expect(documentFrom(choice)).toEqual({ workload: { data: "1 TB", framework: "ideal" } });
  });

  it("names what a form cannot hold of a stored plan", () => {
    const document = { workload: { data: "1 TB", name: "nightly" }, measured: { network_mb_per_s: 879 } };
    expect(choiceFromDocument(asStored(document))).toEqual({
      choice: { ...DEFAULTS, data: "1 TB" },
      lost: ["measured.network_mb_per_s"],
    });
  });
});

describe("what the service does not accept", () => {
  it("is said at the field", () => {
    const problems = [
      { path: "workload.data", message: "no unit" },
      { path: "workload.durability", message: "not offered" },
      { path: "limits.max_nodes", message: "not a number" },
      { path: "assume.network", message: "not offered" },
    ];
    expect(remarksFrom(problems, { ...DEFAULTS })).toEqual({
      fields: { data: "no unit", durability: "not offered", nodes: "not a number", network: "not offered" },
      elsewhere: [],
    });
  });

  it("is said at a list, whichever of its entries it is about", () => {
    const problems = [
      { path: "choose.families.0", message: "no i99" },
      { path: "choose.families.3", message: "no zz" },
      { path: "quotas.nodes.i3.large", message: "not a number" },
      { path: "quotas.nodes_per_zone", message: "too small" },
    ];
    expect(remarksFrom(problems, { ...DEFAULTS })).toEqual({
      fields: { families: "no i99; no zz", ceilings: "not a number", perzone: "too small" },
      elsewhere: [],
    });
  });

  it("is said elsewhere where no field shows it", () => {
    const problems = [
      { path: "", message: "is not JSON" },
      { path: "workload.map_selectivity", message: "with job sort" },
      { path: "cluster.nodes", message: "too many" },
    ];
    expect(remarksFrom(problems, { ...DEFAULTS })).toEqual({ fields: {}, elsewhere: problems });
  });
});
