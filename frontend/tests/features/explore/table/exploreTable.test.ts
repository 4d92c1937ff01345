import { TABLE } from "@tests/fixtures/explore";
import { expect, it } from "vitest";
import {
  allTraits,
  cellOf,
  columnsNamed,
  inOrder,
  inShownUnits,
  keptRows,
  shownColumns,
  sortedRows,
  tableCsv,
} from "@/features/explore/table/table";
import { figureWords } from "@/lib/quantities";
import { AS_STATED, chooseUnits } from "@/lib/units";

const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);
const ordered = inOrder(TABLE);

it("is ordered by family and size by default", () => {
  expect(names(ordered)).toEqual(["c9.2xlarge", "d9.8xlarge", "i9.xlarge", "i9.2xlarge", "i9.16xlarge"]);
});

it("sorts by any column, the unknown last either way", () => {
  const by = (column: string, descending: boolean) => names(sortedRows(TABLE, ordered, { column, descending }));
  expect(by("storage_mb_per_s", true)).toEqual(["i9.16xlarge", "d9.8xlarge", "i9.2xlarge", "i9.xlarge", "c9.2xlarge"]);
  expect(by("storage_mb_per_s", false).at(-1)).toBe("c9.2xlarge");
  expect(by("vcpus", false)).toEqual(["i9.xlarge", "c9.2xlarge", "i9.2xlarge", "d9.8xlarge", "i9.16xlarge"]);
  expect(by("name", true)[0]).toBe("i9.16xlarge");
  expect(by("no_such", true)).toEqual(names(ordered));
});

it("keeps what passes every filter", () => {
  const kept = (filters: Parameters<typeof keptRows>[2]) => names(keptRows(TABLE, ordered, filters));
  expect(kept({ name: "i9 2x" })).toEqual(["i9.2xlarge"]);
  expect(kept({ media: "none" })).toEqual(["c9.2xlarge"]);
  expect(kept({ media: "any", traits: "nitro" })).toEqual(["i9.xlarge", "i9.2xlarge", "i9.16xlarge"]);
  expect(kept({ where: "vcpus:>=8;usd_per_hour:<1" })).toEqual(["c9.2xlarge", "i9.2xlarge"]);
  expect(kept({ where: "storage_mb_per_s:?" })).toEqual(["c9.2xlarge"]);
});

it("keeps storage-optimized families and the current generation on request", () => {
  const old = TABLE.rows.map((row) =>
    row.name.startsWith("d9") ? { ...row, traits: ["previous generation" as const] } : row,
  );
  const kept = (filters: Parameters<typeof keptRows>[2]) => names(keptRows(TABLE, old, filters));
  expect(kept({ series: "storage" })).toEqual(["i9.16xlarge", "i9.2xlarge", "i9.xlarge", "d9.8xlarge"]);
  expect(kept({ series: "storage", generation: "current" })).toEqual(["i9.16xlarge", "i9.2xlarge", "i9.xlarge"]);
  expect(kept({ series: "all" })).toHaveLength(5);
});

it("has network bandwidth in Gbit/s, as AWS states it, and disks in MB/s", () => {
  const stated = inShownUnits(TABLE);
  const [network, disks] = columnsNamed(stated, ["network_baseline_mb_per_s", "storage_mb_per_s"]);
  const row = stated.rows.find(({ name }) => name === "d9.8xlarge");
  if (network === undefined || disks === undefined || row === undefined) throw new Error("no such column");
  expect([cellOf(stated, row, network)?.value, network.unit]).toEqual([10, "Gbit/s"]);
  expect([cellOf(stated, row, disks)?.value, disks.unit]).toEqual([1_600, "MB/s"]);
  expect(names(keptRows(stated, stated.rows, { where: "network_baseline_mb_per_s:>=5" }))).toEqual([
    ...["i9.16xlarge", "c9.2xlarge", "d9.8xlarge"],
  ]);
  expect(names(keptRows(stated, stated.rows, { where: "network_baseline_mb_per_s:>=1000 MB/s" }))).toEqual([
    ...["i9.16xlarge", "d9.8xlarge"],
  ]);
});

