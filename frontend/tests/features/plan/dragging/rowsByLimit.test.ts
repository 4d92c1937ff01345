import limits from "@tests/fixtures/limits.json";
import { describe, expect, it } from "vitest";
import type { LimitRowsAnswer } from "@/api/generated";
import { draggableBudgets_usd, draggableDeadlines_s } from "@/features/plan/dragging/draggable";
import { type AskedLimits, RowsByLimit } from "@/features/plan/dragging/rowsByLimit";
import { askedLimits } from "@/features/plan/dragging/useKnownRows";
import { choiceFrom } from "@/features/plan/workload/choice";
import { axisOf } from "./dragged";

function known(name: keyof typeof limits): RowsByLimit {
  return new RowsByLimit(limits[name].answer as unknown as LimitRowsAnswer);
}

describe.each(Object.keys(limits) as (keyof typeof limits)[])("rows of %s", (name) => {
  const rows = known(name);
  const ofDeadline = rows.answer.along === "deadline";
  const asked = limits[name].asked as { limits: AskedLimits; rows: Record<string, unknown>[] }[];

  it.each(asked)("are those of the service: $limits", ({ limits: within, rows: expected }) => {
    const found = rows.rowsWithin(within);
    if (found === undefined) {
      const [limit, other] = ofDeadline
        ? [within.deadline_s, within.budget_usd]
        : [within.budget_usd, within.deadline_s];
      const isBetween = limit !== null && !rows.answer.limits.includes(limit);
      const isSurer = !ofDeadline && other !== null && within.confidence !== 0.5;
      expect(expected.length === 0 || isSurer || isBetween).toBe(true);
      return;
    }
    expect(found).toHaveLength(expected.length);
    found.forEach((row, place) => {
      const { time_s, cost_usd, meets_deadline, ...same } = expected[place] ?? {};
      expect(row).toMatchObject(same);
      const figures = [
        row.time_s.p10,
        row.time_s.p50,
        row.time_s.p90,
        row.cost_usd.p10,
        row.cost_usd.p50,
        row.cost_usd.p90,
      ];
      const told = [...(time_s as number[]), ...(cost_usd as number[])];
      // A difference that three digits hardly ever show.
      expect(Math.max(...figures.map((figure, at) => Math.abs(figure / (told[at] ?? 0) - 1)))).toBeLessThan(3e-5);
      if (meets_deadline === null) expect(row.meets_deadline).toBeNull();
      else expect(row.meets_deadline).toBeCloseTo(meets_deadline as number, 3);
    });
  });

  it("are known for most limits", () => {
    expect(asked.filter(({ limits: within }) => rows.rowsWithin(within) !== undefined).length).toBeGreaterThan(5);
  });
});

it("leaves limits that it does not know to the service", () => {
  const rows = known("sort");
  const deadline_s = rows.answer.limits.at(-1) ?? 0;
  expect(rows.rowsWithin({ deadline_s, budget_usd: null, confidence: 0.95 })).toBeDefined();
  expect(rows.rowsWithin({ deadline_s, budget_usd: null, confidence: 0.97 })).toBeUndefined();
  expect(rows.rowsWithin({ deadline_s: 1, budget_usd: null, confidence: 0.95 })).toBeUndefined();
  expect(rows.rowsWithin({ deadline_s, budget_usd: 0.01, confidence: 0.95 })).toBeUndefined();
});

it("leaves limits that rounding decides to the service", () => {
  const { answer } = known("sort");
  const unsure = new RowsByLimit({ ...answer, unsure: answer.unsure.map((_, level) => (level === 3 ? [9] : [])) });
  const deadline_s = answer.limits[9] ?? 0;
  expect(unsure.rowsWithin({ deadline_s, budget_usd: null, confidence: 0.9 })).toBeDefined();
  expect(unsure.rowsWithin({ deadline_s, budget_usd: null, confidence: 0.95 })).toBeUndefined();
});

it("reads the limits of a question as the service does", () => {
  const rows = known("sort");
  expect(askedLimits(choiceFrom({}), rows)).toEqual({ deadline_s: null, budget_usd: null, confidence: 0.95 });
  expect(askedLimits(choiceFrom({ deadline: "2 h" }), rows)?.confidence).toBe(0.95);
  expect(askedLimits(choiceFrom({}), known("volumes"))?.deadline_s).toBe(604_800);
  expect(askedLimits(choiceFrom({ deadline: "90 min", budget: "$1,200", chance: "80 %" }), rows)).toEqual({
    deadline_s: 5_400,
    budget_usd: 1_200,
    confidence: 0.8,
  });
  expect(askedLimits(choiceFrom({ deadline: "none" }), rows)?.deadline_s).toBeNull();
  expect(askedLimits(choiceFrom({ deadline: "soon" }), rows)).toBeUndefined();
  expect(askedLimits(choiceFrom({ budget: "5 EUR" }), rows)).toBeUndefined();
});

it.each(["deadline", "budget"] as const)("knows each %s that its slider can be dragged to", (field) => {
  const draggable = new Set(field === "deadline" ? draggableDeadlines_s() : draggableBudgets_usd());
  const reached = axisOf(field);
  expect(reached.length).toBeGreaterThan(200);
  expect(reached.filter((value) => !draggable.has(value))).toEqual([]);
});
