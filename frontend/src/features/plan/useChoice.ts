import { useCallback } from "react";
import { type Pace, useAhead } from "@/lib/useAhead";
import { type Choice, choiceFrom, type Field, type Search, searchOf } from "./choice";

export type Change = (changes: Partial<Record<Field, string>>, pace?: Pace) => void;

interface ChoiceInForm {
  choice: Choice;
  change: Change;
}

function keyOf(choice: Choice): string {
  return JSON.stringify(searchOf(choice));
}

/** What stands in the form: ahead of the address while somebody types. */
export function useChoice(search: Search, write: (choice: Choice, replace: boolean) => void): ChoiceInForm {
  const [choice, set] = useAhead(choiceFrom(search), write, keyOf);
  const change = useCallback<Change>((changes, pace) => set((before) => ({ ...before, ...changes }), pace), [set]);
  return { choice, change };
}
