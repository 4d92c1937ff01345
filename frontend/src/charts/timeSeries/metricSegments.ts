// Segments of a line over time: gaps in the data are neither drawn nor treated as 0.

/** Return the first and last index of each segment without gaps. */
export function segments(values: readonly (number | null)[]): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (const [step, value] of values.entries()) {
    if (value === null) continue;
    const open = found.at(-1);
    if (open !== undefined && open[1] === step - 1) open[1] = step;
    else found.push([step, step]);
  }
  return found;
}
