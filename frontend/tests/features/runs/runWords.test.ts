import { node, QUOTED, RUNNING, resource } from "@tests/runs";
import { expect, it } from "vitest";
import { hasEnded, isUnderWay, RUN_STATES, type Run, runIn } from "@/api/runs/runs";
import { withNewest } from "@/features/runs/details/Log";
import { linesOf, ratesIn, type Seen, seenAfter } from "@/features/runs/details/rates";
import { accountsSearchFrom, compareSearchFrom, idsIn, runsSearchFrom } from "@/features/runs/search";
import {
  cents,
  endingOf,
  headline,
  leftWords,
  machineWords,
  resourcesWords,
  spentWords,
  tookSeconds,
} from "@/features/runs/words";

const GONE = "2026-11-21T10:20:00Z";
const ended = (change: Partial<Run>): Run => ({ ...RUNNING, state: "failed", spent_usd: 1.02, ...change });

it("never rounds a sum that is agreed to", () => {
  expect(cents(3.21)).toBe("$3.21");
  expect(cents(1_234.5)).toBe("$1,234.50");
  expect(spentWords(0.001)).toBe("under 1 cent");
  expect(spentWords(0)).toBe("$0.00");
});

it("says nothing is left only where that was seen, and everything is known to be gone", () => {
  const all = [resource("instance", "i-0", GONE)];
  expect(endingOf(ended({ verified: true, resources: all }))).toBe("nothing left");
  expect(endingOf(ended({ verified: false, resources: all }))).toBe("not seen");
  expect(endingOf(ended({ verified: false, resources: [resource("instance", "i-0")] }))).toBe("left");
  // A resource that was not observed as gone may still exist, even if the run says verified.
  expect(endingOf(ended({ verified: true, resources: [resource("volume", "vol-0")] }))).toBe("left");
  expect(endingOf(ended({ verified: true, launched_at: null, resources: [] }))).toBe("nothing made");
});

it("says in its headline what an end is worth", () => {
  expect(headline(ended({ verified: true, resources: [] }))).toBe("Failed for $1.02: nothing is left in the account.");
  expect(headline(ended({ verified: false }))).toContain("at most $1.02: it could not be seen that nothing is left");
  expect(headline(ended({ state: "cancelled", launched_at: null, resources: [], spent_usd: 0 }))).toBe(
    "Cancelled: nothing was launched.",
  );
});

it("leaves trouble to its own place, and says the step meanwhile", () => {
  const trouble = { kind: "throttled" as const, words: "slow down", during: "look", since: GONE, times: 2 };
  expect(headline({ ...RUNNING, trouble, sentence: "slow down" })).toBe("the step running");
  expect(headline(RUNNING)).toBe(RUNNING.sentence);
  expect(headline(QUOTED)).toBe(QUOTED.sentence);
});

it("counts what is there by kind", () => {
  expect(resourcesWords(RUNNING.resources)).toBe("2 instances, 1 security group");
});

it("knows of every state whether it is over and whether something may cost", () => {
  expect(RUN_STATES.filter((state) => hasEnded({ state }))).toEqual(["done", "failed", "cancelled"]);
  expect(RUN_STATES.filter((state) => isUnderWay({ state }))).toEqual([
    "approved",
    "launching",
    "running",
    "collecting",
    "tearing-down",
  ]);
});

it("says how long a step took, and never less than nothing", () => {
  const at = Date.parse("2026-11-21T10:10:00Z");
  expect(tookSeconds({ started_at: null, ended_at: null }, at)).toBeNull();
  expect(tookSeconds({ started_at: "2026-11-21T10:09:00Z", ended_at: null }, at)).toBe(60);
  expect(tookSeconds({ started_at: "2026-11-21T10:11:00Z", ended_at: null }, at)).toBe(0);
});

it("says when every node has ended itself while it goes on", () => {
  const run = { deadline: "2026-11-21T10:30:00Z", state: "running" as const };
  expect(leftWords(run, Date.parse("2026-11-21T10:10:00Z"))).toBe("auto-terminates in 20 min");
  expect(leftWords(run, Date.parse("2026-11-21T10:31:00Z"))).toBe("its time is over");
  expect(leftWords({ ...run, state: "done" }, 0)).toBeNull();
});

it("takes each saying of a node once, however often it is read", () => {
  const first = seenAfter({}, RUNNING);
  expect(seenAfter(first, RUNNING)).toBe(first);
  const later = seenAfter(first, { nodes: [node(0, { heard_at: "2026-11-21T10:05:05Z" }), node(1)] });
  expect(later[0]).toHaveLength(2);
  expect(later[1]).toHaveLength(1);
  // One that was read late says nothing new.
  expect(seenAfter(later, { nodes: [node(0)] })).toBe(later);
});

it("draws what was said: since the first, and nothing where nothing was", () => {
  const seen: Seen = seenAfter(seenAfter({}, RUNNING), {
    nodes: [node(0, { heard_at: "2026-11-21T10:05:10Z" }), node(2, { heard_at: "2026-11-21T10:05:20Z", live: null })],
  });
  expect(ratesIn(seen)).toEqual(["received", "sent"]);
  expect(linesOf(seen, "received")[0]).toEqual({ node: 0, times_s: [0, 10], values: [1_000, 1_000] });
  expect(linesOf(seen, "read")).toEqual([]);
  expect(ratesIn({})).toEqual([]);
});

it("puts the log together without saying anything twice", () => {
  const event = (id: number) => ({ id, at: GONE, kind: "state", words: String(id) });
  expect(withNewest([event(1), event(2)], [event(2), event(5)]).map(({ id }) => id)).toEqual([1, 2, 5]);
});

it("takes nothing for a run that is none", () => {
  for (const data of [undefined, 7, "", "{", "null", "[]", '{"state":"done"}']) expect(runIn(data)).toBeNull();
  expect(runIn(JSON.stringify(RUNNING))?.name).toBe(RUNNING.name);
});

it("understands of an address what can be understood", () => {
  const [one, two] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];
  expect(idsIn(`${one}, ${two},${one},x`)).toEqual([one, two]);
  expect(runsSearchFrom({ state: "lost", compare: "x" })).toEqual({});
  expect(runsSearchFrom({ state: "tearing-down", compare: one })).toEqual({ state: "tearing-down", compare: one });
  expect(compareSearchFrom({ ids: 7 })).toEqual({});
  expect(accountsSearchFrom({ account: "new" })).toEqual({ account: "new" });
  expect(accountsSearchFrom({ account: "../x" })).toEqual({});
});

it("counts instances by their state in EC2 apart from agents, and says where no agent was heard", () => {
  expect(machineWords(RUNNING)).toEqual(["EC2: 4 running", "Agents: 3 reporting, 1 finished"]);
  const begun = { pending: 2, running: 1, ending: 1, terminated: 0, observed_at: null };
  const silent = { agents_reporting: 0, agents_finished: 0, agents_lost: 0, heard_at: null };
  expect(machineWords({ instances: { ...begun, ...silent } })).toEqual([
    "EC2: 2 pending, 1 running, 1 shutting down",
    "Agents: none heard from",
  ]);
  expect(machineWords({ instances: null })).toEqual([]);
});
