import { describe, expect, it } from "vitest";
import { axisOver, shareOf, valueAt } from "@/charts/axes/axis";
import { ticksOf } from "@/charts/axes/ticks";

describe("ticks", () => {
  it("are round, few, and on the axis, over any span", () => {
    for (let exponent = -2; exponent < 8; exponent += 1) {
      for (const factor of [1.05, 1.5, 4, 30, 1e4]) {
        for (const [log, most] of [
          [true, 8],
          [false, 8],
          [true, 4],
          [false, 4],
        ] as const) {
          const axis = axisOver([10 ** exponent, 10 ** exponent * factor], log);
          for (const ticks of [ticksOf("duration", axis, most), ticksOf("amount", axis, most)]) {
            expect(ticks.length).toBeGreaterThanOrEqual(2);
            expect(ticks.length).toBeLessThanOrEqual(2 * most);
            expect(Math.min(...ticks)).toBeGreaterThanOrEqual(axis.low);
            expect(Math.max(...ticks)).toBeLessThanOrEqual(axis.high);
          }
        }
      }
    }
  });

  it("use the steps of clocks", () => {
    expect(ticksOf("duration", { low: 50, high: 4_000, log: true }, 8)).toContain(1800);
    expect(ticksOf("duration", { low: 0, high: 3_700, log: false }, 8)).toEqual([0, 600, 1200, 1800, 2400, 3000, 3600]);
  });
});

describe("an axis", () => {
  it("starts at 0 where it is linear", () => expect(axisOver([5, 9], false).low).toBe(0));
  it("leaves room on both sides where it is logarithmic", () => {
    const axis = axisOver([100, 10_000], true);
    expect(axis.low).toBeLessThan(100);
    expect(axis.high).toBeGreaterThan(10_000);
  });
  it.each([true, false])("finds back the value of a place (logarithmic: %s)", (log) => {
    const axis = axisOver([190, 9_000], log);
    for (const share of [0.01, 0.25, 0.5, 1]) expect(shareOf(valueAt(share, axis), axis)).toBeCloseTo(share, 9);
    expect(valueAt(0, axis)).toBeCloseTo(axis.low, 9);
    expect(valueAt(1, axis)).toBeCloseTo(axis.high, 6);
  });
});
