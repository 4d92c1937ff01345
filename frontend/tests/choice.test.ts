import { describe, expect, it } from "vitest";
import {
  type Choice,
  choiceFrom,
  choiceFromDocument,
  DEFAULTS,
  documentFrom,
  FIELDS,
  remarksFrom,
  searchFrom,
  searchOf,
} from "@/features/plan/choice";

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
  it("gives back exactly what was chosen, whatever it is", () => {
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
    expect(choiceFromDocument(documentFrom(choice))).toEqual({ choice, lost: [] });
  });

  it("names what a form cannot hold of a stored plan", () => {
    const document = { workload: { data: "1 TB", name: "nightly" }, measured: { network_mb_per_s: 879 } };
    expect(choiceFromDocument(document)).toEqual({
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

  it("is said elsewhere where no field shows it", () => {
    const problems = [
      { path: "", message: "is not JSON" },
      { path: "workload.map_selectivity", message: "with job sort" },
      { path: "cluster.nodes", message: "too many" },
    ];
    expect(remarksFrom(problems, { ...DEFAULTS })).toEqual({ fields: {}, elsewhere: problems });
  });
});
