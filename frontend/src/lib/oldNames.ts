/** URL parameters until November 2026 and their current names, so that old links keep working. */
const OLD_PARAMETERS: Readonly<Record<string, string>> = { catalogue: "catalog" };

/** Rename old URL parameters; current names take precedence. */
export function withTodaysNames(raw: Record<string, unknown>): Record<string, unknown> {
  const renamed = Object.entries(OLD_PARAMETERS).flatMap(([old, name]) =>
    raw[old] === undefined || raw[name] !== undefined ? [] : [[name, raw[old]] as const],
  );
  return { ...raw, ...Object.fromEntries(renamed) };
}
