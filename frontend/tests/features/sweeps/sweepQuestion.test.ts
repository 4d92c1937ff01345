import { describe, expect, it } from "vitest";
import { cellDocument, placeFrom, placeText } from "@/features/sweeps/cell";
import { axesFrom, axesSearchFrom, searchOfAxes, sweepDocument, sweepRemarks } from "@/features/sweeps/question";
import { sweepSearchFrom } from "@/features/sweeps/search";

const throughAddress = (search: object) =>
  Object.fromEntries(new URLSearchParams(new URLSearchParams(search as Record<string, string>).toString()));
const suggest = () => "1 TB, 2 TB";

describe("the axes in the address", () => {
  it.each([
    {},
    { columns: "replicas", "column-values": "1 to 3" },
    { rows: "durability", "row-values": "" },
    { "column-values": "1 TB to 1 PB, 7 steps", "row-values": "a&b=c 🚢", called: "What if?" },
  ])("come back as they were: %j", (search) => {
    expect(searchOfAxes(axesFrom(axesSearchFrom(throughAddress(search))))).toEqual(search);
  });

  it("survive what is not of this page", () => {
    const raw = { columns: "constructor", rows: ["data"], "column-values": 7, "row-values": null, called: {} };
    expect(axesSearchFrom(raw)).toEqual({});
    expect(axesSearchFrom({ "column-values": "x".repeat(9_000) })["column-values"]).toHaveLength(2_000);
  });

  it("become a sweep file", () => {
    const base = { workload: { data: "1 TB" } };
    const axes = axesFrom({ rows: "replicas", "row-values": "1 to 3", called: " Copies " });
    expect(sweepDocument(base, axes, suggest)).toMatchObject({
      cells: 6,
      document: {
        name: "Copies",
        base,
        columns: { quantity: "data", values: ["1 TB", "2 TB"] },
        rows: { quantity: "replicas", values: ["1", "2", "3"] },
      },
    });
  });

  it("ask nothing while one of them cannot be read", () => {
    const same = sweepDocument({}, axesFrom({ rows: "data" }), suggest);
    expect(same.document).toBeNull();
    expect(same.remarks.rows).toContain("choose another");
    expect(sweepDocument({}, axesFrom({ "column-values": "" }), suggest).cells).toBeNull();
  });
});

it("brings what the service did not accept to its axis", () => {
  const base = { path: "base.limits.budget", message: "no amount" };
  expect(
    sweepRemarks([
      { path: "columns.values.3", message: "'x' is not a size" },
      { path: "columns.values.4", message: "'y' is not a size" },
      { path: "rows.values", message: "too many" },
      { path: "name", message: "only printable" },
      base,
    ]),
  ).toEqual({
    columns: "'x' is not a size; 'y' is not a size",
    rows: "too many",
    name: "only printable",
    elsewhere: [base],
  });
});

describe("a cell", () => {
  const sweep = {
    base: { workload: { data: "1 TB", name: "Nightly" }, cluster: { nodes: 3 }, place: { region: "us-east-1" } },
    catalog_version: "paper-2014",
    columns: { quantity: "replicas" as const, values: ["1", "3"] },
    rows: { quantity: "durability" as const, values: ["none", "application"] },
  };

  it("is the base with its two values, durability before its copies", () => {
    expect(cellDocument(sweep, { column: 1, row: 1 })).toEqual({
      workload: { data: "1 TB", name: "Nightly", durability: { model: "application", replicas: 3 } },
      place: { region: "us-east-1" },
    });
    expect(cellDocument(sweep, { column: 1, row: 0 })).toMatchObject({ workload: { durability: { model: "none" } } });
    expect(sweep.base.workload).toEqual({ data: "1 TB", name: "Nightly" });
  });

  it("has copies that the application keeps where durability is no axis", () => {
    const rows = { quantity: "data" as const, values: ["5 TB"] };
    expect(cellDocument({ ...sweep, rows }, { column: 1, row: 0 })).toMatchObject({
      workload: { data: "5 TB", durability: { model: "application", replicas: 3 } },
    });
  });

  it("sets limits that the base does not have", () => {
    const rows = { quantity: "deadline" as const, values: ["30 min"] };
    const columns = { quantity: "data" as const, values: ["5 TB"] };
    expect(cellDocument({ ...sweep, rows, columns }, { column: 0, row: 0 })).toMatchObject({
      workload: { data: "5 TB" },
      limits: { deadline: "30 min" },
    });
  });

  it("stands in the address counted from 1, and never outside the grid", () => {
    expect(placeFrom(placeText({ column: 4, row: 0 }), 5, 1)).toEqual({ column: 4, row: 0 });
    for (const text of ["", "0-1", "1-0", "6-1", "1-2", "-1-1", "1e0-1", "1-1-1", "constructor", undefined]) {
      expect(placeFrom(text, 5, 1)).toBeNull();
    }
  });

  it("and what it shows survive a bad address", () => {
    expect(sweepSearchFrom({ show: "winner", cell: "" })).toEqual({});
    expect(sweepSearchFrom({ show: ["cost"], cell: 7 })).toEqual({});
    expect(sweepSearchFrom({ show: "cost", cell: "3-4", other: "1" })).toEqual({ show: "cost", cell: "3-4" });
  });
});
