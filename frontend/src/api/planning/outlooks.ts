// Queries of cost over time.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { lookAhead, type NewOutlook } from "@/api/generated";
import { answered } from "@/api/problem";
import { asFile, retryUnreachable, type WorkloadDocument } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

export interface OutlookQuestion {
  /** Workload that includes its cluster. */
  document: WorkloadDocument;
  growth_pct_per_month: number;
  months: number;
  commitment: NonNullable<NewOutlook["commitment"]>;
}

/** Query the monthly cost of a document's cluster. Keeps the previous answer while loading. */
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
