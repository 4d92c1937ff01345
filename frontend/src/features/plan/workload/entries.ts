// Answers that are lists, as the address keeps them: names between commas, `gp3:50 TiB:64000` between semicolons.

const BETWEEN_NAMES = ",";
const BETWEEN_ENTRIES = ";";
const WITHIN = ":";

/** Read names: `i3, r5`. */
export function namesIn(text: string): string[] {
  const names = text.split(BETWEEN_NAMES).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

export function namesText(names: readonly string[]): string {
  return namesIn(names.join(BETWEEN_NAMES)).join(BETWEEN_NAMES);
}

/** Something that is named, with a text for each of its limits, in their order; empty where there is none. */
export interface Entry {
  name: string;
  limits: string[];
}

/** Read entries with so many limits each: `i3.16xlarge:20;r5.large:5`; undefined where they are none. */
export function entriesIn(text: string, limits: number): Entry[] | undefined {
  const parts = text.split(BETWEEN_ENTRIES).filter((part) => part.trim() !== "");
  const entries = parts.map((part) => {
    const [name = "", ...rest] = part.split(WITHIN);
    // Their spaces stay: the unit may still be typed.
    return { name: name.trim(), limits: rest };
  });
  const readable = entries.every((entry) => entry.name !== "" && entry.limits.length === limits);
  const alone = new Set(entries.map(({ name }) => name)).size === entries.length;
  return readable && alone ? entries : undefined;
}

/** Write entries; what parts them cannot stand within them. */
export function entriesText(entries: readonly Entry[]): string {
  const clean = (text: string) => text.replace(/[;:]/g, "").trimStart();
  return entries.map(({ name, limits }) => [name, ...limits].map(clean).join(WITHIN)).join(BETWEEN_ENTRIES);
}
