// Home page and gallery of examples as options for TanStack Query, and the marks of savings.

import { listExamples, type MarkSavingData, markSaving, readExample, readHome } from "./generated";
import { forTeam, ofTeam } from "./requests";
import { currentTeam } from "./team";

/** Return the key of the cached home page of the team. */
export function homeKey() {
  return ["home", currentTeam()];
}

export function home() {
  return ofTeam(["home"], readHome, { staleTime: 0 });
}

export function gallery() {
  return ofTeam(["gallery"], listExamples);
}

/** Query the answer to an example workload. */
export function exampleAnswer(example: string) {
  return ofTeam(["gallery", example], (request) => readExample({ ...request, path: { example } }));
}

type NewMark = MarkSavingData["body"];

/** Return a function that marks the saving of a plan, in the same team even if the page shows another one by then. */
export function savingMarker(planId: string) {
  const request = { path: { plan_id: planId }, ...forTeam() };
  return (body: NewMark) => markSaving({ ...request, body });
}
