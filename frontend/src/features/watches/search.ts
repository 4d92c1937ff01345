// Addresses of the pages of monitored volumes.

/** The list: whether ended ones are included, and whether the form is open. */
export interface WatchesSearch {
  ended?: "yes";
  add?: "yes";
}

/** Keep the valid parts of an address; never fails. */
export function watchesSearchFrom(raw: Record<string, unknown>): WatchesSearch {
  return { ...(raw["ended"] === "yes" ? { ended: "yes" } : {}), ...(raw["add"] === "yes" ? { add: "yes" } : {}) };
}

export const SPANS = { "1h": 1, "6h": 6, "24h": 24, "7d": 168, "15d": 360, "60d": 1_440, "1y": 8_760 } as const;
export type Span = keyof typeof SPANS;
export const USUAL_SPAN: Span = "6h";

/** One volume: the period shown. */
export interface WatchSearch {
  span?: Span;
}

export function watchSearchFrom(raw: Record<string, unknown>): WatchSearch {
  const span = (Object.keys(SPANS) as Span[]).find((known) => known === raw["span"]);
  return span === undefined || span === USUAL_SPAN ? {} : { span };
}
