// Why one configuration is ahead of another, in words. Derived from the answers, without any model.

import type { InfeasibleAnswer, LimitsAnswer, PhaseAnswer, PlanAnswer } from "@/api/generated";
import { clusterKey, clusterName } from "@/features/plan/address/cluster";
import { resourceName } from "@/lib/resources";
import { chance, count, duration, usd } from "@/lib/wording";
import { factorWords, percentWords } from "./difference";
import { type Money, moneyOf } from "./money";
import type { Configuration, Named } from "./useConfigurations";

export type Known = Named & { configuration: Configuration };

/** List the limits that a configuration violates, as in the ranking: by medians, unless a chance is requested. */
export function limitsBroken(configuration: Configuration, limits: LimitsAnswer): string[] {
  const { nodes, time_s, cost_usd, meets_deadline, loss_probability } = configuration;
  const { deadline_s, budget_usd, max_nodes, chance: asked, loss } = limits;
  const broken: string[] = [];
  if (deadline_s !== null && asked === null && time_s.p50 > deadline_s) {
    broken.push(`it takes ${duration(time_s.p50)}, and the deadline is ${duration(deadline_s)}`);
  }
  if (asked !== null && meets_deadline !== null && meets_deadline < asked) {
    broken.push(`it meets the deadline in ${chance(meets_deadline)} of runs, and the limit is ${chance(asked)}`);
  }
  if (loss !== null && loss_probability > loss) {
    broken.push(`its chance of loss is ${chance(loss_probability)}, and at most ${chance(loss)} is allowed`);
  }
  if (budget_usd !== null && cost_usd.p50 > budget_usd) {
    broken.push(`a run costs ${usd(cost_usd.p50)}, and the budget is ${usd(budget_usd)}`);
  }
  if (max_nodes !== null && nodes > max_nodes) {
    broken.push(`it has ${count(nodes)} nodes, and at most ${count(max_nodes)} are allowed`);
  }
  return broken;
}

/** Describe in a few sentences how two configurations compare, the selected one first. */
export function comparisonWords(chosen: Known, other: Known, answer: PlanAnswer): string[] {
  const broken = {
    chosen: limitsBroken(chosen.configuration, answer.limits),
    other: limitsBroken(other.configuration, answer.limits),
  };
  return [
    ...outside(other, broken.other),
    ...outside(chosen, broken.chosen),
    verdict(chosen, other, moneyOf(answer.objective)),
    ...(answer.objective === "month" ? [] : billing(chosen, other)),
    ...slowest(chosen, other),
    ...unranked(other, broken.other, answer),
  ];
}

function outside(named: Known, broken: string[]): string[] {
  return broken.length === 0 ? [] : [`${named.name} is outside the limits: ${broken.join("; ")}.`];
}

function verdict(chosen: Known, other: Known, { range, each, word }: Money): string {
  const cost = { chosen: range(chosen.configuration).p50, other: range(other.configuration).p50 };
  const time = { chosen: chosen.configuration.time_s.p50, other: other.configuration.time_s.p50 };
  const dearer = percentWords(cost.other, cost.chosen);
  const slower = percentWords(time.other, time.chosen);
  const money = `${usd(cost.other)}${each} against ${usd(cost.chosen)} (${dearer})`;
  const clock = `${duration(time.other)} against ${duration(time.chosen)} (${slower})`;
  if (dearer === "same" && slower === "same") return `Both take and cost the same: ${money}, ${clock}.`;
  const [behind, late] = [cost.other > cost.chosen, time.other > time.chosen];
  if (behind && late) return `${chosen.name} is ahead in both. ${other.name} costs ${money} and takes ${clock}.`;
  if (!behind && !late) return `${other.name} is ahead in both. It costs ${money} and takes ${clock}.`;
  return behind
    ? `${chosen.name} is ahead in ${word}, by which the ranking goes: ${other.name} costs ${money}, but takes ${clock}.`
    : `${other.name} is ahead in ${word}: ${money}. ${chosen.name} is ahead in time: ${other.name} takes ${clock}.`;
}

