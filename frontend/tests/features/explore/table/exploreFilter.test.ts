import { describe, expect, it } from "vitest";
import { filterFrom, filterShown, filterWritten } from "@/features/explore/table/filter";
import { inChosenUnit } from "@/lib/units";

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

it.each([
  [">= 3 GB/s", "MB/s", [3_000, 4_000]],
  [">= 24 Gbit/s", "MB/s", [3_000, 4_000]],
  [">=24Gbps", "MB/s", [3_000, 4_000]],
  ["1 GB/s..3 GB/s", "MB/s", [1_000, 3_000]],
  [">= 8 Gb/s", "MB/s", [1_000, 3_000, 4_000]],
  [">= 3k", "MB/s", [3_000, 4_000]],
  [">= 3 TB", "GB", [3_000, 4_000]],
  ["<= 1 TiB", "GiB", [1_000]],
  [">= 3,000 IOPS", "IOPS", [3_000, 4_000]],
])("reads the unit of %s", (text, unit, expected) => {
  const filter = filterFrom(text, unit);
  if ("error" in filter) throw new Error(filter.error);
  expect([1_000, 3_000, 4_000].filter(filter.keeps)).toEqual(expected);
});

it.each([">= 3 G", ">= 3 GB", ">= 3 Gbit"])("takes %s as a unit that is still being written", (text) => {
  const filter = filterFrom(text, "MB/s");
  expect("keeps" in filter && filter.keeps(0)).toBe(true);
});

it.each([">= 3 TB", ">= 3 gb/s"])("names the units that %s could have", (text) => {
  expect(filterFrom(text, "MB/s")).toEqual({ error: expect.stringContaining("GB/s, MiB/s") });
});

it.each(["<1,5", "1,50", "12,34..5"])("does not take the comma of %s for one between thousands", (text) => {
  expect(filterFrom(text)).toEqual({ error: "Write 1.5 with a point; a comma parts thousands, as in 1,500" });
});

it("takes a number for equal as far as it is written", () => {
  expect(kept("0.768", [0.7682, 0.77])).toEqual([0.7682]);
});

describe("a filter of a column that is shown in a chosen unit", () => {
  const keeps = (text: string, value: number | null) => {
    const filter = filterFrom(text, "MB/s", "Gbit/s");
    return "keeps" in filter ? filter.keeps(value) : filter.error;
  };

  it("means the unit of AWS without a unit, so that links and saved views keep their meaning", () => {
    expect([keeps(">=25", 3_125), keeps(">=25", 3_124), keeps("?", null)]).toEqual([true, false, true]);
    expect([keeps("10..25", 1_250), keeps("10..25", 3_126)]).toEqual([true, false]);
  });

  it("is written with its unit, which its field leaves out", () => {
    const written = filterWritten(">=3k", "MB/s", "Gbit/s");
    expect(written).toBe(">=3k in MB/s");
    expect([keeps(written, 3_000), keeps(written, 2_999)]).toEqual([true, false]);
    expect(filterShown(written, "MB/s", "Gbit/s")).toBe(">=3k");
    expect(filterShown(">=25", "MB/s", "Gbit/s")).toBe(">=25 in Gbit/s");
    expect(filterShown("?", "MB/s", "Gbit/s")).toBe("?");
    expect(filterWritten("", "MB/s", "Gbit/s")).toBe("");
  });

  it.each([
    ["Gbit/s", 12.5],
    ["MiB/s", 250],
    ["MB/s", 156.25],
  ] as const)("includes its own bound, a figure in %s, in every unit of a reader", (from, figure) => {
    for (const to of ["MB/s", "MiB/s", "Gbit/s"] as const) {
      const filter = filterFrom(`>=${figure} in ${from}`, to, "MB/s");
      if ("error" in filter) throw new Error(filter.error);
      const stated = inChosenUnit(figure, from, { sizes: "stated", rates: "MB/s" }).value;
      const { value } = inChosenUnit(stated, "MB/s", { sizes: "stated", rates: to });
      expect([filter.keeps(value), filter.keeps(value * (1 - 1e-9))]).toEqual([true, false]);
    }
  });

  it("keeps its meaning for a reader with the units of AWS", () => {
    const filter = filterFrom(">=3k in MB/s", "Gbit/s", "Gbit/s");
    if ("error" in filter) throw new Error(filter.error);
    expect([filter.keeps(24), filter.keeps(23.9)]).toEqual([true, false]);
    expect(filterShown(">=3k in MB/s", "Gbit/s")).toBe(">=3k in MB/s");
    expect(filterWritten(">=3", "Gbit/s")).toBe(">=3");
    expect(filterFrom(">=3 in parsecs", "Gbit/s")).toHaveProperty("error");
  });
});
