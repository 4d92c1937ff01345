// Queries of cost over time.

import { keepPreviousData } from "@tanstack/react-query";
import { lookAhead, type NewOutlook } from "@/api/generated";
import { asFile, type WorkloadDocument } from "@/api/queries";
import { ofTeam } from "@/api/requests";

export interface OutlookQuestion {
  /** Workload that includes its cluster. */
  document: WorkloadDocument;
  growth_pct_per_month: number;
  months: number;
  commitment: NonNullable<NewOutlook["commitment"]>;
}

/** Query the monthly cost of a document's cluster. Keeps the previous answer while loading. */
export function outlook({ document, ...ahead }: OutlookQuestion) {
  return ofTeam(
    ["outlook", document, ahead],
    (request) => lookAhead({ body: { file: asFile(document), ...ahead }, ...request }),
    { placeholderData: keepPreviousData },
  );
}
