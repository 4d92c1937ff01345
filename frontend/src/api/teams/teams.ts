// Teams that a URL may name, and the state of the service.

import { queryOptions } from "@tanstack/react-query";
import { type HealthAnswer, health, listTeams, type ReadinessAnswer, readiness } from "@/api/generated";
import { answered, Unreachable } from "@/api/problem";
import { ONCE, requested } from "@/api/requests";

const HALF_MINUTE_MS = 30_000;

export const teams = requested(["teams"], listTeams, { staleTime: HALF_MINUTE_MS, ...ONCE });

/** Query the readiness of each part of the service. */
export const parts = queryOptions({
  queryKey: ["readiness"],
  queryFn: async ({ signal }): Promise<ReadinessAnswer> => {
    const { data, error, response } = await readiness({ signal });
    if (data !== undefined) return data;
    // A service that is not ready responds with status 503 and the same schema.
    if (response?.status === 503 && typeof error === "object" && error !== null && "parts" in error) return error;
    throw new Unreachable(error);
  },
  staleTime: 0,
});

/** Query the health of the service. */
export const alive = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }): Promise<HealthAnswer> => answered(health({ signal })),
  staleTime: 0,
});
