import { useEffect, useRef, useState } from "react";
import { type Choice, choiceFrom, type Field, type Search, searchOf } from "./choice";

/** How long after a keystroke the address follows, and with it the answer [ms]. */
const PAUSE_MS = 150;

function keyOf(choice: Choice): string {
  return JSON.stringify(searchOf(choice));
}

interface ChoiceInForm {
  choice: Choice;
  change: (changes: Partial<Record<Field, string>>) => void;
}

/**
 * What stands in the form: it runs ahead of the address while the user types, and follows the address when that
 * changes by other means (back, a link, a button).
 *
 * @param search what the address holds
 * @param write puts a choice into the address
 */
export function useChoice(search: Search, write: (choice: Choice) => void): ChoiceInForm {
  const address = choiceFrom(search);
  const addressKey = keyOf(address);
  const [choice, setChoice] = useState(address);
  const [seen, setSeen] = useState(addressKey);
  // Addresses that were written here and have not come back yet; state changes that only an effect reads.
  const [underway, setUnderway] = useState<readonly string[]>([]);
  const latestWrite = useRef(write);

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
    if (!ahead) return;
    const timer = setTimeout(() => {
      setUnderway((keys) => [...keys, choiceKey]);
      latestWrite.current(choice);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [ahead, choice, choiceKey]);

  return { choice, change: (changes) => setChoice((before) => ({ ...before, ...changes })) };
}
