import { expect, it } from "vitest";
import { planeOf } from "@/charts/axes/plane";
import { type CostTimeData, costTimeAxes, costTimeFigure } from "@/charts/figures/costTime";

const NO_LIMITS = { deadline_s: null, budget_usd: null };
const FRAME = { left: 72, top: 34, width: 914, height: 312 };

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
    return { ...at, rank: index + 1, resource: "network" as const, facts: [] };
  });
  return {
    of: "run",
    curves,
    frontier: curves[0]?.points ?? [],
    safer: [],
    ranked,
    chosen: { ...point(35, 900), time: same(900), cost: same(100) },
    marked: [],
  };
}

it("names a few types of many, each once", () => {
  const data = crowded();
  const axes = costTimeAxes(data, NO_LIMITS, true);
  const plane = planeOf(FRAME, { x: axes.time, y: axes.cost });
  const marks = costTimeFigure(data, axes, NO_LIMITS).panels.flatMap((panel) => panel.marks);
  const names = marks.flatMap((mark) => (mark.kind === "labels" ? mark.place(plane) : [])).map(({ text }) => text);
  expect(names.length).toBeGreaterThan(2);
  expect(names.length).toBeLessThanOrEqual(8);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("t0.large");
});
