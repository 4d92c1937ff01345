import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { expect, it } from "vitest";
import { Delivery } from "@/features/inbox/Delivery";
import { Inbox } from "@/features/inbox/Inbox";

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

const WEBHOOK = {
  address: "https://hooks.example.org/T1",
  kinds: ["plan"],
  trouble: null,
  stopped_at: null,
  testing: false,
  tested_at: null,
  test_result: null,
};

function answer(read: boolean[], mailed: string[] = [], can_mail = true, webhook: object | null = null) {
  return {
    notifications: read.map((each, id) => notification(id, each)),
    unread: read.filter((each) => !each).length,
    kinds: ["plan", "measurement", "run"],
    mailed_kinds: mailed,
    can_mail,
    webhook_kinds: ["plan", "measurement", "run", "report"],
    webhook,
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
  render(<Delivery />, { wrapper: Surroundings });
  await first(asked, [], ["plan"]);
  const run = await screen.findByRole<HTMLInputElement>("checkbox", { name: "Mail: A run awaits approval" });
  expect(run.checked).toBe(false);
  fireEvent.click(run);
  await waitFor(() => expect(asked[1]?.body).toEqual({ kinds: ["plan", "run"] }));
  act(() => asked[1]?.answer(200, answer([], ["plan", "run"])));
  await waitFor(() => expect(run.checked).toBe(true));
});

it("says so where no mail can be sent", async () => {
  const asked = stubService();
  render(<Delivery />, { wrapper: Surroundings });
  await first(asked, [], [], false);
  await screen.findByText(/No mail can be sent to you/);
  for (const box of screen.getAllByRole<HTMLInputElement>("checkbox")) expect(box.disabled).toBe(true);
});

it("stores a webhook, shows its secret once, and posts the chosen kinds", async () => {
  const asked = stubService();
  render(<Delivery />, { wrapper: Surroundings });
  await first(asked, []);
  const box = await screen.findByRole<HTMLInputElement>("checkbox", { name: "Webhook: A report awaits your approval" });
  expect(box.disabled).toBe(true);
  fireEvent.change(screen.getByLabelText(/^Address/), { target: { value: " https://hooks.example.org/T1 " } });
  fireEvent.click(screen.getByRole("button", { name: "Add" }));
  await waitFor(() => expect(asked[1]?.body).toEqual({ address: "https://hooks.example.org/T1" }));
  act(() => asked[1]?.answer(200, { secret: "a secret", inbox: answer([], [], true, WEBHOOK) }));
  await screen.findByText("a secret");
  expect(box.disabled).toBe(false);
  fireEvent.click(box);
  await waitFor(() => expect(asked[2]).toMatchObject({ path: "/api/v1/inbox/webhook/kinds" }));
  expect(asked[2]?.body).toEqual({ kinds: ["plan", "report"] });
});

it("shows the service's remark at a refused address", async () => {
  const asked = stubService();
  render(<Delivery />, { wrapper: Surroundings });
  await first(asked, []);
  fireEvent.change(await screen.findByLabelText(/^Address/), { target: { value: "https://10.0.0.7/" } });
  fireEvent.click(screen.getByRole("button", { name: "Add" }));
  await waitFor(() => expect(asked).toHaveLength(2));
  const message = '"https://10.0.0.7/" is not of the public Internet; accepted: https://host/path with a public host';
  act(() => asked[1]?.answer(422, { title: "Bad input", status: 422, errors: [{ path: "address", message }] }));
  expect((await screen.findByRole("alert")).textContent).toBe(`${message}.`);
});

it("sends a test and shows its result, and says when deliveries have stopped", async () => {
  const asked = stubService();
  render(<Delivery />, { wrapper: Surroundings });
  await waitFor(() => expect(asked).toHaveLength(1));
  const trouble = "hooks.example.org answered 503.";
  const stopped = { ...WEBHOOK, trouble, stopped_at: "2026-11-01T00:00:00Z" };
  act(() => asked[0]?.answer(200, answer([], [], true, stopped)));
  await screen.findByText("Deliveries have stopped.");
  fireEvent.click(screen.getByRole("button", { name: "Send a test" }));
  await waitFor(() => expect(asked[1]).toMatchObject({ path: "/api/v1/inbox/webhook/test" }));
  act(() => asked[1]?.answer(202, answer([], [], true, { ...stopped, testing: true })));
  await screen.findByText("The test message is being sent.");
  // The inbox is read again soon, instead of after a minute.
  await waitFor(() => expect(asked).toHaveLength(3), { timeout: 4_000 });
  const tested = { ...WEBHOOK, tested_at: "2026-11-01T00:01:00Z", test_result: "Delivered." };
  act(() => asked[2]?.answer(200, answer([], [], true, tested)));
  await screen.findByText(/^Test of .*: Delivered\.$/);
  expect(screen.queryByText("Deliveries have stopped.")).toBeNull();
});
