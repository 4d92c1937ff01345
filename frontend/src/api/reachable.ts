// Whether the service answered the last request.

import { useSyncExternalStore } from "react";

let reachable = true;
const listeners = new Set<() => void>();

/** Note whether any answer came. */
export function noteReachable(now: boolean): void {
  if (now === reachable) return;
  reachable = now;
  for (const listener of listeners) listener();
}

/** Follow whether the service can be reached. */
export function useReachable(): boolean {
  return useSyncExternalStore(listen, () => reachable);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
