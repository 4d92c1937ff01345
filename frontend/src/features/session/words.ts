/** Why the provider brought somebody back without an account, by the word in the address. */
const PROBLEMS: Record<string, string> = {
  refused: "The sign-in was given up at the provider.",
  expired: "The sign-in took too long, or was begun in another browser. Begin it again.",
  unknown: "Nobody here has that account. Whoever was invited opens the link of the invitation first.",
  known:
    "There is an account with that e-mail already: sign in by its password, then connect the two on the page Account.",
  another: "You signed in at the provider with an account that is not connected to this one. Nothing was changed.",
  taken: "That account is connected to somebody else here.",
  provider: "The provider did not answer as it should. Try again, or sign in otherwise.",
};

export function problemWords(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  return Object.hasOwn(PROBLEMS, word) ? PROBLEMS[word] : "The sign-in did not come to its end. Try again.";
}

/** Whether somebody is here for the first time: nothing is known of them by which they could come back. */
export function isNew(person: { email: string | null; has_password: boolean } | null): boolean {
  return person !== null && person.email === null && !person.has_password;
}

const LATER = "stowage-welcomed";

/** Note that somebody does not want to be asked again. */
export function putOff(personId: string): void {
  try {
    window.localStorage.setItem(LATER, personId);
  } catch {
    // Storage may be forbidden; then they are asked again.
  }
}

export function isPutOff(personId: string): boolean {
  try {
    return window.localStorage.getItem(LATER) === personId;
  } catch {
    return false;
  }
}
