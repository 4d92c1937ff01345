import type { CostPartsAnswer, RankedAnswer } from "@/api/generated";

/** The parts of the cost of a run in the order and the words in which they are shown. */
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

/** The same of a month of a cluster that stays. */
export const MONTH_PARTS: typeof COST_PARTS = COST_PARTS.map(([part, name]) => [part, OF_A_MONTH[part] ?? name]);

/** Name a part of what these configurations cost: their head node by what it is. */
export function partName(
  part: keyof CostPartsAnswer,
  name: string,
  configurations: readonly Pick<RankedAnswer, "head_node">[],
): string {
  const roles = new Set(configurations.flatMap(({ head_node }) => head_node?.role ?? []));
  const [role] = roles;
  return part === "head_nodes" && roles.size === 1 && role !== undefined ? role : name;
}
