// The fields of a workload on the page, each declared once: its path in the workload file, default, type, jobs and words.

import { ranOfSection, ranSection } from "@/features/plan/address/ran";
import { shareText } from "@/lib/amounts";
import { entriesIn, entriesText, namesIn, namesText } from "./entries";

/** Location of data outside AWS. */
export const ELSEWHERE = "elsewhere";

/** Job with explicit phases in the workload file; the form shows them read-only. */
export const SPELLED_OUT = "phases";

export const SHUFFLING = ["sort", "mapreduce"];
export const HDFS = ["hdfs-write", "hdfs-read"];

/** Conversion between the text of a field and its value in the workload file. */
interface Kind {
  write: (text: string) => unknown;
  /** Converts objects; other values are formatted the same for all kinds. */
  read?: (value: object) => string;
  longest: number;
  /** True if a value of the file has several parts, each with problems of its own. */
  structured?: true;
}

const LONGEST_TEXT = 200;
const LONGEST_LIST = 2_000;

/** Convert a plain number; other text is left to the API to validate. */
function numberOr(text: string): number | string {
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text.trim()) ? Number(text) : text;
}

function flagOr(text: string): boolean | string {
  const trimmed = text.trim();
  return trimmed === "yes" ? true : trimmed === "no" ? false : text;
}

/** Parse a JSON list; undefined if invalid. */
export function listIn(text: string): unknown[] | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read : undefined;
  } catch {
    return undefined;
  }
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

function plain(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}

function quotaLimits(quota: unknown): string[] {
  const { size, iops } = (quota ?? {}) as { size?: unknown; iops?: unknown };
  return [plain(size), plain(iops)];
}

const AS_IS = (text: string) => text;

const KINDS = {
  text: { write: AS_IS, longest: LONGEST_TEXT },
  number: { write: numberOr, longest: LONGEST_TEXT },
  share: { write: AS_IS, longest: LONGEST_TEXT },
  flag: { write: flagOr, longest: LONGEST_TEXT },
  place: { write: AS_IS, read: () => ELSEWHERE, longest: LONGEST_TEXT },
  names: {
    write: namesIn,
    read: (value) => (Array.isArray(value) ? namesText(value.map(String)) : JSON.stringify(value)),
    longest: LONGEST_LIST,
    structured: true,
  },
  phases: { write: (text) => listIn(text) ?? text, longest: 8_000, structured: true },
  ran: { write: (text) => ranSection(text) ?? text, read: ranOfSection, longest: LONGEST_LIST, structured: true },
  ceilings: {
    write: ceilingsWritten,
    read: (value) => entriesText(Object.entries(value).map(([name, most]) => ({ name, limits: [plain(most)] }))),
    longest: LONGEST_LIST,
    structured: true,
  },
  volumequotas: {
    write: volumeQuotasWritten,
    read: (value) => entriesText(Object.entries(value).map(([name, quota]) => ({ name, limits: quotaLimits(quota) }))),
    longest: LONGEST_LIST,
    structured: true,
  },
} satisfies Record<string, Kind>;

interface Declared {
  /** Path in the workload file. */
  at: string;
  /** Default; if empty, the API's own default applies. */
  initial: string;
  kind?: keyof typeof KINDS;
  /** Jobs that have the field; all if left out. */
  jobs?: readonly string[];
  /** Words before the answer in a summary of the workload. */
  words?: string;
}

