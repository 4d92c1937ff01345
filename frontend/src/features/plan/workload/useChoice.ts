import { useCallback, useMemo } from "react";
import { type Pace, useAhead } from "@/lib/useAhead";
import { type Choice, choiceFrom, type Field, type Search, searchOf } from "./choice";

export type Change = (changes: Partial<Record<Field, string>>, pace?: Pace) => void;

interface ChoiceInForm {
  choice: Choice;
  /** What is sent to the service: typing after a pause, drags at once. */
  asked: Choice;
  change: Change;
}

function keyOf(choice: Choice): string {
  return JSON.stringify(searchOf(choice));
}

/** What stands in the form: ahead of the address during typing and dragging. */
export function useChoice(search: Search, write: (choice: Choice, replace: boolean) => void): ChoiceInForm {
  const [choice, set, asked] = useAhead(choiceFrom(search), write, keyOf);
  const change = useCallback<Change>((changes, pace) => set((before) => ({ ...before, ...changes }), pace), [set]);
  const askedKey = keyOf(asked);
  // As the address will hold it, and the same object as long as it says the same.
  return { choice, asked: useMemo(() => choiceFrom(JSON.parse(askedKey) as Search), [askedKey]), change };
}
