import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { sweep } from "@/api/planning/sweeps";

/** Minimum interval between two fetches of the cells [ms]; large sweeps, which are slow to fetch, use a longer one. */
const LEAST_PACE_MS = 500;
const READINGS_SHARE = 3;

/**
 * Refetch the cells of a sweep after each step of its job.
 *
 * Fetches run one after another, so that an older result never replaces a newer one; the last one follows the last
 * step.
 *
 * @param step a value that changes with every step of the job
 */
export function useCells(id: string, step: string): void {
  const client = useQueryClient();
  const reading = useRef({ wanted: step, read: step, busy: false });
  const { queryKey } = sweep(id);
  const key = JSON.stringify(queryKey);
  useEffect(() => {
    const state = reading.current;
    state.wanted = step;
    if (state.busy || state.read === step) return;
    const next = async () => {
      state.busy = true;
      while (state.read !== state.wanted) {
        const begun_ms = performance.now();
        state.read = state.wanted;
        await client.refetchQueries({ queryKey: JSON.parse(key), exact: true }, { cancelRefetch: true });
        const took_ms = performance.now() - begun_ms;
        await new Promise((done) => setTimeout(done, Math.max(LEAST_PACE_MS - took_ms, READINGS_SHARE * took_ms)));
      }
      state.busy = false;
    };
    void next();
  }, [step, key, client]);
}
