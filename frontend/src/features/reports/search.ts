// Addresses of the report pages.

import type { NewReport } from "@/api/reports";

type OriginOf = NewReport["origin"];

export interface ReportsSearch {
  search?: string;
}

export const LONGEST_SEARCH = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOST_OPTIONS = 5;
export const MOST_MONTHS = 120;

/** Keep the valid parts of an address; never fails. */
export function reportsSearchFrom(raw: Record<string, unknown>): ReportsSearch {
  const text = typeof raw["search"] === "string" ? raw["search"].slice(0, LONGEST_SEARCH) : "";
  return text.trim() === "" ? {} : { search: text };
}

/** What a new report is to be made of. Its title and its words are no part of it. */
export type NewReportSearch = {
  plan?: string;
  /** Places in the plan's ranking, `1,2,3`; the first is recommended. */
  ranks?: string;
  /** Two to five plans, a comma between them. */
  plans?: string;
  sweep?: string;
  run?: string;
  /** `published`: the model against what was published. */
  validation?: string;
  /** The configuration that runs today. */
  today?: string;
  /** How the data grows [% a month]. */
  growth?: string;
  /** How far ahead to look; `0` for not at all. */
  months?: string;
  /** The report in whose place the new one comes. */
  replaces?: string;
};

const KEYS = ["plan", "ranks", "plans", "sweep", "run", "validation", "today", "growth", "months", "replaces"] as const;

/** Nothing that a report is of; what it replaces stays. */
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

/** `1,2,3` of an address; each once, no more than a report shows. */
export function ranksIn(text: string | undefined): number[] {
  const ranks = (text ?? "").split(",").flatMap((part) => (/^[1-9]\d{0,5}$/.test(part.trim()) ? [Number(part)] : []));
  return [...new Set(ranks)].slice(0, MOST_OPTIONS);
}

/** What is chosen of a plan where nothing is: those that there are of these. */
export const DEFAULT_RANKS: readonly number[] = [1, 2, 3];

/** What the report is made of; null while that is not chosen, or names nothing that could be. */
export function originIn(search: NewReportSearch): OriginOf | null {
  const plan = idIn(search.plan);
  if (plan !== null) {
    const ranks = ranksIn(search.ranks);
    // Without them the service takes the best that there are.
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

/** How far ahead is looked, and how the data grows meanwhile. */
export interface Ahead {
  growth: number;
  months: number;
}

/** Read the two; what is no number is said at its field, and is not asked. */
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
