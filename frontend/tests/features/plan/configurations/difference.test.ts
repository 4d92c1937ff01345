import plan from "@tests/fixtures/plan.json";
import { describe, expect, it } from "vitest";
import type { LimitsAnswer, PlanAnswer } from "@/api/generated";
import { clusterKey, clusterName } from "@/features/plan/address/cluster";
import { comparedRows } from "@/features/plan/comparison/comparison";
import { comparisonWords, type Known, limitsBroken, refusalWords } from "@/features/plan/configurations/ahead";
import { differenceWords, factorWords, percentWords } from "@/features/plan/configurations/difference";
import { moneyOf } from "@/features/plan/configurations/money";
import type { Configuration, Named } from "@/features/plan/configurations/useConfigurations";
import { along, parted } from "@/features/plan/frontier/frontier";

const answer = plan as unknown as PlanAnswer;

function named(configuration: Configuration | undefined, more: Partial<Named> = {}): Named {
  const key = configuration === undefined ? "1-c3.large-own" : clusterKey(configuration);
  return {
    asked: key,
    key,
    document: {},
    differs: [],
    cluster: configuration ?? null,
    name: configuration === undefined ? "1 × c3.large" : clusterName(configuration),
    rank: undefined,
    configuration,
    sentence: undefined,
    infeasible: undefined,
    loading: false,
    error: null,
    retry: () => undefined,
    ...more,
  };
}

function row(index: number): Configuration {
  const found = answer.configurations[index];
  if (found === undefined) throw new Error(`the fixture has no row ${index}`);
  return found;
}

const NO_LIMITS: LimitsAnswer = {
  deadline_s: null,
  budget_usd: null,
  max_nodes: null,
  chance: null,
  loss: null,
  rereplication_s: null,
};
const known = (index: number) => named(row(index), { rank: index + 1 }) as Known;
const ranges = (time: number, cost: number) => ({
  time_s: { p10: time, p50: time, p90: time },
  cost_usd: { p10: cost, p50: cost, p90: cost },
  cost_always_on_usd: null,
});

describe("differences in words", () => {
  it.each([
    [62, 100, "−38%"],
    [112, 100, "+12%"],
    [100.4, 100, "same"],
    [100.94, 100, "+0.94%"],
    [320, 100, "3.2\u00a0×"],
    [1, 0, "—"],
  ])("%d against %d is %s", (value, reference, words) => expect(percentWords(value, reference)).toBe(words));

  it("name cost and time", () => {
    expect(differenceWords(ranges(112, 62), ranges(100, 100), moneyOf("cost"))).toBe("−38% cost, +12% time");
    expect(differenceWords(ranges(100, 100), ranges(100, 100), moneyOf("cost"))).toBe("same cost and time");
  });

  it("give factors where there is something to divide by", () => {
    expect(factorWords(161, 100)).toBe("1.6\u00a0×");
    expect(factorWords(1, 0)).toBe("—");
  });
});

describe("a comparison side by side", () => {
  const limits = { ...NO_LIMITS, deadline_s: 3_600 };
  const cells = (name: string, rows: ReturnType<typeof comparedRows>) => rows.find((one) => one.name === name)?.cells;

  it("marks the best of a row, and says how far the others are from it", () => {
    const cost = cells("Cost", comparedRows([known(1), known(0)], undefined, limits, "cost"));
    expect(cost?.map((cell) => cell?.best)).toEqual([false, true]);
    expect(cost?.[0]?.difference).toMatch(/^\+.*% of the best$/);
    expect(cost?.[1]?.difference).toBeUndefined();
  });

  it("holds everything against today's where there is one", () => {
    const today = named(row(2));
    const cost = cells("Cost", comparedRows([known(0), today], today, limits, "cost"));
    expect(cost?.[0]?.difference).toMatch(/of today’s$/);
    expect(cost?.[1]?.difference).toBeUndefined();
  });

  it("calls none the best where all are the same", () => {
    const cost = cells("Cost", comparedRows([known(0), known(0)], undefined, limits, "cost"));
    expect(cost?.map((cell) => [cell?.best, cell?.difference])).toEqual([
      [false, undefined],
      [false, undefined],
    ]);
  });

  it("calls none the best of a part of the cost that one of them does not pay at all", () => {
    const volumes = (usd: number): Named => {
      const of = known(0);
      return { ...of, configuration: { ...row(0), cost_parts_usd: { ...row(0).cost_parts_usd, ebs_volumes: usd } } };
    };
    const best = (...usd: number[]) =>
      cells("EBS volumes", comparedRows(usd.map(volumes), undefined, limits, "cost"))?.map((cell) => cell?.best);
    expect(best(0, 12)).toEqual([false, false]);
    expect(best(7, 12)).toEqual([true, false]);
  });

  it("leaves room for what cannot be done, and asks of limits only where there are some", () => {
    const rows = comparedRows([known(0), named(undefined)], undefined, { ...limits, deadline_s: null }, "cost");
    expect(cells("Time", rows)?.[1]).toBeNull();
    expect(rows.map(({ name }) => name)).not.toContain("Meets the deadline");
  });
});

