// Specification of a new run: address, form and request.

import type { FieldProblem } from "@/api/generated";
import type { Benchmark, RunSpec } from "@/api/runs/runs";
import { searchOf, typed } from "@/lib/address";
import { secondsIn } from "@/lib/amounts";
import { duration } from "@/lib/wording";

export const DEFAULTS = {
  called: "",
  account: "",
  benchmark: "netbench",
  instance: "i4i.xlarge",
  nodes: "4",
  region: "us-east-1",
  zone: "",
  storage: "instance-store",
  type: "gp3",
  size: "500",
  iops: "",
  throughput: "",
  count: "1",
  market: "on-demand",
  group: "yes",
  limit: "30 min",
  measured: "",
  warm: "",
  connections: "1",
  compare: "yes",
} as const;

export type Field = keyof typeof DEFAULTS;
export type Question = Record<Field, string>;
export type NewRunSearch = Partial<Question>;
export type Remarks = Partial<Record<Field, string>>;

export const FIELDS = Object.keys(DEFAULTS) as Field[];

export interface BenchmarkWords {
  name: string;
  /** Purpose of the benchmark. */
  note: string;
  disk: boolean;
  net: boolean;
  /** Minimum number of nodes. */
  least: number;
}

export const BENCHMARKS: Record<Benchmark, BenchmarkWords> = {
  netbench: {
    name: "NetBench",
    note: "What each node receives while all send to all, at 2, 4, 8 … nodes: the curve that shuffles follow.",
    disk: false,
    net: true,
    least: 2,
  },
  diskbench: {
    name: "DiskBench",
    note: "All disks of a node, read and written at once, then only read, then only written.",
    disk: true,
    net: false,
    least: 1,
  },
  screening: {
    name: "Screening",
    note: "Disks and network of every node, to name the nodes that are slower than the others.",
    disk: true,
    net: true,
    least: 2,
  },
  redis: {
    name: "Redis",
    note: "Writes a second with the append-only file on the measured volume.",
    disk: true,
    net: false,
    least: 1,
  },
  testdfsio: {
    name: "TestDFSIO",
    note: "Writing and reading HDFS on an EMR cluster that ends itself.",
    disk: true,
    net: false,
    least: 3,
  },
};
export const ALL_BENCHMARKS = Object.keys(BENCHMARKS) as Benchmark[];

export const newRunSearchFrom = searchOf(typed(DEFAULTS, 200));

export function questionOf(search: NewRunSearch): Question {
  return Object.fromEntries(FIELDS.map((field) => [field, search[field] ?? DEFAULTS[field]])) as Question;
}

export function benchmarkOf({ benchmark }: Pick<Question, "benchmark">): Benchmark {
  return ALL_BENCHMARKS.find((known) => known === benchmark) ?? "netbench";
}

/** Fields of the form that a benchmark uses. */
export function asks(question: Question): { disk: boolean; net: boolean; ebs: boolean } {
  const { disk, net } = BENCHMARKS[benchmarkOf(question)];
  return { disk, net, ebs: disk && question.storage === "ebs" };
}

/** A valid run specification, or the errors of the form. */
export interface Asked {
  spec: RunSpec | null;
  remarks: Remarks;
}

/** Parse the form. Only the service validates the specification. */
export function askedOf(question: Question): Asked {
  const remarks: Remarks = {};
  const whole = (field: Field) => {
    const text = question[field].trim().replaceAll(",", "");
    if (/^\d{1,9}$/.test(text)) return Number(text);
    remarks[field] = "A whole number.";
    return 0;
  };
  const perhaps = (field: Field) => (question[field].trim() === "" ? null : whole(field));
  const time_s = (field: Field, example: string) => {
    const seconds = secondsIn(question[field]);
    if (seconds === null) remarks[field] = `A duration, as ${example}.`;
    return seconds ?? 0;
  };
  const { disk, net, ebs } = asks(question);
  if (question.instance.trim() === "") remarks.instance = "Which instance type is measured?";
  if (question.region.trim() === "") remarks.region = "In which region?";
  const phase = {
    ...(question.measured.trim() === "" ? {} : { measured_s: time_s("measured", "20 s") }),
    ...(question.warm.trim() === "" ? {} : { warm_up_s: time_s("warm", "3 s") }),
  };
  const spec: RunSpec = {
    benchmark: benchmarkOf(question),
    instance: question.instance.trim(),
    nodes: whole("nodes"),
    region: question.region.trim(),
    zone: question.zone.trim() === "" ? null : question.zone.trim(),
    storage: !disk ? null : ebs ? volumesOf(question, whole, perhaps) : { kind: "instance-store" },
    market: question.market === "spot" ? "spot" : "on-demand",
    placement_group: net && question.group === "yes",
    time_limit_s: time_s("limit", "30 min"),
    ...(disk ? { disk: phase } : {}),
    ...(net ? { net: { ...phase, connections: whole("connections"), compare: question.compare === "yes" } } : {}),
  };
  return { spec: Object.keys(remarks).length === 0 ? spec : null, remarks };
}

