// Addresses of the pages of monitored volumes.

import { oneOf, type SearchOf, searchOf } from "@/lib/address";

/** The list: whether ended ones are included, and whether the form is open. */
const LIST = { ended: oneOf(["yes"]), add: oneOf(["yes"]) };

export type WatchesSearch = SearchOf<typeof LIST>;
export const watchesSearchFrom = searchOf(LIST);

export const SPANS = { "1h": 1, "6h": 6, "24h": 24, "7d": 168, "15d": 360, "60d": 1_440, "1y": 8_760 } as const;
export type Span = keyof typeof SPANS;
export const USUAL_SPAN: Span = "6h";

/** One volume: the period shown. */
const VOLUME = { span: oneOf(Object.keys(SPANS) as Span[], USUAL_SPAN) };

export type WatchSearch = SearchOf<typeof VOLUME>;
export const watchSearchFrom = searchOf(VOLUME);
