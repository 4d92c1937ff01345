import { useEffect, useState } from "react";

/** Return the current time, updated every second while `ticking` [ms since 1970]. */
export function useNow(ticking: boolean): number {
  const [now_ms, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now_ms;
}
