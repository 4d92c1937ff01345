// The team's profiles, their changes over time, and their effect on plans.

import { listChanges, listProfiles, listRecipes, readProfile, rerankPlan } from "@/api/generated";
import { asFile, type WorkloadDocument } from "@/api/queries";
import { FRESH, ofTeam } from "@/api/requests";
import { currentTeam } from "@/api/team";

export type {
  MeasuredAnswer as Reranking,
  ProfileAnswer as Profile,
  ProfileChangeAnswer as Change,
  PublishedAnswer as Published,
  RecipeAnswer as Recipe,
} from "@/api/generated";

export function profilesKey() {
  return ["profiles", currentTeam()];
}

export function profiles() {
  return ofTeam(["profiles", "list"], listProfiles, FRESH);
}

export function profile(key: string) {
  return ofTeam(["profiles", "one", key], (request) => readProfile({ path: { key }, ...request }), FRESH);
}

export function changes(onlyRegressions: boolean) {
  return ofTeam(
    ["profiles", "changes", onlyRegressions],
    ({ query, signal }) =>
      listChanges({ query: { ...query, ...(onlyRegressions ? { only: "regressions" } : {}) }, signal }),
    FRESH,
  );
}

export function recipes(instance: string, region: string) {
  return ofTeam(
    ["recipes", instance, region],
    ({ query, signal }) =>
      listRecipes({
        query: {
          ...query,
          ...(instance === "" ? {} : { instance }),
          ...(region === "" ? {} : { region }),
        },
        signal,
      }),
    { retry: false },
  );
}

/** Query the effect of the team's measurements on the answer to a workload; null if the team has none. */
export function measuredDifference(document: WorkloadDocument) {
  return ofTeam(["profiles", "reranked", document], (request) => rerankPlan({ body: asFile(document), ...request }), {
    retry: false,
  });
}
