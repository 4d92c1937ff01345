import { describe, expect, it } from "vitest";
import { axisValues, MOST_VALUES } from "@/features/sweeps/axisText";

describe("a list of values", () => {
  it.each([
    ["data", "1 TB, 3 TB, 10 TB", ["1 TB", "3 TB", "10 TB"]],
    ["data", "1 TB; 3 TB\n10 TB ,", ["1 TB", "3 TB", "10 TB"]],
    ["data", "1, 3, 10 TB", ["1 TB", "3 TB", "10 TB"]],
    ["data", "1, 3 GB, 1,000 TB", ["1 GB", "3 GB", "1,000 TB"]],
    ["data", "1TB,300TB", ["1TB", "300TB"]],
    ["deadline", "15, 30 min, 1 h 30 min", ["15 min", "30 min", "1 h 30 min"]],
    ["replicas", "1, 2,3", ["1", "2", "3"]],
    ["durability", "None, copies, ebs, object-store", ["none", "application", "infrastructure", "object-store"]],
    ["region", "us-east-1, eu-west-1", ["us-east-1", "eu-west-1"]],
  ] as const)("of %s is read from %j", (quantity, text, values) => {
    expect(axisValues(quantity, text)).toEqual({ values });
  });

  it("leaves what is no value for the service to judge", () => {
    expect(axisValues("data", "many, -5 TB, <script>")).toEqual({ values: ["many", "-5 TB", "<script>"] });
  });

  it.each(["", "  ", ",;,"])("has at least one value: %j", (text) => {
    expect(axisValues("data", text)).toEqual({ problem: "Give at least one value." });
  });

  it("has no more than the service takes", () => {
    const text = Array.from({ length: MOST_VALUES + 1 }, (_, index) => `${index + 1} TB`).join(", ");
    expect(axisValues("data", text)).toEqual({ problem: "51 values; an axis has at most 50." });
  });
});

describe("two ends and steps", () => {
  it.each([
    ["data", "1 TB to 1 PB, 4 steps", ["1 TB", "10 TB", "100 TB", "1 PB"]],
    ["data", "1 TB to 1 PB, 7 steps", ["1 TB", "3.2 TB", "10 TB", "32 TB", "100 TB", "320 TB", "1 PB"]],
    ["deadline", "1-4 h, 3 steps", ["1 h", "2 h", "4 h"]],
    ["deadline", "15 min - 1 h, 3 steps", ["15 min", "30 min", "1 h"]],
    ["region", "us-east-1, eu-west-2", ["us-east-1", "eu-west-2"]],
    ["data", "1 TB to 1 PB", ["1 TB", "3.2 TB", "10 TB", "32 TB", "100 TB", "320 TB", "1 PB"]],
    ["data", "1–100 TB in 3 steps", ["1 TB", "10 TB", "100 TB"]],
    ["data", "1 tib to 1 pib, 3 values", ["1 TiB", "32 TiB", "1 PiB"]],
    ["data", "10 TB to 1 TB, 2 steps", ["10 TB", "1 TB"]],
    ["data", "1 TB to 1 TB, 5 steps", ["1 TB"]],
    ["deadline", "10 min to 8 h, 4 steps", ["10 min", "36 min", "2.2 h", "8 h"]],
    ["replicas", "1 to 4", ["1", "2", "3", "4"]],
    ["replicas", "1 to 9, 3 steps", ["1", "5", "9"]],
  ] as const)("of %s are read from %j", (quantity, text, values) => {
    expect(axisValues(quantity, text)).toEqual({ values });
  });

  it.each([
    ["data", "1 TB to many"],
    ["data", "0 TB to 1 PB"],
    ["data", "1 TB to 1 PB, 1 step"],
    ["data", "1 TB to 1 PB, 999999 steps"],
    ["data", "1e999 TB to 1 PB"],
    ["deadline", "1 TB to 1 PB"],
    ["replicas", "3 to 1"],
    ["replicas", "1 to 1000000, 100 steps"],
    ["region", "us-east-1 to us-west-2"],
  ] as const)("of %s say what is missing in %j", (quantity, text) => {
    expect(axisValues(quantity, text).problem).toMatch(/\.$/);
  });

  it("are parsed in linear time", () => {
    const begun = performance.now();
    for (const text of ["1".repeat(5_000), "1 TB to ".repeat(500), `${" ".repeat(4_000)}to`, "1,".repeat(2_000)]) {
      axisValues("data", text);
    }
    expect(performance.now() - begun).toBeLessThan(500);
  });
});
