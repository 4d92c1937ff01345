// URL of a sweep's page.

import { placeFrom, placeText } from "./cell";

/** Views of the cells. */
export const SHOWN = ["winner", "cost", "time", "limit"] as const;
export type Shown = (typeof SHOWN)[number];

export function shownFrom(text: unknown): Shown {
  return SHOWN.find((shown) => shown === text) ?? "winner";
}

/** View of a sweep, as in the URL. */
export interface SweepSearch {
  show?: string;
  cell?: string;
}

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function sweepSearchFrom(raw: Record<string, unknown>): SweepSearch {
  const shown = shownFrom(raw["show"]);
  const place = placeFrom(typeof raw["cell"] === "string" ? raw["cell"] : "", Infinity, Infinity);
  return {
    ...(shown === "winner" ? {} : { show: shown }),
    ...(place === null ? {} : { cell: placeText(place) }),
  };
}
