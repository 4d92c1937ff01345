// Why the first row of a ranking is recommended: against the second row, and against the current cluster.

import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { clusterKey, clusterName } from "@/features/plan/address/cluster";
import { usdIn } from "@/lib/amounts";
import { resourceName } from "@/lib/resources";
import { duration, usd } from "@/lib/wording";
import { limitsBroken } from "./ahead";
import { decidingCause, limitName } from "./cause";
import { longestPhase } from "./longest";
import { moneyOf } from "./money";
import type { Configuration, Named } from "./useConfigurations";

type Objective = PlanAnswer["objective"];

/** Differences below this share are not worth a number. */
const SAME = 0.005;

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= SAME * Math.max(one, other);
}

/** Describe the cost against another configuration: `is $13 cheaper than`. */
function costs(one: Configuration, other: Configuration, objective: Objective): [words: string, link: string] {
  const { range, each } = moneyOf(objective);
  const [own, others] = [range(one).p50, range(other).p50];
  if (isSame(own, others)) return ["costs the same", "as"];
  return [`is ${usd(Math.abs(others - own))}${each} ${own < others ? "cheaper" : "more expensive"}`, "than"];
}

/** Describe the end against another configuration: `finishes 4 min later than`. */
function finishes({ time_s: own }: Configuration, { time_s: others }: Configuration): [words: string, link: string] {
  if (isSame(own.p50, others.p50)) return ["takes the same time", "as"];
  return [`finishes ${duration(Math.abs(own.p50 - others.p50))} ${own.p50 < others.p50 ? "sooner" : "later"}`, "than"];
}

/** Describe both against another configuration, the objective first. */
function against(one: Configuration, other: Configuration, objective: Objective, name: string): string {
  const [cost, time] = [costs(one, other, objective), finishes(one, other)];
  const [first, then] = objective === "time" ? [time, cost] : [cost, time];
  return `${first.join(" ")} ${name}, and ${then[0]}`;
}

/** Describe what decides between the first two rows; else what limits them. */
function causeOf(first: RankedAnswer, second: RankedAnswer, objective: Objective): string {
  const [own, others] = objective === "time" ? [first.time_s, second.time_s] : [first.cost_usd, second.cost_usd];
  // An always-on cluster costs what its nodes cost, however long a phase takes.
  const cause =
    objective === "month" || isSame(own.p50, others.p50) ? undefined : decidingCause(first, second, objective);
  return cause === undefined ? limitsOf(first, second) : `, mainly because ${cause}`;
}

function limitsOf(first: RankedAnswer, second: RankedAnswer): string {
  const [own, others] = [first, second].map((row) => longestPhase(row)?.bottleneck);
  if (own === undefined || others === undefined) return "";
  if (resourceName(own) === resourceName(others)) return `; both are limited by ${limitName(own)}`;
  return `; it is limited by ${limitName(own)}, the second by ${limitName(others)}`;
}

/** Name the second row; with its storage if it has the name of the first. */
function nameOfSecond(first: RankedAnswer, second: RankedAnswer): string {
  const storage = clusterName(first) === clusterName(second) ? ` with ${second.storage_words}` : "";
  return `the second, ${clusterName(second)}${storage}`;
}

/**
 * Explain in one sentence why the first row is recommended, from the figures of the answer; undefined without a row:
 *
 * `Why this one: $8.66 a run cheaper than the second, 116 × i8g.4xlarge, and finishes 23 s sooner, mainly because fetch,
 * limited by the network, takes it 6 min 46 s instead of 5 min 24 s.`
 *
 * @param today the current cluster; it is compared unless it is the first or the second row
 * @param paid stated cost of the current cluster, as entered; if it is valid, only times are compared with it, since the
 *   saving states the cost
 */
export function whyThisOne(answer: PlanAnswer, today: Named | undefined, paid = ""): string | undefined {
  const [first, second] = answer.configurations;
  if (first === undefined) return undefined;
  const { objective } = answer;
  const parts =
    second === undefined
      ? ["is the only option within the limits"]
      : [`${against(first, second, objective, nameOfSecond(first, second))}${causeOf(first, second, objective)}`];
  const now = today?.configuration;
  const isRow = [first, second].some((row) => row !== undefined && clusterKey(row) === today?.key);
  if (now !== undefined && !isRow) {
    const broken = limitsBroken(now, answer.limits);
    const outside = broken.length === 0 ? "" : ` (${today?.name} is outside the limits: ${broken.join("; ")})`;
    const name = `the current ${today?.name ?? ""}`;
    const compared =
      usdIn(paid) === null ? against(first, now, objective, name) : `${finishes(first, now).join(" ")} ${name}`;
    parts.push(`${compared}${outside}`);
  }
  return `Why this one: ${parts.join(". It ").replace(/^is /, "")}.`;
}
