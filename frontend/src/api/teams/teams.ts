// The teams that an address may name, and how the service is.

import { queryOptions } from "@tanstack/react-query";
import { type HealthAnswer, health, listTeams, type ReadinessAnswer, readiness } from "@/api/generated";
import { answered, Unreachable } from "@/api/problem";

const HALF_MINUTE_MS = 30_000;

export const teams = queryOptions({
  queryKey: ["teams"],
  queryFn: ({ signal }) => answered(listTeams({ signal })),
  staleTime: HALF_MINUTE_MS,
});

/** Which parts of the service work. */
export const parts = queryOptions({
  queryKey: ["readiness"],
  queryFn: async ({ signal }): Promise<ReadinessAnswer> => {
    const { data, error, response } = await readiness({ signal });
    if (data !== undefined) return data;
    // One that is not ready says so with status 503, and in the same shape.
    if (response?.status === 503 && typeof error === "object" && error !== null && "parts" in error) return error;
    throw new Unreachable(error);
  },
  staleTime: 0,
});

/** Ask for a sign of life. */
export const alive = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }): Promise<HealthAnswer> => answered(health({ signal })),
  staleTime: 0,
});
