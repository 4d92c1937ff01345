// Tables as files for spreadsheets.

export type CsvCell = string | number;

/** Prefixes that spreadsheets interpret as formulas. */
const FORMULA = /^[\s]*[=+\-@|\t\r＝＋－＠]/;

/**
 * Format a cell: quoted if necessary, and never a formula. Numbers stay numbers; formula-like text gets a leading
 * apostrophe (OWASP, CSV injection).
 */
function csvCell(cell: CsvCell): string {
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const text = harmless(cell);
  return /[",;\r\n\t']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Escape text that a spreadsheet would evaluate as a formula. */
export function harmless(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Format a table as CSV (RFC 4180) with a header row. */
export function csv(heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [heads, ...rows]
    .map((row) => row.map(csvCell).join(","))
    .join("\r\n")
    .concat("\r\n");
}

/** Download a CSV file. Its byte order mark tells Excel that the encoding is UTF-8. */
export function saveCsv(text: string, filename: string): void {
  saveText(`\uFEFF${text}`, `${filename}.csv`, "text/csv");
}

/** Download a text as a file. */
export function saveText(text: string, filename: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = filename;
  link.click();
  // Some browsers start the download late, so the URL must not be revoked immediately.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Convert any name to a file name. */
export function filenameFrom(name: string): string {
  const kept = name
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return kept === "" ? "stowage" : kept;
}
