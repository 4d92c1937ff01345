import { act, renderHook } from "@testing-library/react";
import { columnsOf } from "@tests/fixtures/columns";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { beforeEach, expect, it, vi } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import { ApiProblem, Unreachable } from "@/api/problem";
import { usePreview } from "@/features/plan/answer/usePreview";

const question = (data: string) => ({ workload: { data } });
const answerTo = (data: string) => columnsOf({ ...(plan as unknown as PlanAnswer), sentence: `answer to ${data}` });

function ask(first: string) {
  const asked = stubService();
  const hook = renderHook(({ data }) => usePreview(question(data)), {
    initialProps: { data: first },
    wrapper: Surroundings,
  });
  return { asked, hook };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

/** Let the time pass that a request may still take when the question has moved on. */
const losePatience = () => act(() => vi.advanceTimersByTime(250));

it("never lets a late answer overwrite a newer one", async () => {
  const { asked, hook } = ask("1 TB");
  await until(() => asked.length === 1);
  hook.rerender({ data: "2 TB" });
  losePatience();
  await until(() => asked.length === 2);
  act(() => asked[1]?.answer(200, answerTo("2 TB")));
  await until(() => hook.result.current.answer?.sentence === "answer to 2 TB");
  act(() => asked[0]?.answer(200, answerTo("1 TB")));
  await until(() => asked[0]?.isRead() === true);
  expect(hook.result.current.answer?.sentence).toBe("answer to 2 TB");
});

it("aborts an outdated request", async () => {
  const { asked, hook } = ask("1 TB");
  await until(() => asked.length === 1);
  hook.rerender({ data: "2 TB" });
  expect(asked[0]?.signal.aborted).toBe(false);
  losePatience();
  expect(asked[0]?.signal.aborted).toBe(true);
});

it("keeps the last good answer, and says that it is an earlier one", async () => {
  const { asked, hook } = ask("1 TB");
  await until(() => asked.length === 1);
  act(() => asked[0]?.answer(200, answerTo("1 TB")));
  await until(() => hook.result.current.current === true);
  hook.rerender({ data: "1 XB" });
  expect(hook.result.current).toMatchObject({ current: false, working: true, answer: { sentence: "answer to 1 TB" } });
  await until(() => asked.length === 2);
  const problem = { title: "Not accepted", detail: "Not accepted: workload.data", status: 422, type: "about:blank" };
  act(() => asked[1]?.answer(422, { ...problem, errors: [{ path: "workload.data", message: "'XB' is not a unit" }] }));
  await until(() => hook.result.current.error instanceof ApiProblem);
  expect(hook.result.current).toMatchObject({ current: false, answer: { sentence: "answer to 1 TB" } });
  expect((hook.result.current.error as ApiProblem).fields).toEqual([
    { path: "workload.data", message: "'XB' is not a unit" },
  ]);
});

it("tells a service that is not there from one that refuses", async () => {
  const { asked, hook } = ask("1 TB");
  await until(() => asked.length === 1);
  act(() => asked[0]?.answer(502, "Bad gateway"));
  await until(() => hook.result.current.error instanceof Unreachable);
});

it("asks one question at a time during a drag, and of those that wait only the newest", async () => {
  const { asked, hook } = ask("1 TB");
  await until(() => asked.length === 1);
  for (const data of ["2 TB", "3 TB", "4 TB"]) hook.rerender({ data });
  expect(asked).toHaveLength(1);
  act(() => asked[0]?.answer(200, answerTo("1 TB")));
  await until(() => asked.length === 2);
  // The answer on the way is shown, and known to be an earlier one.
  expect(hook.result.current).toMatchObject({ current: false, working: true, answer: { sentence: "answer to 1 TB" } });
  expect(asked[1]?.body).toEqual(question("4 TB"));
  expect(asked[0]?.signal.aborted).toBe(false);
});

it("asks for columns, which have the sources of the first row only", async () => {
  const { asked } = ask("1 TB");
  await until(() => asked.length === 1);
  expect(asked[0]?.path).toMatch(/\/preview\/columns$/);
});

it("gives up each question that takes too long, also one whose turn came as the next was asked", async () => {
  const { asked, hook } = ask("1 TB");
  hook.rerender({ data: "2 TB" });
  act(() => {
    vi.advanceTimersByTime(250);
    hook.rerender({ data: "3 TB" });
  });
  losePatience();
  await until(() => asked.length > 1);
  expect(asked.at(-1)?.body).toEqual(question("3 TB"));
});
