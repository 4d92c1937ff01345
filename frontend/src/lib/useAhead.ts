import { useCallback, useEffect, useRef, useState } from "react";

/** Delay between a keystroke and the update of the URL and the answer [ms]. */
const PAUSE_MS = 150;
/** Interval of URL updates during a drag [ms]: browsers allow only about a hundred in half a minute. */
const ADDRESS_MS = 320;

/**
 * Timing of the URL update: after a pause for typing, rate-limited for drags, immediate otherwise, with or without a
 * new history entry.
 */
export type Pace = "typed" | "drag" | "new entry" | "same entry";

/** Update the displayed value. Stable between renders. */
export type ChangeAhead<Value> = (next: (now: Value) => Value, pace?: Pace) => void;

/**
 * Mirror a value of the URL: the displayed value is ahead of the URL during typing, and follows other changes of the
 * URL (back, links, buttons).
 *
 * @param address value in the URL
 * @param write stores a value in the URL; `replace` is true if no history entry is added
 * @param keyOf returns a key that identifies a value
 * @returns displayed value, update function, and requested value (delayed while typing, otherwise immediate, even if
 *   the URL follows later)
 */
export function useAhead<Value>(
  address: Value,
  write: (value: Value, replace: boolean) => void,
  keyOf: (value: Value) => string = JSON.stringify,
): [Value, ChangeAhead<Value>, Value] {
  const addressKey = keyOf(address);
  const [{ value, asked }, setValues] = useState({ value: address, asked: address });
  const [seen, setSeen] = useState(addressKey);
  // Pending keys written to the URL. State, because changes that only an effect reads must trigger a render.
  const [underway, setUnderway] = useState<readonly string[]>([]);
  const latestWrite = useRef(write);
  const pace = useRef<Pace>("typed");
  const written_ms = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    latestWrite.current = write;
  }, [write]);

  if (addressKey !== seen) {
    setSeen(addressKey);
    const position = underway.indexOf(addressKey);
    setUnderway(position >= 0 ? underway.slice(position + 1) : []);
    if (position < 0) setValues({ value: address, asked: address });
  }

  const valueKey = keyOf(value);
  const ahead = valueKey !== (underway.at(-1) ?? addressKey);
  useEffect(() => {
    if (!ahead) {
      pace.current = "typed";
      return;
    }
    const put = () => {
      const replace = pace.current !== "new entry";
      pace.current = "typed";
      written_ms.current = performance.now();
      setUnderway((keys) => [...keys, valueKey]);
      setValues((now) => ({ ...now, asked: value }));
      latestWrite.current(value, replace);
    };
    const wait_ms = waiting_ms(pace.current, performance.now() - written_ms.current);
    if (wait_ms <= 0) {
      put();
      return;
    }
    const timer = setTimeout(put, wait_ms);
    return () => clearTimeout(timer);
  }, [ahead, value, valueKey]);

  const change = useCallback<ChangeAhead<Value>>((next, how = "typed") => {
    // A pending new entry takes precedence.
    if (pace.current !== "new entry") pace.current = how;
    setValues((now) => {
      const changed = next(now.value);
      return { value: changed, asked: how === "typed" ? now.asked : changed };
    });
  }, []);
  return [value, change, asked];
}

/** Compute the remaining delay before a URL update [ms]. */
function waiting_ms(pace: Pace, since_ms: number): number {
  if (pace === "typed") return PAUSE_MS;
  return pace === "drag" ? ADDRESS_MS - since_ms : 0;
}

/** Mirror the text of a search box; trailing spaces are ignored. */
export function useAheadText(address: string, write: (text: string) => void): [string, (text: string) => void] {
  const [text, set] = useAhead(address, write, (one) => one.trim());
  return [text, useCallback((next: string) => set(() => next), [set])];
}
