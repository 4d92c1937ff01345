import { expect, it } from "vitest";
import { runs } from "@/charts/plot/paths";

const present = (value: number | null) => value !== null;

it("breaks a line where something is missing, and joins what follows on each other", () => {
  expect(runs([null, 1, 2, null, 0, null, null, 5, 6], present)).toEqual([[1, 2], [0], [5, 6]]);
});

it("has no line where nothing was measured", () => {
  expect(runs([], present)).toEqual([]);
  expect(runs([null, null], present)).toEqual([]);
});

it("takes a 0 for a figure", () => {
  expect(runs([0, 0], present)).toEqual([[0, 0]]);
});