function volumesOf(
  question: Question,
  whole: (field: Field) => number,
  perhaps: (field: Field) => number | null,
): RunSpec["storage"] {
  return {
    kind: "ebs",
    type: question.type.trim(),
    size_gib: whole("size"),
    iops: perhaps("iops"),
    throughput_mib_per_s: perhaps("throughput"),
    count: whole("count"),
  };
}

/** Form values for the same run. */
export function searchOfSpec(spec: RunSpec, account: string | null, called: string): NewRunSearch {
  const volumes = spec.storage?.kind === "ebs" ? spec.storage : null;
  const phase = BENCHMARKS[spec.benchmark].net ? spec.net : spec.disk;
  const written = (value: number | null | undefined) => (value == null ? "" : String(value));
  return newRunSearchFrom({
    called,
    account: account ?? "",
    benchmark: spec.benchmark,
    instance: spec.instance,
    nodes: String(spec.nodes),
    region: spec.region,
    zone: spec.zone ?? "",
    storage: spec.storage?.kind ?? DEFAULTS.storage,
    ...(volumes === null
      ? {}
      : {
          type: volumes.type,
          size: String(volumes.size_gib),
          iops: written(volumes.iops),
          throughput: written(volumes.throughput_mib_per_s),
          count: String(volumes.count ?? 1),
        }),
    market: spec.market ?? DEFAULTS.market,
    group: spec.placement_group === true ? "yes" : "no",
    limit: spec.time_limit_s === undefined ? DEFAULTS.limit : duration(spec.time_limit_s),
    measured: phase?.measured_s === undefined ? "" : duration(phase.measured_s),
    warm: phase?.warm_up_s === undefined ? "" : duration(phase.warm_up_s),
    connections: written(spec.net?.connections ?? 1),
    compare: spec.net?.compare === false ? "no" : "yes",
  });
}

/** Return the field for a path of the service. */
const PATHS: Record<string, Field> = {
  name: "called",
  account_id: "account",
  benchmark: "benchmark",
  instance: "instance",
  nodes: "nodes",
  region: "region",
  zone: "zone",
  storage: "storage",
  type: "type",
  size_gib: "size",
  iops: "iops",
  throughput_mib_per_s: "throughput",
  count: "count",
  market: "market",
  placement_group: "group",
  time_limit_s: "limit",
  measured_s: "measured",
  warm_up_s: "warm",
  connections: "connections",
  compare: "compare",
};

/** Assign errors of the service to fields of the form. */
export function remarksFrom(
  problems: readonly FieldProblem[],
  question: Question,
): { fields: Remarks; elsewhere: FieldProblem[] } {
  const { disk, net, ebs } = asks(question);
  const shown = new Set<Field>(FIELDS);
  if (!disk) shown.delete("storage");
  if (!ebs) for (const field of ["type", "size", "iops", "throughput", "count"] as const) shown.delete(field);
  if (!net) for (const field of ["group", "connections", "compare"] as const) shown.delete(field);
  const fields: Remarks = {};
  const elsewhere: FieldProblem[] = [];
  for (const problem of problems) {
    const field = PATHS[problem.path.split(".").at(-1) ?? ""];
    if (field !== undefined && shown.has(field)) fields[field] ??= problem.message;
    else elsewhere.push(problem);
  }
  return { fields, elsewhere };
}
