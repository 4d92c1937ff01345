// Where a workload file says that it runs.

import type { WorkloadDocument } from "@/api/queries";
import { DEFAULTS } from "./choice";

/** The region that a workload file names, else the one that holds where none is named. */
export function regionOf(document: WorkloadDocument | object | undefined): string {
  const place = (document as WorkloadDocument | undefined)?.["place"];
  const region = (place as WorkloadDocument | undefined)?.["region"];
  return typeof region === "string" ? region : DEFAULTS.region;
}
