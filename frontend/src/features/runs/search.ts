// Addresses of the run pages.

import { RUN_STATES } from "@/api/runs/runs";
import { oneOf, type SearchOf, searchOf } from "@/lib/address";

export const MOST_COMPARED = 8;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parse a list of ids without duplicates, up to the number that can be compared. */
export function idsIn(text: unknown): string[] {
  const ids = typeof text === "string" ? text.split(",").map((id) => id.trim().toLowerCase()) : [];
  return [...new Set(ids.filter((id) => UUID.test(id)))].slice(0, MOST_COMPARED);
}

const ids = (raw: unknown) => idsIn(raw).join(",") || undefined;

/** The list: filter by state, and the ids of selected runs, separated by commas. */
const LIST = { state: oneOf(RUN_STATES), compare: ids };

export type RunsSearch = SearchOf<typeof LIST>;
export const runsSearchFrom = searchOf(LIST);

/** The comparison. */
export const compareSearchFrom = searchOf({ ids });

export const RATES = ["received", "sent", "read", "write"] as const;
export type Rate = (typeof RATES)[number];

/** The part of a run that is shown. */
const RUN = { rate: oneOf(RATES) };

export type RunSearch = SearchOf<typeof RUN>;
export const runSearchFrom = searchOf(RUN);

/** The selected account, or `new`. */
const ACCOUNTS = { account: (raw: unknown) => (raw === "new" ? raw : idsIn(raw)[0]) };

export type AccountsSearch = SearchOf<typeof ACCOUNTS>;
export const accountsSearchFrom = searchOf(ACCOUNTS);
