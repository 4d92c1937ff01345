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

/** Keep a text from being computed by whoever pastes it. */
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

/** Give a file to the reader. The mark at its start tells Excel that it is UTF-8. */
export function saveCsv(text: string, filename: string): void {
  const address = URL.createObjectURL(new Blob(["\uFEFF", text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${filename}.csv`;
  link.click();
  // The browser has taken it up by then; at once would be too early for some.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Make a name for a file out of whatever something is called. */
export function filenameFrom(name: string): string {
  const kept = name
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return kept === "" ? "stowage" : kept;
}
