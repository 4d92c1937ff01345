// Tables as files for spreadsheets.

export type CsvCell = string | number;

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[\s]*[=+\-@|\t\r＝＋－＠]/;

/**
 * Write a cell: quoted where it must be, and never a formula. Numbers stay numbers; a text that a spreadsheet would
 * compute gets an apostrophe before it (OWASP, CSV injection).
 */
function csvCell(cell: CsvCell): string {
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const text = harmless(cell);
  return /[",;\r\n\t']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Keep a text from being computed where it is pasted. */
export function harmless(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Write a table as CSV (RFC 4180), heads first. */
export function csv(heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [heads, ...rows]
    .map((row) => row.map(csvCell).join(","))
    .join("\r\n")
    .concat("\r\n");
}

/** Give a table to the reader as a file. The mark at its start tells Excel that it is UTF-8. */
export function saveCsv(text: string, filename: string): void {
  saveText(`\uFEFF${text}`, `${filename}.csv`, "text/csv");
}

/** Give a text to the reader as a file. */
export function saveText(text: string, filename: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = filename;
  link.click();
  // The browser has taken it up by then; at once would be too early for some.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Make a file name from any name. */
export function filenameFrom(name: string): string {
  const kept = name
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return kept === "" ? "stowage" : kept;
}
