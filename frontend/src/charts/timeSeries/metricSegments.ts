// Segments of a line over time: gaps in the data are not drawn, and not treated as 0.

/** Give the first and the last step of each stretch without a gap. */
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
