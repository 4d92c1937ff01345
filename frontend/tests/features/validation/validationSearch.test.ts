import { expect, it } from "vitest";
import { validationSearchFrom, withChange, withoutFilters } from "@/features/validation/search";
import { errorWords, rangeWords, valueWords } from "@/features/validation/words";

it("keeps what it understands of an address, and nothing else", () => {
  expect(
    validationSearchFrom({ kind: "guessed", group: "price", misses: "1", sort: "upwards", search: "  ", case: "x" }),
  ).toEqual({ group: "price", case: "x" });
  expect(validationSearchFrom({ kind: 3, search: ["a"], case: "" })).toEqual({});
});

it("changes one thing at a time, and drops the filters without the order", () => {
  const search = { kind: "fitted", misses: "yes", sort: "worst", case: "x" } as const;
  expect(withChange(search, { misses: undefined })).toEqual({ kind: "fitted", sort: "worst", case: "x" });
  expect(withChange(search, { kind: "" })).toEqual({ misses: "yes", sort: "worst", case: "x" });
  expect(withoutFilters(search)).toEqual({ sort: "worst", case: "x" });
});

it("writes each figure in its own unit, and errors with their sign", () => {
  expect(
    [
      [1010, "s"],
      [0.0000325, "USD"],
      [156.25, "MiB/s"],
      [4000, "IOPS"],
      [0.988, "1"],
      [0, "s"],
    ].map(([value, unit]) => valueWords(Number(value), String(unit))),
  ).toEqual(["16 min 50 s", "$0.0000325", "156 MiB/s", "4,000 IOPS", "0.988", "0 s"]);
  expect(rangeWords({ p10: 140, p90: 180 }, "MiB/s")).toBe("140–180 MiB/s");
  expect(rangeWords({ p10: 290, p90: 370 }, "USD")).toBe("$290–$370");
  expect([12.345, -3, 0.0001, 0].map(errorWords)).toEqual(["+12.3%", "−3%", "0%", "0%"]);
});
