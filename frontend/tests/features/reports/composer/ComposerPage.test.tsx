import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { COMPOSED, HOSTILE, PUBLISHED, SHOWN } from "@tests/fixtures/report";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { ComposerPage } from "@/features/reports/composer/ComposerPage";
import type { NewReportSearch } from "@/features/reports/search";

const PREVIEW = "/api/v1/reports/preview";

function open(search: NewReportSearch) {
  const asked = stubService();
  const heard = { search, unsaved: false, published: "" };
  function Page() {
    const [now, setNow] = useState(search);
    return (
      <ComposerPage
        search={now}
        onSearch={(next) => {
          heard.search = next;
          setNow(next);
        }}
        todayIn={() => null}
        todayOf={({ decided }) => (decided.today ?? {}) as { today?: string; pays?: string }}
        today={() => null}
        onUnsaved={(unsaved) => {
          heard.unsaved = unsaved;
        }}
        onPublished={(id) => {
          heard.published = id;
        }}
      />
    );
  }
  render(<Page />, { wrapper: Surroundings });
  const previews = () => asked.filter(({ path }) => path === PREVIEW);
  return { asked, heard, previews };
}

it("asks for nothing before it is chosen what the report is of", () => {
  const { previews } = open({});
  expect(previews()).toEqual([]);
  screen.getByText(/Choose a saved plan/);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Publish" }).disabled).toBe(true);
});

it("shows the words as they are typed, publishes them, and says until then that they would be lost", async () => {
  const { asked, heard, previews } = open({ validation: "published" });
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(200, COMPOSED));
  await screen.findByTestId("sentence");
  const user = userEvent.setup();
  await user.click(screen.getByLabelText("Title"));
  // A letter at a time takes long in jsdom.
  await user.paste(HOSTILE);
  screen.getByRole("heading", { level: 2, name: SHOWN });
  expect(heard.unsaved).toBe(true);
  // Words change nothing of what is computed.
  expect(previews()).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: "Publish" }));
  const sent = () => asked.find(({ path }) => path === "/api/v1/reports");
  await waitFor(() => expect(sent()).toBeDefined());
  expect(sent()?.body).toMatchObject({ title: HOSTILE });
  expect(sent()?.headers.get("Idempotency-Key")).toMatch(/^[0-9a-f-]{36}$/);
  act(() => sent()?.answer(201, PUBLISHED));
  await waitFor(() => expect(heard.published).toBe(PUBLISHED.id));
  expect(heard.unsaved).toBe(false);
});

it("keeps the last good preview while the next is composed, and where it is refused", async () => {
  const plan = "00000000-0000-4000-8000-000000000001";
  const { previews } = open({ plan });
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(200, COMPOSED));
  await screen.findByTestId("sentence");
  fireEvent.change(screen.getByLabelText("Months"), { target: { value: "60" } });
  await waitFor(() => expect(previews().length).toBeGreaterThan(1));
  screen.getByTestId("sentence");
  const last = previews().at(-1);
  expect(last?.body).toMatchObject({ outlook: { months: 60 } });
  act(() =>
    last?.answer(422, { title: "Not accepted", detail: "", errors: [{ path: "outlook.months", message: "too far" }] }),
  );
  await screen.findByText("too far");
  screen.getByTestId("sentence");
});

it("says at the field what it cannot read, and asks for nothing of it", async () => {
  const { previews } = open({ plan: "00000000-0000-4000-8000-000000000001" });
  fireEvent.change(screen.getByLabelText("Growth a month [%]"), { target: { value: "lots" } });
  screen.getByText("A number from −50 to 100, like 3");
  await waitFor(() => expect(previews()).toHaveLength(1));
});

it("says of a plan of others and of none the same", async () => {
  const { previews } = open({ plan: "00000000-0000-4000-8000-000000000001" });
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(404, { title: "Not found", detail: "There is no such plan." }));
  await screen.findByText("There is nothing of that kind, or it belongs to another team.");
});

describe("of a plan that names what runs today", () => {
  const PLAN = "00000000-0000-4000-8000-000000000001";
  const TODAY = "60-i3.4xlarge-own";
  const decided = { today: { today: TODAY, pays: "$2,950" }, pins: [], durabilities: false, notes: "Ask Ada." };
  const words = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: /^Your words/ }).value;

  async function begin(search: NewReportSearch) {
    const opened = open(search);
    const plan = () => opened.asked.find(({ path }) => path.endsWith(`/plans/${PLAN}/columns`));
    await waitFor(() => expect(plan()).toBeDefined());
    const saved = { id: PLAN, name: "Nightly", created_at: "2026-11-23T07:00:00Z", decided, answer: {} };
    act(() => plan()?.answer(200, saved));
    await waitFor(() => expect(words()).toBe("Ask Ada."));
    return opened;
  }

  it("begins with that and with the plan's notes", async () => {
    const { heard } = await begin({ plan: PLAN });
    await waitFor(() => expect(heard.search).toEqual({ plan: PLAN, today: TODAY, pays: "$2,950" }));
    // They are the plan's, and not lost by leaving.
    expect(heard.unsaved).toBe(false);
  });

  it("begins a comparison with what the first of its plans that names a cluster says", async () => {
    const other = "00000000-0000-4000-8000-000000000002";
    const { asked, heard } = open({ plans: `${other},${PLAN}` });
    const read = (id: string) => asked.find(({ path }) => path.endsWith(`/plans/${id}/columns`));
    await waitFor(() => expect(read(PLAN)).toBeDefined());
    const saved = { name: "Nightly", created_at: "2026-11-23T07:00:00Z", answer: {} };
    act(() => read(other)?.answer(200, { ...saved, id: other, decided: { ...decided, today: undefined } }));
    act(() => read(PLAN)?.answer(200, { ...saved, id: PLAN, decided }));
    await waitFor(() => expect(heard.search).toEqual({ plans: `${other},${PLAN}`, today: TODAY, pays: "$2,950" }));
    expect(words()).toBe("");
  });

  it("keeps what the address names", async () => {
    const { heard } = await begin({ plan: PLAN, today: "5-i3.large-own" });
    expect(heard.search.today).toBe("5-i3.large-own");
  });
});
