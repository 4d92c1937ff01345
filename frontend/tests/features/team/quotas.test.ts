import { expect, test } from "vitest";
import { ApiProblem } from "@/api/problem";
import { retryDelay_ms, worthRetrying } from "@/api/queries";
import { amount } from "@/features/team/Quotas";

test("a limit has its unit, and bytes the largest one that fits", () => {
  expect(amount(5_000, "plans")).toBe("5,000 plans");
  expect(amount(1, "sweeps")).toBe("1 sweep");
  expect(amount(50, "a second")).toBe("50 a second");
  expect(amount(20 * 2 ** 30, "bytes")).toBe("20 GiB");
  expect(amount(0, "bytes")).toBe("0 bytes");
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
