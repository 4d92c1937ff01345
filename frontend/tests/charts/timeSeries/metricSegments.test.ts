import { expect, it } from "vitest";
import { segments } from "@/charts/timeSeries/metricSegments";

it("breaks a line where something is missing, and joins what follows on each other", () => {
  expect(segments([null, 1, 2, null, 0, null, null, 5, 6])).toEqual([
    [1, 2],
    [4, 4],
    [7, 8],
  ]);
});

it("has no line where nothing was measured", () => {
  expect(segments([])).toEqual([]);
  expect(segments([null, null])).toEqual([]);
});

it("takes a 0 for a figure", () => {
  expect(segments([0, 0])).toEqual([[0, 1]]);
});
