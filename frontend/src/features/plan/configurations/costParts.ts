import type { CostPartsAnswer, RankedAnswer } from "@/api/generated";

/** Cost parts of a run, with their labels, in display order. */
export const COST_PARTS: readonly (readonly [part: keyof CostPartsAnswer, name: string])[] = [
  ["instances", "Instances while the job runs"],
  ["launch", "Launch, set-up, minimum"],
  ["idle_commitment", "Hours of a commitment that no run needs"],
  ["ebs_link", "EBS link"],
  ["ebs_volumes", "EBS volumes"],
  ["volume_io", "Volume I/Os"],
  ["object_store", "Object store"],
  ["head_nodes", "Head node"],
  ["emr_fee", "EMR fee"],
  ["traffic", "Traffic between zones"],
  ["rework", "Rework after interruptions"],
];

const OF_A_MONTH: Partial<Record<keyof CostPartsAnswer, string>> = {
  instances: "Worker nodes",
  object_store: "Object store: requests and storage",
};

/** Cost parts of a month of an always-on cluster. */
export const MONTH_PARTS: typeof COST_PARTS = COST_PARTS.map(([part, name]) => [part, OF_A_MONTH[part] ?? name]);

/** Return the label of a cost part, with the actual name of the head node. */
export function partName(
  part: keyof CostPartsAnswer,
  name: string,
  configurations: readonly Pick<RankedAnswer, "head_node">[],
): string {
  const roles = new Set(configurations.flatMap(({ head_node }) => head_node?.role ?? []));
  const [role] = roles;
  return part === "head_nodes" && roles.size === 1 && role !== undefined ? role : name;
}
