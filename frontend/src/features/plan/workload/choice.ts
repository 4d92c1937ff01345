// The form's fields as text: shown by the form, stored in the URL, validated by the API.

import type { FieldProblem } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { ranOfSection, ranSection } from "@/features/plan/address/ran";
import { type View, viewFrom } from "@/features/plan/address/view";
import { shareText } from "@/lib/amounts";
import { withTodaysNames } from "@/lib/oldNames";
import { entriesIn, entriesText, namesIn, namesText } from "./entries";
import { durabilitiesOf, isHdfs, isOfJob, listIn } from "./jobs";

/** Every question of the form, with its default answer. */
export const DEFAULTS = {
  data: "100 TB",
  job: "sort",
  map: "1",
  reduce: "1",
  replication: "",
  record: "1 KiB",
  fsync: "every second",
  memory: "0",
  io: "16 KiB",
  reads: "0.5",
  depth: "1",
  workingset: "",
  phases: "",
  intermediate: "",
  input: "",
  inputrate: "10 Gbit/s",
  output: "",
  outputrate: "10 Gbit/s",
  durability: "none",
  replicas: "2",
  region: "us-east-1",
  objective: "cost",
  deadline: "",
  chance: "",
  budget: "",
  nodes: "",
  loss: "",
  freespace: "",
  lostnodes: "",
  rereplication: "",
  namenode: "",
  skew: "1",
  partitions: "",
  compressed: "1",
  inputcompressed: "1",
  outputcompressed: "1",
  tasks: "",
  taskmemory: "",
  block: "128 MiB",
  local: "1",
  snapshot: "no",
  runs: "1",
  kept: "",
  framework: "",
  ran: "",
  credits: "",
  purchase: "on-demand",
  service: "ec2",
  primary: "",
  zones: "1",
  group: "yes",
  families: "",
  notfamilies: "",
  types: "",
  nottypes: "",
  sizes: "",
  notsizes: "",
  architectures: "",
  generation: "any",
  volumes: "",
  notvolumes: "",
  minvcpus: "",
  minmemory: "",
  measured: "no",
  vcpus: "",
  perzone: "",
  percluster: "",
  ceilings: "",
  volumequotas: "",
  catalog: "latest",
  network: "measured",
  shuffle: "exact",
  capacity: "divided",
  cpu: "modelled",
  spread: "modelled",
  launch: "",
  billing: "by-second",
  usual: "applied",
} as const;

/** Location of data outside AWS. */
export const ELSEWHERE = "elsewhere";

export type Field = keyof typeof DEFAULTS;
export type Choice = Record<Field, string>;
export type Search = Partial<Record<Field, string>> & View;

export const FIELDS = Object.keys(DEFAULTS) as Field[];

const LONGEST_TEXT = 200;
const LONGEST_LIST = 2_000;
const LONGEST_PHASES = 8_000;

/** Answers that are lists of names. */
const NAMES: ReadonlySet<Field> = new Set([
  ...(["families", "notfamilies", "types", "nottypes", "sizes", "notsizes"] as const),
  ...(["architectures", "volumes", "notvolumes"] as const),
]);
/** Answers that map to more than one value of the file. */
const STRUCTURED: readonly Field[] = ["phases", "ceilings", "volumequotas", "ran", ...NAMES];

function longest(field: Field): number {
  if (field === "phases") return LONGEST_PHASES;
  return STRUCTURED.includes(field) ? LONGEST_LIST : LONGEST_TEXT;
}

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function searchFrom(raw: Record<string, unknown>): Search {
  const search: Search = viewFrom(raw);
  const named = withTodaysNames(raw);
  for (const field of FIELDS) {
    const value = named[field];
    if (typeof value === "string" && value !== DEFAULTS[field]) search[field] = value.slice(0, longest(field));
  }
  return search;
}

/** Fill in the defaults of all missing answers. */
export function choiceFrom(search: Search): Choice {
  const choice: Choice = { ...DEFAULTS };
  for (const field of FIELDS) choice[field] = search[field] ?? DEFAULTS[field];
  return choice;
}

/** Keep only non-default answers, in a fixed order, so that equal choices have equal URLs. */
export function searchOf(choice: Choice): Search {
  return searchFrom(choice);
}

