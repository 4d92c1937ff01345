// A calculation in readable form: each line has a letter, and refers to earlier lines by their letters.

import type { Step } from "@/api/generated";

export interface Working {
  letter: string;
  /** `a × b ÷ 3600`; empty for an input. */
  working: string;
}

/** `a` to `z`, then `aa`, `ab`, … */
export function letterOf(place: number): string {
  const rest = Math.floor(place / 26);
  return (rest === 0 ? "" : letterOf(rest - 1)) + String.fromCharCode(97 + (place % 26));
}

const WORD = /[a-z][a-z0-9_]*/g;
const FUNCTIONS: ReadonlySet<string> = new Set(["max", "min", "ceil"]);

/** Return each line's formula with letters in place of keys. */
export function workings(steps: readonly Step[]): Working[] {
  const letters = new Map(steps.map(({ key }, place) => [key, letterOf(place)]));
  return steps.map(({ formula }, place) => ({ letter: letterOf(place), working: workingOf(formula, letters) }));
}

function workingOf(formula: string | null, letters: ReadonlyMap<string, string>): string {
  if (formula === null) return "";
  return formula
    .replaceAll("*", "×")
    .replaceAll("/", "÷")
    .replaceAll("-", "−")
    .replace(WORD, (word) => (FUNCTIONS.has(word) ? (word === "ceil" ? "whole" : word) : (letters.get(word) ?? word)));
}
