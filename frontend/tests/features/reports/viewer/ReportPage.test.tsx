import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { COMPOSED, HOSTILE, PUBLISHED, SHOWN } from "@tests/fixtures/report";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { OWNER, VIEWER } from "@tests/session";
import { expect, it, vi } from "vitest";
import type { ReportAnswer } from "@/api/generated";
import { ReportDocument } from "@/features/reports/document/ReportDocument";
import { ReportPage } from "@/features/reports/viewer/ReportPage";

const document = () => render(<ReportDocument composed={COMPOSED} level={1} />, { wrapper: Surroundings });

function onAPhone() {
  const anywhere = window.matchMedia;
  vi.stubGlobal("matchMedia", (query: string) => ({ ...anywhere(query), matches: query.includes("max-width: 767px") }));
}

it("shows every user's input as text", () => {
  const { container } = document();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(SHOWN);
  expect(container.querySelector("img, script")).toBeNull();
  expect(container.textContent).not.toContain("\u202E");
  // Twice in the head, once in the table.
  expect(container.textContent?.split(SHOWN)).toHaveLength(4);
});

it("gives each number its words, all its digits and, at a press, its source and date", async () => {
  document();
  expect(screen.getAllByTitle("1010.25 s (p10 840 s, p90 1140 s)")[0]?.textContent).toContain("16 min 50 s");
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Where the figures are from" }));
  await user.click(screen.getByRole("button", { name: /measured: source of Disks/ }));
  const source = await screen.findByRole("dialog");
  expect(source.textContent).toContain("seed 001, Table 2");
  expect(source.textContent).toContain("1 Oct 2014");
});

it("opens what is folded by keyboard", async () => {
  document();
  const fold = screen.getByRole("button", { name: "Where the figures are from" });
  expect(fold.getAttribute("aria-expanded")).toBe("false");
  fold.focus();
  await userEvent.setup().keyboard("{Enter}");
  expect(fold.getAttribute("aria-expanded")).toBe("true");
  screen.getByText("a × 2");
});

it("shows a doubt in a prominent place", () => {
  document();
  expect(screen.getByRole("note").textContent).toContain("an estimate that decides");
});

it("stands options side by side, the recommended one marked in words", () => {
  document();
  const [table] = screen.getAllByRole("table");
  if (table === undefined) throw new Error("no table");
  expect(within(table).getAllByRole("columnheader")).toHaveLength(3);
  expect(within(table).getByRole("columnheader", { name: /recommended/ }).textContent).toContain("178 × i2.8xlarge");
});

it("makes a card of each option on a phone", () => {
  onAPhone();
  document();
  const cards = screen.getByRole("list", { name: "What differs between the options." });
  expect(within(cards).getAllByRole("listitem")).toHaveLength(2);
  expect(within(cards).getAllByText("Time")).toHaveLength(2);
});

async function open(answer: ReportAnswer, as = OWNER) {
  const asked = stubService();
  render(
    <Surroundings as={as}>
      <ReportPage
        id={answer.id}
        back={null}
        toOrigin={() => null}
        linkTo={(_, words) => words}
        compare={() => "compare"}
        newer={() => "a newer one"}
        share={null}
        deploy={() => null}
        onDeleted={() => undefined}
        missing="no such report"
      />
    </Surroundings>,
  );
  await waitFor(() => expect(asked).toHaveLength(1));
  act(() => asked[0]?.answer(200, answer));
  await screen.findByRole("article");
  return asked;
}

it("offers who only reads the files, and nothing that changes it", async () => {
  await open(PUBLISHED, VIEWER);
  const pdf = screen.getByRole<HTMLAnchorElement>("link", { name: "Download PDF" });
  expect(pdf.getAttribute("href")).toContain(`/api/v1/reports/${PUBLISHED.id}/files/pdf`);
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  expect(screen.queryByText("a newer one")).toBeNull();
});

it("says why there is no PDF, and lets it be made", async () => {
  const documents = {
    state: "failed" as const,
    job_id: null,
    done: 1,
    total: 4,
    formats: ["json" as const, "csv" as const],
    reason: "The worker was stopped.",
  };
  const asked = await open({ ...PUBLISHED, documents });
  expect(screen.queryByRole("link", { name: "Download PDF" })).toBeNull();
  screen.getByText(/The worker was stopped\./);
  screen.getByRole("link", { name: /All numbers/ });
  expect(screen.queryByRole("link", { name: /Spreadsheet/ })).toBeNull();
  await userEvent.setup().click(screen.getByRole("button", { name: "Make it now" }));
  await waitFor(() => expect(asked.some(({ path }) => path.endsWith("/documents"))).toBe(true));
});

