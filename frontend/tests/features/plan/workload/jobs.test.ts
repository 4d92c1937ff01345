import { asStored } from "@tests/stored";
import { describe, expect, it } from "vitest";
import { deadlineSlider } from "@/features/plan/form/sliders";
import {
  type Choice,
  choiceFrom,
  choiceFromDocument,
  documentChanged,
  documentFrom,
  remarksFrom,
  searchFrom,
  searchOf,
  withJob,
} from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";
import { durabilitiesOf, JOBS, phaseNames } from "@/features/plan/workload/jobs";
import { workloadWords } from "@/features/plan/workload/workloadWords";

const chosen = (changes: Partial<Choice>): Choice => ({ ...DEFAULTS, ...changes });

const PHASES = [
  { name: "load", input_read: "10 TB" },
  { name: "merge", output_write: "1 TB" },
];

describe("a job's own questions", () => {
  it("go where the service expects them", () => {
    expect(documentFrom(chosen({ job: "append-log", record: "4 KiB", fsync: "always", memory: "0.5" }))).toEqual({
      workload: { data: "100 TB", job: "append-log", record: "4 KiB", fsync: "always", in_memory: 0.5 },
    });
    expect(documentFrom(chosen({ job: "random-io", io: "8 KiB", reads: "0.7", depth: "16" }))).toEqual({
      workload: { data: "100 TB", job: "random-io", io: "8 KiB", read_share: 0.7, queue_depth: 16 },
    });
    expect(documentFrom(chosen({ job: "hdfs-write", replication: "3", block: "256 MiB" }))).toEqual({
      workload: { data: "100 TB", job: "hdfs-write", replication: 3, block_size: "256 MiB" },
    });
  });

  it("are not asked of another job, for every address", () => {
    const search = searchFrom({ job: "sort", record: "4 KiB", depth: "16", replication: "3", phases: "[]" });
    expect(documentFrom(choiceFrom(search))).toEqual({ workload: { data: "100 TB" } });
  });

  it("go back to their defaults when another job is taken up, so that the address forgets them", () => {
    const before = chosen({ job: "random-io", depth: "16", reads: "1", data: "1 TB" });
    expect(searchOf({ ...before, ...withJob(before, "append-log") })).toEqual({ data: "1 TB", job: "append-log" });
    const skewed = chosen({ job: "mapreduce", map: "0.5", skew: "3" });
    expect(searchOf({ ...skewed, ...withJob(skewed, "sort") })).toEqual({ skew: "3" });
  });

  it("say HDFS' copies once: by its replication, or by the application where a file says so", () => {
    const copied = chosen({ durability: "application", replicas: "3" });
    expect(documentFrom({ ...copied, ...withJob(copied, "hdfs-write") })).toEqual({
      workload: { data: "100 TB", job: "hdfs-write", replication: 3 },
    });
    expect(documentFrom(chosen({ job: "hdfs-read", durability: "application", replication: "2" }))).toEqual({
      workload: { data: "100 TB", job: "hdfs-read", durability: { model: "application", replicas: 2 } },
    });
  });
});

describe("durability", () => {
  it("offers the object store where the job allows it, and nowhere else", () => {
    const offering = JOBS.map(([job]) => job).filter((job) => durabilitiesOf(job).includes("object-store"));
    expect(offering).toEqual(["sort", "mapreduce"]);
    expect(durabilitiesOf("phases")).toContain("object-store");
  });

  it("goes back to one copy when the next job cannot be kept that way", () => {
    expect(withJob(chosen({ durability: "object-store" }), "random-io")).toMatchObject({ durability: "none" });
    expect(withJob(chosen({ durability: "infrastructure" }), "random-io")).not.toHaveProperty("durability");
  });
});

