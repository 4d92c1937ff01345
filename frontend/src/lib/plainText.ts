// Safe display of user text: without invisible characters or reordering. Uses the same rules as the service for report
// files (`stowage.documents.text`).

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const LINE_ENDS = /\r\n|[\r\u000B\u000C\u0085\u2028\u2029]/g;
/** Invisible characters, joiners, and stacks of combining marks. */
const LOOKED_AT = /[\p{Cc}\p{Cf}\p{Cs}]|\p{M}{5,}/gu;
/** Direction controls, which can make a line read differently. */
const TURNING = /^[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]$/;
/** Format characters that are visible. */
const SEEN = /^[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]$/u;
const JOINERS = /^[\u200C\u200D]$/;
/** Start of the scripts with joining letters; joiners in other scripts are only invisible. */
const FIRST_THAT_JOINS = "\u0590";
const MOST_MARKS = 4;

/** Sanitize user text: remove invisible characters and spell out direction controls. */
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
