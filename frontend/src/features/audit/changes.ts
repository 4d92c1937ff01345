// Changes of an audit event in words: old and new values, in addition to its sentence.

/** Fields that the sentence already contains, or that are irrelevant. */
const UNSAID = new Set(["deleted_at", "revoked_at", "state"]);

/** Format as `name: Old → New; role: viewer → planner`, without values of created or deleted objects. */
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
