import { ranWords } from "@/features/plan/address/ran";
import { type Choice, DEFAULTS, ELSEWHERE, FIELDS, type Field, isAsked } from "./choice";
import { isHdfs, JOBS, phaseNames, SPELLED_OUT } from "./jobs";

const NAMES: Partial<Record<keyof Choice, string>> = {
  objective: "best by",
  deadline: "deadline",
  chance: "met with a chance of",
  budget: "budget",
  loss: "chance of loss at most",
  nodes: "nodes up to",
  runs: "runs a month",
  group: "placement group",
  map: "map output",
  reduce: "reduce output",
  record: "records of",
  fsync: "waits for the disk",
  memory: "in memory",
  io: "I/Os of",
  reads: "reads",
  depth: "outstanding",
  workingset: "working set",
  block: "blocks of",
  local: "read from own disks",
  snapshot: "snapshot at the end",
  kept: "exposed to loss for",
  ran: "scaled to today’s",
  credits: "burst credit at the start",
  purchase: "paid",
  primary: "head node",
  zones: "zones",
  families: "families",
  notfamilies: "not families",
  types: "types",
  nottypes: "not types",
  sizes: "sizes",
  notsizes: "not sizes",
  volumes: "volume types",
  notvolumes: "not volume types",
  launch: "launch time",
  usual: "usual limits",
  freespace: "free space",
  lostnodes: "lost nodes survived",
  rereplication: "a failed node re-replicated within",
  namenode: "NameNode memory per million blocks",
  minvcpus: "vCPUs a node from",
  minmemory: "memory a node from",
  measured: "only what was measured:",
  vcpus: "vCPUs up to",
  perzone: "nodes in a zone up to",
  percluster: "nodes of a cluster up to",
  ceilings: "nodes by type up to",
  volumequotas: "volumes up to",
};

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

function answerWords(field: Field, choice: Choice): string {
  if (field === "input" || field === "output") return placeWords(field, choice);
  return `${NAMES[field] ?? field} ${field === "ran" ? ranWords(choice.ran) : choice[field]}`;
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
    ...rest.map((field) => `${NAMES[field] ?? field} ${choice[field] || "as by default"}`),
  ];
}

function jobWords({ job, phases }: Choice): string {
  if (job === SPELLED_OUT) return ["phases", ...phaseNames(phases)].join(" ");
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
