// The mark of a plan's saving on its page, which can be undone for as long as it stands.

import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import type { SavingMark } from "@/api/generated";
import { MarkedSaving } from "@/features/plan/saved/MarkedSaving";

const DISMISSED: SavingMark = {
  state: "dismissed",
  reason: "Reserved until 2027",
  person: "Ben",
  at: "2026-11-23T09:00:00Z",
};

it("states who dismissed it and why, and reopens it", async () => {
  const asked = stubService();
  render(<MarkedSaving saved={{ id: "7", saving_mark: DISMISSED }} />, { wrapper: Surroundings });
  expect(screen.getByText(/Saving dismissed by Ben, .*: Reserved until 2027/)).toBeDefined();
  await userEvent.setup().click(screen.getByRole("button", { name: "Reopen the saving" }));
  const marks = () => asked.filter(({ path }) => path === "/api/v1/plans/7/saving");
  await until(() => marks().length === 1);
  expect(marks()[0]?.body).toEqual({ state: "open", reason: "" });
});

it("says nothing of an open saving", () => {
  const open: SavingMark = { state: "open", reason: "", person: null, at: null };
  render(<MarkedSaving saved={{ id: "7", saving_mark: open }} />, { wrapper: Surroundings });
  expect(screen.queryByText(/Saving/)).toBeNull();
});
