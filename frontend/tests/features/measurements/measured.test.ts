import { expect, it } from "vitest";
import type { ProfileRow } from "@/api/generated";
import type { Metric } from "@/api/measurements/measurements";
import type { Guess, TargetField, Upload, UploadReading } from "@/api/measurements/uploads";
import { profileGroups, usedSentence } from "@/features/measurements/profiles/sentences";
import {
  groupDraft,
  headline,
  isKept,
  NOTHING_SAID,
  reviewSentence,
  targetFor,
} from "@/features/measurements/review/review";
import { draftOf, EMPTY, hostGroups, placedIn, targetOf } from "@/features/measurements/review/target";
import { measurementsSearchFrom, withChange } from "@/features/measurements/search";
import { differenceWords, measuredRange, measuredWords, metricTitle, targetWords } from "@/lib/measured";

const NOTHING: Guess = {
  instance: { value: null, why: null },
  region: { value: null, why: null },
  zone: { value: null, why: null },
  storage: { value: null, why: null },
  nodes: { value: 1, why: "the tool measures one machine" },
  placement_group: { value: null, why: null },
};

const need = (field: TargetField) => ({ field, words: `${field} is needed`, accepted: "" });

const FIO: UploadReading = {
  position: 0,
  member: "",
  tool: "fio",
  tool_version: "fio-3.33",
  status: "ok",
  failure: null,
  name: "mix",
  line: 1,
  metrics: [],
  settings: {},
  host: {
    name: "ip-10-0-0-7",
    kernel: null,
    instance_type: null,
    region: null,
    zone: null,
    nodes: null,
    volume_type: null,
    volume_id: null,
    cpus: null,
    memory_gib: null,
  },
  started_at: null,
  duration_s: 60,
  series: [],
  notes: [],
  known: null,
  needs: [need("instance"), need("region"), need("storage")],
  guess: NOTHING,
  judgement: null,
};

const IPERF: UploadReading = {
  ...FIO,
  position: 1,
  tool: "iperf3",
  needs: [need("instance"), need("region"), need("nodes")],
  guess: { ...NOTHING, nodes: { value: 2, why: "two ends" } },
};

const upload = (id: string, readings: UploadReading[]) => ({ id, name: `${id}.txt`, readings }) as unknown as Upload;

const metric = (name: string, unit = "MB/s"): Metric => ({
  name,
  value: 1,
  unit,
  what: name,
  told: { text: "1", unit, name },
});

it("writes figures in the unit that people speak of, with three digits", () => {
  expect(measuredWords("network_mb_per_s", 1_743, "MB/s")).toBe("1.74 GB/s");
  expect(measuredWords("read_mb_per_s", 77.12, "MB/s")).toBe("77.1 MB/s");
  expect(measuredWords("read_iops", 18_830, "1/s")).toBe("18,800 IOPS");
  expect(measuredWords("transactions_per_s", 18_830, "1/s")).toBe("18,800/s");
  expect(measuredWords("read_latency_us", 1_234, "us")).toBe("1.23 ms");
  expect(measuredWords("read_latency_us", 0, "us")).toBe("0 µs");
  expect(measuredWords("cpu_user_share", 0.1234, "1")).toBe("12.3%");
  expect(measuredWords("network_retransmits", 42, "1")).toBe("42");
  expect(measuredWords("time_s", 1_010, "s")).toBe("16 min 50 s");
});

it("writes a range with its unit once where that is the same", () => {
  expect(measuredRange("m", 1_700, 1_900, "MB/s")).toBe("1.7–1.9 GB/s");
  expect(measuredRange("m", 900, 1_100, "MB/s")).toBe("900 MB/s–1.1 GB/s");
  expect(measuredRange("time_s", 70, 80, "s")).toBe("1 min 10 s–1 min 20 s");
});

it("writes differences with a sign, and names statistics", () => {
  expect(differenceWords(-18.24)).toBe("−18.2%");
  expect(differenceWords(3)).toBe("+3%");
  expect(differenceWords(0.01)).toBe("0%");
  expect(metricTitle("Time that reads took", "read_latency_us.p99.9")).toBe("Time that reads took, p99.9");
});

