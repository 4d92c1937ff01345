import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { beforeEach, expect, it, vi } from "vitest";
import { GLOSSARY } from "@/lib/glossary/glossary";
import { Term } from "@/ui/Term";

const onRow = vi.fn();

beforeEach(() => {
  onRow.mockClear();
  render(
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: stands for a row of a table
    <div onClick={onRow}>
      Limited by the <Term of="bottleneck">slowest part</Term>
    </div>,
    { wrapper: Surroundings },
  );
});

const shown = () => screen.queryByRole("tooltip")?.textContent ?? null;

it("is described by its explanation, for screen readers too", () => {
  const term = screen.getByText("slowest part");
  expect(term.hasAttribute("aria-describedby")).toBe(false);
  fireEvent.focus(term);
  const id = term.getAttribute("aria-describedby") ?? "";
  expect(document.getElementById(id)?.textContent).toBe(GLOSSARY.bottleneck.means);
});

it("explains itself on hover, and stays while the pointer is on the explanation", async () => {
  const term = screen.getByText("slowest part");
  fireEvent.mouseEnter(term);
  await waitFor(() => expect(shown()).toBe(GLOSSARY.bottleneck.means));
  fireEvent.mouseLeave(term);
  fireEvent.mouseEnter(screen.getByText(GLOSSARY.bottleneck.term));
  await new Promise((resume) => setTimeout(resume, 300));
  expect(shown()).toBe(GLOSSARY.bottleneck.means);
  fireEvent.mouseLeave(screen.getByText(GLOSSARY.bottleneck.term));
  await waitFor(() => expect(shown()).toBeNull());
});

it("explains itself on focus and by a tap, without pressing the row, and closes on Escape", async () => {
  const term = screen.getByText("slowest part");
  fireEvent.focus(term);
  await waitFor(() => expect(shown()).not.toBeNull());
  fireEvent.keyDown(term, { key: "Escape" });
  await waitFor(() => expect(shown()).toBeNull());
  fireEvent.click(term);
  await waitFor(() => expect(shown()).not.toBeNull());
  expect(onRow).not.toHaveBeenCalled();
});
