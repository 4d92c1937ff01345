import { createContext, type ReactNode, useContext } from "react";
import type { WorkloadDocument } from "@/api/queries";
import type { Cluster } from "@/features/plan/address/cluster";
import { type Choice, choiceFromDocument } from "@/features/plan/workload/choice";

type Build = (choice: Choice, cluster: Cluster) => ReactNode;

const OutlookContext = createContext<Build | null>(null);

/** How the details within lead to what a configuration costs over time; without it they do not. */
export const OutlookLinks = OutlookContext.Provider;

interface OutlookLinkProps {
  /** What was answered, with its catalog. */
  document: WorkloadDocument;
  cluster: Cluster;
}

/** Leads to what a configuration costs over the months ahead. */
export function OutlookLink({ document, cluster }: OutlookLinkProps) {
  const build = useContext(OutlookContext);
  if (build === null) return null;
  const { choice } = choiceFromDocument(document);
  return build(choice, cluster);
}
