// Deployment files of a configuration, as options for TanStack Query.

import { type DeployableAnswer, deploy } from "@/api/generated";
import { asFile, type WorkloadDocument } from "@/api/queries";
import { ofTeam } from "@/api/requests";

/** Deployable configuration: a workload with its cluster. */
export interface Deployable {
  name: string;
  file: WorkloadDocument;
  /** Overrides the purchase option of the file, unless null or undefined. */
  purchase?: DeployableAnswer["purchase"];
}

/** Query all deployment files of a configuration. */
export function deployment({ name, file, purchase }: Deployable) {
  return ofTeam(["deployment", name, file, purchase ?? null], (request) =>
    deploy({ body: { name, file: asFile(file), purchase: purchase ?? null }, ...request }),
  );
}
