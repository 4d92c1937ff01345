import { useCallback, useEffect, useRef, useState } from "react";

/** How long after a keystroke the address follows, and with it the answer [ms]. */
const PAUSE_MS = 150;
/** Interval of address updates during a drag [ms]: browsers refuse more than some hundred changes in half a minute. */
const ADDRESS_MS = 320;

/**
 * How a change reaches the address: typing after a pause, the steps of a drag at the rate that browsers allow, everything
 * else at once, with or without a new entry.
 */
export type Pace = "typed" | "drag" | "new entry" | "same entry";

/** Make something else of what is shown. Does not change from one rendering to the next. */
export type ChangeAhead<Value> = (next: (now: Value) => Value, pace?: Pace) => void;

/**
 * What a page shows of its address: it runs ahead of the address during typing, and follows the address when
 * that changes by other means (back, a link, a button).
 *
 * @param address what the address holds
 * @param write puts a value into the address; `replace` where it makes no entry of its own in the history
 * @param keyOf tells one value from another
 * @returns what is shown, how to change it, and what of it is asked: typing after its pause, all else at once, also
 *   where the address follows later
 */
export function useAhead<Value>(
  address: Value,
  write: (value: Value, replace: boolean) => void,
  keyOf: (value: Value) => string = JSON.stringify,
): [Value, ChangeAhead<Value>, Value] {
  const addressKey = keyOf(address);
  const [{ value, asked }, setValues] = useState({ value: address, asked: address });
  const [seen, setSeen] = useState(addressKey);
  // Addresses that were written here and have not come back yet; state changes that only an effect reads.
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
    // A new entry that has not been made yet is still to be made.
    if (pace.current !== "new entry") pace.current = how;
    setValues((now) => {
      const changed = next(now.value);
      return { value: changed, asked: how === "typed" ? now.asked : changed };
    });
  }, []);
  return [value, change, asked];
}

/** How long a change still waits before it goes into the address [ms]. */
function waiting_ms(pace: Pace, since_ms: number): number {
  if (pace === "typed") return PAUSE_MS;
  return pace === "drag" ? ADDRESS_MS - since_ms : 0;
}

/** The same for the text of a search box, which ends where its last word ends. */
export function useAheadText(address: string, write: (text: string) => void): [string, (text: string) => void] {
  const [text, set] = useAhead(address, write, (one) => one.trim());
  return [text, useCallback((next: string) => set(() => next), [set])];
}
