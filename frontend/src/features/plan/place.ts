// Where a workload file says that it runs.

import { DEFAULTS, valueAt } from "./choice";

/** The region that a workload file names, else the one that holds where none is named. */
export function regionIn(document: unknown): string {
  const region = valueAt(document, "place.region");
  return typeof region === "string" ? region : DEFAULTS.region;
}
