import { expect, it } from "vitest";
import { filterFrom } from "@/features/explore/filter";

function kept(text: string, values: (number | null)[]): (number | null)[] {
  const filter = filterFrom(text);
  if ("error" in filter) throw new Error(filter.error);
  return values.filter(filter.keeps);
}

const SOME = [null, 0, 1, 1.5, 4, 8, 16, 20_000];

it.each([
  [">=8", [8, 16, 20_000]],
  ["≥ 8", [8, 16, 20_000]],
  [">8", [16, 20_000]],
  ["<1.5", [0, 1]],
  ["<=1.5", [0, 1, 1.5]],
  ["4..16", [4, 8, 16]],
  ["16..4", [4, 8, 16]],
  ["4 to 16", [4, 8, 16]],
  ["8", [8]],
  ["=8", [8]],
  [">=20k", [20_000]],
  [">= 20,000", [20_000]],
  ["<$1.5", [0, 1]],
  ["4-16", [4, 8, 16]],
  ["4 - 16", [4, 8, 16]],
  ["?", [null]],
  ["", SOME],
])("keeps by %s", (text, expected) => {
  expect(kept(text, SOME)).toEqual(expected);
});

it.each([">", ">=", "4..", "4.", "-", "4-", "<1.", ">=20,"])(
  "takes %s as a filter that is still being written",
  (text) => {
    expect(kept(text, SOME)).toEqual(SOME);
  },
);

it.each(["many", ">=x", "8 cores", "1..2..3", "> > 3"])("says what %s could be instead", (text) => {
  expect(filterFrom(text)).toEqual({ error: "Write >=8, <1.5, 4..16, 8, or ? for unknown" });
});

it.each(["<1,5", "1,50", "12,34..5"])("does not take the comma of %s for one between thousands", (text) => {
  expect(filterFrom(text)).toEqual({ error: "Write 1.5 with a point; a comma parts thousands, as in 1,500" });
});

it("takes a number for equal as far as it is written", () => {
  expect(kept("0.768", [0.7682, 0.77])).toEqual([0.7682]);
});
