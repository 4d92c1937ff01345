// Reachability of the service, as of the last request.

import { useSyncExternalStore } from "react";

let reachable = true;
const listeners = new Set<() => void>();

/** Record if a response arrived. */
export function noteReachable(now: boolean): void {
  if (now === reachable) return;
  reachable = now;
  for (const listener of listeners) listener();
}

/** Return the reachability of the service, with updates. */
export function useReachable(): boolean {
  return useSyncExternalStore(listen, () => reachable);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
