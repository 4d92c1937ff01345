/** Parameters of addresses until November 2026, and their names of today: links that were shared before still work. */
const OLD_PARAMETERS: Readonly<Record<string, string>> = { catalogue: "catalog" };

/** Return the parameters of an address by today's names; today's name wins where both are given. */
export function withTodaysNames(raw: Record<string, unknown>): Record<string, unknown> {
  const renamed = Object.entries(OLD_PARAMETERS).flatMap(([old, name]) =>
    raw[old] === undefined || raw[name] !== undefined ? [] : [[name, raw[old]] as const],
  );
  return { ...raw, ...Object.fromEntries(renamed) };
}
