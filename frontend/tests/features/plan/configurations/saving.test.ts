import plan from "@tests/fixtures/plan.json";
import { expect, it } from "vitest";
import { savingOf, savingSentence, savingWords, withGiven } from "@/features/plan/configurations/saving";
import type { Configuration, Named } from "@/features/plan/configurations/useConfigurations";

const first = plan.configurations[0] as unknown as Configuration;
const range = (value: number) => ({ p10: value, p50: value, p90: value });
const costing = (run: number, month = run, always: number | null = null): Configuration => ({
  ...first,
  cost_usd: range(run),
  cost_per_month_usd: range(month),
  cost_always_on_usd: always,
});
const named = (configuration: Configuration, rank?: number, name = "178 × i2.8xlarge") =>
  ({ name, rank, configuration }) as unknown as Named;

it("states the saving of a run, and of a month if there are several runs", () => {
  const words = (one: Configuration, other: Configuration) => savingWords(savingOf(one, other, "cost"), "X");
  expect(words(costing(325), costing(505))).toBe("Saves $180 a run (−36%) against X.");
  expect(words(costing(60, 1_800), costing(97, 2_920))).toBe("Saves $1,120 a month at 30 runs (−38%) against X.");
  expect(words(costing(110), costing(100))).toBe("Costs $10 a run more (+10%) than X.");
  expect(words(costing(300), costing(100))).toBe("Costs $200 a run more (3\u00a0×) than X.");
  expect(words(costing(100.1), costing(100))).toBe("Costs the same as X.");
});

it("takes the always-on cost where a month is ranked, and the stated cost over both", () => {
  const [one, other] = [costing(60, 600, 4_000), costing(97, 970, 5_000)];
  expect(savingWords(savingOf(one, other, "month"), "X")).toBe("Saves $1,000 a month (−20%) against X.");
  expect(savingWords(savingOf(one, other, "month", "$8,000"), "X")).toBe("Saves $4,000 a month (−50%) against X.");
  expect(savingWords(savingOf(one, other, "cost", "1,200 USD"), "X")).toBe(
    "Saves $600 a month at 10 runs (−50%) against X.",
  );
  // A cost of a month beside a single run, the default, says so.
  expect(savingWords(savingOf(costing(60), costing(97), "cost", "1,200 USD"), "X")).toBe(
    "Saves $1,140 a month at 1 run (−95%) against X.",
  );
  // Text that is no amount is not a cost.
  expect(savingOf(one, other, "cost", "cheap")).toEqual(savingOf(one, other, "cost"));
});

it("also states the sum in the team's currency", () => {
  const euro = { code: "EUR", usd_rate: 0.86, since: "2026-11-28" } as const;
  const saving = savingOf(costing(60, 1_800), costing(97, 2_920), "cost");
  expect(savingWords(saving, "X", euro)).toBe("Saves $1,120 a month at 30 runs (about €963, −38%) against X.");
});

it("says nothing before the current cluster has figures, and that it is the best if it is", () => {
  const best = named(costing(100), 1);
  expect(savingSentence(best, undefined, "cost", undefined)).toBeUndefined();
  expect(savingSentence(undefined, best, "cost", undefined)).toBeUndefined();
  expect(savingSentence(best, best, "cost", undefined)).toBe(
    "178 × i2.8xlarge, the current cluster, is the best option.",
  );
});

it("names a given cost, and computes with it whatever else is compared", () => {
  const [best, today] = [named(costing(60, 600, 4_000), 1), named(costing(97, 970, 5_000))];
  expect(savingSentence(best, today, "cost", "$1,200")).toBe(
    "Saves $600 a month at 10 runs (−50%) against 178 × i2.8xlarge (8 disks, given: $1,200 a month).".replace(
      "8 disks",
      first.storage_words,
    ),
  );
  const given = withGiven(today, "cost", "$1,200")?.configuration;
  expect([given?.given, given?.cost_usd.p50, given?.cost_per_month_usd.p90]).toEqual(["run", 120, 1_200]);
  expect(given?.cost_always_on_usd).toBe(5_000);
  const month = withGiven(today, "month", "$1,200")?.configuration;
  expect([month?.given, month?.cost_usd.p50, month?.cost_always_on_usd]).toEqual(["month", 97, 1_200]);
  expect(withGiven(today, "cost", "cheap")).toBe(today);
});

it("tells clusters of one name apart by their storage", () => {
  const [best, today] = [named(costing(100), 1), named({ ...costing(200), storage_words: "2 × 500 GiB gp3" })];
  expect(savingSentence(best, today, "cost", undefined)).toBe(
    "Saves $100 a run (−50%) against 178 × i2.8xlarge (2 × 500 GiB gp3).",
  );
});
