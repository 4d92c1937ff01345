import { useCallback, useMemo } from "react";
import { type Pace, useAhead } from "@/lib/useAhead";
import { type Choice, choiceFrom, type Search, searchOf } from "./choice";
import type { Field } from "./fields";

export type Change = (changes: Partial<Record<Field, string>>, pace?: Pace) => void;

interface ChoiceInForm {
  choice: Choice;
  /** The choice to send to the API: after a pause in typing, immediately while dragging. */
  asked: Choice;
  change: Change;
}

function keyOf(choice: Choice): string {
  return JSON.stringify(searchOf(choice));
}

/** Store the choice in the form, ahead of the URL while typing and dragging. */
export function useChoice(search: Search, write: (choice: Choice, replace: boolean) => void): ChoiceInForm {
  const [choice, set, asked] = useAhead(choiceFrom(search), write, keyOf);
  const change = useCallback<Change>((changes, pace) => set((before) => ({ ...before, ...changes }), pace), [set]);
  const askedKey = keyOf(asked);
  // Normalized as in the URL, and the same object for an equal choice.
  return { choice, asked: useMemo(() => choiceFrom(JSON.parse(askedKey) as Search), [askedKey]), change };
}
