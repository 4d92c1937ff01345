// Addresses of the run pages.

import { RUN_STATES, type RunState } from "@/api/runs/runs";

/** The list: runs of one state, and those that are to be compared. */
export interface RunsSearch {
  state?: RunState;
  /** Ids, separated by commas. */
  compare?: string;
}

export const MOST_COMPARED = 8;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Read a list of ids: each once, nothing that is none, no more than can be compared. */
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

/** The page that compares. */
export interface CompareSearch {
  ids?: string;
}

export function compareSearchFrom(raw: Record<string, unknown>): CompareSearch {
  const ids = idsIn(raw["ids"]).join(",");
  return ids === "" ? {} : { ids };
}

/** What of a run is looked at. */
export interface RunSearch {
  rate?: Rate;
}

export const RATES = ["received", "sent", "read", "write"] as const;
export type Rate = (typeof RATES)[number];

export function runSearchFrom(raw: Record<string, unknown>): RunSearch {
  const rate = RATES.find((known) => known === raw["rate"]);
  return rate === undefined ? {} : { rate };
}

/** The accounts: the one that is being connected or looked at. */
export interface AccountsSearch {
  account?: string;
}

export function accountsSearchFrom(raw: Record<string, unknown>): AccountsSearch {
  const [account] = idsIn(raw["account"]);
  if (raw["account"] === "new") return { account: "new" };
  return account === undefined ? {} : { account };
}
