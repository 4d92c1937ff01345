import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { sweep } from "@/api/planning/sweeps";

/** Between two readings of the cells [ms]; a large sweep, which takes long to read, is read more seldom. */
const LEAST_PACE_MS = 500;
const READINGS_SHARE = 3;

/** Read a sweep. */
export function useSweep(id: string) {
  return useQuery(sweep(id));
}

/**
 * Read the cells of a sweep again whenever its job got on: one reading after another, so that an older one never
 * stands over a newer, and the last of them after the last step.
 *
 * @param step changes with every step of the job
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
