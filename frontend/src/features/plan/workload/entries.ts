// Answers that are lists, as in the URL: comma-separated names, or `gp3:50 TiB:64000` separated by semicolons.

const BETWEEN_NAMES = ",";
const BETWEEN_ENTRIES = ";";
const WITHIN = ":";

/** Parse names: `i3, r5`. */
export function namesIn(text: string): string[] {
  const names = text.split(BETWEEN_NAMES).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

export function namesText(names: readonly string[]): string {
  return namesIn(names.join(BETWEEN_NAMES)).join(BETWEEN_NAMES);
}

/** A named entry with the text of each limit, in order; empty for no limit. */
export interface Entry {
  name: string;
  limits: string[];
}

/** Parse entries with the given number of limits: `i3.16xlarge:20;r5.large:5`; undefined if invalid. */
export function entriesIn(text: string, limits: number): Entry[] | undefined {
  const parts = text.split(BETWEEN_ENTRIES).filter((part) => part.trim() !== "");
  const entries = parts.map((part) => {
    const [name = "", ...rest] = part.split(WITHIN);
    // Spaces stay, as the unit may still be typed.
    return { name: name.trim(), limits: rest };
  });
  const readable = entries.every((entry) => entry.name !== "" && entry.limits.length === limits);
  const alone = new Set(entries.map(({ name }) => name)).size === entries.length;
  return readable && alone ? entries : undefined;
}

/** Format entries; separators within them are removed. */
export function entriesText(entries: readonly Entry[]): string {
  const clean = (text: string) => text.replace(/[;:]/g, "").trimStart();
  return entries.map(({ name, limits }) => [name, ...limits].map(clean).join(WITHIN)).join(BETWEEN_ENTRIES);
}
