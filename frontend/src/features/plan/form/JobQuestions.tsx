import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import { type Choice, isAsked, withJob } from "@/features/plan/workload/choice";
import { ELSEWHERE, type Field, isOfJob, SPELLED_OUT } from "@/features/plan/workload/fields";
import { isHdfs, isShuffling, JOBS, phaseNames } from "@/features/plan/workload/jobs";
import { type Options, offered } from "@/ui/forms/fields";
import { type Asking, fieldsOf } from "./fields";

const SPELLED_OUT_OPTION: Options = [[SPELLED_OUT, "Spelled out in the file"]];

const INPUT: Options = [
  ["in-place", "Already on the cluster"],
  ["object-store", "In S3: loaded first"],
  [ELSEWHERE, "Elsewhere: over a link"],
];
const OUTPUT: Options = [
  ["in-place", "Stays on the cluster"],
  ["object-store", "In S3: unloaded last"],
  [ELSEWHERE, "Elsewhere: over a link"],
];
/** Options of a job that reads and writes S3 directly. */
const INPUT_IN_S3: Options = [
  ["", "In S3"],
  [ELSEWHERE, "Elsewhere: loaded into S3"],
];
const OUTPUT_IN_S3: Options = [
  ["", "In S3"],
  [ELSEWHERE, "Elsewhere: sent from S3"],
];
const FSYNC: Options = [
  ["every second", "Every second"],
  ["always", "At each record"],
  ["at the end", "At the end"],
  ["never", "Never"],
];

/** Job selection. */
export function JobChoice(asking: Asking) {
  const { choice, remarks, onChange } = asking;
  // Explicit phases cannot be edited here: changing the job adds a history entry, so that the user can go back.
  const spelledOut = choice.job === SPELLED_OUT;
  return (
    <NativeSelect
      label="Job"
      value={choice.job}
      error={remarks.fields.job}
      data={offered(spelledOut ? [...JOBS, ...SPELLED_OUT_OPTION] : JOBS, choice.job)}
      onChange={(event) => onChange(withJob(choice, event.currentTarget.value), spelledOut ? "new entry" : undefined)}
    />
  );
}

/** The job's main questions. */
export function JobQuestions(asking: Asking): ReactNode {
  const { choice, remarks } = asking;
  const { text, select } = fieldsOf(asking);
  if (isShuffling(choice.job)) {
    return (
      <>
        {choice.job === "mapreduce" && (
          <div className="pair" style={{ alignItems: "end" }}>
            {text("map", "Map output / input (ratio)", undefined, "decimal")}
            {text("reduce", "Output / map output (ratio)", undefined, "decimal")}
          </div>
        )}
        <Ends {...asking} />
      </>
    );
  }
  if (isHdfs(choice.job) && choice.durability !== "application") {
    const unless = choice.service === "emr" ? "EMR default: 1, 2 or 3 by size" : "Hadoop default: 3";
    return text("replication", "Replication", unless, "numeric");
  }
  if (choice.job === "append-log") {
    return (
      <>
        <div className="pair" style={{ alignItems: "end" }}>
          {text("record", "Record size", "1 KiB")}
          {text("memory", "Share kept in memory", "0", "decimal")}
        </div>
        {select("fsync", "Waits for the disk", FSYNC)}
      </>
    );
  }
  if (choice.job === "random-io") {
    return (
      <div className="pair" style={{ alignItems: "end" }}>
        {text("io", "I/O size", "16 KiB")}
        {text("reads", "Share of reads", "0.5", "decimal")}
        {text("depth", "Outstanding, per node", "1", "decimal")}
        {text("workingset", "Working set", "the data")}
      </div>
    );
  }
  if (choice.job === SPELLED_OUT) {
    return (
      <div>
        <p className="line">{spelledWords(choice.phases)}</p>
        {remarks.fields.phases !== undefined && <p className="bad small line">{remarks.fields.phases}</p>}
      </div>
    );
  }
  return null;
}

/** Locations of input and output, with the rate of the link if outside AWS. */
function Ends(asking: Asking): ReactNode {
  const { choice } = asking;
  const inS3 = choice.durability === "object-store";
  // As in `model/jobs/usual.py`: a cluster that ends after the job has its data in the object store.
  const isCopied = choice.usual !== "ignored" && choice.objective !== "month";
  const shown = (place: string) => (inS3 && place !== ELSEWHERE ? "" : place);
  const seen: Choice = { ...choice, input: shown(choice.input), output: shown(choice.output) };
  const { text, select } = fieldsOf({ ...asking, choice: seen });
  return (
    <>
      {select(
        "input",
        "Input",
        inS3 ? INPUT_IN_S3 : [["", isCopied ? "Default: loaded from S3" : "Default: on the cluster"], ...INPUT],
      )}
      {isAsked("inputrate", choice) && text("inputrate", "Rate of the link from there", "e.g. 10 Gbit/s")}
      {select(
        "output",
        "Output",
        inS3 ? OUTPUT_IN_S3 : [["", isCopied ? "Default: unloaded to S3" : "Default: on the cluster"], ...OUTPUT],
      )}
      {isAsked("outputrate", choice) && text("outputrate", "Rate of the link to there", "e.g. 10 Gbit/s")}
    </>
  );
}

function spelledWords(phases: string): string {
  const names = phaseNames(phases);
  if (names.length === 0) return "The file spells out no phases.";
  return `${names.length === 1 ? "One phase" : `${names.length} phases`}, changed in the file only: ${names.join(", ")}.`;
}

interface Question {
  field: Field;
  label: string;
  placeholder?: string;
  numbers?: "numeric" | "decimal";
}

/** Less common questions of the jobs; the fields name the jobs that have them. */
export const MORE_OF_JOB: readonly Question[] = [
  { field: "skew", label: "Data skew (max / mean)", placeholder: "1", numbers: "decimal" },
  { field: "compressed", label: "Shuffle compression (compressed / original)", placeholder: "1", numbers: "decimal" },
  {
    field: "inputcompressed",
    label: "Input compression (compressed / original)",
    placeholder: "1",
    numbers: "decimal",
  },
  {
    field: "outputcompressed",
    label: "Output compression (compressed / original)",
    placeholder: "1",
    numbers: "decimal",
  },
  { field: "partitions", label: "Partitions", placeholder: "as many as needed", numbers: "numeric" },
  { field: "tasks", label: "Concurrent tasks per node", placeholder: "one on each vCPU", numbers: "numeric" },
  { field: "taskmemory", label: "Sort memory per task", placeholder: "half of the node’s, shared" },
  { field: "block", label: "Block size", placeholder: "128 MiB" },
  { field: "namenode", label: "NameNode memory per million blocks", placeholder: "as usual: 1 GiB" },
  { field: "local", label: "Share read from own disks", placeholder: "1", numbers: "decimal" },
  { field: "snapshot", label: "Snapshot of the memory at the end" },
];

/** Less common questions of the job. */
export function MoreOfJob(asking: Asking): ReactNode {
  const { text, check } = fieldsOf(asking);
  return MORE_OF_JOB.filter(({ field }) => isOfJob(field, asking.choice.job)).map(
    ({ field, label, placeholder, numbers }) =>
      field === "snapshot" ? check(field, label) : text(field, label, placeholder, numbers),
  );
}
