// Deployment files of a configuration, as options for TanStack Query.

import { queryOptions } from "@tanstack/react-query";
import { type DeployableAnswer, deploy } from "@/api/generated";
import { answered } from "@/api/problem";
import { asFile, retryUnreachable, type WorkloadDocument } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

/** Deployable configuration: a workload with its cluster. */
export interface Deployable {
  name: string;
  file: WorkloadDocument;
  /** Overrides the purchase option of the file, unless null or undefined. */
  purchase?: DeployableAnswer["purchase"];
}

/** Query all deployment files of a configuration. */
export function deployment({ name, file, purchase }: Deployable) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["deployment", team, name, file, purchase ?? null],
    queryFn: ({ signal }) =>
      answered(
        deploy({ body: { name, file: asFile(file), purchase: purchase ?? null }, query: teamQuery(team), signal }),
      ),
    refetchInterval: retryUnreachable,
  });
}
