import plan from "@tests/fixtures/plan.json";
import { expect, it } from "vitest";
import type { Figure, RankedAnswer } from "@/api/generated";
import { measuredFact } from "@/features/plan/answer/measured";

const figure = (quantity: string, kind: Figure["kind"], as_of: string | null): Figure => ({
  quantity,
  value: 1,
  unit: "1",
  source: "a source",
  kind,
  as_of,
});
const source = (name: string, log_deviation: number) => ({ name, log_deviation, log_deviation_below: null });
const DISKS = figure("i8g.8xlarge.storage_read_mb_per_s", "measured", "2026-06-10");
const SPARK = figure("framework.spark.efficiency", "estimated", "2026-11-26");

function fact(provenance: Figure[], range_sources: RankedAnswer["range_sources"]) {
  return measuredFact({ ...(plan.configurations[0] as unknown as RankedAnswer), provenance, range_sources });
}

it("names what is measured, and the largest doubt if that is only estimated", () => {
  const { words, all } = fact([SPARK, DISKS], [source("storage: age", 0.05), source("framework error", 0.63)]);
  expect(words).toBe("disks measured 2026, Spark’s rate estimated");
  expect(all).toContain("Largest source of uncertainty: Spark’s rate.");
  expect(all).toContain("Measured: i8g.8xlarge.storage_read_mb_per_s (10 Jun 2026).");
});

it("names no doubt where that is measured too, and says if nothing is", () => {
  const own = figure("framework.spark.efficiency", "measured", "2026-11-26");
  expect(fact([own, DISKS], [source("framework error", 0.1)]).words).toBe("Spark’s rate and disks measured 2026");
  expect(fact([SPARK], [source("framework error", 0.63)]).words).toBe("nothing measured, only estimated");
});

it("says of hardware limits what they leave out", () => {
  const ideal = figure("framework.ideal.efficiency", "estimated", "2026-11-26");
  expect(fact([ideal, DISKS], [source("framework error", 0.2)]).words).toBe("disks measured 2026, overheads estimated");
});
