import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { expect, it } from "vitest";
import { Inbox } from "@/features/inbox/Inbox";
import { MailedKinds } from "@/features/inbox/MailedKinds";

function notification(id: number, read: boolean) {
  return {
    id: `${id}`,
    kind: "run",
    words: `Run ${id} awaits approval.`,
    object: `${id}`,
    at: "2026-11-01T00:00:00Z",
    read,
  };
}

function answer(read: boolean[], mailed: string[] = [], can_mail = true) {
  return {
    notifications: read.map((each, id) => notification(id, each)),
    unread: read.filter((each) => !each).length,
    kinds: ["plan", "measurement", "run"],
    mailed_kinds: mailed,
    can_mail,
  };
}

async function first(asked: ReturnType<typeof stubService>, read: boolean[], mailed: string[] = [], can_mail = true) {
  await waitFor(() => expect(asked).toHaveLength(1));
  act(() => asked[0]?.answer(200, answer(read, mailed, can_mail)));
}

it("counts what is unread at the bell, and marks one or all as read", async () => {
  const asked = stubService();
  render(<Inbox />, { wrapper: Surroundings });
  await first(asked, [false, false, true]);
  fireEvent.click(await screen.findByRole("button", { name: "Inbox, 2 unread" }));
  const list = await screen.findByRole("list", { name: "Notifications" });
  expect(within(list).getAllByRole("listitem")).toHaveLength(3);
  expect(within(list).getAllByText("Unread:", { exact: false })).toHaveLength(2);
  fireEvent.click(screen.getByRole("button", { name: "Mark read: Run 0 awaits approval." }));
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toMatchObject({ path: "/api/v1/inbox/read", body: { ids: ["0"] } });
  act(() => asked[1]?.answer(200, answer([true, false, true])));
  await screen.findByText("1 unread notification");
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Inbox" }));
  fireEvent.click(screen.getByRole("button", { name: "Mark all read" }));
  await waitFor(() => expect(asked[2]?.body).toEqual({ ids: null }));
  act(() => asked[2]?.answer(200, answer([true, true, true])));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Mark all read" })).toBeNull());
});

it("shows a few at first, and older ones on request", async () => {
  const asked = stubService();
  render(<Inbox />, { wrapper: Surroundings });
  await first(
    asked,
    Array.from({ length: 12 }, () => true),
  );
  fireEvent.click(await screen.findByRole("button", { name: "Inbox" }));
  expect(await screen.findAllByRole("listitem")).toHaveLength(8);
  fireEvent.click(screen.getByRole("button", { name: "Show older ones" }));
  expect(screen.getAllByRole("listitem")).toHaveLength(12);
  expect(screen.queryByRole("button", { name: "Show older ones" })).toBeNull();
});

it("mails the chosen kinds only", async () => {
  const asked = stubService();
  render(<MailedKinds />, { wrapper: Surroundings });
  await first(asked, [], ["plan"]);
  const run = await screen.findByRole<HTMLInputElement>("checkbox", { name: "A run awaits approval" });
  expect(run.checked).toBe(false);
  fireEvent.click(run);
  await waitFor(() => expect(asked[1]?.body).toEqual({ kinds: ["plan", "run"] }));
  act(() => asked[1]?.answer(200, answer([], ["plan", "run"])));
  await waitFor(() => expect(run.checked).toBe(true));
});

it("says so where no mail can be sent", async () => {
  const asked = stubService();
  render(<MailedKinds />, { wrapper: Surroundings });
  await first(asked, [], [], false);
  await screen.findByText(/No mail can be sent to you/);
  for (const box of screen.getAllByRole<HTMLInputElement>("checkbox")) expect(box.disabled).toBe(true);
});
