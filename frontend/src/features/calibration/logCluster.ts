// Details of a log's cluster that the log lacks: fields of the form, and the request.

import type { ClusterOfLog, LoggedJob } from "@/api/measurements/calibrations";

export type Place = "" | "instance-store" | "object-store" | "ebs";
/** Kind of jobs for which a log has only times. */
export type GivenJob = NonNullable<ClusterOfLog["job"]>;

/** Fields of the form as entered. */
export interface ClusterDraft {
  instance: string;
  region: string;
  nodes: string;
  place: Place;
  type: string;
  size: string;
  count: string;
  iops: string;
  throughput: string;
  framework: string;
  replicas: string;
  job: GivenJob | "";
  data: string;
}

/** Details that a log lacks for some jobs. */
export interface Lacking {
  nodes: boolean;
  /** Kind and size, if the log has only times. */
  data: boolean;
}

export function lackingOf(jobs: readonly LoggedJob[]): Lacking {
  return { nodes: jobs.some(({ nodes }) => nodes === null), data: jobs.some(({ job }) => job === null) };
}

type ClusterProblems = Partial<Record<keyof ClusterDraft, string>>;

/** Form values from the jobs of a log; fields on which they disagree stay empty. */
export function clusterDraft(jobs: readonly LoggedJob[]): ClusterDraft {
  const nodes = new Set(jobs.map((job) => job.nodes));
  const regions = new Set(jobs.map((job) => job.region));
  const places = new Set(jobs.map((job) => job.input_output));
  return {
    instance: "",
    region: regions.size === 1 ? (jobs[0]?.region ?? "") : "",
    nodes: nodes.size === 1 ? String(jobs[0]?.nodes ?? "") : "",
    place: places.size === 1 ? (jobs[0]?.input_output ?? "") : "",
    type: "gp3",
    size: "",
    count: "1",
    iops: "",
    throughput: "",
    framework: jobs[0]?.framework ?? "",
    replicas: "1",
    job: "",
    data: "",
  };
}

const WHOLE = /^[1-9]\d{0,7}$/;
const AMOUNT = /^\d{1,7}(\.\d+)?$/;

type Said = Record<keyof ClusterDraft, string>;

/** Validation of each field: a pattern, whether it may be empty, and the error message. */
const CHECKS: readonly (readonly [field: keyof ClusterDraft, form: RegExp, words: string])[] = [
  ["instance", /./, "Enter the EC2 type, such as i3.2xlarge."],
  ["nodes", optional(WHOLE), "Enter a whole number from 1, such as 4."],
  ["place", /./, "Choose where input and output were."],
  ["framework", /./, "Enter a name, such as spark-etl."],
  ["replicas", /^([1-9]|10)$/, "Enter a whole number from 1 to 10."],
];
const CHECKS_OF_NODES: typeof CHECKS = [["nodes", WHOLE, "Enter a whole number from 1, such as 4."]];
const CHECKS_OF_DATA: typeof CHECKS = [
  ["job", /./, "Choose the kind of job."],
  ["data", /./, "Enter the size, such as 100 GB."],
];
const CHECKS_OF_EBS: typeof CHECKS = [
  ["type", /./, "Enter the volume type, such as gp3."],
  ["size", AMOUNT, "Enter the size in GiB, such as 500."],
  ["count", WHOLE, "Enter a whole number from 1, such as 4."],
  ["iops", optional(WHOLE), "Enter a whole number, such as 3000."],
  ["throughput", optional(WHOLE), "Enter a whole number, such as 125."],
];

function optional(form: RegExp): RegExp {
  return new RegExp(`^$|${form.source}`);
}

/** Parse the form: the request if it is complete, and errors by field. */
export function clusterOf(
  draft: ClusterDraft,
  lacking: Lacking,
): { cluster: ClusterOfLog | null; problems: ClusterProblems } {
  const said = Object.fromEntries(Object.entries(draft).map(([name, text]) => [name, text.trim()])) as Said;
  const checks = [
    ...CHECKS,
    ...(lacking.nodes ? CHECKS_OF_NODES : []),
    ...(lacking.data ? CHECKS_OF_DATA : []),
    ...(said.place === "ebs" ? CHECKS_OF_EBS : []),
  ];
  const problems: ClusterProblems = {};
  for (const [field, form, words] of checks) if (!form.test(said[field])) problems[field] = words;
  if (Object.keys(problems).length > 0) return { cluster: null, problems };
  const cluster = {
    instance: said.instance,
    input_output: said.place === "ebs" ? volumesOf(said) : said.place,
    framework: said.framework,
    region: said.region === "" ? null : said.region,
    nodes: said.nodes === "" ? null : Number(said.nodes),
    // On the object store and on EBS the application has a single copy.
    replicas: said.place === "instance-store" ? Number(said.replicas) : 1,
    ...(lacking.data && draft.job !== "" ? { job: draft.job, data: said.data } : {}),
  };
  return { cluster, problems };
}

/** EBS layout in the form of the table of finished jobs: `8 x gp3 500 GiB 6000 IOPS 250 MiB/s`. */
function volumesOf({ count, type, size, iops, throughput }: Said): string {
  return [
    `${count} x ${type} ${size} GiB`,
    ...(iops === "" ? [] : [`${iops} IOPS`]),
    ...(throughput === "" ? [] : [`${throughput} MiB/s`]),
  ].join(" ");
}
