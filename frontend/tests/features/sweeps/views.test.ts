import { describe, expect, it } from "vitest";
import type { CellBestAnswer, SweepAnswer } from "@/api/generated";
import { NEAR_TIE } from "@/api/generated/registry.gen";
import { runnerUpWords } from "@/features/sweeps/nearTie";
import { sweepCsv, sweepTable } from "@/features/sweeps/table";
import { captionOf, heatCells, scaleOf, winnersOf } from "@/features/sweeps/views";

function best(instance: string, cost: number, behind: number | null = null): CellBestAnswer {
  const storage = { kind: "instance-store", input_output_disks: 1 } as CellBestAnswer["storage"];
  return {
    instance,
    nodes: 3,
    storage,
    storage_words: "1 disk",
    time_s: { p10: 50, p50: 60, p90: 70 },
    cost_usd: { p10: cost, p50: cost, p90: cost },
    cost_always_on_usd: null,
    bottleneck: "network in",
    meets_deadline: null,
    runner_up: behind === null ? null : { instance: "d3.xlarge", nodes: 30, storage, storage_words: "3 disks", behind },
  };
}

function sweepOf(...won: CellBestAnswer[]): SweepAnswer {
  return {
    base: { objective: "cost" },
    columns: { quantity: "data", values: won.map((_, column) => `${column + 1} TB`) },
    rows: { quantity: "deadline", values: ["1 h"] },
    cells: won.map((each, column) => ({ column, row: 0, candidates: 1, sentence: "", best: each })),
    job: { total: won.length },
    catalog_version: "c",
    model_version: "m",
  } as unknown as SweepAnswer;
}

describe("the map of the winners", () => {
  it("gives types of a family one letter and hue, and numbers their sizes from small to large", () => {
    const types = ["i4i.16xlarge", "d3en.xlarge", "i4i.large", "i4i.2xlarge", "n1-standard-8", "i4i.metal"];
    const found = new Map(winnersOf(sweepOf(...types.map((type) => best(type, 1))).cells).map((w) => [w.name, w]));
    expect(types.map((type) => found.get(type)?.letter)).toEqual(["B3", "A", "B1", "B2", "C", "B4"]);
    const fills = [...found.values()].map(({ colour }) => colour.fill);
    expect(new Set(fills).size).toBe(types.length);
  });
});

describe("near-ties", () => {
  const sweep = sweepOf(best("i4i.large", 10, NEAR_TIE), best("i4i.large", 20, NEAR_TIE + 0.001), best("i3.large", 40));

  it("are marked in the cells of every view, in words, in the caption and in the data", () => {
    for (const view of ["winner", "cost", "time", "limit"] as const) {
      const cells = sweep.cells.map(heatCells(sweep, view));
      expect(cells.map(({ mark }) => mark)).toEqual(["≈", undefined, undefined]);
      expect(cells[0]?.rest).toContain("near-tie: 30 × d3.xlarge costs 2.0% more");
      expect(captionOf(sweep, view)).toContain("≈ marks 1 near-tie: another type is within 2%.");
    }
    const table = sweepTable(sweep);
    const at = table.columns.findIndex(({ head }) => head === "Near-tie");
    expect(table.rows.map(({ cells }) => cells[at])).toEqual(["near-tie", "", ""]);
    const lines = sweepCsv(sweep).trim().split("\r\n");
    const column = lines[0]?.split(",").indexOf("near_tie") ?? -1;
    expect(lines.slice(1).map((line) => line.split(",")[column])).toEqual(["true", "false", "false"]);
  });

  it("are worded by the ranked quantity", () => {
    const close = best("i4i.large", 10, 0.0001);
    expect(runnerUpWords(close, { base: { objective: "time" } })).toBe("30 × d3.xlarge takes less than 0.1% longer");
    expect(runnerUpWords(close, { base: { objective: "month" } })).toContain("more a month");
    expect(runnerUpWords(best("i4i.large", 10), { base: {} })).toBeNull();
  });
});

describe("the scale of a sequential color", () => {
  it("has the lowest and the highest value at its ends, and equal ratios between them", () => {
    const scale = scaleOf(sweepOf(best("a.large", 10), best("a.large", 20), best("a.large", 80)), "cost");
    expect(scale?.ticks).toEqual(["$10", "$20", "$40", "$80"]);
    expect(scale?.title).toBe("Cost of a run, logarithmic");
  });

  it("is one color where all values are equal, and missing where colors stand for names", () => {
    const sweep = sweepOf(best("a.large", 10), best("b.large", 10));
    expect(scaleOf(sweep, "cost")?.ticks).toEqual(["$10"]);
    expect(scaleOf(sweep, "winner")).toBeUndefined();
    expect(heatCells(sweep, "cost")(sweep.cells[0] as SweepAnswer["cells"][number]).fill).toBe(
      scaleOf(sweep, "cost")?.fill(0.9),
    );
  });
});
