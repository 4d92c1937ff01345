import { useCallback, useEffect, useRef, useState } from "react";
import { type ExploreChange, type ExploreSearch, exploreSearchFrom, withChange } from "./search";

/** How long after a keystroke the address follows [ms]. */
const PAUSE_MS = 250;

type Write = (search: ExploreSearch, replace: boolean) => void;

/** How a change reaches the address: with an entry in the history, without one, or when the typing pauses. */
export type How = "push" | "replace" | "typed";

/** Change some of what is shown: to this, or to what a function makes of what is shown now. */
export type Change = (change: ExploreChange | ((now: ExploreSearch) => ExploreChange), how?: How) => void;

/**
 * What the page shows: it runs ahead of the address while somebody types, so that the table answers each key at once,
 * and follows the address when that changes by other means (back, a link).
 */
export function useAheadSearch(address: ExploreSearch, write: Write): [ExploreSearch, Change] {
  const [search, setSearch] = useState(address);
  const written = useRef(JSON.stringify(address));
  const latest = useRef({ search, write });
  const timer = useRef<number | undefined>(undefined);
  const key = JSON.stringify(exploreSearchFrom({ ...address }));
  useEffect(() => {
    latest.current.write = write;
  }, [write]);
  useEffect(() => {
    // What was written here and comes back is no news.
    if (key === written.current) return;
    window.clearTimeout(timer.current);
    written.current = key;
    latest.current.search = exploreSearchFrom(JSON.parse(key) as Record<string, unknown>);
    setSearch(latest.current.search);
  }, [key]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const change = useCallback<Change>((changes, how = "replace") => {
    const now = latest.current.search;
    const next = withChange(now, typeof changes === "function" ? changes(now) : changes);
    latest.current.search = next;
    setSearch(next);
    window.clearTimeout(timer.current);
    const send = () => {
      written.current = JSON.stringify(next);
      latest.current.write(next, how !== "push");
    };
    if (how === "typed") timer.current = window.setTimeout(send, PAUSE_MS);
    else send();
  }, []);
  return [search, change];
}
