import { afterEach, describe, expect, it } from "vitest";
import { measuredWords } from "@/lib/measured";
import { asShown } from "@/lib/quantities";
import { AS_STATED, chooseUnits, chosenUnits, inChosenUnit, unitRatio } from "@/lib/units";

afterEach(() => chooseUnits(AS_STATED));

describe("figures in the chosen units", () => {
  it.each([
    ["stated", "stated", 500, "GiB", 500, "GiB"],
    ["decimal", "stated", 500, "GiB", 536.870912, "GB"],
    ["decimal", "stated", 64, "KiB", 65.536, "kB"],
    ["decimal", "stated", 7.5, "TB", 7.5, "TB"],
    ["binary", "stated", 1_073.741824, "GB", 1_000, "GiB"],
    ["binary", "stated", 64, "KiB", 64, "KiB"],
    ["stated", "Gbit/s", 125, "MiB/s", 1.048576, "Gbit/s"],
    ["stated", "MiB/s", 25, "Gbit/s", 2_980.232238769531, "MiB/s"],
    ["stated", "MB/s", 25, "Gbit/s per USD/h", 3_125, "MB/s per USD/h"],
    ["decimal", "MB/s", 3_000, "IOPS", 3_000, "IOPS"],
    ["decimal", "MB/s", 3, "USD per GiB and month", 3, "USD per GiB and month"],
    ["binary", "Gbit/s", 4, "", 4, ""],
  ] as const)("%s sizes, %s rates: %d %s are %d %s", (sizes, rates, value, unit, shown, to) => {
    const found = inChosenUnit(value, unit, { sizes, rates });
    expect(found.unit).toBe(to);
    expect(found.value).toBeCloseTo(shown, 9);
  });

  it("convert back to the same figure", () => {
    for (const [from, to] of [
      ["GiB", "GB"],
      ["MiB/s", "Gbit/s"],
      ["MB/s", "MiB/s"],
    ] as const) {
      expect((unitRatio(from, to) ?? 0) * (unitRatio(to, from) ?? 0)).toBeCloseTo(1, 14);
    }
    expect(unitRatio("GiB", "MiB/s")).toBeUndefined();
    expect(unitRatio("IOPS", "MB/s")).toBeUndefined();
  });

  it("are those of the quantity by AWS until others are chosen", () => {
    expect(asShown("network_mb_per_s", 1_250, "MB/s")).toEqual({ value: 10, unit: "Gbit/s" });
    expect(asShown("ebs_mb_per_s", 1_250, "MB/s")).toEqual({ value: 1_250, unit: "MB/s" });
    chooseUnits({ sizes: "stated", rates: "MB/s" });
    expect(asShown("network_mb_per_s", 1_250, "MB/s")).toEqual({ value: 1_250, unit: "MB/s" });
    expect(asShown("network_mb_per_s", null, "MB/s")).toEqual({ value: null, unit: "MB/s" });
  });

  it("apply to benchmark results, with a larger or smaller unit where it is customary", () => {
    const words = () => [measuredWords("read", 1_740, "MB/s"), measuredWords("read", 0.05, "MB/s")];
    expect(words()).toEqual(["1.74 GB/s", "50 kB/s"]);
    chooseUnits({ sizes: "binary", rates: "MiB/s" });
    expect(words()).toEqual(["1.62 GiB/s", "48.8 KiB/s"]);
    expect(measuredWords("moved", 2_147.483648, "MB")).toBe("2 GiB");
    expect(measuredWords("read", 0, "MB/s")).toBe("0 MiB/s");
    chooseUnits({ sizes: "decimal", rates: "Gbit/s" });
    expect(words()).toEqual(["13.9 Gbit/s", "400 kbit/s"]);
    expect(measuredWords("read_iops", 12_300, "1/s")).toBe("12,300 IOPS");
  });

  it("are kept in this browser", () => {
    chooseUnits({ sizes: "binary", rates: "Gbit/s" });
    expect(chosenUnits()).toEqual({ sizes: "binary", rates: "Gbit/s" });
    expect(JSON.parse(window.localStorage.getItem("stowage.units") ?? "")).toEqual(chosenUnits());
  });
});
