import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { beforeEach, expect, it } from "vitest";
import { Keys } from "@/features/keys/Keys";

beforeEach(() => {
  localStorage.clear();
  render(
    <>
      <Keys />
      <input aria-label="Filter" />
      <ul data-rows>
        <li>
          <a href="/a">First</a> <button type="button">Delete the first</button>
        </li>
        <li>Nothing to open</li>
        <li>
          <a href="/b">Second</a>
        </li>
      </ul>
      <table className="picking">
        <tbody>
          <tr>
            <td>
              <button type="button">Third</button>
            </td>
          </tr>
        </tbody>
      </table>
    </>,
    { wrapper: Surroundings },
  );
});

function press(key: string, target: Element = document.activeElement ?? document.body) {
  return fireEvent.keyDown(target, { key });
}

const focused = () => document.activeElement?.textContent;

it("moves through what opens the rows, and stops at the ends", () => {
  press("j");
  expect(focused()).toBe("First");
  press("j");
  expect(focused()).toBe("Second");
  press("ArrowDown");
  expect(focused()).toBe("Third");
  // At the end the key is left to the browser.
  expect(press("ArrowDown")).toBe(true);
  expect(focused()).toBe("Third");
  press("k");
  press("ArrowUp");
  expect(focused()).toBe("First");
});

it("moves on from another button of a row, and leaves arrows outside of rows to the page", () => {
  expect(press("ArrowDown", document.body)).toBe(true);
  expect(document.activeElement).toBe(document.body);
  screen.getByRole("button", { name: "Delete the first" }).focus();
  press("j");
  expect(focused()).toBe("Second");
});

it("does nothing while somebody types, nor with a modifier", async () => {
  const field = screen.getByLabelText("Filter");
  field.focus();
  for (const key of ["j", "k", "?", "ArrowDown"]) expect(press(key)).toBe(true);
  expect(document.activeElement).toBe(field);
  field.blur();
  fireEvent.keyDown(document.body, { key: "j", ctrlKey: true });
  expect(document.activeElement).toBe(document.body);
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("lists the keys on ?, and gives the focus back", async () => {
  screen.getByText("Second").focus();
  press("?");
  const dialog = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  // Behind the dialog nothing moves.
  press("j", document.body);
  expect(dialog.contains(document.activeElement)).toBe(true);
  press("Escape");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(focused()).toBe("Second"));
});

it("can switch off keys without a modifier, and still open the list by its button", async () => {
  fireEvent.click(screen.getByRole("button", { name: "Keyboard shortcuts" }));
  fireEvent.click(await screen.findByRole("checkbox", { name: "Use j, k and ? as shortcuts" }));
  press("Escape");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  press("j", document.body);
  expect(focused()).not.toBe("First");
  press("?", document.body);
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("gives the focus to a table with a cursor of its own where there are no other rows", () => {
  cleanup();
  render(
    <>
      <Keys />
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: as on the page of instances */}
      <table role="grid" tabIndex={0} aria-label="Instance types" />
    </>,
    { wrapper: Surroundings },
  );
  const grid = screen.getByRole("grid");
  expect(press("ArrowDown", document.body)).toBe(true);
  expect(document.activeElement).toBe(document.body);
  press("j");
  expect(document.activeElement).toBe(grid);
  // From here on the keys are those of the table, but for the list of keys.
  expect(press("j")).toBe(true);
  expect(press("?")).toBe(false);
});
