// Teams that a URL may name, and the state of the service.

import { queryOptions } from "@tanstack/react-query";
import { type HealthAnswer, health, listTeams, type ReadinessAnswer, readiness } from "@/api/generated";
import { ApiProblem, isReadiness } from "@/api/problem";
import { ONCE, requested } from "@/api/requests";

const HALF_MINUTE_MS = 30_000;

export const teams = requested(["teams"], listTeams, { staleTime: HALF_MINUTE_MS, ...ONCE });

/** Query the readiness of each part of the service, also of one that is not ready (status 503). */
export const parts = queryOptions({
  queryKey: ["readiness"],
  queryFn: ({ signal }): Promise<ReadinessAnswer> =>
    readiness({ signal }).catch((error: unknown) => {
      if (error instanceof ApiProblem && isReadiness(error.cause)) return error.cause;
      throw error;
    }),
  staleTime: 0,
});

/** Query the health of the service. */
export const alive = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }): Promise<HealthAnswer> => health({ signal }),
  staleTime: 0,
});
