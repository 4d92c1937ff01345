// Address of a sweep's page.

import { placeFrom, placeText } from "./cell";

/** What the cells show. */
export const SHOWN = ["winner", "cost", "time", "limit"] as const;
export type Shown = (typeof SHOWN)[number];

export function shownFrom(text: unknown): Shown {
  return SHOWN.find((shown) => shown === text) ?? "winner";
}

/** How a sweep is looked at, as the address keeps it. */
export interface SweepSearch {
  show?: string;
  cell?: string;
}

/** Keep the valid parts of an address; never fails. */
export function sweepSearchFrom(raw: Record<string, unknown>): SweepSearch {
  const shown = shownFrom(raw["show"]);
  const place = placeFrom(typeof raw["cell"] === "string" ? raw["cell"] : "", Infinity, Infinity);
  return {
    ...(shown === "winner" ? {} : { show: shown }),
    ...(place === null ? {} : { cell: placeText(place) }),
  };
}