it("names a target with what was provisioned", () => {
  const storage = {
    kind: "ebs" as const,
    type: "gp3",
    size_gib: 500,
    iops: 6_000,
    throughput_mib_per_s: null,
    count: 4,
  };
  const target = { instance: "r5.xlarge", region: "us-east-1", zone: null, storage, nodes: 1, placement_group: null };
  expect(targetWords(target)).toBe("r5.xlarge in us-east-1, 4 × 500 GiB gp3 of 6,000 IOPS");
  expect(targetWords({ ...target, storage: null, nodes: 2, placement_group: true })).toBe(
    "2 × r5.xlarge in us-east-1, placement group",
  );
});

it("asks once for all readings of a machine, for what any of them needs", () => {
  const groups = hostGroups(placedIn([upload("a", [FIO]), upload("b", [IPERF])]));
  expect(groups).toHaveLength(1);
  expect(groups[0]?.host).toBe("ip-10-0-0-7");
  // They differ in this: each is as its own file says.
  expect(groups[0]?.guess.nodes.value).toBeNull();
  expect(groups[0]?.needs.map(({ field }) => field)).toEqual(["instance", "region", "storage"]);
});

it("asks nothing of what is here already or failed", () => {
  const known = { ...FIO, known: "a-measurement" };
  const failed = { ...FIO, status: "failed" as const, failure: "no such file" };
  expect(hostGroups(placedIn([upload("a", [known, failed])]))).toEqual([]);
});

it("keeps machines apart, and own disks from volumes", () => {
  const other = { ...FIO, host: { ...FIO.host, name: "ip-10-0-0-8" } };
  const gp3 = { kind: "ebs" as const, type: "gp3", size_gib: null, iops: null, throughput_mib_per_s: null, count: 1 };
  const ebs = { ...FIO, guess: { ...NOTHING, storage: { value: gp3, why: "the path" } } };
  expect(hostGroups(placedIn([upload("a", [FIO, other, ebs])]))).toHaveLength(3);
});

it("gives each reading of a machine the part of the answer that is about it", () => {
  const placed = placedIn([upload("a", [FIO, IPERF])]);
  const [group] = hostGroups(placed);
  if (group === undefined) throw new Error("no group");
  const answer = { instance: "i3.8xlarge", region: "us-east-1", storage: "instance-store" as const, disks: "4" };
  const said = { ...NOTHING_SAID, groups: { [group.key]: { ...groupDraft(group, NOTHING_SAID), ...answer } } };
  expect(placed.map((one) => targetFor(one, group, NOTHING_SAID))).toEqual([null, null]);
  const [fio, iperf] = placed.map((one) => targetFor(one, group, said));
  expect(fio).toMatchObject({ instance: "i3.8xlarge", nodes: 1, storage: { kind: "instance-store", disks: 4 } });
  expect(iperf).toMatchObject({ instance: "i3.8xlarge", nodes: 2, storage: null });
});

it("says at the field what is wrong, and what is missing", () => {
  const needs = FIO.needs;
  expect(Object.keys(targetOf(EMPTY, needs).problems)).toEqual(["instance", "region", "storage"]);
  const draft = { ...EMPTY, instance: "i3.8xlarge", region: "us-east-1", storage: "ebs" as const, size: "much" };
  expect(Object.keys(targetOf(draft, needs).problems)).toEqual(["type", "size"]);
  const right = targetOf({ ...draft, type: "gp3", size: "1,000", iops: "3000" }, needs);
  expect(right.target?.storage).toMatchObject({ type: "gp3", size_gib: 1_000, iops: 3_000, count: 1 });
  const network = [need("instance"), need("placement_group")];
  expect(targetOf({ ...EMPTY, instance: "i3.8xlarge" }, network).problems.group).toContain("placement group");
  expect(targetOf({ ...EMPTY, instance: "i3.8xlarge", group: "no" }, network).target?.placement_group).toBe(false);
  expect(targetOf({ ...draft, type: "gp3", size: "", nodes: "two" }, needs).problems.nodes).toContain("whole number");
});