/** Path of each field in the workload file. */
export const PATHS: Record<Field, string> = {
  data: "workload.data",
  job: "workload.job",
  map: "workload.map_selectivity",
  reduce: "workload.reduce_selectivity",
  replication: "workload.replication",
  record: "workload.record",
  fsync: "workload.fsync",
  memory: "workload.in_memory",
  io: "workload.io",
  reads: "workload.read_share",
  depth: "workload.queue_depth",
  workingset: "workload.working_set",
  phases: "workload.phases",
  intermediate: "workload.intermediate",
  input: "workload.input",
  inputrate: "workload.input.elsewhere",
  output: "workload.output",
  outputrate: "workload.output.elsewhere",
  durability: "workload.durability.model",
  replicas: "workload.durability.replicas",
  region: "place.region",
  objective: "objective",
  deadline: "limits.deadline",
  chance: "limits.chance",
  budget: "limits.budget",
  nodes: "limits.max_nodes",
  loss: "limits.loss",
  freespace: "limits.free_space",
  lostnodes: "limits.lost_nodes",
  rereplication: "limits.rereplication",
  namenode: "limits.namenode_memory",
  skew: "workload.skew",
  partitions: "workload.partitions",
  compressed: "workload.compressed_to",
  inputcompressed: "workload.input_compressed_to",
  outputcompressed: "workload.output_compressed_to",
  tasks: "workload.tasks_per_node",
  taskmemory: "workload.memory_per_task",
  block: "workload.block_size",
  local: "workload.local_share",
  snapshot: "workload.snapshot",
  runs: "workload.runs_per_month",
  kept: "workload.kept",
  framework: "workload.framework",
  ran: "today",
  credits: "credits",
  purchase: "place.purchase",
  service: "place.service",
  primary: "place.primary",
  zones: "place.zones",
  group: "place.placement_group",
  families: "choose.families",
  notfamilies: "choose.not_families",
  types: "choose.instances",
  nottypes: "choose.not_instances",
  sizes: "choose.sizes",
  notsizes: "choose.not_sizes",
  architectures: "choose.architectures",
  generation: "choose.generation",
  volumes: "choose.volumes",
  notvolumes: "choose.not_volumes",
  minvcpus: "choose.min_vcpus",
  minmemory: "choose.min_memory",
  measured: "choose.measured_only",
  vcpus: "quotas.vcpus",
  perzone: "quotas.nodes_per_zone",
  percluster: "quotas.nodes_per_cluster",
  ceilings: "quotas.nodes",
  volumequotas: "quotas.volumes",
  catalog: "place.catalog",
  network: "assume.network",
  shuffle: "assume.shuffle",
  capacity: "assume.capacity",
  cpu: "assume.cpu",
  spread: "assume.spread",
  launch: "assume.launch",
  billing: "assume.billing",
  usual: "assume.usual",
};

const NUMBERS: ReadonlySet<Field> = new Set([
  ...(["map", "reduce", "replicas", "nodes", "runs", "replication", "memory", "reads", "depth"] as const),
  ...(["skew", "partitions", "compressed", "local", "zones", "vcpus", "perzone", "lostnodes", "minvcpus"] as const),
  ...(["percluster", "inputcompressed", "outputcompressed", "tasks"] as const),
]);
/** Fields that may be empty, so that the API's default applies. */
const OPTIONAL: ReadonlySet<Field> = new Set([
  ...(["deadline", "budget", "nodes", "replication", "workingset", "phases", "intermediate"] as const),
  ...(["partitions", "kept", "credits", "chance", "loss", "vcpus", "perzone", "ceilings", "volumequotas"] as const),
  "percluster",
  ...(["freespace", "lostnodes", "rereplication", "minvcpus", "minmemory", "primary"] as const),
  ...(["namenode", "tasks", "taskmemory"] as const),
  ...(["input", "output", "launch", "ran", "framework"] as const),
  ...NAMES,
]);
const FLAGS: ReadonlySet<Field> = new Set(["group", "snapshot", "measured"]);

/** Convert a plain number; other text is left to the API to validate. */
function numberOr(text: string): number | string {
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text.trim()) ? Number(text) : text;
}

