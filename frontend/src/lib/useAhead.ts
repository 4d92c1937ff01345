import { useCallback, useEffect, useRef, useState } from "react";

/** How long after a keystroke the address follows, and with it the answer [ms]. */
const PAUSE_MS = 150;

/** How a change reaches the address: typing after a pause, everything else at once, with or without a new entry. */
export type Pace = "typed" | "new entry" | "same entry";

/** Make something else of what is shown. Does not change from one rendering to the next. */
export type ChangeAhead<Value> = (next: (now: Value) => Value, pace?: Pace) => void;

/**
 * What a page shows of its address: it runs ahead of the address while somebody types, and follows the address when
 * that changes by other means (back, a link, a button).
 *
 * @param address what the address holds
 * @param write puts a value into the address; `replace` where it makes no entry of its own in the history
 * @param keyOf tells one value from another
 */
export function useAhead<Value>(
  address: Value,
  write: (value: Value, replace: boolean) => void,
  keyOf: (value: Value) => string = JSON.stringify,
): [Value, ChangeAhead<Value>] {
  const addressKey = keyOf(address);
  const [value, setValue] = useState(address);
  const [seen, setSeen] = useState(addressKey);
  // Addresses that were written here and have not come back yet; state changes that only an effect reads.
  const [underway, setUnderway] = useState<readonly string[]>([]);
  const latestWrite = useRef(write);
  const pace = useRef<Pace>("typed");

  useEffect(() => {
    latestWrite.current = write;
  }, [write]);

  if (addressKey !== seen) {
    setSeen(addressKey);
    const position = underway.indexOf(addressKey);
    setUnderway(position >= 0 ? underway.slice(position + 1) : []);
    if (position < 0) setValue(address);
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
      setUnderway((keys) => [...keys, valueKey]);
      latestWrite.current(value, replace);
    };
    if (pace.current !== "typed") {
      put();
      return;
    }
    const timer = setTimeout(put, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [ahead, value, valueKey]);

  const change = useCallback<ChangeAhead<Value>>((next, how = "typed") => {
    // A new entry that has not been made yet is still to be made.
    if (pace.current !== "new entry") pace.current = how;
    setValue(next);
  }, []);
  return [value, change];
}

/** The same for the text of a search box, which ends where its last word ends. */
export function useAheadText(address: string, write: (text: string) => void): [string, (text: string) => void] {
  const [text, set] = useAhead(address, write, (one) => one.trim());
  return [text, useCallback((next: string) => set(() => next), [set])];
}
