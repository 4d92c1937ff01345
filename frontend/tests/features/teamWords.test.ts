import { expect, it } from "vitest";
import { agentWords } from "@/features/account/agent";
import { pauseReason, stateOf } from "@/features/account/tokenWords";
import { changeWords } from "@/features/audit/changes";
import { grouped, moved, type PageEntry, pagesFor } from "@/features/search/entries";
import { isNew, problemWords } from "@/features/session/words";
import { asRole } from "@/lib/people";
import { wordsSearchFrom } from "@/lib/wordsSearch";
import { sentence } from "@/ui/feedback/Refusal";

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
    "Edge on Windows",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605.1 Version/18.0 Safari/605.1", "Safari on macOS"],
  ["Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"],
  ["python-httpx2/2.0", "python-httpx2"],
  [null, "Unknown browser"],
  ["", "Unknown browser"],
])("calls a browser as people know it: %s", (agent, words) => expect(agentWords(agent)).toBe(words));

it("says what has become of a token", () => {
  const now_ms = Date.parse("2026-11-21T12:00:00Z");
  const good = { expires_at: "2027-01-20T12:00:00Z", revoked_at: null, paused_since: null };
  expect(stateOf(good, now_ms)).toEqual({ over: false, words: "until 20 Jan 2027" });
  expect(stateOf({ ...good, expires_at: "2026-11-20T12:00:00Z" }, now_ms)).toEqual({
    over: true,
    words: "expired 20 Nov 2026",
  });
  expect(stateOf({ ...good, paused_since: "2026-11-10T12:00:00Z" }, now_ms)).toEqual({
    over: false,
    words: "paused since 10 Nov 2026",
  });
  expect(stateOf({ ...good, revoked_at: "2026-11-19T12:00:00Z" }, now_ms)).toEqual({
    over: true,
    words: "revoked 19 Nov 2026",
  });
});

it("says why a token is paused", () => {
  const unused = { person: "Ada", refused_by_provider: false };
  expect(pauseReason(unused, true)).toBe(
    "Paused: you have not signed in for 30 days. The next sign-in resumes the token.",
  );
  const refused = { person: "Ada", refused_by_provider: true };
  expect(pauseReason(refused, false)).toBe(
    "Paused: the sign-in provider no longer accepts the account of Ada. The next sign-in resumes the token.",
  );
});

it("tells from what to what, and leaves out what the sentence says", () => {
  expect(changeWords({ role: ["viewer", "planner"], deleted_at: [null, "2026-11-21T12:00:00Z"] })).toBe(
    "role: viewer → planner",
  );
  expect(changeWords({ name: ["Old", "New"], scopes: [["read"], ["read", "plan"]] })).toBe(
    "name: Old → New; scopes: read → read, plan",
  );
  expect(changeWords({ name: [null, "New"], odd: "no change", longer: [1, 2, 3] })).toBe("");
});

it.each([
  [{ search: "removed" }, "removed"],
  [{ search: "  " }, undefined],
  [{ search: 7 }, undefined],
  [{}, undefined],
])("reads the audit log's address: %j", (raw, search) => expect(wordsSearchFrom(raw).search).toBe(search));

const PAGES: PageEntry[] = [
  { kind: "page", id: "/", name: "Plan", note: "rank configurations for a job" },
  { kind: "page", id: "/settings/team", name: "Team", note: "members, roles and invitations" },
];

it("finds pages by what one does there, all of them where nothing is typed", () => {
  expect(pagesFor(PAGES, "  ")).toEqual(PAGES);
  expect(pagesFor(PAGES, "ROLES team").map(({ id }) => id)).toEqual(["/settings/team"]);
  expect(pagesFor(PAGES, "roles plan")).toEqual([]);
});

it("groups what was found by kind, in one order", () => {
  const hit = (kind: "plan" | "member", id: string) => ({ kind, id, name: id, note: "" });
  const groups = grouped([hit("member", "m"), hit("plan", "p"), ...PAGES, hit("plan", "q")]);
  expect(groups.map(({ kind, entries }) => [kind, entries.length])).toEqual([
    ["page", 2],
    ["plan", 2],
    ["member", 1],
  ]);
});

it("moves over the ends", () => {
  expect(moved(2, "ArrowDown", 3)).toBe(0);
  expect(moved(0, "ArrowUp", 3)).toBe(2);
  expect(moved(-1, "ArrowUp", 3)).toBe(2);
  expect(moved(1, "Home", 3)).toBe(1);
  expect(moved(0, "ArrowDown", 0)).toBe(-1);
});

it("words the provider's answer, for any address", () => {
  expect(problemWords(undefined)).toBeUndefined();
  expect(problemWords("refused")).toMatch(/given up/);
  for (const odd of ["constructor", "toString", "<script>"]) {
    expect(problemWords(odd)).toBe("The sign-in did not come to its end. Try again.");
  }
});

it("knows who is here for the first time", () => {
  expect(isNew({ email: null, has_password: false })).toBe(true);
  expect(isNew({ email: "ada@example.org", has_password: false })).toBe(false);
  expect(isNew(null)).toBe(false);
  expect([asRole("owner"), asRole("planner")]).toEqual(["an owner", "a planner"]);
});

it("writes what the service says of a field as a sentence", () => {
  expect(sentence("is too common")).toBe("Is too common.");
  expect(sentence("Is it?")).toBe("Is it?");
});
