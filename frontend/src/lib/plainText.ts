// Texts that come from people, as they may be shown: everything in them is seen, and nothing else happens. The same
// rules as the service's own for the files of a report (`stowage.documents.text`).

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const LINE_ENDS = /\r\n|[\r\u000B\u000C\u0085\u2028\u2029]/g;
/** Signs without a shape, marks that join, and marks that stack on what stands before them. */
const LOOKED_AT = /[\p{Cc}\p{Cf}\p{Cs}]|\p{M}{5,}/gu;
/** These set the direction of what follows; they could make a line read as what it is not. */
const TURNING = /^[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]$/;
/** Format characters by their category, but seen. */
const SEEN = /^[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]$/u;
const JOINERS = /^[\u200C\u200D]$/;
/** Before it there are letters that stand apart: between them a joiner only hides. */
const FIRST_THAT_JOINS = "\u0590";
const MOST_MARKS = 4;

/** Write a text of a user so that it reads as it stands: nothing invisible in it, what turns it around by name. */
export function shown(text: string): string {
  return text
    .replace(LINE_ENDS, "\n")
    .replace(LOOKED_AT, (found, at: number, whole: string) => inPlaceOf(found, whole[at - 1] ?? ""));
}

function inPlaceOf(found: string, before: string): string {
  if (found === "\n" || SEEN.test(found)) return found;
  if (found === "\t") return " ";
  if (/^\p{M}/u.test(found)) return [...found].slice(0, MOST_MARKS).join("");
  if (TURNING.test(found)) return `‹U+${codeOf(found)}›`;
  if (JOINERS.test(found)) return before >= FIRST_THAT_JOINS ? found : "";
  return /^\p{Cs}$/u.test(found) ? "\uFFFD" : "";
}

function codeOf(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
