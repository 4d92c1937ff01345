import { ranWords } from "@/features/plan/address/ran";
import { type Choice, isAsked } from "./choice";
import { DEFAULTS, ELSEWHERE, FIELDS, type Field, SPELLED_OUT, wordsOf } from "./fields";
import { isHdfs, JOBS, phaseNames } from "./jobs";

/** Locations of input and output. */
const PLACES: Record<"input" | "output", Record<string, string>> = {
  input: { "in-place": "input on the cluster", "object-store": "input in the object store" },
  output: { "in-place": "output on the cluster", "object-store": "output to the object store" },
};

const KEPT: Record<string, string> = {
  none: "one copy",
  infrastructure: "kept on EBS",
  "object-store": "kept in the object store",
  any: "kept as is best",
};

/**
 * Describe a workload: the main answers, then the non-default ones.
 *
 * @param without fields shown elsewhere, such as the axes of a sweep
 */
export function workloadWords(choice: Choice, without: readonly (keyof Choice)[] = []): string[] {
  const said: (keyof Choice)[] = [
    ...(["data", "job", "durability", "replicas", "replication", "phases", "region"] as const),
    ...(["inputrate", "outputrate"] as const),
  ];
  const rest = FIELDS.filter(
    (field) => !said.includes(field) && isAsked(field, choice) && choice[field] !== DEFAULTS[field],
  );
  const words: [keyof Choice, string][] = [
    ["data", choice.data],
    ["job", jobWords(choice)],
    ["durability", keptWords(choice)],
    ["region", choice.region],
    ...rest.map((field): [keyof Choice, string] => [field, answerWords(field, choice)]),
  ];
  return words.filter(([field]) => !without.includes(field)).map(([, text]) => text);
}

/** Describe the question in the fewest words: `100 TB sort`, `30 min`, `30 runs a month`, `us-east-1`. */
export function questionWords(choice: Choice): string[] {
  const { data, deadline, budget, region, runs } = choice;
  const monthly = runs === DEFAULTS.runs || runs.trim() === "" ? "" : `${runs} runs a month`;
  return [`${data} ${jobWords(choice)}`, deadline, monthly, budget, region].filter((words) => words.trim() !== "");
}

function answerWords(field: Field, choice: Choice): string {
  if (field === "input" || field === "output") return placeWords(field, choice);
  return `${wordsOf(field)} ${field === "ran" ? ranWords(choice.ran) : choice[field]}`;
}

function placeWords(field: "input" | "output", choice: Choice): string {
  if (choice[field] === ELSEWHERE) {
    return field === "input"
      ? `input from elsewhere at ${choice.inputrate}`
      : `output to elsewhere at ${choice.outputrate}`;
  }
  return PLACES[field][choice[field]] ?? `${field}: default`;
}

const WHOLE: readonly (readonly [fields: readonly Field[], words: (choice: Choice) => string])[] = [
  [["data"], ({ data }) => data],
  [["job", "phases"], jobWords],
  [["durability", "replicas", "replication"], keptWords],
  [["region"], ({ region }) => region],
  [["input", "inputrate"], (choice) => placeWords("input", choice)],
  [["output", "outputrate"], (choice) => placeWords("output", choice)],
];

/** Describe the answers to some of the questions: `40 TB`, `2 copies`. */
export function answersInWords(fields: readonly Field[], choice: Choice): string[] {
  const whole = WHOLE.filter(([of]) => of.some((field) => fields.includes(field)));
  const rest = fields.filter((field) => !WHOLE.some(([of]) => of.includes(field)));
  return [
    ...whole.map(([, words]) => words(choice)),
    ...rest.map((field) => `${wordsOf(field)} ${choice[field] || "as by default"}`),
  ];
}

/** Describe a job within a sentence: `sort`, `MapReduce`. */
export function jobWords({ job, phases }: Choice): string {
  if (job === SPELLED_OUT) return ["phases", ...phaseNames(phases)].join(" ");
  if (job === "mapreduce") return "MapReduce";
  const known = JOBS.find(([name]) => name === job)?.[1];
  return known === undefined ? job : known.charAt(0).toLowerCase() + known.slice(1);
}

function keptWords({ job, durability, replicas, replication, service }: Choice): string {
  if (durability === "application") return `${replicas} copies`;
  if (!isHdfs(job)) return KEPT[durability] ?? durability;
  const copies =
    replication.trim() === ""
      ? service === "emr"
        ? "EMR default replication"
        : "3 copies (Hadoop default)"
      : `replication ${replication}`;
  return durability === "none" ? copies : `${copies}, ${KEPT[durability] ?? durability}`;
}
