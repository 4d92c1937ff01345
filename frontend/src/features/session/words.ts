/** Reasons why a sign-in at the provider failed, by the code in the address. */
const PROBLEMS: Record<string, string> = {
  refused: "The sign-in was given up at the provider.",
  expired: "The sign-in took too long, or was begun in another browser. Begin it again.",
  unknown: "No one here uses that account. If you were invited, open the link of the invitation first.",
  known:
    "There is an account with that e-mail already: sign in by its password, then connect the two on the page Account.",
  another: "You signed in at the provider with an account that is not connected to this one. Nothing was changed.",
  taken: "That account is connected to another person here.",
  provider: "The provider did not answer as it should. Try again, or sign in otherwise.",
};

export function problemWords(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  return Object.hasOwn(PROBLEMS, word) ? PROBLEMS[word] : "The sign-in did not come to its end. Try again.";
}

/** Whether this is a user's first visit without any sign-in method. */
export function isNew(person: { email: string | null; has_password: boolean } | null): boolean {
  return person !== null && person.email === null && !person.has_password;
}

const LATER = "stowage-welcomed";

/** Store that the user does not want to be asked again. */
export function putOff(personId: string): void {
  try {
    window.localStorage.setItem(LATER, personId);
  } catch {
    // Storage may be forbidden; then the user is asked again.
  }
}

export function isPutOff(personId: string): boolean {
  try {
    return window.localStorage.getItem(LATER) === personId;
  } catch {
    return false;
  }
}