/** Describe the cost difference of a run: hours times hourly price. */
function billing(chosen: Known, other: Known): string[] {
  const [a, b] = [chosen.configuration, other.configuration];
  return [
    `${other.name} is billed ${factorWords(b.billed_s, a.billed_s)} as long, at ${factorWords(
      b.cost_usd.p50 / b.billed_s,
      a.cost_usd.p50 / a.billed_s,
    )} the price of an hour.`,
  ];
}

/** Describe the phase with most of the time difference. */
function slowest(chosen: Known, other: Known): string[] {
  const [a, b] = [chosen.configuration, other.configuration];
  const most = phasePairs(a, b).reduce<PhasePair | undefined>(
    (largest, pair) => (largest === undefined || gap(pair) > gap(largest) ? pair : largest),
    undefined,
  );
  if (most === undefined || gap(most) <= 0.005 * a.time_s.p50) return [];
  const [mine, theirs] = [resourceName(most.chosen.bottleneck), resourceName(most.other.bottleneck)];
  const limited = mine === theirs ? `${mine} limits both` : `limited by ${theirs}, not by ${mine}`;
  return [
    `Most of the difference in time is in ${most.name}: ${duration(most.other.time_s)} against ` +
      `${duration(most.chosen.time_s)}, ${factorWords(most.other.time_s, most.chosen.time_s)} as long; ${limited}.`,
  ];
}

export interface PhasePair {
  name: string;
  chosen: PhaseAnswer;
  other: PhaseAnswer;
}

/** Return the phases that both configurations have, in pairs. */
export function phasePairs(chosen: Configuration, other: Configuration): PhasePair[] {
  return chosen.phases.flatMap((phase) => {
    const same = other.phases.find(({ name }) => name === phase.name);
    return same === undefined ? [] : { name: phase.name, chosen: phase, other: same };
  });
}

function gap({ chosen, other }: PhasePair): number {
  return Math.abs(other.time_s - chosen.time_s);
}

function unranked(other: Known, broken: string[], answer: PlanAnswer): string[] {
  if (other.rank !== undefined || broken.length > 0) return [];
  const own = answer.configurations.find((row) => isOfRow(row, other.configuration));
  if (own === undefined || clusterKey(own) === other.key) return [];
  const each = own.storage.kind === "ebs" ? "type and volume type" : "type";
  return [`It is not ranked because the ranking holds the cheapest of each ${each}, here ${clusterName(own)}.`];
}

/** Check if two configurations share a row of the ranking: instance type, storage, and volume type. */
function isOfRow(one: Configuration, other: Configuration): boolean {
  const volume = ({ storage }: Configuration) => (storage.kind === "ebs" ? storage.type : "");
  return one.instance === other.instance && one.storage.kind === other.storage.kind && volume(one) === volume(other);
}

/** Describe why a cluster cannot run the job, and the nearest one that can, unless the limit is unknown. */
export function infeasibleWords({ reason, limit, nearest }: InfeasibleAnswer): string {
  return nearest === null || limit.endsWith("unknown") ? `${reason}.` : `${reason}. Nearest: ${nearest}.`;
}

/** Describe why a configuration without a prediction is excluded, from its own refusal and the plan's rejections. */
export function refusalWords(other: Named, answer: PlanAnswer): string[] {
  const words: string[] = [];
  if (other.infeasible !== undefined) {
    words.push(`It cannot do the job: ${infeasibleWords(other.infeasible)}`);
  }
  const reasons = answer.rejected
    .filter(({ instances }) => other.cluster !== null && instances.includes(other.cluster.instance))
    .map(({ reason }) => reason);
  if (reasons.length > 0) words.push(`Of this type, the search left candidates out because: ${reasons.join("; ")}.`);
  return words;
}
