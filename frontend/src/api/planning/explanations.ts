// Queries of explanations, of other regions, and of other confidences of meeting the deadline.

import { compareConfidences, compareRegions, explain } from "@/api/generated";
import { asFile, type WorkloadDocument } from "@/api/queries";
import { ofTeam } from "@/api/requests";

/** Query why the cluster of a document wins or loses. */
export function explanation(document: WorkloadDocument) {
  return ofTeam(["explanation", document], (request) => explain({ body: asFile(document), ...request }));
}

/** Query what other confidences of meeting the deadline save or cost. */
export function confidences(document: WorkloadDocument) {
  return ofTeam(["confidences", document], (request) => compareConfidences({ body: asFile(document), ...request }));
}

/** Query the best configuration of every region. */
export function regions(document: WorkloadDocument) {
  return ofTeam(["regions", document], (request) => compareRegions({ body: asFile(document), ...request }));
}
