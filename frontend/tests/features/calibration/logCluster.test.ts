import { expect, it } from "vitest";
import type { FinishedJob, LoggedJob } from "@/api/measurements/calibrations";
import { logSentence } from "@/features/calibration/LogReview";
import { clusterDraft, clusterOf, lackingOf } from "@/features/calibration/logCluster";
import { jobSentence, phaseSentence } from "@/features/calibration/phaseWords";

const NOTHING = { nodes: false, data: false };
const JOB: LoggedJob = {
  position: 0,
  member: "",
  source: "spark",
  version: "3.5.7",
  framework: "spark",
  name: "sort",
  line: 40,
  job: "mapreduce",
  started_at: "2026-11-24T13:33:42Z",
  measured_s: 300,
  nodes: 4,
  region: "eu-west-1",
  input_output: null,
  input_mb: 1e6,
  shuffled_mb: 1e6,
  output_mb: 1e6,
  phases: [
    { name: "map and shuffle", measured_s: 180 },
    { name: "sort and reduce", measured_s: 120 },
  ],
};

it("fills the form with what all jobs of a log agree on", () => {
  expect(clusterDraft([JOB, JOB])).toMatchObject({ nodes: "4", region: "eu-west-1", framework: "spark", place: "" });
  const other = { ...JOB, nodes: 5, region: null };
  expect(clusterDraft([JOB, other])).toMatchObject({ nodes: "", region: "" });
});

it("names each field that is empty or wrong, and sends nothing until all are right", () => {
  const draft = { ...clusterDraft([JOB]), nodes: "four", framework: "", replicas: "0" };
  const { cluster, problems } = clusterOf(draft, NOTHING);
  expect(cluster).toBeNull();
  expect(Object.keys(problems)).toEqual(["instance", "nodes", "place", "framework", "replicas"]);
  const ebs = clusterOf({ ...clusterDraft([JOB]), instance: "r5.xlarge", place: "ebs", iops: "many" }, NOTHING);
  expect(Object.keys(ebs.problems)).toEqual(["size", "iops"]);
});

it("sends a layout on EBS as tables of finished jobs have it, and copies for HDFS alone", () => {
  const draft = { ...clusterDraft([JOB]), instance: " r5.xlarge ", size: "500", count: "8", replicas: "3" };
  expect(clusterOf({ ...draft, place: "ebs", iops: "6000", throughput: "250" }, NOTHING).cluster).toEqual({
    instance: "r5.xlarge",
    input_output: "8 x gp3 500 GiB 6000 IOPS 250 MiB/s",
    framework: "spark",
    region: "eu-west-1",
    nodes: 4,
    replicas: 1,
  });
  expect(clusterOf({ ...draft, place: "instance-store" }, NOTHING).cluster).toMatchObject({
    input_output: "instance-store",
    replicas: 3,
  });
  expect(clusterOf({ ...draft, place: "object-store", nodes: "", region: "" }, NOTHING).cluster).toMatchObject({
    input_output: "object-store",
    region: null,
    nodes: null,
    replicas: 1,
  });
});

it("asks for kind, size and nodes where a chosen job of the log lacks them", () => {
  const timed: LoggedJob = { ...JOB, source: "ray", framework: "ray", job: null, nodes: null, input_mb: 0 };
  expect(lackingOf([JOB])).toEqual(NOTHING);
  expect(lackingOf([JOB, timed])).toEqual({ nodes: true, data: true });
  const draft = { ...clusterDraft([timed]), instance: "r5.xlarge", place: "object-store" as const };
  expect(Object.keys(clusterOf(draft, lackingOf([timed])).problems)).toEqual(["nodes", "job", "data"]);
  const given = { ...draft, nodes: "4", job: "sort" as const, data: " 100 GB " };
  expect(clusterOf(given, lackingOf([timed])).cluster).toMatchObject({ nodes: 4, job: "sort", data: "100 GB" });
  // Of a log with bytes they are not sent.
  expect(clusterOf(given, NOTHING).cluster).not.toHaveProperty("job");
});

it("says what a log holds", () => {
  expect(logSentence("events.gz", [JOB])).toBe("events.gz: 1 finished job of Spark 3.5.7 on 4 nodes.");
  expect(logSentence("events.gz", [JOB, { ...JOB, nodes: 5 }])).toBe("events.gz: 2 finished jobs of Spark 3.5.7.");
  expect(logSentence("t.json", [{ ...JOB, source: "ray", version: "", nodes: null }])).toBe(
    "t.json: 1 finished job of Ray.",
  );
});

const MAP = { name: "map and shuffle", predicted_s: 100, measured_s: 180 };
const REDUCE = { name: "sort and reduce", predicted_s: 115, measured_s: 120 };

it("names the phase that is furthest off", () => {
  expect(phaseSentence({ compared: [MAP, REDUCE], furthest_off: MAP.name })).toBe(
    "The map and shuffle phase took 1.8 times what is predicted, the largest difference of all phases.",
  );
  expect(phaseSentence({ compared: [REDUCE], furthest_off: null })).toBe(
    "Each measured phase took what is predicted, within 10%.",
  );
  expect(phaseSentence({ compared: [], furthest_off: null })).toBeNull();
  expect(phaseSentence({ compared: [{ ...MAP, predicted_s: 0 }], furthest_off: MAP.name })).toBe(
    "The map and shuffle phase took 3 min; none was predicted.",
  );
});

it("puts the whole job before its phases", () => {
  const job = {
    measured_s: 300,
    predicted: { p10: 200, p50: 215, p90: 240 },
    problem: null,
    compared: [MAP, REDUCE],
    furthest_off: MAP.name,
  } as unknown as FinishedJob;
  expect(jobSentence(job)).toMatch(/^It took 5 min; predicted: .*, −28.3%\. The map and shuffle phase took 1.8 /);
  expect(jobSentence({ ...job, predicted: null, problem: "no such type." })).toBe(
    "It took 5 min; it cannot be predicted: no such type.",
  );
});
