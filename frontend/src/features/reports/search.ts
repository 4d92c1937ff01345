// Addresses of the report pages.

import type { NewReport } from "@/api/generated";
import { LONGEST_SEARCH } from "@/lib/wordsSearch";

type OriginOf = NewReport["origin"];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOST_OPTIONS = 5;
export const MOST_MONTHS = 120;

/** Object of a new report, without title and texts. */
export type NewReportSearch = {
  plan?: string;
  /** Ranks in the plan, `1,2,3`; the first is recommended. */
  ranks?: string;
  /** Two to five plan ids, separated by commas. */
  plans?: string;
  sweep?: string;
  run?: string;
  /** `published`: the model compared with published results. */
  validation?: string;
  /** The current cluster. */
  today?: string;
  /** Monthly cost of the current cluster as stated by the user: `$2,950`. */
  pays?: string;
  /** Growth of the data [% a month]. */
  growth?: string;
  /** Horizon of the outlook; `0` for none. */
  months?: string;
  /** Id of the report to be replaced. */
  replaces?: string;
};

const KEYS = [
  ...(["plan", "ranks", "plans", "sweep", "run", "validation", "today", "pays", "growth", "months"] as const),
  "replaces",
] as const;

/** No object; the replaced report stays. */
export const UNTOUCHED: Partial<Record<keyof NewReportSearch, undefined>> = {
  plan: undefined,
  ranks: undefined,
  plans: undefined,
  sweep: undefined,
  run: undefined,
  validation: undefined,
};

/** Keep the valid parts of an address; never fails. */
export function newReportSearchFrom(raw: Record<string, unknown>): NewReportSearch {
  const search: NewReportSearch = {};
  for (const key of KEYS) {
    const text = raw[key];
    if (typeof text === "string" && text.trim() !== "") search[key] = text.trim().slice(0, LONGEST_SEARCH + 200);
  }
  return search;
}

function idIn(text: string | undefined): string | null {
  return text !== undefined && UUID.test(text) ? text.toLowerCase() : null;
}

export function idsIn(text: string | undefined): string[] {
  const ids = (text ?? "").split(",").flatMap((part) => idIn(part.trim()) ?? []);
  return [...new Set(ids)].slice(0, MOST_OPTIONS);
}

/** Parse ranks such as `1,2,3`, without duplicates, up to the number that a report shows. */
export function ranksIn(text: string | undefined): number[] {
  const ranks = (text ?? "").split(",").flatMap((part) => (/^[1-9]\d{0,5}$/.test(part.trim()) ? [Number(part)] : []));
  return [...new Set(ranks)].slice(0, MOST_OPTIONS);
}

/** Default ranks, as far as the plan has them. */
export const DEFAULT_RANKS: readonly number[] = [1, 2, 3];

/** Origin of the report; null while none is chosen, or if it is invalid. */
export function originIn(search: NewReportSearch): OriginOf | null {
  const plan = idIn(search.plan);
  if (plan !== null) {
    const ranks = ranksIn(search.ranks);
    // Without ranks the service selects the best.
    return { kind: "plan", plan_id: plan, ...(ranks.length === 0 ? {} : { ranks }) };
  }
  const plans = idsIn(search.plans);
  if (plans.length >= 2) return { kind: "comparison", plan_ids: plans };
  const sweep = idIn(search.sweep);
  if (sweep !== null) return { kind: "sweep", sweep_id: sweep };
  const run = idIn(search.run);
  if (run !== null) return { kind: "run", run_id: run };
  return search.validation === undefined ? null : { kind: "validation" };
}

export const DEFAULT_MONTHS = 36;

/** Horizon and growth of the outlook. */
export interface Ahead {
  growth: number;
  months: number;
}

/** Parse both fields; an invalid number is shown at its field, and not sent. */
export function aheadIn({ growth, months }: NewReportSearch): {
  ahead: Ahead;
  errors: Partial<Record<keyof Ahead, string>>;
} {
  const errors: Partial<Record<keyof Ahead, string>> = {};
  const grown = Number((growth ?? "0").replace("%", "").replace("−", "-").trim());
  const far = Number((months ?? String(DEFAULT_MONTHS)).trim());
  if (!(grown >= -50 && grown <= 100)) errors.growth = "A number from −50 to 100, like 3";
  if (!(Number.isInteger(far) && far >= 0 && far <= MOST_MONTHS))
    errors.months = `A whole number from 0 to ${MOST_MONTHS}`;
  return {
    ahead: {
      growth: errors.growth === undefined ? grown : 0,
      months: errors.months === undefined ? far : DEFAULT_MONTHS,
    },
    errors,
  };
}

export interface CompareSearch {
  old?: string;
  new?: string;
}

/** Keep the valid parts of an address; never fails. */
export function compareReportsSearchFrom(raw: Record<string, unknown>): CompareSearch {
  const found: CompareSearch = {};
  for (const key of ["old", "new"] as const) {
    const id = typeof raw[key] === "string" ? idIn(raw[key]) : null;
    if (id !== null) found[key] = id;
  }
  return found;
}
