import { TABLE } from "@tests/fixtures/explore";
import { expect, it } from "vitest";
import { axisTicks } from "@/charts/axes/chartAxis";
import { planeOf } from "@/charts/axes/plane";
import { type ScatterPoint, scatterAxes, scatterLabels } from "@/charts/figures/scatter";
import { nearest } from "@/charts/plot/Cursor";
import { bandsOf } from "@/features/explore/TypesPlot";
import { columnsNamed } from "@/features/explore/table/table";
import { gigabytesIn } from "@/lib/sizes";

const FRAME = { left: 60, top: 10, width: 800, height: 400 };
const point = (key: string, x: number, y: number, more: Partial<ScatterPoint> = {}): ScatterPoint => ({
  key,
  x,
  y,
  faint: false,
  marked: false,
  ...more,
});
const POINTS = [point("a", 10, 100), point("b", 1_000, 10), point("c", 100_000, 10_000, { faint: true })];

it("spans both axes over every mark, and puts each inside", () => {
  const axes = scatterAxes(POINTS, true);
  const plane = planeOf(FRAME, axes);
  for (const { x, y } of POINTS.map((one) => ({ x: plane.x(one.x), y: plane.y(one.y) }))) {
    expect(x).toBeGreaterThan(FRAME.left);
    expect(x).toBeLessThan(FRAME.left + FRAME.width);
    expect(y).toBeGreaterThan(FRAME.top);
    expect(y).toBeLessThan(FRAME.top + FRAME.height);
  }
  const ticks = axisTicks({ of: "amount", ...axes.x }, FRAME.width, "x");
  expect(ticks.map(({ value }) => value)).toEqual([10, 100, 1_000, 10_000, 100_000]);
});

it("finds the point under the pointer, filtered points last", () => {
  const spots = [
    { x: 100, y: 100 },
    { x: 104, y: 100 },
  ];
  const two = [point("faint", 1, 1, { faint: true }), point("kept", 1, 1)];
  expect(nearest(two, spots, { x: 100, y: 100 }, 16)).toBe(1);
  expect(nearest(two, spots, { x: 300, y: 300 }, 16)).toBe(-1);
});

it("names few of many, and always what is marked", () => {
  const many = Array.from({ length: 1_000 }, (_, index) =>
    point(`t${index}`, 1 + ((index * 37) % 1_000), 1 + ((index * 91) % 1_000), { marked: index === 500 }),
  );
  const axes = scatterAxes(many, true);
  const labels = scatterLabels(many, planeOf(FRAME, axes));
  expect(labels.length).toBeLessThanOrEqual(16);
  expect(labels.map(({ key }) => key)).toContain("t500");
});

it("shades where the data need under 100, up to 1,000, and more nodes", () => {
  const [capacity, storage] = columnsNamed(TABLE, ["capacity_gb", "storage_mb_per_s"]);
  expect(bandsOf(capacity, storage, "100 TB").map(({ along, from, to }) => [along, from, to])).toEqual([
    ["x", null, 100],
    ["x", 100, 1_000],
    ["x", 1_000, null],
  ]);
  expect(bandsOf(storage, capacity, "1 PB")[0]).toMatchObject({ along: "y", to: 1_000 });
  expect(bandsOf(storage, storage, "1 PB")).toEqual([]);
  expect(bandsOf(capacity, storage, "much")).toEqual([]);
});

it.each([
  ["100 TB", 100_000],
  ["1.5pb", 1_500_000],
  ["10,000 GB", 10_000],
  ["1 TiB", 1_099.511627776],
  ["0 TB", null],
  ["100", null],
])("reads %s", (text, expected) => {
  expect(gigabytesIn(text)).toBe(expected);
});