describe("what stands behind More", () => {
  it("is written where it is not as usual", () => {
    expect(
      documentFrom(
        chosen({
          credits: "0.4",
          kept: "30 d",
          framework: "unknown",
          service: "emr",
          zones: "3",
          purchase: "spot",
          partitions: "4000",
        }),
      ),
    ).toEqual({
      workload: { data: "100 TB", kept: "30 d", framework: "unknown", partitions: 4000 },
      place: { service: "emr", zones: 3, purchase: "spot" },
      credits: "0.4",
    });
  });

  it("writes tasks and compression of a job that shuffles, and of no other", () => {
    const asked = chosen({ tasks: "12", taskmemory: "2 GiB", inputcompressed: "0.3", outputcompressed: "0.5" });
    const workload = {
      data: "100 TB",
      input_compressed_to: 0.3,
      output_compressed_to: 0.5,
      tasks_per_node: 12,
      memory_per_task: "2 GiB",
    };
    expect(documentFrom(asked)).toEqual({ workload });
    expect(choiceFromDocument(asStored({ workload }))).toEqual({ choice: asked, lost: [] });
    expect(withJob(asked, "hdfs-write")).toMatchObject({ tasks: "", taskmemory: "", inputcompressed: "1" });
    const problem = { path: "workload.memory_per_task", message: "too little" };
    expect(remarksFrom([problem], asked).fields).toEqual({ taskmemory: "too little" });
  });

  it("asks for the room that a cluster needs, and for its head node where it has one", () => {
    const asked = chosen({
      freespace: "25 %",
      lostnodes: "1",
      rereplication: "12 h",
      minvcpus: "4",
      minmemory: "8 GiB",
      primary: "m6g.xlarge",
      namenode: "2 GiB",
    });
    expect(documentFrom({ ...asked, job: "hdfs-write" })).toMatchObject({
      place: { primary: "m6g.xlarge" },
      limits: { free_space: "25 %", lost_nodes: 1, rereplication: "12 h", namenode_memory: "2 GiB" },
      choose: { min_vcpus: 4, min_memory: "8 GiB" },
    });
    expect(documentFrom(asked)).not.toHaveProperty("place");
    expect(documentFrom(asked).limits).not.toHaveProperty("namenode_memory");
  });

  it("asks where data lies of jobs that shuffle, unless they read the object store themselves", () => {
    const asked = chosen({ input: "object-store", output: "object-store" });
    const copied = { workload: { data: "100 TB", input: "object-store", output: "object-store" } };
    expect(documentFrom(asked)).toEqual(copied);
    expect(choiceFromDocument(asStored(copied))).toEqual({ choice: asked, lost: [] });
    expect(documentFrom({ ...asked, durability: "object-store" }).workload).not.toHaveProperty("input");
    expect(withJob(asked, "hdfs-write")).toMatchObject({ input: "", output: "" });
  });

  it("asks for the rate of data from and to elsewhere with every storage", () => {
    const asked = chosen({ input: "elsewhere", output: "elsewhere", outputrate: "500 MB/s" });
    const workload = { input: { elsewhere: "10 Gbit/s" }, output: { elsewhere: "500 MB/s" } };
    expect(documentFrom(asked)).toEqual({ workload: { data: "100 TB", ...workload } });
    expect(documentFrom({ ...asked, durability: "object-store" })).toMatchObject({ workload });
    expect(choiceFromDocument(asStored({ workload: { data: "100 TB", ...workload } }))).toEqual({
      choice: asked,
      lost: [],
    });
    expect(withJob(asked, "hdfs-write")).toMatchObject({ input: "", inputrate: "10 Gbit/s" });
    expect(workloadWords(asked)).toContain("input from elsewhere at 10 Gbit/s");
    expect(workloadWords(asked)).toContain("output to elsewhere at 500 MB/s");
    const problem = { path: "workload.input.elsewhere", message: "no rate" };
    expect(remarksFrom([problem], asked).fields).toEqual({ inputrate: "no rate" });
  });

  it("changes the place of data in a file to elsewhere and back", () => {
    const [near, far] = [chosen({ input: "in-place" }), chosen({ input: "elsewhere" })];
    const document = { workload: { data: "100 TB", input: "in-place", name: "nightly" } };
    const moved = documentChanged(document, near, far);
    expect(moved).toEqual({ workload: { data: "100 TB", input: { elsewhere: "10 Gbit/s" }, name: "nightly" } });
    expect(documentChanged(moved, far, near)).toEqual(document);
    expect(documentChanged(moved, far, chosen({}))).toEqual({ workload: { data: "100 TB", name: "nightly" } });
  });

  it("names the default deadline", () => {
    const without = (changes: Partial<Choice>) => deadlineSlider(chosen(changes)).without;
    expect(without({ job: "hdfs-write" })).toBe("7 d (default)");
    expect(without({ job: "hdfs-write", usual: "ignored" })).toBe("no deadline");
    expect(without({ job: "hdfs-write", runs: "30" })).toBe("no deadline");
    expect(without({ job: "hdfs-write", deadline: "none" })).toBe("no deadline");
    expect(without({})).toBe("no deadline");
  });

  it("leaves what was emptied to the service", () => {
    expect(documentFrom(chosen({ credits: " ", kept: "", partitions: "" }))).toEqual({ workload: { data: "100 TB" } });
  });

  it("hears what is wrong at its field", () => {
    const problems = [
      { path: "credits", message: "not a level" },
      { path: "workload.in_memory", message: "too much" },
      { path: "place.zones", message: "too many" },
    ];
    expect(remarksFrom(problems, chosen({ job: "append-log" }))).toEqual({
      fields: { credits: "not a level", memory: "too much", zones: "too many" },
      elsewhere: [],
    });
  });
});

describe("phases that are spelled out in a file", () => {
  const document = {
    workload: { data: "10 TB", job: "phases", phases: PHASES, intermediate: "2 TB", io: "4 KiB" },
    assume: { usual: "ignored" },
  };

  it("go through the form and the address unchanged", () => {
    const { choice, lost } = choiceFromDocument(document);
    expect(lost).toEqual([]);
    const address = Object.fromEntries(new URLSearchParams(new URLSearchParams(Object.entries(searchOf(choice)))));
    expect(documentFrom(choiceFrom(searchFrom(address)))).toEqual(document);
    expect(phaseNames(choice.phases)).toEqual(["load", "merge"]);
  });

  it("are left to the service where they cannot be read", () => {
    expect(documentFrom(chosen({ job: "phases", phases: "[oops" }))).toMatchObject({ workload: { phases: "[oops" } });
    expect(phaseNames("[oops")).toEqual([]);
    expect(phaseNames('[null, 7, {"name": 3}]')).toEqual([]);
  });

  it("are said to be lost where an address cannot hold them", () => {
    const phases = PHASES.map((phase) => ({ ...phase, name: phase.name.repeat(1_500) }));
    const { choice, lost } = choiceFromDocument({ workload: { ...document.workload, phases } });
    expect(choice.phases).toBe("");
    expect(lost).toContain("workload.phases.0.name");
  });

  it("hear in one place what is wrong with any of them", () => {
    const problem = { path: "workload.phases.0.input_read", message: "not a size" };
    expect(remarksFrom([problem], chosen({ job: "phases" })).fields).toEqual({ phases: "not a size" });
  });
});
