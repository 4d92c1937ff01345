import plan from "@tests/fixtures/plan.json";
import { expect, it } from "vitest";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import type { Named } from "@/features/plan/configurations/useConfigurations";
import { whyThisOne } from "@/features/plan/configurations/why";

const base = plan.configurations[0] as unknown as RankedAnswer;
const range = (value: number) => ({ p10: value, p50: value, p90: value });

function row(nodes: number, instance: string, cost: number, minutes: number, bottleneck = "network out"): RankedAnswer {
  const [phase] = base.phases;
  return {
    ...base,
    nodes,
    instance,
    cost_usd: range(cost),
    cost_always_on_usd: 100 * cost,
    time_s: range(60 * minutes),
    billed_s: 60 * minutes,
    phases:
      phase === undefined ? [] : [{ ...phase, time_s: 60 * minutes, bottleneck } as RankedAnswer["phases"][number]],
  };
}

function answer(rows: RankedAnswer[], objective: PlanAnswer["objective"] = "cost"): PlanAnswer {
  const limits = { ...plan.limits, deadline_s: 1_800, chance: null, budget_usd: null, max_nodes: null, loss: null };
  return {
    ...(plan as unknown as PlanAnswer),
    configurations: rows,
    objective,
    limits: limits as PlanAnswer["limits"],
  };
}

const BEST = row(98, "i2.8xlarge", 365, 29);
const SECOND = row(40, "i4i.8xlarge", 378, 25);

it("compares with the second row, and names the phase or the price that decides", () => {
  expect(whyThisOne(answer([BEST, SECOND]), undefined)).toBe(
    "Why this one: $13 a run cheaper than the second, 40 × i4i.8xlarge, and finishes 4 min later, mainly because an hour of it costs 1.2\u00a0× as much.",
  );
  expect(whyThisOne(answer([BEST, row(40, "i4i.8xlarge", 378, 40, "intermediate disks")]), undefined)).toBe(
    "Why this one: $13 a run cheaper than the second, 40 × i4i.8xlarge, and finishes 11 min sooner, mainly because map and shuffle, limited by the scratch disks, takes it 40 min instead of 29 min.",
  );
});

it("puts the objective first", () => {
  expect(whyThisOne(answer([SECOND, BEST], "time"), undefined)).toBe(
    "Why this one: finishes 4 min sooner than the second, 98 × i2.8xlarge, and is $13 a run more expensive, mainly because map and shuffle, limited by the network, takes it 29 min instead of 25 min.",
  );
  expect(whyThisOne(answer([BEST, SECOND], "month"), undefined)).toContain(
    "Why this one: $1,300 a month cheaper than the second",
  );
});

it("says where there is no difference, and tells rows of one name apart by their storage", () => {
  const twin = { ...row(98, "i2.8xlarge", 365, 29), storage_words: "2 × 500 GiB gp3" };
  expect(whyThisOne(answer([BEST, twin]), undefined)).toBe(
    "Why this one: costs the same as the second, 98 × i2.8xlarge with 2 × 500 GiB gp3, and takes the same time; both are limited by the network.",
  );
  expect(whyThisOne(answer([BEST]), undefined)).toBe("Why this one: the only option within the limits.");
  expect(whyThisOne(answer([]), undefined)).toBeUndefined();
});

it("compares with the current cluster, and says if that is outside the limits", () => {
  const today = { key: "178-i2.8xlarge-own", name: "178 × i2.8xlarge", configuration: row(178, "i2.8xlarge", 545, 45) };
  expect(whyThisOne(answer([BEST, SECOND]), today as unknown as Named)).toMatch(
    /as much\. It is \$180 a run cheaper than the current 178 × i2\.8xlarge, and finishes 16 min sooner \(178 × i2\.8xlarge is outside the limits: it takes 45 min, and the deadline is 30 min\)\.$/,
  );
});

it("compares only times with a current cluster whose cost is stated, since the saving states the cost", () => {
  const today = { key: "178-i2.8xlarge-own", name: "178 × i2.8xlarge", configuration: row(178, "i2.8xlarge", 545, 25) };
  const named = today as unknown as Named;
  expect(whyThisOne(answer([BEST, SECOND]), named, "2,950 USD")).toMatch(
    /as much\. It finishes 4 min later than the current 178 × i2\.8xlarge\.$/,
  );
  expect(whyThisOne(answer([BEST, SECOND]), named, "much")).toMatch(/It is \$180 a run cheaper than the current/);
});
