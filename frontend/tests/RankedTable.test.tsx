import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import { RankedTable } from "@/features/plan/RankedTable";
import plan from "./fixtures/plan.json";
import { Surroundings } from "./render";

const rows = (plan as unknown as PlanAnswer).configurations;

function show(onPick: (key: string) => void = () => undefined) {
  render(<RankedTable rows={rows} size={rows.length} chosen={undefined} open={undefined} onPick={onPick} />, {
    wrapper: Surroundings,
  });
  return screen.getAllByRole("row").slice(1);
}

it("shows a row for each configuration, with units and what limits it", () => {
  const shown = show();
  expect(shown).toHaveLength(rows.length);
  const cells = within(shown[0] as HTMLElement).getAllByRole("cell");
  expect(cells.map((cell) => cell.textContent)).toEqual([
    "1",
    "59 min 54 s 51–71 min",
    "$190$162–$224",
    "■input/output disks",
    "50%",
    "",
  ]);
  expect(within(shown[0] as HTMLElement).getByRole("rowheader").textContent).toBe("519 × m1.xlargedisks 2 + 2");
});

it("says what a row that lives on burst credit takes without it", () => {
  const first = rows[0];
  if (first === undefined) throw new Error("the fixture has no rows");
  const bursting = { ...first, on_empty: { time_s: 21_736, cost_usd: 412 } };
  render(<RankedTable rows={[bursting]} size={1} chosen={undefined} open={undefined} onPick={() => undefined} />, {
    wrapper: Surroundings,
  });
  expect(screen.getByText("6 h 2 min on empty buckets").title).toContain("412 USD");
});

it("says nothing of risk where there is no deadline to miss", () => {
  const first = rows[0];
  if (first === undefined) throw new Error("the fixture has no rows");
  render(
    <RankedTable
      rows={[{ ...first, meets_deadline: null }]}
      size={1}
      chosen={undefined}
      open={undefined}
      onPick={() => undefined}
    />,
    { wrapper: Surroundings },
  );
  expect(screen.getAllByRole("cell").at(-2)?.textContent).toBe("—");
});

it("picks a row by mouse and by keyboard, once each", async () => {
  const onPick = vi.fn();
  const shown = show(onPick);
  const user = userEvent.setup();
  await user.click(within(shown[1] as HTMLElement).getAllByRole("cell")[0] as HTMLElement);
  within(shown[2] as HTMLElement)
    .getByRole("button", { name: /Details of/ })
    .focus();
  await user.keyboard("{Enter}");
  expect(onPick.mock.calls.map(([key]) => key)).toEqual(["125-i2.4xlarge-2-2", "63-i2.8xlarge-4-4"]);
});
