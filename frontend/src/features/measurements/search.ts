// Addresses of the measurement pages.

import { TOOLS, VERDICTS } from "@/api/measurements/measurements";
import { oneOf, type SearchOf, searchOf, text } from "@/lib/address";

export const TABS = ["profiles", "list", "changes", "jobs", "recipes"] as const;
export type Tab = (typeof TABS)[number];

const words = text(200);

/** The default is the first tab without filters. */
const PARAMETERS = {
  tab: oneOf(TABS, TABS[0]),
  /** Search words; all must match. */
  search: words,
  tool: oneOf(TOOLS),
  verdict: oneOf(VERDICTS),
  only: oneOf(["regressions"]),
  /** Instance type of the commands, and their region. */
  instance: words,
  region: words,
};

export type MeasurementsSearch = SearchOf<typeof PARAMETERS>;
export const measurementsSearchFrom = searchOf(PARAMETERS);

/** Change some keys; undefined removes a key. */
export function withChange(
  search: MeasurementsSearch,
  change: { [key in keyof MeasurementsSearch]?: string | undefined },
): MeasurementsSearch {
  return measurementsSearchFrom({ ...search, ...change });
}
