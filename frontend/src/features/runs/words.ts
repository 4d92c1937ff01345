// Words for runs: states, results, and exact amounts of money.

import { hasEnded, type Run, type RunResource, type RunState, type RunSummary } from "@/api/runs/runs";
import { counted, duration } from "@/lib/wording";
import type { Tone } from "@/ui/values/Mark";

interface StateWords {
  /** Symbol for the words. */
  glyph: string;
  tone?: Tone;
  words: string;
  /** Name in the filter of the list. */
  name: string;
  /** Name of the step that leads to the next state, or of the end. */
  step: string;
}

export const STATES: Record<RunState, StateWords> = {
  quoted: { glyph: "○", tone: "warn", words: "waits for approval", name: "Waiting for approval", step: "Price" },
  approved: { glyph: "◔", words: "approved", name: "Approved", step: "Approval" },
  launching: { glyph: "◑", words: "launching", name: "Launching", step: "Launch" },
  running: { glyph: "◕", words: "measuring", name: "Measuring", step: "Measure" },
  collecting: { glyph: "◕", words: "collecting", name: "Collecting", step: "Collect" },
  "tearing-down": { glyph: "◕", words: "tearing down", name: "Tearing down", step: "Tear down" },
  done: { glyph: "✓", words: "done", name: "Done", step: "Done" },
  failed: { glyph: "✕", tone: "bad", words: "failed", name: "Failed", step: "Failed" },
  cancelled: { glyph: "–", tone: "dim", words: "cancelled", name: "Cancelled", step: "Cancelled" },
};

type InstanceState = NonNullable<Run["nodes"][number]["ec2_state"]>;

/** Symbols and tones of EC2's instance states, which are written as AWS does. */
export const EC2_STATES: Record<InstanceState, readonly [glyph: string, tone: Tone | undefined]> = {
  pending: ["◔", undefined],
  running: ["●", undefined],
  stopping: ["◑", "warn"],
  stopped: ["◌", "warn"],
  "shutting-down": ["◑", undefined],
  terminated: ["–", "dim"],
};

/** `12 s ago`. */
export function agoWords(at: string, now_ms: number): string {
  const seconds = Math.max(0, Math.round((now_ms - Date.parse(at)) / 1_000));
  return seconds < 5 ? "just now" : `${duration(seconds)} ago`;
}

/** `EC2: 1 pending, 3 running`, and `Agents: 2 reporting, 1 finished`; empty before the first instance. */
export function machineWords({ instances }: Pick<RunSummary, "instances">): string[] {
  if (instances === null) return [];
  const { pending, running, ending, terminated, agents_reporting, agents_finished, agents_lost } = instances;
  const listed = (counts: readonly (readonly [number, string])[]) =>
    counts
      .filter(([number]) => number > 0)
      .map(([number, word]) => `${number} ${word}`)
      .join(", ");
  const ec2 = [
    [pending, "pending"],
    [running, "running"],
    [ending, "shutting down"],
    [terminated, "terminated"],
  ] as const;
  const agents = [
    [agents_reporting, "reporting"],
    [agents_finished, "finished"],
    [agents_lost, "lost"],
  ] as const;
  return [`EC2: ${listed(ec2)}`, `Agents: ${listed(agents) || "none heard from"}`];
}

export const RESOURCE_WORDS: Record<RunResource["kind"], readonly [one: string, many: string]> = {
  instance: ["instance", "instances"],
  volume: ["volume", "volumes"],
  "security-group": ["security group", "security groups"],
  "placement-group": ["placement group", "placement groups"],
  "emr-cluster": ["EMR cluster", "EMR clusters"],
  objects: ["folder of files in S3", "folders of files in S3"],
};

/** Format an amount to the cent: an approved sum is never rounded. */
export function cents(usd: number): string {
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** Format the cost so far to the cent, and less than half a cent with three digits. */
export function spentWords(usd: number): string {
  if (usd > 0 && usd < 0.005) return "under 1 cent";
  return cents(usd);
}

/** Resources whose end was not observed. */
export function standing(run: Pick<Run, "resources">): RunResource[] {
  return run.resources.filter(({ gone_at }) => gone_at === null);
}

/** `2 instances, 1 security group`. */
export function resourcesWords(resources: readonly RunResource[]): string {
  const counts = new Map<RunResource["kind"], number>();
  for (const { kind } of resources) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => counted(count, ...RESOURCE_WORDS[kind])).join(", ");
}

/** State of the resources at the end: none created, none left, some left, or unknown. */
export type Ending = "nothing made" | "nothing left" | "left" | "not seen";

export function endingOf(run: Pick<Run, "launched_at" | "verified" | "resources">): Ending {
  if (run.launched_at === null && run.resources.length === 0) return "nothing made";
  if (standing(run).length > 0) return "left";
  return run.verified ? "nothing left" : "not seen";
}

export const ENDING_WORDS: Record<Ending, string> = {
  "nothing made": "nothing was launched",
  "nothing left": "nothing is left in the account",
  left: "it could not be seen that nothing is left in the account",
  "not seen": "it could not be seen whether anything is left in the account",
};

/**
 * How a run stands, for its own page: what went wrong, and what stands in the way, have a place of their own there.
 */
export function headline(run: Run): string {
  const now = run.steps.find(({ status }) => status === "now");
  if (!hasEnded(run)) return run.trouble !== null && now !== undefined ? now.words : run.sentence;
  const ending = ENDING_WORDS[endingOf(run)];
  const { name } = STATES[run.state];
  const cost = run.spent_usd > 0 ? ` for ${run.verified ? "" : "at most "}${spentWords(run.spent_usd)}` : "";
  return `${name}${cost}: ${ending}.`;
}

/** Cost of a run in a list. */
export function moneyWords({ state, quoted_usd, agreed_usd, spent_usd }: RunSummary): string {
  if (state === "quoted") return `at most ${cents(quoted_usd)}`;
  if (agreed_usd === null) return "nothing spent";
  return `${spentWords(spent_usd)} of ${cents(agreed_usd)}`;
}

/** Duration of a step [s]; null before it begins. */
export function tookSeconds(
  { started_at, ended_at }: { started_at: string | null; ended_at: string | null },
  now_ms: number,
): number | null {
  if (started_at === null) return null;
  const until = ended_at === null ? now_ms : Date.parse(ended_at);
  const seconds = (until - Date.parse(started_at)) / 1_000;
  // Clocks of two machines may differ; negative durations count as 0.
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** `auto-terminates in 12 min`; null if no node is running. */
export function leftWords(run: Pick<Run, "deadline" | "state">, now_ms: number): string | null {
  if (run.deadline === null || hasEnded(run)) return null;
  const seconds = Math.round((Date.parse(run.deadline) - now_ms) / 1_000);
  if (!Number.isFinite(seconds)) return null;
  return seconds <= 0 ? "its time is over" : `auto-terminates in ${duration(seconds)}`;
}