const DECLARED = {
  data: { at: "workload.data", initial: "100 TB" },
  job: { at: "workload.job", initial: "sort" },
  map: { at: "workload.map_selectivity", initial: "1", kind: "number", jobs: ["mapreduce"], words: "map output" },
  reduce: {
    at: "workload.reduce_selectivity",
    initial: "1",
    kind: "number",
    jobs: ["mapreduce"],
    words: "reduce output",
  },
  replication: { at: "workload.replication", initial: "", kind: "number", jobs: HDFS },
  record: { at: "workload.record", initial: "1 KiB", jobs: ["append-log"], words: "records of" },
  fsync: { at: "workload.fsync", initial: "every second", jobs: ["append-log"], words: "waits for the disk" },
  memory: { at: "workload.in_memory", initial: "0", kind: "number", jobs: ["append-log"], words: "in memory" },
  io: { at: "workload.io", initial: "16 KiB", jobs: ["random-io", SPELLED_OUT], words: "I/Os of" },
  reads: { at: "workload.read_share", initial: "0.5", kind: "number", jobs: ["random-io"], words: "reads" },
  depth: { at: "workload.queue_depth", initial: "1", kind: "number", jobs: ["random-io"], words: "outstanding" },
  workingset: { at: "workload.working_set", initial: "", jobs: ["random-io"], words: "working set" },
  phases: { at: "workload.phases", initial: "", kind: "phases", jobs: [SPELLED_OUT] },
  intermediate: { at: "workload.intermediate", initial: "", jobs: [SPELLED_OUT] },
  input: { at: "workload.input", initial: "", kind: "place", jobs: SHUFFLING },
  inputrate: { at: "workload.input.elsewhere", initial: "10 Gbit/s", jobs: SHUFFLING },
  output: { at: "workload.output", initial: "", kind: "place", jobs: SHUFFLING },
  outputrate: { at: "workload.output.elsewhere", initial: "10 Gbit/s", jobs: SHUFFLING },
  durability: { at: "workload.durability.model", initial: "none" },
  replicas: { at: "workload.durability.replicas", initial: "2", kind: "number" },
  region: { at: "place.region", initial: "us-east-1" },
  objective: { at: "objective", initial: "cost", words: "best by" },
  deadline: { at: "limits.deadline", initial: "", words: "deadline" },
  chance: { at: "limits.chance", initial: "", kind: "share", words: "confidence" },
  budget: { at: "limits.budget", initial: "", words: "budget" },
  nodes: { at: "limits.max_nodes", initial: "", kind: "number", words: "nodes up to" },
  loss: { at: "limits.loss", initial: "", kind: "share", words: "chance of loss at most" },
  freespace: { at: "limits.free_space", initial: "", kind: "share", words: "free space" },
  lostnodes: { at: "limits.lost_nodes", initial: "", kind: "number", words: "lost nodes survived" },
  rereplication: { at: "limits.rereplication", initial: "", words: "a failed node re-replicated within" },
  namenode: { at: "limits.namenode_memory", initial: "", jobs: HDFS, words: "NameNode memory per million blocks" },
  skew: { at: "workload.skew", initial: "1", kind: "number", jobs: SHUFFLING },
  partitions: { at: "workload.partitions", initial: "", kind: "number", jobs: SHUFFLING },
  compressed: { at: "workload.compressed_to", initial: "1", kind: "number", jobs: SHUFFLING },
  inputcompressed: { at: "workload.input_compressed_to", initial: "1", kind: "number", jobs: SHUFFLING },
  outputcompressed: { at: "workload.output_compressed_to", initial: "1", kind: "number", jobs: SHUFFLING },
  tasks: { at: "workload.tasks_per_node", initial: "", kind: "number", jobs: SHUFFLING },
  taskmemory: { at: "workload.memory_per_task", initial: "", jobs: SHUFFLING },
  block: { at: "workload.block_size", initial: "128 MiB", jobs: HDFS, words: "blocks of" },
  local: {
    at: "workload.local_share",
    initial: "1",
    kind: "number",
    jobs: ["hdfs-read"],
    words: "read from own disks",
  },
  snapshot: {
    at: "workload.snapshot",
    initial: "no",
    kind: "flag",
    jobs: ["append-log"],
    words: "snapshot at the end",
  },
  runs: { at: "workload.runs_per_month", initial: "1", kind: "number", words: "runs a month" },
  kept: { at: "workload.kept", initial: "", words: "exposed to loss for" },
  framework: { at: "workload.framework", initial: "" },
  ran: { at: "today", initial: "", kind: "ran", words: "scaled to today’s" },
  credits: { at: "credits", initial: "", words: "burst credit at the start" },
  purchase: { at: "place.purchase", initial: "on-demand", words: "paid" },
  service: { at: "place.service", initial: "ec2" },
  primary: { at: "place.primary", initial: "", words: "head node" },
  zones: { at: "place.zones", initial: "1", kind: "number", words: "zones" },
  group: { at: "place.placement_group", initial: "yes", kind: "flag", words: "placement group" },
  families: { at: "choose.families", initial: "", kind: "names", words: "families" },
  notfamilies: { at: "choose.not_families", initial: "", kind: "names", words: "not families" },
  types: { at: "choose.instances", initial: "", kind: "names", words: "types" },
  nottypes: { at: "choose.not_instances", initial: "", kind: "names", words: "not types" },
  sizes: { at: "choose.sizes", initial: "", kind: "names", words: "sizes" },
  notsizes: { at: "choose.not_sizes", initial: "", kind: "names", words: "not sizes" },
  architectures: { at: "choose.architectures", initial: "", kind: "names" },
  generation: { at: "choose.generation", initial: "any" },
  volumes: { at: "choose.volumes", initial: "", kind: "names", words: "volume types" },
  notvolumes: { at: "choose.not_volumes", initial: "", kind: "names", words: "not volume types" },
  minvcpus: { at: "choose.min_vcpus", initial: "", kind: "number", words: "vCPUs a node from" },
  minmemory: { at: "choose.min_memory", initial: "", words: "memory a node from" },
  measured: { at: "choose.measured_only", initial: "no", kind: "flag", words: "only what was measured:" },
  vcpus: { at: "quotas.vcpus", initial: "", kind: "number", words: "vCPUs up to" },
  perzone: { at: "quotas.nodes_per_zone", initial: "", kind: "number", words: "nodes in a zone up to" },
  percluster: { at: "quotas.nodes_per_cluster", initial: "", kind: "number", words: "nodes of a cluster up to" },
  ceilings: { at: "quotas.nodes", initial: "", kind: "ceilings", words: "nodes by type up to" },
  volumequotas: { at: "quotas.volumes", initial: "", kind: "volumequotas", words: "volumes up to" },
  catalog: { at: "place.catalog", initial: "latest" },
  network: { at: "assume.network", initial: "measured" },
  shuffle: { at: "assume.shuffle", initial: "exact" },
  capacity: { at: "assume.capacity", initial: "divided" },
  cpu: { at: "assume.cpu", initial: "modelled" },
  spread: { at: "assume.spread", initial: "modelled" },
  launch: { at: "assume.launch", initial: "", words: "launch time" },
  billing: { at: "assume.billing", initial: "by-second" },
  usual: { at: "assume.usual", initial: "applied", words: "usual limits" },
} satisfies Record<string, Declared>;

