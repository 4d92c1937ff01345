// The files that build a configuration, as options for TanStack Query.

import { queryOptions } from "@tanstack/react-query";
import { type DeployableAnswer, deploy } from "@/api/generated";
import { answered } from "@/api/problem";
import { asFile, retryUnreachable, type WorkloadDocument } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

/** A configuration that can be built: a workload with its cluster. */
export interface Deployable {
  name: string;
  file: WorkloadDocument;
  /** Instead of what the file says; null and undefined leave it. */
  purchase?: DeployableAnswer["purchase"];
}

/** Ask for every file that builds a configuration. */
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
