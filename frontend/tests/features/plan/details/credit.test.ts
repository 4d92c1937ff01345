import plan from "@tests/fixtures/plan.json";
import { describe, expect, it } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import { apart } from "@/charts/axes/labels";
import { lossWords } from "@/features/plan/configurations/loss";
import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import { creditCourse, creditTable, creditWords, moves, onEmptyWords } from "@/features/plan/details/credit";
import { latencyWords } from "@/features/plan/details/latency";

const [usual] = (plan as unknown as PlanAnswer).configurations;
if (usual === undefined) throw new Error("the fixture has no rows");

const phase = (name: string, time_s: number) => ({
  name,
  kind: "work" as const,
  time_s,
  bottleneck: "EBS volumes",
  utilization: {},
});
const course = (name: string, times_s: number[], credits: Configuration["courses"][number]["credits"]) => ({
  phase: name,
  times_s,
  done: times_s.map(() => 0),
  bottlenecks: [],
  credits,
});
const credit = (resource: string, unit: "MB" | "I/O", amounts: number[]) => ({
  resource,
  unit,
  full: 1_000,
  credit: amounts,
});

const TWO_PHASES = {
  phases: [phase("append", 3_600), phase("snapshot", 600)],
  courses: [
    course("append", [0, 1_800, 3_600], [credit("EBS volumes", "I/O", [1_000, 1e-12, 0])]),
    course("snapshot", [0, 600], [credit("EBS volumes", "I/O", [0, 200])]),
  ],
};

describe("burst credit over a job", () => {
  it("puts the phases end to end, as a share of the full bucket", () => {
    const { lines, phases } = creditCourse(TWO_PHASES);
    expect(phases).toEqual([
      { name: "append", from_s: 0, to_s: 3_600 },
      { name: "snapshot", from_s: 3_600, to_s: 4_200 },
    ]);
    expect(lines.map(({ label, kind }) => [label, kind])).toEqual([["EBS volumes", "EBS volumes"]]);
    expect(lines[0]?.points.map(({ time_s, share }) => [time_s, Number(share.toFixed(6))])).toEqual([
      [0, 1],
      [1_800, 0],
      [3_600, 0],
      [3_600, 0],
      [4_200, 0.2],
    ]);
  });

  it("says when a bucket is used up, and what is left of one that is not", () => {
    expect(creditWords(creditCourse(TWO_PHASES))).toBe(
      "EBS volumes: used up after 30 min; from there only the baseline is left.",
    );
    const half = {
      phases: [phase("read", 60)],
      courses: [course("read", [0, 60], [credit("EBS link", "MB", [400, 300])])],
    };
    expect(creditWords(creditCourse(half))).toBe("EBS link: 40% of the full bucket at the start, 30% at the end.");
  });

  it("has nothing to draw where a bucket stays as it is, and says so", () => {
    const still = (amounts: number[]) =>
      creditCourse({
        phases: [phase("read", 60)],
        courses: [course("read", [0, 60], [credit("EBS volumes", "MB", amounts)])],
      });
    expect(still([1_000, 1_000]).lines.some(moves)).toBe(false);
    expect(creditWords(still([1_000, 999]))).toBe("EBS volumes: the bucket stays full from start to end.");
    expect(creditWords(still([0, 0]))).toBe("EBS volumes: the bucket stays empty from start to end.");
  });

  it("tells two buckets of one resource apart by what they count", () => {
    const both = creditCourse({
      phases: [phase("read", 60)],
      courses: [
        course("read", [0, 60], [credit("EBS link", "MB", [1_000, 0]), credit("EBS link", "I/O", [1_000, 500])]),
      ],
    });
    expect(both.lines.map(({ label }) => label)).toEqual(["EBS link, MB", "EBS link, I/Os"]);
    expect(creditTable(both).rows).toHaveLength(4);
  });

  it("is empty where nothing bursts", () => {
    expect(creditCourse(usual).lines).toEqual([]);
    expect(onEmptyWords(usual, "cost")).toBeNull();
  });

  it("says what the job is on empty buckets", () => {
    expect(onEmptyWords({ on_empty: { time_s: 2_460, cost_usd: 412.3 } }, "cost")).toBe("41 min for $412");
  });

  it("keeps the names beside lines that end together apart, and within the chart", () => {
    expect(apart([100, 100, 20], 15, 100)).toEqual([85, 100, 20]);
    expect(apart([10, 90], 15, 100)).toEqual([10, 90]);
  });
});

describe("latency of random I/O", () => {
  it("is the mean by what is outstanding, and owns what is not known", () => {
    expect(latencyWords({ latency: { io_per_s: 3_000, mean_ms: 16_000 / 3_000, p99_ms: null } })).toBe(
      "5.33 ms on average (16 outstanding / 3,000 per second on each node); p99 not known: only measured percentiles tell it.",
    );
  });

  it("says a percentile that was measured, and nothing of other jobs", () => {
    expect(latencyWords({ latency: { io_per_s: 3_000, mean_ms: 1, p99_ms: 12 } })).toContain("; p99 12 ms.");
    expect(latencyWords(usual)).toBeNull();
  });
});

describe("the chance of losing data", () => {
  const words = (loss_exposure_s: number) => lossWords({ ...usual, loss_exposure_s, loss_probability: 0.01 });

  it("says over which time", () => {
    expect(words(usual.time_s.p50)).toBe("chance of losing data during the job: 1%");
    expect(words(365.25 * 86_400)).toBe("chance of losing data in a year: 1%");
    expect(words(30 * 86_400)).toBe("chance of losing data in 30 d: 1%");
  });
});