export type Field = keyof typeof DECLARED;

export const FIELDS = Object.keys(DECLARED) as Field[];

const declared: Record<Field, Declared> = DECLARED;

function of<T>(read: (field: Declared) => T): Record<Field, T> {
  return Object.fromEntries(FIELDS.map((field) => [field, read(declared[field])])) as Record<Field, T>;
}

/** Default of each field. */
export const DEFAULTS: Readonly<Record<Field, string>> = of(({ initial }) => initial);

/** Path of each field in the workload file. */
export const PATHS: Readonly<Record<Field, string>> = of(({ at }) => at);

function kindOf(field: Field): Kind {
  return KINDS[declared[field].kind ?? "text"];
}

/** Fields whose value in the file has several parts. */
export const STRUCTURED: readonly Field[] = FIELDS.filter((field) => kindOf(field).structured);

/** Return the words before the answer to a question in a summary. */
export function wordsOf(field: Field): string {
  return declared[field].words ?? field;
}

/** Check if a question applies to a job. */
export function isOfJob(field: Field, job: string): boolean {
  return declared[field].jobs?.includes(job) ?? true;
}

/** Return the maximum number of characters of a field. */
export function longest(field: Field): number {
  return kindOf(field).longest;
}

/** Convert the text of a field to its value in a workload file; undefined if empty. */
export function written(field: Field, text: string): unknown {
  if (DEFAULTS[field] === "" && text.trim() === "") return undefined;
  const value = kindOf(field).write(text);
  // An empty list imposes no limit.
  return typeof value === "object" && value !== null && Object.keys(value).length === 0 ? undefined : value;
}

/** Convert a value of a workload file to the text of its field. */
export function textOf(field: Field, value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (declared[field].kind === "share" && typeof value === "number") return shareText(value);
  if (typeof value !== "object" || value === null) return String(value);
  return kindOf(field).read?.(value) ?? JSON.stringify(value);
}