describe("why one is ahead of another", () => {
  it("says by which figure, and in which phase", () => {
    const words = comparisonWords(known(0), known(1), answer).join(" ");
    expect(words).toContain(known(0).name);
    expect(words).toMatch(/ahead/);
    expect(words).toMatch(/is billed .* as long, at .* the price of an hour/);
  });

  it("says which limit is broken, with both figures", () => {
    expect(limitsBroken(row(0), { ...NO_LIMITS, deadline_s: 600, budget_usd: 1, max_nodes: 1 })).toEqual([
      "it takes 59 min 54 s, and the deadline is 10 min",
      "a run costs $190, and the budget is $1",
      "it has 519 nodes, and at most 1 are allowed",
    ]);
    expect(limitsBroken(row(0), answer.limits)).toEqual([]);
  });

  it("holds a chance against the chance that is asked for, and loss against its bound", () => {
    const asked = { ...NO_LIMITS, deadline_s: 3_600, chance: 0.95, loss: 0.001 };
    expect(limitsBroken(row(0), asked)).toEqual([
      "it meets the deadline in 50% of runs, and the limit is 95%",
      "its chance of loss is 0.47%, and at most 0.1% is allowed",
    ]);
  });

  it("gives the refusal, and what the search says of the type", () => {
    const rejected = [
      { limit: "network bandwidth unknown", reason: "it was never measured", count: 3, instances: ["c3.large"] },
    ];
    const other = named(undefined, {
      cluster: { instance: "c3.large", nodes: 1, storage: { kind: "instance-store" } },
      infeasible: { feasible: false, limit: "capacity", reason: "it cannot hold the data", nearest: "9 nodes" },
    });
    expect(refusalWords(other, { ...answer, rejected } as PlanAnswer)).toEqual([
      "It cannot do the job: it cannot hold the data. Nearest: 9 nodes.",
      "Of this type, the search left candidates out because: it was never measured.",
    ]);
  });
});

describe("a walk along the frontier", () => {
  const point = (nodes: number, time_s: number, cost_usd: number) => ({
    instance: "i2.8xlarge",
    nodes,
    storage: { kind: "instance-store" as const, input_output_disks: 4, intermediate_disks: 4 },
    time_s,
    cost_usd,
    cost_always_on_usd: null,
    purchase: null,
    durability: null,
    replicas: null,
    loss_probability: null,
  });
  const frontier = [point(100, 100, 300), point(99, 101, 299), point(80, 125, 280), point(79, 126, 279.5)];
  const at = (nodes: number) => ({ key: `${nodes}-i2.8xlarge-4-4`, configuration: undefined });

  it("skips neighbours with indistinguishable results", () => {
    expect(along(frontier, at(100), moneyOf("cost")).cheaper?.nodes).toBe(80);
    expect(along(frontier, at(79), moneyOf("cost")).faster?.nodes).toBe(99);
  });

  it("reaches the ends, and knows them", () => {
    expect(along(frontier, at(80), moneyOf("cost")).cheaper?.nodes).toBe(79);
    expect(along(frontier, at(79), moneyOf("cost"))).toMatchObject({ place: 3, cheaper: undefined });
    expect(along(frontier, at(100), moneyOf("cost")).faster).toBeUndefined();
  });

  it("parts what is cheaper from what only keeps the data better", () => {
    const points = [point(4, 10, 100), point(5, 11, 120), point(3, 12, 90), point(6, 13, 90), point(2, 14, 80)];
    const { cheaper, safer } = parted(points, moneyOf("cost").at);
    expect(cheaper.map(({ nodes }) => nodes)).toEqual([4, 3, 2]);
    expect(safer.map(({ nodes }) => nodes)).toEqual([5, 6]);
  });
});