function written(field: Field, text: string): unknown {
  const trimmed = text.trim();
  if (NUMBERS.has(field)) return numberOr(text);
  if (FLAGS.has(field)) return trimmed === "yes" ? true : trimmed === "no" ? false : text;
  if (NAMES.has(field)) return namesIn(text);
  if (field === "phases") return listIn(text) ?? text;
  if (field === "ran") return ranSection(text) ?? text;
  if (field === "ceilings") return ceilingsWritten(text);
  if (field === "volumequotas") return volumeQuotasWritten(text);
  return text;
}

/** Parse the maximum number of nodes by type; an empty number means no limit. */
function ceilingsWritten(text: string): unknown {
  const entries = entriesIn(text, 1);
  return entries === undefined
    ? text
    : Object.fromEntries(
        entries.flatMap(({ name, limits: [most = ""] }) => (most.trim() === "" ? [] : [[name, numberOr(most)]])),
      );
}

/** Parse the size and IOPS by volume type; an empty value means no limit. */
function volumeQuotasWritten(text: string): unknown {
  const entries = entriesIn(text, 2);
  if (entries === undefined) return text;
  return Object.fromEntries(
    entries.flatMap(({ name, limits: [size = "", iops = ""] }) => {
      const quota = {
        ...(size.trim() === "" ? {} : { size: size.trim() }),
        ...(iops.trim() === "" ? {} : { iops: numberOr(iops) }),
      };
      return Object.keys(quota).length === 0 ? [] : [[name, quota]];
    }),
  );
}

/** Check if a question applies, given the other answers. */
export function isAsked(field: Field, choice: Choice): boolean {
  if (field === "replicas") return choice.durability === "application";
  // Only HDFS and EMR have a node without data.
  if (field === "primary") return isHdfs(choice.job) || choice.service === "emr";
  // The chance to meet the deadline requires a deadline.
  if (field === "chance") return !["", "none"].includes(choice.deadline.trim());
  // A job with its data in S3 reads and writes it there, unless the data is outside AWS.
  if ((field === "input" || field === "output") && choice.durability === "object-store") {
    return isOfJob(field, choice.job) && choice[field] === ELSEWHERE;
  }
  if (field === "inputrate") return isOfJob("input", choice.job) && choice.input === ELSEWHERE;
  if (field === "outputrate") return isOfJob("output", choice.job) && choice.output === ELSEWHERE;
  // HDFS has its own replication; a number of application copies already answers this question.
  if (field === "replication") return isHdfs(choice.job) && choice.durability !== "application";
  return isOfJob(field, choice.job);
}

/** Switch to another job: answers that it does not need are reset to their defaults. */
export function withJob(choice: Choice, job: string): Partial<Choice> {
  const changes: Partial<Choice> = { job };
  for (const field of FIELDS) {
    if (!isOfJob(field, job)) changes[field] = DEFAULTS[field];
  }
  if (durabilitiesOf(job).includes(choice.durability)) return changes;
  // HDFS manages its own copies: keep the same number.
  if (isHdfs(job) && choice.durability === "application") changes.replication = choice.replicas;
  return { ...changes, durability: DEFAULTS.durability };
}

function put(document: WorkloadDocument, path: string, value: unknown): void {
  const [head = "", ...rest] = path.split(".");
  if (rest.length === 0) {
    document[head] = value;
    return;
  }
  const inner = (document[head] ?? {}) as WorkloadDocument;
  document[head] = inner;
  put(inner, rest.join("."), value);
}

/** Return the value at a path of a document; undefined if it does not exist. */
export function valueAt(document: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, part) => {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }, document);
}

/** Build the workload file of a choice: defaults are left out, except for the data size. */
export function documentFrom(choice: Choice): WorkloadDocument {
  const document: WorkloadDocument = {};
  for (const field of FIELDS) {
    const value = writtenOf(field, choice);
    if (value !== undefined) put(document, PATHS[field], value);
  }
  return document;
}

/** Return the value of a field in a workload file; undefined if it is left out. */
function writtenOf(field: Field, choice: Choice): unknown {
  const text = choice[field];
  const needed =
    field === "data" ||
    field === "inputrate" ||
    field === "outputrate" ||
    (field === "replicas" && choice.durability === "application");
  if (!isAsked(field, choice) || (text === DEFAULTS[field] && !needed)) return undefined;
  if (OPTIONAL.has(field) && text.trim() === "") return undefined;
  // A rate implies that the data is elsewhere.
  if ((field === "input" || field === "output") && text === ELSEWHERE) return undefined;
  const value = written(field, text);
  return isEmpty(value) ? undefined : value;
}

