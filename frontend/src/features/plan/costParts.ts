import type { CostPartsAnswer } from "@/api/generated";

/** The parts of a cost in the order and the words in which they are shown. */
export const COST_PARTS: readonly (readonly [part: keyof CostPartsAnswer, name: string])[] = [
  ["instances", "Instances while the job runs"],
  ["launch", "Launch, set-up, minimum"],
  ["idle_commitment", "Hours of a commitment that no run needs"],
  ["ebs_link", "EBS link"],
  ["ebs_volumes", "EBS volumes"],
  ["volume_io", "Volume I/Os"],
  ["object_store", "Object store"],
  ["head_nodes", "Head node (NameNode, EMR primary)"],
  ["emr_fee", "EMR fee"],
  ["traffic", "Traffic between zones"],
  ["rework", "Rework after interruptions"],
];