it("shows the decision before the files", async () => {
  await open(PUBLISHED);
  const decision = screen.getByTestId("sentence");
  const files = screen.getByRole("group", { name: "Files of the report" });
  expect(decision.compareDocumentPosition(files)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

it("says that the answer changed since, with the ways to a newer report", async () => {
  await open({ ...PUBLISHED, since: `Since then the answer changed: ${HOSTILE} now comes first.` });
  const notice = screen
    .getAllByRole("note")
    .find(({ textContent }) => textContent?.includes("may be out of date") === true);
  expect(notice?.textContent).toContain(`Since then the answer changed: ${SHOWN} now comes first.`);
  expect(notice?.textContent).toContain("a newer one");
});

it("stands the values of two clusters below their property on a phone", () => {
  onAPhone();
  const columns = ["What", "Today", "Recommended"].map((head) => ({ key: head, head, numeric: false }));
  const rows = [{ key: "kept", chosen: false, cells: ["Data is kept in", "one copy", "two copies"] }];
  const table = { kind: "table" as const, key: "today", caption: "Today beside it.", sideways: false, columns, rows };
  const section = { key: "today", heading: "Today", detail: false, blocks: [table] };
  const composed = { ...COMPOSED, report: { ...COMPOSED.report, sections: [section] } };
  render(<ReportDocument composed={composed} level={1} />, { wrapper: Surroundings });
  expect(screen.queryByRole("table")).toBeNull();
  const list = screen.getByRole("list", { name: "Today beside it." });
  expect(within(list).getByRole("listitem").textContent).toBe("Data is kept inTodayone copyRecommendedtwo copies");
});

it("names the newer report, and what it says otherwise", async () => {
  const newer = { id: "00000000-0000-4000-8000-0000000000ff", title: HOSTILE, made_at: "2026-12-01T10:00:00Z" };
  const asked = await open({ ...PUBLISHED, replaced_by: newer });
  await waitFor(() => expect(asked.some(({ path }) => path.endsWith("/difference"))).toBe(true));
  const question = asked.find(({ path }) => path.endsWith("/difference"));
  expect(question?.path).toContain(newer.id);
  expect(question?.search.get("from")).toBe(PUBLISHED.id);
  act(() => question?.answer(200, { old: null, new: null, sentence: "2 of 40 numbers changed.", changes: [] }));
  await screen.findByText(/2 of 40 numbers changed\./);
  expect(screen.getAllByRole("note")[0]?.textContent).toContain(SHOWN);
});

it("keeps what was written where a comment was not taken", async () => {
  const asked = await open(PUBLISHED);
  const user = userEvent.setup();
  const field = screen.getByRole("textbox", { name: "Your comment" });
  await user.type(field, "Why i2?{Control>}{Enter}{/Control}");
  const sent = () => asked.find(({ body }) => body !== null);
  await waitFor(() => expect(sent()?.body).toEqual({ text: "Why i2?" }));
  act(() => sent()?.answer(409, { title: "Conflict", detail: "There are 1,000 comments." }));
  await screen.findByText("There are 1,000 comments.");
  expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Your comment" }).value).toBe("Why i2?");
});

it.each([404, 422])("says the same of a report of others and of none (%d)", async (status) => {
  const asked = stubService();
  const none = () => null;
  render(
    <Surroundings>
      <ReportPage
        id="x"
        back={null}
        toOrigin={none}
        linkTo={none}
        compare={none}
        newer={none}
        share={null}
        deploy={none}
        onDeleted={none}
        missing="no such report"
      />
    </Surroundings>,
  );
  await waitFor(() => expect(asked).toHaveLength(1));
  act(() => asked[0]?.answer(status, { title: "Not found", detail: "There is no such report." }));
  await screen.findByText("no such report");
});

const REQUESTED = {
  state: "requested" as const,
  requested_by: "Grace",
  requested_at: "2026-11-28T10:00:00Z",
  approver: "Ada",
  approver_id: OWNER.person?.person_id ?? null,
  decided_at: null,
  comment: "",
  sentence: "Approval requested from Ada on 28 Nov 2026, by Grace.",
};

it("states the approval with name and date, and before it that there is none", async () => {
  await open({ ...PUBLISHED, approved_before: "Approved by Ada on 1 Nov 2026." });
  expect(screen.getByTestId("approval").textContent).toBe(
    "Not approved. The version before: Approved by Ada on 1 Nov 2026.",
  );
});

it("lets the person who is asked approve, or refuse with a comment", async () => {
  const asked = await open({ ...PUBLISHED, approval: REQUESTED });
  expect(screen.getByTestId("approval").textContent).toContain("requested from Ada on 28 Nov 2026");
  const user = userEvent.setup();
  const refuse = screen.getByRole<HTMLButtonElement>("button", { name: "Refuse" });
  expect(refuse.disabled).toBe(true);
  await user.type(screen.getByRole("textbox", { name: /Comment/ }), "Too late.");
  expect(refuse.disabled).toBe(false);
  await user.click(screen.getByRole("button", { name: "Approve" }));
  const sent = () => asked.find(({ path }) => path.endsWith("/approval"));
  await waitFor(() => expect(sent()?.body).toEqual({ state: "approved", comment: "Too late." }));
  const approval = { ...REQUESTED, state: "approved", sentence: "Approved by Ada on 29 Nov 2026." };
  act(() => sent()?.answer(200, { ...PUBLISHED, approval }));
  await screen.findByText("Approved by Ada on 29 Nov 2026.");
  expect(screen.queryByRole("button", { name: "Refuse" })).toBeNull();
});

it("offers other members than the one who is asked already", async () => {
  const asked = await open({ ...PUBLISHED, approval: { ...REQUESTED, approver_id: "grace" } });
  await userEvent.setup().click(screen.getByRole("button", { name: "Ask another person" }));
  const read = () => asked.find(({ path }) => path.endsWith("/team/members"));
  await waitFor(() => expect(read()).toBeDefined());
  const member = { role: "planner", email: null, is_me: false, joined_at: "2026-11-01T00:00:00Z", seen_at: null };
  const members = ["Grace", "Linus"].map((name) => ({ ...member, person_id: name.toLowerCase(), name }));
  act(() => read()?.answer(200, { members }));
  await screen.findByRole("option", { name: "Linus, planner" });
  expect(screen.queryByRole("option", { name: "Grace, planner" })).toBeNull();
});

it("shows the form to the approver alone", async () => {
  await open({ ...PUBLISHED, approval: { ...REQUESTED, approver_id: "00000000-0000-4000-8000-0000000000ff" } });
  expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
});
