// Queries of explanations and of other regions.

import { queryOptions } from "@tanstack/react-query";
import { compareRegions, explain } from "@/api/generated";
import { answered } from "@/api/problem";
import { asFile, retryUnreachable, type WorkloadDocument } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

/** Query why the cluster of a document wins or loses. */
export function explanation(document: WorkloadDocument) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["explanation", team, document],
    queryFn: ({ signal }) => answered(explain({ body: asFile(document), query: teamQuery(team), signal })),
    refetchInterval: retryUnreachable,
  });
}

/** Query the best configuration of every region. */
export function regions(document: WorkloadDocument) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["regions", team, document],
    queryFn: ({ signal }) => answered(compareRegions({ body: asFile(document), query: teamQuery(team), signal })),
    refetchInterval: retryUnreachable,
  });
}
