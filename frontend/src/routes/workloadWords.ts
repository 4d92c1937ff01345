import { type Choice, DEFAULTS, FIELDS } from "@/features/plan/choice";

const NAMES: Partial<Record<keyof Choice, string>> = {
  deadline: "deadline",
  budget: "budget",
  nodes: "nodes up to",
  runs: "runs a month",
  group: "placement group",
  map: "map output",
  reduce: "reduce output",
};

/**
 * A workload in words: what is always asked, then what is not as usual.
 *
 * @param without fields that something else says, as the axes of a sweep do
 */
export function workloadWords(choice: Choice, without: readonly (keyof Choice)[] = []): string[] {
  const said: (keyof Choice)[] = ["data", "job", "durability", "replicas", "region"];
  const rest = FIELDS.filter((field) => !said.includes(field) && choice[field] !== DEFAULTS[field]);
  const kept = { none: "one copy", application: `${choice.replicas} copies`, infrastructure: "kept on EBS" };
  const words: [keyof Choice, string][] = [
    ["data", choice.data],
    ["job", choice.job],
    ["durability", kept[choice.durability as keyof typeof kept] ?? choice.durability],
    ["region", choice.region],
    ...rest.map((field): [keyof Choice, string] => [field, `${NAMES[field] ?? field} ${choice[field]}`]),
  ];
  return words.filter(([field]) => !without.includes(field)).map(([, text]) => text);
}
