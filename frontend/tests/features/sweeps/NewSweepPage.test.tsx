import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { columnsOf } from "@tests/fixtures/columns";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { expect, it } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import { choiceFrom, documentFrom } from "@/features/plan/workload/choice";
import { workloadWords } from "@/features/plan/workload/workloadWords";
import { NewSweepPage } from "@/features/sweeps/NewSweepPage";
import { QUANTITIES } from "@/features/sweeps/quantities";
import type { AxesSearch } from "@/features/sweeps/question";

/** The form of a sweep over 40 TB within 2 h; at the end what the service was asked to try. */
function open(search: AxesSearch) {
  const asked = stubService();
  const choice = choiceFrom({ data: "40 TB", deadline: "2 h", region: "eu-west-1" });
  render(
    <NewSweepPage
      base={documentFrom(choice)}
      baseWords={(varied) =>
        workloadWords(
          choice,
          varied.map((quantity) => QUANTITIES[quantity].field),
        )
      }
      search={search}
      onSearch={() => undefined}
      onStarted={() => undefined}
      changeBase={null}
    />,
    { wrapper: Surroundings },
  );
  return (path = "/plans/preview/columns") => asked.filter((request) => request.path.endsWith(path));
}

it("lists as what holds in every cell nothing that an axis varies", () => {
  open({});
  const held = screen.getByRole("region", { name: "What holds in every cell" }).textContent;
  expect(held).toContain("eu-west-1");
  expect(held).not.toContain("40 TB");
  expect(held).not.toContain("2 h");
});

it("takes 1-6 h for a range", () => {
  open({ "row-values": "1-6 h, 6 steps" });
  screen.getByText(/^6 values: 1 h · /);
  screen.getByText("42 cells");
});

/** Columns of an answer whose search took so long [s]. */
function answerAfter(elapsed_s: number) {
  return columnsOf({ ...(plan as unknown as PlanAnswer), elapsed_s });
}

it("judges how long a sweep takes by three of its cells, once all are there", async () => {
  const requests = open({ "column-values": "1 TB, 10 TB, 100 TB", "row-values": "1 h, 2 h" });
  const previews = () => requests();
  await waitFor(() => expect(previews()).toHaveLength(3));
  const sizes = previews().map(({ body }) => (body as { workload: { data: string } }).workload.data);
  expect(sizes).toEqual(["1 TB", "10 TB", "100 TB"]);
  act(() => previews()[0]?.answer(200, answerAfter(1)));
  act(() => previews()[1]?.answer(200, answerAfter(2)));
  await waitFor(() => expect(previews()[1]?.isRead()).toBe(true));
  expect(screen.queryByText(/judged by/)).toBeNull();
  // One that takes far longer than the one in the middle counts.
  act(() => previews()[2]?.answer(200, answerAfter(57)));
  await screen.findByText(/about 2 min, judged by 3 cells of it/);
});

it("says at the field what the service refuses, before the sweep is started", async () => {
  const requests = open({ "column-values": "1 TB, 10 fortnights", "row-values": "1 h" });
  await waitFor(() => expect(requests("/sweeps/check")).toHaveLength(1));
  const values = screen.getByLabelText("Values of data size");
  expect(values.getAttribute("aria-invalid")).not.toBe("true");
  const message = "'10 fortnights' is not a size; accepted: 10 GB, 1.5 TiB";
  const problem = { status: 422, title: "Bad input", errors: [{ path: "columns.values.1", message }] };
  act(() => requests("/sweeps/check")[0]?.answer(422, problem));
  await screen.findByText(message);
  expect(values.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Start the sweep" }).disabled).toBe(true);
  expect(requests("/sweeps")).toHaveLength(0);
  fireEvent.change(values, { target: { value: "1 TB, 10 TB" } });
  expect(screen.queryByText(message)).toBeNull();
  await waitFor(() => expect(requests("/sweeps/check")).toHaveLength(2));
  act(() => requests("/sweeps/check")[1]?.answer(200, { cells: 2 }));
  await waitFor(() =>
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Start the sweep" }).disabled).toBe(false),
  );
});
