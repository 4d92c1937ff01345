import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { expect, it, vi } from "vitest";
import type { AssumedAnswer } from "@/api/generated";
import { Assumed } from "@/features/plan/answer/Assumed";

const FREE: AssumedAnswer = {
  path: "limits.free_space",
  words: "20% of disks and volumes stay free",
  source: "Assumed: file systems are run at most 80% full",
  kind: "estimated",
  as_of: "2026-11-23",
};
const MEMORY: AssumedAnswer = { ...FREE, path: "choose.min_memory", words: "a node has 8 GiB of memory or more" };
const asked = { deadline: "", budget: "" };

it("lists what was assumed with its sources, and leaves it out", async () => {
  const change = vi.fn();
  render(<Assumed assumed={[FREE, MEMORY]} document={{}} question={{ asked, change }} />, { wrapper: Surroundings });
  expect(
    screen.getByText(/Assumed: 20% of disks and volumes stay free; a node has 8 GiB of memory or more\./),
  ).toBeDefined();
  await userEvent.click(screen.getByText("Where these come from"));
  expect(screen.getAllByText(/file systems are run at most 80% full \(estimated, 2026-11-23\)/)).toHaveLength(2);
  await userEvent.click(screen.getByRole("button", { name: "Leave these out" }));
  expect(change).toHaveBeenCalledExactlyOnceWith({ usual: "ignored" }, "new entry");
});

it("says that nothing is assumed where that was chosen, and takes it up again", async () => {
  const change = vi.fn();
  render(<Assumed assumed={[]} document={{ assume: { usual: "ignored" } }} question={{ asked, change }} />, {
    wrapper: Surroundings,
  });
  expect(screen.getByText(/No limits assumed: what the question leaves open/)).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Apply the usual limits" }));
  expect(change).toHaveBeenCalledExactlyOnceWith({ usual: "applied" }, "new entry");
});

it("has no switch on a saved plan, and no line where nothing is usual", () => {
  const { container } = render(<Assumed assumed={[FREE]} document={{}} />, { wrapper: Surroundings });
  expect(screen.queryByRole("button")).toBeNull();
  expect(container.textContent).toContain("Assumed");
  const { container: empty } = render(<Assumed assumed={[]} document={{}} />, { wrapper: Surroundings });
  expect(empty.textContent).not.toContain("assumed");
});
