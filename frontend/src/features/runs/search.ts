// Addresses of the run pages.

import { RUN_STATES, type RunState } from "@/api/runs/runs";

/** The list: filter by state, and selected runs. */
export interface RunsSearch {
  state?: RunState;
  /** Ids, separated by commas. */
  compare?: string;
}

export const MOST_COMPARED = 8;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parse a list of ids without duplicates, up to the number that can be compared. */
export function idsIn(text: unknown): string[] {
  const ids = typeof text === "string" ? text.split(",").map((id) => id.trim().toLowerCase()) : [];
  return [...new Set(ids.filter((id) => UUID.test(id)))].slice(0, MOST_COMPARED);
}

/** Keep the valid parts of an address; never fails. */
export function runsSearchFrom(raw: Record<string, unknown>): RunsSearch {
  const state = RUN_STATES.find((known) => known === raw["state"]);
  const compare = idsIn(raw["compare"]).join(",");
  return { ...(state === undefined ? {} : { state }), ...(compare === "" ? {} : { compare }) };
}

/** The comparison. */
export interface CompareSearch {
  ids?: string;
}

export function compareSearchFrom(raw: Record<string, unknown>): CompareSearch {
  const ids = idsIn(raw["ids"]).join(",");
  return ids === "" ? {} : { ids };
}

/** The part of a run that is shown. */
export interface RunSearch {
  rate?: Rate;
}

export const RATES = ["received", "sent", "read", "write"] as const;
export type Rate = (typeof RATES)[number];

export function runSearchFrom(raw: Record<string, unknown>): RunSearch {
  const rate = RATES.find((known) => known === raw["rate"]);
  return rate === undefined ? {} : { rate };
}

/** The accounts: the selected one. */
export interface AccountsSearch {
  account?: string;
}

export function accountsSearchFrom(raw: Record<string, unknown>): AccountsSearch {
  const [account] = idsIn(raw["account"]);
  if (raw["account"] === "new") return { account: "new" };
  return account === undefined ? {} : { account };
}