it("fills the form with what was guessed", () => {
  const guess: Guess = { ...NOTHING, instance: { value: "i3.large", why: "the host data" } };
  expect(draftOf(guess)).toMatchObject({ instance: "i3.large", nodes: "1", storage: "" });
});

it("shows rates first, then the rest, then statistics", () => {
  const metrics = [metric("read_mb", "MB"), metric("read_latency_us.p99", "us"), metric("read_iops", "1/s")];
  expect(headline(metrics).map(({ name }) => name)).toEqual(["read_iops", "read_mb", "read_latency_us.p99"]);
});

it("says what was understood in a sentence", () => {
  const failed = { ...FIO, position: 2, status: "failed" as const };
  const uploads = [upload("a", [FIO, IPERF]), upload("b", [failed])];
  const placed = placedIn(uploads);
  const judged = new Map([
    ["a 0", { verdict: "good" as const, reasons: [] }],
    ["a 1", null],
  ]);
  expect(reviewSentence(uploads, placed, judged)).toBe(
    "2 files hold 3 measurements: 1 good, 1 of a run that failed, 1 without instance details.",
  );
  expect(placed.map((one) => isKept(one, NOTHING_SAID, judged))).toEqual([true, true, false]);
  // A rejected one is kept only if the user asks for it.
  const rejected = new Map([["a 0", { verdict: "rejected" as const, reasons: [] }]]);
  expect(placed.map((one) => isKept(one, NOTHING_SAID, rejected))).toEqual([false, true, false]);
  expect(placed.map((one) => isKept(one, { ...NOTHING_SAID, keep: { "a 0": true } }, rejected))).toEqual([
    true,
    true,
    false,
  ]);
});

it("keeps of an address what it understands", () => {
  expect(measurementsSearchFrom({ tab: "changes", only: "regressions", tool: "hammer", verdict: "good" })).toEqual({
    tab: "changes",
    only: "regressions",
    verdict: "good",
  });
  expect(measurementsSearchFrom({ tab: "profiles", search: "  " })).toEqual({});
  expect(withChange({ tab: "list", tool: "fio" }, { tool: "" })).toEqual({ tab: "list" });
});

const result = (target_words: string, metric: string, why_not: string | null = null): ProfileRow => ({
  ...{ key: `${target_words} ${metric}`, target_words, metric, what: metric, unit: "MB/s" },
  target: { instance: "i3.large", region: null, zone: null, storage: null, nodes: 1, placement_group: null },
  ...{ mean: 1, low: 1, high: 1, spread: null, count: 1, effective_count: 1, slowest: 1, fastest: 1 },
  ...{ newest: "2026-11-20T10:00:00Z", oldest: "2026-11-20T10:00:00Z", published: null, difference_pct: null },
  ...{ feeds: why_not === null, why_not },
});

it("says first how many results plans use", () => {
  const used = result("i3.large", "network_mb_per_s");
  const unused = result("i3.large", "read_latency_us", "No plan depends on latency");
  expect(usedSentence([used, unused, unused])).toBe("1 of 3 figures is used by plans.");
  expect(usedSentence([used, used, unused])).toBe("2 of 3 figures are used by plans.");
  expect(usedSentence([unused])).toBe("None of 1 figure is used by plans.");
  expect(usedSentence([used, used])).toBe("All 2 figures are used by plans.");
});

it("groups results by target, and those that plans do not use by the reason, which stands once", () => {
  const groups = profileGroups([
    result("i3.large", "read_latency_us", "No plan depends on latency"),
    result("i3.large", "network_mb_per_s"),
    result("i4i.large", "read_latency_us", "No plan depends on latency"),
    result("i4i.large", "network_mb_per_s"),
    result("i3.large", "storage_read_mb_per_s"),
  ]);
  expect(groups.map(({ title, profiles }) => [title, profiles.length])).toEqual([
    ["i3.large", 2],
    ["i4i.large", 1],
    ["Not used by plans: no plan depends on latency", 2],
  ]);
});
