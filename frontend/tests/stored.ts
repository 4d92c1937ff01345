import type { WorkloadDocument } from "@/api/queries";

/** Return a document as the service stores it: what it assumes and what it runs on are always said. */
export function asStored({ workload, assume, ...rest }: WorkloadDocument): WorkloadDocument {
  return {
    ...rest,
    workload: { framework: null, ...(workload as object) },
    assume: { ...(assume as object | undefined), usual: "applied" },
  };
}
