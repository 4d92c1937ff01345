// The team's profiles, their changes over time, and their effect on plans.

import { queryOptions } from "@tanstack/react-query";
import {
  type CurvePointAnswer,
  listChanges,
  listProfiles,
  listRecipes,
  type MeasuredAnswer,
  type ProfileAnswer,
  type ProfileChangeAnswer,
  type ProfilePoint,
  type ProfileRow,
  type PublishedAnswer,
  type RecipeAnswer,
  readProfile,
  rerankPlan,
} from "@/api/generated";
import { answered } from "@/api/problem";
import { asFile, retryUnreachable, type WorkloadDocument } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

export type {
  CurvePointAnswer as CurvePoint,
  MeasuredAnswer as Reranking,
  ProfileAnswer as Profile,
  ProfileChangeAnswer as Change,
  ProfilePoint,
  ProfileRow,
  PublishedAnswer as Published,
  RecipeAnswer as Recipe,
};

export function profilesKey() {
  return ["profiles", currentTeam()];
}

export function profiles() {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["profiles", team, "list"],
    queryFn: ({ signal }) => answered(listProfiles({ query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

export function profile(key: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["profiles", team, "one", key],
    queryFn: ({ signal }) => answered(readProfile({ path: { key }, query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

export function changes(onlyRegressions: boolean) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["profiles", team, "changes", onlyRegressions],
    queryFn: ({ signal }) =>
      answered(
        listChanges({ query: { ...teamQuery(team), ...(onlyRegressions ? { only: "regressions" } : {}) }, signal }),
      ),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

export function recipes(instance: string, region: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["recipes", team, instance, region],
    queryFn: ({ signal }) =>
      answered(
        listRecipes({
          query: {
            ...teamQuery(team),
            ...(instance === "" ? {} : { instance }),
            ...(region === "" ? {} : { region }),
          },
          signal,
        }),
      ),
    retry: false,
    refetchInterval: retryUnreachable,
  });
}

/** Query the effect of the team's measurements on the answer to a workload; null if the team has none. */
export function measuredDifference(document: WorkloadDocument) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["profiles", team, "reranked", document],
    queryFn: ({ signal }) => answered(rerankPlan({ body: asFile(document), query: teamQuery(team), signal })),
    retry: false,
    refetchInterval: retryUnreachable,
  });
}
