// Addresses of the measurement pages.

import { TOOLS, type Tool, VERDICTS, type Verdict } from "@/api/measurements/measurements";

export const TABS = ["profiles", "list", "changes", "jobs", "recipes"] as const;
export type Tab = (typeof TABS)[number];

/** All keys are optional; the default is the first tab without filters. */
export interface MeasurementsSearch {
  tab?: Tab;
  /** Search words; all must match. */
  search?: string;
  tool?: Tool;
  verdict?: Verdict;
  /** Regressions only. */
  only?: "regressions";
  /** Instance type of the commands. */
  instance?: string;
  region?: string;
}

const LONGEST = 200;

/** Keep the valid parts of an address; never fails. */
export function measurementsSearchFrom(raw: Record<string, unknown>): MeasurementsSearch {
  const text = (key: string) => (typeof raw[key] === "string" ? (raw[key] as string).slice(0, LONGEST) : "");
  const tab = TABS.find((known) => known === raw["tab"]);
  const search: MeasurementsSearch = {};
  if (tab !== undefined && tab !== TABS[0]) search.tab = tab;
  if (text("search").trim() !== "") search.search = text("search");
  const tool = TOOLS.find((known) => known === raw["tool"]);
  const verdict = VERDICTS.find((known) => known === raw["verdict"]);
  if (tool !== undefined) search.tool = tool;
  if (verdict !== undefined) search.verdict = verdict;
  if (raw["only"] === "regressions") search.only = "regressions";
  if (text("instance") !== "") search.instance = text("instance");
  if (text("region") !== "") search.region = text("region");
  return search;
}

/** Change some keys; undefined removes a key. */
export function withChange(
  search: MeasurementsSearch,
  change: { [key in keyof MeasurementsSearch]?: string | undefined },
): MeasurementsSearch {
  return measurementsSearchFrom({ ...search, ...change });
}
