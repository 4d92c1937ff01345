import { useEffect, useRef, useState } from "react";
import { type Choice, choiceFrom, type Field, type Search, searchOf } from "./choice";

/** How long after a keystroke the address follows, and with it the answer [ms]. */
const PAUSE_MS = 150;

function keyOf(choice: Choice): string {
  return JSON.stringify(searchOf(choice));
}

/** How a change reaches the address: typing after a pause, everything else at once, with or without a new entry. */
export type Pace = "typed" | "new entry" | "same entry";

export type Change = (changes: Partial<Record<Field, string>>, pace?: Pace) => void;

interface ChoiceInForm {
  choice: Choice;
  change: Change;
}

/**
 * What stands in the form: it runs ahead of the address while the user types, and follows the address when that
 * changes by other means (back, a link, a button).
 *
 * @param search what the address holds
 * @param write puts a choice into the address; `replace` where it makes no entry of its own in the history
 */
export function useChoice(search: Search, write: (choice: Choice, replace: boolean) => void): ChoiceInForm {
  const address = choiceFrom(search);
  const addressKey = keyOf(address);
  const [choice, setChoice] = useState(address);
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
    if (position >= 0) setUnderway(underway.slice(position + 1));
    else setChoice(address);
  }

  const choiceKey = keyOf(choice);
  const ahead = choiceKey !== (underway.at(-1) ?? addressKey);
  useEffect(() => {
    if (!ahead) {
      pace.current = "typed";
      return;
    }
    const put = () => {
      setUnderway((keys) => [...keys, choiceKey]);
      latestWrite.current(choice, pace.current !== "new entry");
      pace.current = "typed";
    };
    const timer = setTimeout(put, pace.current === "typed" ? PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [ahead, choice, choiceKey]);

  const change: Change = (changes, how = "typed") => {
    // A new entry that has not been made yet is still to be made.
    if (pace.current !== "new entry") pace.current = how;
    setChoice((before) => ({ ...before, ...changes }));
  };
  return { choice, change };
}
