import { expect, it } from "vitest";
import { type CostTimeData, costTimeAxes, costTimeFigure } from "@/charts/costTime/costTime";

const LOOK = { width: 1_000, height: 392, ink: "#000", faint: "#999", grid: "#eee", surface: "#fff", accent: "#056" };

/** Forty types, each with a curve, of which thirty are ranked. */
function crowded(): CostTimeData {
  const point = (type: number, time_s: number) => ({
    key: `${type} ${time_s}`,
    name: `${time_s} × t${type}.large`,
    time_s,
    cost_usd: (5_000 + 400 * type) / Math.sqrt(time_s),
  });
  const same = (value: number) => ({ p10: value, p50: value, p90: value });
  const curves = Array.from({ length: 40 }, (_, type) => ({
    name: `t${type}.large`,
    points: [60, 600, 3_600].map((time_s) => point(type, time_s + 40 * type)),
  }));
  const ranked = curves.slice(0, 30).flatMap(({ points }, index) => {
    const at = points[2];
    if (at === undefined) return [];
    return { ...at, rank: index + 1, time: same(at.time_s), cost: same(at.cost_usd), resource: "network" as const };
  });
  return {
    of: "run",
    curves,
    frontier: curves[0]?.points ?? [],
    safer: [],
    ranked,
    chosen: point(35, 900),
    marked: [],
  };
}

it("names a few types of many, each once", () => {
  const data = crowded();
  const axes = costTimeAxes(data, { deadline_s: null, budget_usd: null }, true);
  const { layout } = costTimeFigure(data, axes, { ...LOOK, font: "sans-serif" });
  const names = (layout["annotations"] as { text: string }[]).map(({ text }) => text);
  expect(names.length).toBeGreaterThan(2);
  expect(names.length).toBeLessThanOrEqual(8);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("t0.large");
});
