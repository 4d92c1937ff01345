import { expect, test } from "vitest";
import { ApiProblem } from "@/api/problem";
import { retryDelay_ms, worthRetrying } from "@/api/queries";
import { amount, limitIn } from "@/features/team/Quotas";

test("a limit has its unit, and bytes the largest one that fits", () => {
  expect(amount(5_000, "plans")).toBe("5,000 plans");
  expect(amount(1, "sweeps")).toBe("1 sweep");
  expect(amount(50, "a second")).toBe("50 a second");
  expect(amount(20 * 2 ** 30, "bytes")).toBe("20 GiB");
  expect(amount(0, "bytes")).toBe("0 bytes");
});

test("a limit is read as it is shown, and nothing else is", () => {
  for (const [limit, unit] of [
    [5_000, "plans"],
    [1, "sweeps"],
    [20 * 2 ** 30, "bytes"],
  ] as const) {
    expect(limitIn(amount(limit, unit), unit)).toBe(limit);
  }
  expect(limitIn("12", "plans")).toBe(12);
  expect(limitIn("1.5 GiB", "bytes")).toBe(1.5 * 2 ** 30);
  for (const text of ["", "many", "-1", "1.5", "1e3"]) expect(limitIn(text, "plans")).toBeNull();
  for (const text of ["", "12", "GiB", "-1 GiB"]) expect(limitIn(text, "bytes")).toBeNull();
});

test("a page retries after a short wait, but not if something has to be deleted first", () => {
  const soon = new ApiProblem(429, { type: "urn:stowage:problem:quota" }, 1);
  expect(worthRetrying(0, soon)).toBe(true);
  expect(worthRetrying(4, soon)).toBe(false);
  expect(retryDelay_ms(0, soon)).toBeGreaterThan(0);
  expect(worthRetrying(0, new ApiProblem(429, {}, 3_600))).toBe(false);
  expect(worthRetrying(0, new ApiProblem(429, {}))).toBe(false);
  expect(worthRetrying(0, new ApiProblem(403, {}))).toBe(false);
  expect(worthRetrying(0, new ApiProblem(503, {}))).toBe(true);
});