/** Check if two choices have equivalent answers to a question, regardless of formatting. */
export function answerAlike(field: Field, one: Choice, other: Choice): boolean {
  return JSON.stringify(writtenOf(field, one)) === JSON.stringify(writtenOf(field, other));
}

/** Apply changed answers to a workload file; parts without a field stay as they are. */
export function documentChanged(document: WorkloadDocument, before: Choice, after: Choice): WorkloadDocument {
  const changed = structuredClone(document);
  for (const field of FIELDS) {
    if (answerAlike(field, before, after)) continue;
    const value = writtenOf(field, after);
    if (value === undefined) remove(changed, PATHS[field]);
    else put(changed, PATHS[field], value);
  }
  return changed;
}

/** Remove a value, and any parent object left empty. */
function remove(document: WorkloadDocument, path: string): void {
  const [head = "", ...rest] = path.split(".");
  const inner = document[head];
  if (rest.length > 0) {
    // The parent is no longer an object.
    if (typeof inner !== "object" || inner === null) return;
    remove(inner as WorkloadDocument, rest.join("."));
    if (Object.keys(inner).length > 0) return;
  }
  delete document[head];
}

/** An empty list imposes no limit. */
function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Convert a stored workload file to answers, and list the paths that cannot be represented. */
export function choiceFromDocument(document: unknown): { choice: Choice; lost: string[] } {
  // Files stored before defaults were assumed do not contain this field.
  const choice: Choice = { ...DEFAULTS, usual: "ignored" };
  const known = new Set<string>();
  for (const field of FIELDS) {
    known.add(PATHS[field]);
    const value = valueAt(document, PATHS[field]);
    if (value === null) choice[field] = DEFAULTS[field];
    if (value === undefined || value === null) continue;
    const text = textOf(field, value);
    if (text.length > longest(field)) known.delete(PATHS[field]);
    else choice[field] = text;
  }
  // Files stored before there was a default framework mean none.
  if (choice.usual !== "ignored" && valueAt(document, PATHS.framework) === undefined) choice.framework = "ideal";
  known.add("workload.name");
  const isKnown = (path: string) =>
    known.has(path) || STRUCTURED.some((field) => known.has(PATHS[field]) && isWithin(PATHS[field], path));
  return { choice, lost: leaves(document).filter((path) => !isKnown(path)) };
}

function textOf(field: Field, value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if ((field === "chance" || field === "loss" || field === "freespace") && typeof value === "number")
    return shareText(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (field === "input" || field === "output") return ELSEWHERE;
  if (NAMES.has(field) && Array.isArray(value)) return namesText(value.map(String));
  if (field === "ran") return ranOfSection(value);
  if (field === "ceilings") {
    return entriesText(Object.entries(value).map(([name, most]) => ({ name, limits: [plain(most)] })));
  }
  if (field === "volumequotas") {
    const limits = (quota: unknown) => [plain(valueAt(quota, "size")), plain(valueAt(quota, "iops"))];
    return entriesText(Object.entries(value).map(([name, quota]) => ({ name, limits: limits(quota) })));
  }
  return JSON.stringify(value);
}

function plain(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}

function isWithin(outer: string, path: string): boolean {
  return path.startsWith(`${outer}.`);
}

function leaves(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`));
}

/** Messages of the API by field, and those without a field. */
export interface Remarks {
  fields: Partial<Record<Field, string>>;
  elsewhere: FieldProblem[];
}

/** Assign the problems reported by the API to the fields. */
export function remarksFrom(problems: readonly FieldProblem[], choice: Choice): Remarks {
  const remarks: Remarks = { fields: {}, elsewhere: [] };
  for (const problem of problems) {
    const path = problem.path === "workload.durability" ? PATHS.durability : problem.path;
    const field = FIELDS.find((name) => PATHS[name] === path) ?? STRUCTURED.find((name) => isWithin(PATHS[name], path));
    const said = field === undefined ? undefined : remarks.fields[field];
    if (field === undefined || !isAsked(field, choice)) remarks.elsewhere.push(problem);
    else if (said === undefined) remarks.fields[field] = problem.message;
    // A list may have several problems.
    else if (STRUCTURED.includes(field)) remarks.fields[field] = `${said}; ${problem.message}`;
    else remarks.elsewhere.push(problem);
  }
  return remarks;
}
