import type { CostPartsAnswer, RankedAnswer } from "@/api/generated";
import { COST_PARTS as KNOWN } from "@/api/generated/registry.gen";

/** Cost parts of a run, with their labels, in display order. */
export const COST_PARTS = KNOWN.map(({ name, label }): readonly [keyof CostPartsAnswer, string] => [name, label]);

/** Cost parts of a month of an always-on cluster. */
export const MONTH_PARTS = KNOWN.map(({ name, month_label }): readonly [keyof CostPartsAnswer, string] => [
  name,
  month_label,
]);

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
