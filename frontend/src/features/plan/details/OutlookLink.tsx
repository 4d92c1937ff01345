import { createContext, type ReactNode, useContext } from "react";
import type { WorkloadDocument } from "@/api/queries";
import type { Cluster } from "@/features/plan/address/cluster";
import { type Choice, choiceFromDocument } from "@/features/plan/workload/choice";

type Build = (choice: Choice, cluster: Cluster) => ReactNode;

const OutlookContext = createContext<Build | null>(null);

/** Provider of the link from the details to the outlook; without it there is no link. */
export const OutlookLinks = OutlookContext.Provider;

interface OutlookLinkProps {
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  cluster: Cluster;
}

/** Link to the cost of a configuration over the coming months. */
export function OutlookLink({ document, cluster }: OutlookLinkProps) {
  const build = useContext(OutlookContext);
  if (build === null) return null;
  const { choice } = choiceFromDocument(document);
  return build(choice, cluster);
}
