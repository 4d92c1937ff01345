import { render, screen } from "@testing-library/react";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { AnsweredAgain } from "@/features/plan/saved/AnsweredAgain";

const answer = plan as unknown as PlanAnswer;
const [first] = answer.configurations as [RankedAnswer];
const ID = "00000000-0000-4000-8000-000000000001";

function costing(usd: number, changes: Partial<RankedAnswer> = {}): PlanAnswer {
  return {
    ...answer,
    configurations: [
      { ...first, time_s: { p10: 60, p50: 60, p90: 60 }, cost_usd: { p10: usd, p50: usd, p90: usd }, ...changes },
    ],
  };
}

async function words(then: PlanAnswer, now: PlanAnswer) {
  const asked = stubService();
  render(<AnsweredAgain planId={ID} answer={now} />, { wrapper: Surroundings });
  await until(() => asked.length === 1);
  expect(asked[0]?.path).toBe(`/api/v1/plans/${ID}/columns`);
  expect(screen.queryByTestId("answered-again")).toBeNull();
  asked[0]?.answer(200, { id: ID, name: "Nightly", created_at: "2026-11-23T12:00:00Z", answer: then });
  return (await screen.findByTestId("answered-again")).textContent;
}

it.each([
  ["dearer", 110, "$110 a run, 1 min (+10% cost)."],
  ["cheaper", 75, "$75 a run, 1 min (−25% cost)."],
  ["the same", 100, "$100 a run, 1 min: the same cost."],
])("states the winner of a saved plan then and now, which is %s", async (_, usd, end) => {
  const now = costing(usd, { instance: "i9.large", nodes: 7 });
  expect(await words(costing(100), now)).toBe(
    `“Nightly” answered again. On 23 Nov 2026: 519 × m1.xlarge, $100 a run, 1 min. Now: 7 × i9.large, ${end}`,
  );
});

it("compares no cost if nothing is within the limits, then or now", async () => {
  expect(await words(costing(100), { ...answer, configurations: [] })).toMatch(/ Now: nothing within the limits\.$/);
});