it("shows the figures in the chosen units, and keeps what filters mean", () => {
  const filters = { where: "network_baseline_mb_per_s:>=5;storage_mb_per_s:>=1000" };
  const stated = inShownUnits(TABLE);
  chooseUnits({ sizes: "binary", rates: "MiB/s" });
  const named = { name: "storage_mb_per_s_per_usd", title: "MB/s per USD", unit: "MB/s per USD/h" };
  const columns = [...TABLE.columns, { ...named, group: "Price", description: "" }];
  const chosen = inShownUnits({ ...TABLE, columns });
  chooseUnits(AS_STATED);
  const [network, capacity] = columnsNamed(chosen, ["network_baseline_mb_per_s", "capacity_gb"]);
  const row = chosen.rows.find(({ name }) => name === "d9.8xlarge");
  if (network === undefined || capacity === undefined || row === undefined) throw new Error("no such column");
  expect([network.unit, capacity.unit]).toEqual(["MiB/s", "GiB"]);
  const perDollar = columnsNamed(chosen, ["storage_mb_per_s_per_usd"]).map(({ title, unit }) => [title, unit]);
  expect(perDollar).toEqual([["MiB/s per USD", "MiB/s per USD/h"]]);
  expect(cellOf(chosen, row, network)?.value).toBeCloseTo(1_250e6 / 2 ** 20, 9);
  expect(names(keptRows(chosen, chosen.rows, filters))).toEqual(names(keptRows(stated, stated.rows, filters)));
  expect(names(keptRows(chosen, chosen.rows, filters))).toEqual(["i9.16xlarge", "d9.8xlarge"]);
});

it("writes a CSV in the chosen units, and names them in its heads", () => {
  const chosen = inShownUnits(TABLE, { sizes: "binary", rates: "MiB/s" });
  const named = ["capacity_gb", "network_baseline_mb_per_s"];
  const [heads = "", row = ""] = tableCsv(
    chosen.rows.filter(({ name }) => name === "d9.8xlarge"),
    columnsNamed(chosen, named),
  ).split("\r\n");
  expect(heads).toMatch(/^Type,[^,]*\[GiB\],[^,]*\[MiB\/s\]$/);
  const [, capacity, network] = row.split(",").map(Number);
  const [stated] = columnsNamed(TABLE, ["capacity_gb"]);
  const capacity_gb = TABLE.rows.find(({ name }) => name === "d9.8xlarge")?.values[stated?.index ?? -1] ?? 0;
  expect(capacity).toBeCloseTo((capacity_gb * 1e9) / 2 ** 30, 6);
  expect(network).toBeCloseTo(1_250e6 / 2 ** 20, 9);
});

it("keeps everything where a filter cannot be read or names no column", () => {
  expect(keptRows(TABLE, ordered, { where: "vcpus:some;no_such:>8" })).toHaveLength(5);
});

it("writes what is on the screen as CSV, with units in the heads and all digits", () => {
  const rows = keptRows(TABLE, sortedRows(TABLE, ordered, { column: "vcpus", descending: true }), { media: "ssd" });
  expect(tableCsv(rows, columnsNamed(TABLE, ["storage_mb_per_s", "vcpus", "spot_usd_per_hour"]))).toBe(
    [
      'Type,"Disk throughput (half read, half write) [MB/s]",vCPU,Spot [USD/h]',
      "i9.16xlarge,8000.4,64,1.5",
      "i9.2xlarge,1000,8,0.2",
      "i9.xlarge,500,4,",
      "",
    ].join("\r\n"),
  );
});

it("shows the usual columns where none that is asked for is there", () => {
  expect(shownColumns(TABLE, ["no_such"]).map(({ name }) => name)).toEqual([
    ...["vcpus", "memory_gib", "disk_count", "capacity_gb", "storage_mb_per_s"],
    ...["network_baseline_mb_per_s", "usd_per_hour"],
  ]);
  expect(shownColumns(TABLE, ["spot_usd_per_hour", "vcpus"]).map(({ name }) => name)).toEqual([
    "spot_usd_per_hour",
    "vcpus",
  ]);
});

it("writes whole numbers in full, others with three digits", () => {
  expect([1_952, 3.75, 8_000.4, 0.0255].map(figureWords)).toEqual(["1,952", "3.75", "8,000", "0.0255"]);
});

it("offers the traits that there are", () => {
  expect(allTraits(TABLE)).toEqual(["nitro", "x86_64"]);
});
