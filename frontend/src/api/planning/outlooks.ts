// Queries of cost over time.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { lookAhead, type NewOutlook } from "@/api/generated";
import { answered } from "@/api/problem";
import { asFile, retryUnreachable, type WorkloadDocument } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

export interface OutlookQuestion {
  /** With its cluster. */
  document: WorkloadDocument;
  growth_pct_per_month: number;
  months: number;
  commitment: NonNullable<NewOutlook["commitment"]>;
}

/** Ask what the cluster of a document costs, month by month. The last answer stays until the next is there. */
export function outlook({ document, ...ahead }: OutlookQuestion) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["outlook", team, document, ahead],
    queryFn: ({ signal }) =>
      answered(lookAhead({ body: { file: asFile(document), ...ahead }, query: teamQuery(team), signal })),
    placeholderData: keepPreviousData,
    refetchInterval: retryUnreachable,
  });
}
