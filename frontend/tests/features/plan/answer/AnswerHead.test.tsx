// The first sentence of an answer in the team's currency.

import { render, screen } from "@testing-library/react";
import month from "@tests/fixtures/month.json";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { describe, expect, it } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import { AnswerHead } from "@/features/plan/answer/AnswerHead";
import { about, usd } from "@/lib/wording";
import { Rated } from "@/ui/values/InCurrency";

const EURO = { code: "EUR", usd_rate: 0.86, since: "2026-11-28" } as const;
const RATE = "1 USD = 0.86 EUR as of 2026-11-28, given by the team";

const answers = [plan, month] as unknown as PlanAnswer[];

function shown(answer: PlanAnswer, currency: typeof EURO | null): string | null {
  render(
    <Rated currency={currency}>
      <AnswerHead answer={answer} actions={null} onDetails={undefined} />
    </Rated>,
    { wrapper: Surroundings },
  );
  return screen.getByTestId("sentence").textContent;
}

describe.each(answers)("an answer for $objective", (answer) => {
  const [first] = answer.configurations;
  const cost = (answer.objective === "month" ? first?.cost_always_on_usd : first?.cost_usd.p50) ?? Number.NaN;

  it("states its cost in the currency, with the rate among the facts", () => {
    expect(shown(answer, EURO)).toContain(`${usd(cost)}, ${about(cost, EURO)} `);
    expect(screen.getByText(RATE)).toBeDefined();
  });

  it("is the service's sentence without a currency", () => {
    expect(shown(answer, null)).toBe(answer.sentence);
    expect(screen.queryByText(RATE)).toBeNull();
  });
});
