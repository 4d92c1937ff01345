import { QueryClient } from "@tanstack/react-query";
import { renderHook } from "@testing-library/react";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import type { ReadinessAnswer } from "@/api/generated";
import { Unreachable } from "@/api/problem";
import { useReachable } from "@/api/reachable";
import { parts } from "@/api/teams/teams";

const NOT_READY: ReadinessAnswer = {
  status: "not ready",
  parts: [{ name: "redis", status: "failed", detail: "does not answer" }],
};

async function readiness(body: unknown) {
  const asked = stubService();
  const reachable = renderHook(useReachable).result;
  const read = new QueryClient({ defaultOptions: { queries: { retry: false } } }).fetchQuery(parts);
  await until(() => asked.length > 0);
  asked[0]?.answer(503, body);
  return { reachable, answer: await read.catch((error: unknown) => error) };
}

it("reads the parts of a service that is not ready, which is reachable", async () => {
  const { reachable, answer } = await readiness(NOT_READY);
  expect(answer).toEqual(NOT_READY);
  expect(reachable.current).toBe(true);
});

it("takes a status 503 without parts for a proxy whose service is unreachable", async () => {
  const { reachable, answer } = await readiness({ message: "no healthy upstream" });
  expect(answer).toBeInstanceOf(Unreachable);
  expect(reachable.current).toBe(false);
});
