// Answers as columns, made into the objects that the page works with.

import { columnsOf } from "@tests/fixtures/columns";
import plan from "@tests/fixtures/plan.json";
import { expect, it } from "vitest";
import type { PlanAnswer, SavedPlanColumns } from "@/api/generated";
import { planFrom, savedFrom } from "@/api/planning/columns";

const answer = plan as unknown as PlanAnswer;

it("makes an answer of its columns, of which only the first row has sources", () => {
  const made = planFrom(columnsOf(answer));
  const [first, ...others] = answer.configurations;
  expect(made.configurations[0]).toEqual(first);
  expect(
    made.configurations.slice(1).map(({ instance, nodes, time_s, cost_usd, phases, sources }) => {
      return { instance, nodes, time_s, cost_usd, phases, sources };
    }),
  ).toEqual(
    others.map(({ instance, nodes, time_s, cost_usd, phases }) => {
      return { instance, nodes, time_s, cost_usd, phases, sources: false };
    }),
  );
  expect(made.frontier.map(({ nodes, storage, time_s }) => [nodes, storage, time_s])).toEqual(
    answer.frontier.map(({ nodes, storage, time_s }) => [nodes, storage, time_s]),
  );
  expect(made.curves.map(({ instance }) => instance)).toEqual(answer.curves.map(({ instance }) => instance));
  expect(made.sentence).toBe(answer.sentence);
  expect(made.rejected).toEqual(answer.rejected);
});

it("reads a column with one element as that of all rows", () => {
  const columns = columnsOf(answer);
  const { frontier } = columns;
  const made = planFrom({ ...columns, frontier: { ...frontier, cost_usd: [5], purchase: ["spot"] } });
  expect(new Set(made.frontier.map(({ cost_usd }) => cost_usd))).toEqual(new Set([5]));
  expect(new Set(made.frontier.map(({ purchase }) => purchase))).toEqual(new Set(["spot"]));
});

it("makes an answer without rows of empty columns", () => {
  const made = planFrom(columnsOf({ ...answer, configurations: [], frontier: [], curves: [] }));
  expect([made.configurations, made.frontier, made.curves]).toEqual([[], [], []]);
});

it("reads a saved plan of either form", () => {
  const saved = { name: "Nightly" } as unknown as SavedPlanColumns;
  const columns = columnsOf(answer);
  expect(savedFrom({ ...saved, answer: columns })).toEqual({ ...saved, answer: planFrom(columns) });
  expect(savedFrom({ ...saved, answer })).toEqual({ ...saved, answer });
});
