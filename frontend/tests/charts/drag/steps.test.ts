import { describe, expect, it } from "vitest";
import { COSTS, rounded, SIZES, stepped, TIMES } from "@/charts/drag/steps";
import { keyed } from "@/charts/drag/useDrag";
import { secondsIn, usdIn } from "@/lib/amounts";
import { gigabytesIn } from "@/lib/sizes";

const AXIS = { low: 600, high: 7_200, log: true };

describe("limits set by dragging", () => {
  it.each([
    [1_317, "22 min"],
    [5_412.7, "1 h 30 min"],
    [1_011, "17 min"],
    [612, "10 min"],
    [307, "5 min 10 s"],
    [47.3, "47 s"],
    [7.31, "7.4 s"],
    [0.532, "0.54 s"],
    [200_000, "2 d 8 h"],
    [4_000_000, "46 d"],
  ])("%d s become %s", (seconds, text) => expect(TIMES.written(rounded(seconds, TIMES))).toBe(text));

  it.each([
    [432.4, "430 USD"],
    [98.7, "99 USD"],
    [1_234, "1240 USD"],
    [3.161, "3.15 USD"],
    [0.0123, "0.0124 USD"],
  ])("%d USD become %s", (amount, text) => expect(COSTS.written(rounded(amount, COSTS))).toBe(text));

  it.each([
    [98_700, "99 TB"],
    [123_456, "124 TB"],
    [1_234_567, "1.24 PB"],
    [873, "870 GB"],
    [10.4, "10.4 GB"],
    [1e7, "10 PB"],
  ])("%d GB become %s", (gb, text) => expect(SIZES.written(rounded(gb, SIZES))).toBe(text));

  it("are read back as they were written, in three digits at most", () => {
    for (const [scale, read] of [
      [TIMES, secondsIn],
      [COSTS, usdIn],
      [SIZES, gigabytesIn],
    ] as const) {
      for (let value = 20; value < 5e6; value *= 1.13) {
        const set = rounded(value, scale);
        expect(read(scale.written(set))).toBeCloseTo(set, 6);
        // A clock's digits are not decimal: 59 min 50 s.
        if (scale !== TIMES) expect(Number(set.toPrecision(3))).toBe(set);
      }
    }
  });

  it("are never visibly far from the pointer", () => {
    for (const [scale, share] of [
      [TIMES, 0.03],
      [COSTS, 0.015],
      [SIZES, 0.015],
    ] as const) {
      for (let value = 0.02; value < 1e7; value *= 1.037) {
        expect(Math.abs(rounded(value, scale) / value - 1)).toBeLessThan(share);
      }
    }
  });

  it("step to the next round value, and back to where they were", () => {
    expect(stepped(1_317, 1, false, TIMES)).toBe(1_320);
    expect(stepped(1_317, -1, false, TIMES)).toBe(1_260);
    for (const scale of [TIMES, COSTS, SIZES]) {
      for (let value = rounded(0.05, scale); value < 1e6; value = stepped(value, 1, false, scale)) {
        expect(stepped(stepped(value, 1, false, scale), -1, false, scale)).toBeCloseTo(value, 9);
        expect(stepped(value, 1, false, scale)).toBeGreaterThan(value);
      }
    }
  });
});

describe("keys on a limit", () => {
  it.each([
    ["ArrowLeft", 1_800, 1_740],
    ["ArrowUp", 1_800, 1_860],
    ["Delete", 1_800, null],
    ["End", 1_800, null],
    ["ArrowRight", 7_100, null],
    ["ArrowRight", null, null],
    ["Tab", 1_800, undefined],
  ] as const)("%s takes %j to %j", (key, from, to) => expect(keyed(key, from, AXIS, TIMES)).toBe(to));

  it("go far with page keys, and to the near end with Home", () => {
    expect(keyed("PageDown", 1_800, AXIS, TIMES)).toBe(1_200);
    expect(keyed("Home", 1_800, AXIS, TIMES)).toBeGreaterThan(AXIS.low);
    expect(keyed("Home", 1_800, AXIS, TIMES)).toBeLessThan(1.1 * AXIS.low);
  });

  it("begin at the far end where there is no limit", () => {
    const first = keyed("ArrowLeft", null, AXIS, TIMES);
    expect(first).toBeLessThan(AXIS.high);
    expect(first).toBeGreaterThan(0.9 * AXIS.high);
  });
});

describe("keys on an amount that there always is", () => {
  const span = { low: 10, high: 1e7, log: true };
  it.each([
    ["Home", 500, 10],
    ["End", 500, 1e7],
    ["Delete", 500, undefined],
    ["ArrowRight", 1e7, 1e7],
    ["ArrowRight", 1e9, 1e7],
    ["ArrowLeft", 10, 10],
    ["ArrowRight", null, 10.2],
    ["ArrowLeft", 100_000, 99_000],
  ] as const)("%s takes %j to %j", (key, from, to) => expect(keyed(key, from, span, SIZES, "closed")).toBe(to));
});
