import { act, renderHook } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { beforeEach, expect, it, vi } from "vitest";
import { type Job, jobIn } from "@/api/jobs";
import { useJob } from "@/api/useJob";

const RUNNING: Job = {
  id: "1",
  kind: "sweep",
  subject_id: "2",
  state: "running",
  asked_by: "local user",
  total: 10,
  done: 3,
  reason: null,
  reference: null,
  created_at: "2026-11-20T12:00:00Z",
  started_at: "2026-11-20T12:00:00Z",
  finished_at: null,
};

/** Stands in for the browser's: says what the test says. */
class Events extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Events[] = [];
  readyState = 1;
  constructor(readonly address: string) {
    super();
    Events.opened.push(this);
    this.dispatchEvent(new Event("open"));
  }
  close() {
    this.readyState = Events.CLOSED;
  }
  say(job: Partial<Job>) {
    this.dispatchEvent(new MessageEvent("job", { data: JSON.stringify({ ...RUNNING, ...job }) }));
  }
  fail() {
    this.readyState = Events.CLOSED;
    this.dispatchEvent(new Event("error"));
  }
}

// The clock stands: the page asks again where a test says so.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

function follow() {
  Events.opened = [];
  vi.stubGlobal("EventSource", Events);
  return renderHook(() => useJob(RUNNING), { wrapper: Surroundings });
}

it("follows the events to the end, and then lets go", async () => {
  stubService();
  const { result } = follow();
  expect(result.current.job.done).toBe(3);
  act(() => Events.opened[0]?.say({ done: 7 }));
  await until(() => result.current.job.done === 7);
  act(() => Events.opened[0]?.say({ done: 10, state: "done" }));
  await until(() => result.current.job.state === "done");
  expect(Events.opened).toHaveLength(1);
  expect(Events.opened[0]?.readyState).toBe(Events.CLOSED);
});

it("opens the stream again where the browser has given it up", async () => {
  stubService();
  const { result } = follow();
  act(() => Events.opened[0]?.fail());
  expect(Events.opened).toHaveLength(1);
  act(() => vi.advanceTimersByTime(2_000));
  expect(Events.opened).toHaveLength(2);
  act(() => Events.opened[1]?.say({ done: 9 }));
  await until(() => result.current.job.done === 9);
});

it("never lets an answer that was asked before stand over what an event said", async () => {
  const asked = stubService();
  const { result } = follow();
  await until(() => asked.length > 0);
  act(() => Events.opened[0]?.say({ done: 8 }));
  act(() => asked[0]?.answer(200, { ...RUNNING, done: 4 }));
  await until(() => result.current.job.done === 8);
  await until(() => asked[0]?.isRead() === true);
  expect(result.current.job.done).toBe(8);
});

it("shows the end at once when it is cancelled", async () => {
  const asked = stubService();
  const { result } = follow();
  act(() => result.current.cancel());
  await until(() => asked.some(({ path }) => path.endsWith("/cancel")));
  act(() => asked.find(({ path }) => path.endsWith("/cancel"))?.answer(200, { ...RUNNING, state: "cancelled" }));
  await until(() => result.current.job.state === "cancelled");
  act(() => Events.opened[0]?.say({ done: 4 }));
  expect(Events.opened[0]?.readyState).toBe(Events.CLOSED);
});

it.each(["cancel", "retry"] as const)("names the team of the address: %s", async (change) => {
  window.history.replaceState(null, "", "/?team=example");
  const asked = stubService();
  const { result } = follow();
  act(() => result.current[change]());
  await until(() => asked.some(({ path }) => path.endsWith(`/${change}`)));
  expect(asked.find(({ path }) => path.endsWith(`/${change}`))?.search.get("team")).toBe("example");
});

it("takes nothing for a job that is none", () => {
  for (const data of [undefined, 7, "", "{", "null", "[]", '{"state":"done"}']) expect(jobIn(data)).toBeNull();
});
