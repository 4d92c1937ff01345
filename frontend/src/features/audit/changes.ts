// Changes of an audit event in words: old and new values, in addition to its sentence.

/** What the sentence says already, or is of no interest. */
const UNSAID = new Set(["deleted_at", "revoked_at", "state"]);

/** Write `name: Old → New; role: viewer → planner`. What began or ended with the object itself is left out. */
export function changeWords(changes: Record<string, unknown>): string {
  return Object.entries(changes)
    .filter(([name]) => !UNSAID.has(name))
    .flatMap(([name, change]) => {
      if (!Array.isArray(change) || change.length !== 2) return [];
      const [before, after] = change as [unknown, unknown];
      if (before === null || after === null || before === undefined || after === undefined) return [];
      return [`${name.replaceAll("_", " ")}: ${valueWords(before)} → ${valueWords(after)}`];
    })
    .join("; ");
}

function valueWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueWords).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
