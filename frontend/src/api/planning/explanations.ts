// Queries of explanations and of other regions.

import { compareRegions, explain } from "@/api/generated";
import { asFile, type WorkloadDocument } from "@/api/queries";
import { ofTeam } from "@/api/requests";

/** Query why the cluster of a document wins or loses. */
export function explanation(document: WorkloadDocument) {
  return ofTeam(["explanation", document], (request) => explain({ body: asFile(document), ...request }));
}

/** Query the best configuration of every region. */
export function regions(document: WorkloadDocument) {
  return ofTeam(["regions", document], (request) => compareRegions({ body: asFile(document), ...request }));
}
