// URL of the page on cost over time: workload, configuration, horizon.

import { type Cluster, clusterFromKey, clusterKey } from "@/features/plan/address/cluster";
import { type Choice, choiceFrom, searchFrom, searchOf } from "@/features/plan/workload/choice";
import { FIELDS } from "@/features/plan/workload/fields";

/** Settings as typed; missing ones have their default. */
export interface Ahead {
  growth: string;
  months: string;
  commitment: "alone" | "used";
}

export const USUAL: Ahead = { growth: "0", months: "36", commitment: "alone" };

export type OutlookSearch = Partial<Choice> & { row?: string } & Partial<Ahead>;

const LONGEST = 20;
const LONGEST_ROW = 200;

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function outlookSearchFrom(raw: Record<string, unknown>): OutlookSearch {
  const asked = searchFrom(raw);
  const search: OutlookSearch = {};
  for (const field of FIELDS) if (asked[field] !== undefined) search[field] = asked[field];
  const row = raw["row"];
  if (typeof row === "string" && row.length <= LONGEST_ROW && clusterFromKey(row) !== null) search.row = row;
  return { ...search, ...aheadSearch(aheadFrom(raw)) };
}

/** Parse the outlook settings, with defaults for missing ones. */
export function aheadFrom(raw: Record<string, unknown>): Ahead {
  const text = (key: "growth" | "months") => {
    const value = raw[key];
    return typeof value === "string" || typeof value === "number" ? String(value).slice(0, LONGEST) : USUAL[key];
  };
  const commitment = raw["commitment"] === "used" ? "used" : USUAL.commitment;
  return { growth: text("growth"), months: text("months"), commitment };
}

/** Keep only non-default settings, so that equal questions have equal URLs. */
export function aheadSearch(ahead: Ahead): Partial<Ahead> {
  return {
    ...(ahead.growth === USUAL.growth ? {} : { growth: ahead.growth }),
    ...(ahead.months === USUAL.months ? {} : { months: ahead.months }),
    ...(ahead.commitment === USUAL.commitment ? {} : { commitment: ahead.commitment }),
  };
}

/** Build the search parameters for the outlook of a planned configuration. */
export function searchAhead(choice: Choice, cluster: Cluster): OutlookSearch {
  return outlookSearchFrom({ ...searchOf(choice), row: clusterKey(cluster) });
}

/** Parse the question in the URL; the cluster is null if none is named. */
export function questionIn(search: OutlookSearch): { choice: Choice; cluster: Cluster | null; ahead: Ahead } {
  const cluster = search.row === undefined ? null : clusterFromKey(search.row);
  return { choice: choiceFrom(search), cluster, ahead: aheadFrom({ ...search }) };
}

const GROWTH = { least: -50, most: 100 };
const MONTHS = { least: 1, most: 120 };
export const GROWTH_WANTED = `From ${GROWTH.least} to ${GROWTH.most}% a month, like 2%`.replace("-", "−");
export const MONTHS_WANTED = `A whole number from ${MONTHS.least} to ${MONTHS.most}, or years: 3 years`;

/** Parse a growth rate [%]; null if invalid. */
export function growthIn(text: string): number | null {
  const found = /^\s*([+\-−]?\d{1,3}(?:\.\d{1,6})?)\s*%?\s*$/.exec(text);
  const value = Number(found?.[1]?.replace("−", "-") ?? Number.NaN);
  return value >= GROWTH.least && value <= GROWTH.most ? value : null;
}

/** Parse a horizon [months]: `36`, `18 months`, `3 years`; null if invalid. */
export function monthsIn(text: string): number | null {
  const found = /^\s*(\d{1,3})\s*(?:(months?|mo)|(years?|y))?\s*$/i.exec(text);
  if (found === null) return null;
  const months = Number(found[1]) * (found[3] === undefined ? 1 : 12);
  return months >= MONTHS.least && months <= MONTHS.most ? months : null;
}
