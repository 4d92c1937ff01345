import { expect, it } from "vitest";
import { remaining_s, roughly, type Sample, sampled } from "@/lib/progress";

/** Watch steady work: so many units a second. */
function watched(perSecond: number, seconds: number): Sample[] {
  let samples: Sample[] = [];
  for (let second = 0; second <= seconds; second += 1) {
    samples = sampled(samples, { done: perSecond * second, at_ms: 1_000 * second });
  }
  return samples;
}

it("judges steady work by its pace", () => {
  expect(remaining_s(watched(10, 5), 100, 5_000)).toBe(5);
  expect(remaining_s(watched(10, 60), 1_000, 60_000)).toBe(40);
});

it("says nothing before anything was seen to move", () => {
  expect(remaining_s([], 10, 5_000)).toBeNull();
  expect(remaining_s([{ done: 4, at_ms: 0 }], 10, 60_000)).toBeNull();
  expect(remaining_s(watched(10, 5).slice(0, 2), 100, 500)).toBeNull();
});

it("takes longer with each second that nothing moves", () => {
  const samples = watched(10, 5);
  expect(remaining_s(samples, 100, 10_000)).toBe(10);
});

it("forgets old progress, and starts over when work is resumed", () => {
  const fast = watched(100, 5);
  const later = [30, 31, 32].reduce(
    (samples, second) => sampled(samples, { done: 500 + (second - 29), at_ms: 1_000 * second }),
    fast,
  );
  expect(later.length).toBeLessThan(fast.length + 3);
  expect(sampled(fast, { done: 3, at_ms: 9_000 })).toEqual([{ done: 3, at_ms: 9_000 }]);
});

it("keeps one from before, so that slow work has a pace", () => {
  const samples = sampled(sampled(sampled([], { done: 0, at_ms: 0 }), { done: 1, at_ms: 60_000 }), {
    done: 2,
    at_ms: 120_000,
  });
  expect(remaining_s(samples, 4, 120_000)).toBe(120);
});

it.each([
  [0.2, "under 5 s"],
  [37, "about 40 s"],
  [59, "about 1 min"],
  [200, "about 3 min"],
  [7_300, "about 2 h"],
])("writes %d s as roughly as it is", (seconds, words) => {
  expect(roughly(seconds)).toBe(words);
});
