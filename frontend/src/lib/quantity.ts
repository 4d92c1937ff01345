// Reads durations and amounts as people write them, to draw the limits into the chart.
// What is accepted is for the service to say: what cannot be read here is only not drawn.

const SECONDS: Record<string, number> = { s: 1, min: 60, h: 3_600, d: 86_400 };

/** Read `1 h 30 min` [s]; null where it is no duration. */
export function secondsIn(text: string): number | null {
  const part = /\s*(\d[\d,]*(?:\.\d+)?|\.\d+)\s*([a-z]+)\s*/iy;
  let seconds = 0;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    const factor = SECONDS[match?.[2]?.toLowerCase() ?? ""];
    if (match === null || factor === undefined) return null;
    seconds += Number(match[1]?.replaceAll(",", "")) * factor;
  }
  return seconds > 0 ? seconds : null;
}

/** Read `$1,500` or `500 USD` [USD]; null where it is no amount. */
export function dollarsIn(text: string): number | null {
  const match = /^\s*(?:\$|usd)?\s*(\d[\d,]*(?:\.\d+)?|\.\d+)\s*(?:\$|usd)?\s*$/i.exec(text);
  const amount = Number(match?.[1]?.replaceAll(",", "") ?? Number.NaN);
  return amount > 0 ? amount : null;
}
