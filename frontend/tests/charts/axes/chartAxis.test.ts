import { describe, expect, it } from "vitest";
import { axisTicks, type ChartAxis, widthOf } from "@/charts/axes/chartAxis";

const DAY_MS = 86_400_000;
const START_MS = Date.parse("2026-11-20T06:00:00Z");
const AXES: Record<string, ChartAxis> = {
  amounts: { of: "amount", low: 0, high: 1_234, log: false },
  decades: { of: "amount", low: 0.005, high: 3e6, log: true },
  durations: { of: "duration", low: 0, high: 5_400, log: false },
  hours: { of: "date", low: START_MS, high: START_MS + DAY_MS, log: false },
  months: { of: "date", low: START_MS, high: START_MS + 100 * DAY_MS, log: false },
  names: { of: "amount", low: 0, high: 24, log: false, ticks: Array.from({ length: 24 }, (_, hour) => named(hour)) },
};

function named(hour: number) {
  return { value: hour + 0.5, text: `hour ${hour}` };
}

function shareOf(value: number, { low, high, log }: ChartAxis): number {
  const at = (each: number) => (log ? Math.log(each) : each);
  return (at(value) - at(low)) / (at(high) - at(low));
}

describe.each(Object.entries(AXES))("an axis of %s", (_, axis) => {
  it.each([80, 150, 300, 700, 1_300])("has ticks whose texts do not touch, over %d px", (length) => {
    const ticks = axisTicks(axis, length, "x");
    expect(ticks.length).toBeGreaterThan(0);
    for (const [index, { value, text }] of ticks.entries()) {
      const before = ticks[index - 1];
      if (before === undefined) continue;
      const apart = (shareOf(value, axis) - shareOf(before.value, axis)) * length;
      expect(apart).toBeGreaterThan((widthOf(text) + widthOf(before.text)) / 2);
    }
  });
});

it("writes the hour where days are few, and the year where they are many", () => {
  const texts = (days: number) =>
    axisTicks({ of: "date", low: START_MS, high: START_MS + days * DAY_MS, log: false }, 700, "x").map(
      ({ text }) => text,
    );
  expect(texts(1)).toContain("21 Nov 00:00");
  expect(texts(30)).toContain("26 Nov");
  expect(texts(900).every((text) => /^\d+ \w{3} \d{4}$/.test(text))).toBe(true);
});
