import { expect, it } from "vitest";
import { aheadSearch, growthIn, monthsIn, outlookSearchFrom, questionIn, searchAhead } from "@/features/outlook/search";
import { choiceFrom } from "@/features/plan/workload/choice";

const CLUSTER = {
  instance: "i2.8xlarge",
  nodes: 178,
  storage: { kind: "instance-store", input_output_disks: 4, intermediate_disks: 4 },
} as const;

it("keeps the workload, the configuration and how far to look in its address", () => {
  const search = { ...searchAhead({ ...choiceFrom({}), data: "10 TB", runs: "30" }, CLUSTER), growth: "2" };
  expect(search).toEqual({ data: "10 TB", runs: "30", row: "178-i2.8xlarge-4-4", growth: "2" });
  const { choice, cluster, ahead } = questionIn(outlookSearchFrom(search));
  expect(choice.data).toBe("10 TB");
  expect(cluster).toEqual(CLUSTER);
  expect(ahead).toEqual({ growth: "2", months: "36", commitment: "alone" });
});

it.each([
  ["nothing", {}],
  ["numbers where texts are expected", { data: 3, row: 4, commitment: 5 }],
  ["a configuration that is none", { row: "<script>" }],
  ["a way that is none", { commitment: "never" }],
  ["lists", { growth: ["1"], months: { a: 1 } }],
])("understands what it can of an address with %s", (_, raw) => {
  expect(outlookSearchFrom(raw)).toEqual({});
});

it("writes equal questions as equal addresses", () => {
  expect(aheadSearch({ growth: "0", months: "36", commitment: "alone" })).toEqual({});
});

it.each([
  ["2", 2],
  ["2%", 2],
  [" 1.5 % ", 1.5],
  ["-3", -3],
  ["−3%", -3],
  ["-51", null],
  ["101", null],
  ["", null],
  ["2 GB", null],
])("reads a growth of %j as %j", (text, value) => {
  expect(growthIn(text)).toBe(value);
});

it.each([
  ["36", 36],
  ["18 months", 18],
  ["3 years", 36],
  ["1 y", 12],
  ["0", null],
  ["121", null],
  ["11 years", null],
  ["1.5", null],
  ["", null],
])("reads a time ahead of %j as %j months", (text, months) => {
  expect(monthsIn(text)).toBe(months);
});
