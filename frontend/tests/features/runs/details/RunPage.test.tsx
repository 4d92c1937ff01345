import { render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { QUOTED, RUNNING, resource } from "@tests/runs";
import { stubService } from "@tests/service";
import { OWNER, VIEWER } from "@tests/session";
import { expect, it, vi } from "vitest";
import type { Run } from "@/api/runs/runs";
import { RunPage } from "@/features/runs/details/RunPage";

/** Stands in for the browser's: says what the test says. */
class Events extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Events[] = [];
  readyState = 1;
  constructor(readonly address: string) {
    super();
    Events.opened.push(this);
  }
  close() {
    this.readyState = Events.CLOSED;
  }
  say(run: Run) {
    this.dispatchEvent(new MessageEvent("run", { data: JSON.stringify(run) }));
  }
}

async function open(run: Run, as = OWNER) {
  Events.opened = [];
  vi.stubGlobal("EventSource", Events);
  const asked = stubService();
  render(
    <Surroundings as={as}>
      <RunPage id={run.id} search={{}} onSearch={() => undefined} again={() => null} metrics={() => null} />
    </Surroundings>,
  );
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer(200, run);
  await screen.findByTestId("sentence");
  return asked;
}

it("says the sum on the button, and agrees to exactly that", async () => {
  const asked = await open(QUOTED);
  await userEvent.setup().click(screen.getByRole("button", { name: "Run for at most $3.21" }));
  await waitFor(() => expect(asked.some(({ path }) => path.endsWith("/approve"))).toBe(true));
  expect(asked.find(({ path }) => path.endsWith("/approve"))?.body).toEqual({ agreed_usd: 3.21 });
});

it("offers the button only to users who may approve", async () => {
  await open(QUOTED, VIEWER);
  expect(screen.queryByRole("button", { name: /Run for at most/ })).toBeNull();
  screen.getByText("A planner or an owner of the team can approve it.");
});

it("offers no sum that is out of date", async () => {
  await open({ ...QUOTED, quote: { ...QUOTED.quote, valid_until: "2020-01-01T00:00:00Z" } });
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Run for at most $3.21" }).disabled).toBe(true);
});

it("follows the run to its end, and says then what is left by name", async () => {
  await open(RUNNING);
  expect(screen.getByRole("meter").getAttribute("aria-valuetext")).toBe("$0.42 of at most $3.21");
  Events.opened[0]?.say({
    ...RUNNING,
    state: "failed",
    verified: false,
    failure: "the role may not be assumed any more",
    can_cancel: false,
    finished_at: "2026-11-21T10:30:00Z",
    resources: [resource("instance", "i-gone", "2026-11-21T10:20:00Z"), resource("volume", "vol-left")],
  });
  const alerts = await screen.findAllByRole("alert");
  expect(alerts[0]?.textContent).toContain("The role may not be assumed any more.");
  expect(alerts[1]?.textContent).toContain("vol-left");
  expect(alerts[1]?.textContent).not.toContain("i-gone");
  screen.getByText(/\$1\.37 an hour still, as far as is known/);
  expect(screen.queryByText(/Nothing is left in the account/)).toBeNull();
  expect(screen.queryByRole("button", { name: "Cancel the run" })).toBeNull();
  expect(Events.opened[0]?.readyState).toBe(Events.CLOSED);
});

it("says that nothing is left where that was seen", async () => {
  await open({
    ...RUNNING,
    state: "done",
    verified: true,
    can_cancel: false,
    finished_at: "2026-11-21T10:30:00Z",
    resources: [resource("instance", "i-0", "2026-11-21T10:20:00Z")],
  });
  screen.getByText(/Nothing is left in the account/);
  expect(screen.queryAllByRole("alert")).toEqual([]);
});

it("asks once more before it cancels, and says what that means", async () => {
  const asked = await open(RUNNING);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Cancel the run" }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog.textContent).toContain("$0.42");
  await user.click(within(dialog).getByRole("button", { name: "Cancel the run" }));
  await waitFor(() => expect(asked.some(({ path }) => path.endsWith("/cancel"))).toBe(true));
});

it.each([404, 422])("says the same of a run of others and of none (%d)", async (status) => {
  vi.stubGlobal("EventSource", Events);
  const asked = stubService();
  render(
    <Surroundings>
      <RunPage id="x" search={{}} onSearch={() => undefined} again={() => null} metrics={() => null} />
    </Surroundings>,
  );
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer(status, { title: "Not found", detail: "There is no such run." });
  await screen.findByText(/There is no such run/);
});
