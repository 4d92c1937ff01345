// Reason why one configuration is cheaper or faster than another: one phase, or the price of an hour.

import { resourceName } from "@/lib/resources";
import { duration } from "@/lib/wording";
import { factorWords } from "./difference";
import type { Configuration } from "./useConfigurations";

type Figures = Pick<Configuration, "phases" | "cost_usd" | "billed_s">;

/** Return the cost of a second of all nodes [USD]. */
function rate({ cost_usd, billed_s }: Figures): number {
  return billed_s > 0 ? cost_usd.p50 / billed_s : 0;
}

/** Share of a difference in cost from which the time of one phase explains it rather than the price of an hour. */
const DECIDES = 0.25;

function phaseCauses(own: Figures, other: Figures): { added_s: number; words: string }[] {
  return own.phases.flatMap(({ name, time_s }) => {
    const theirs = other.phases.find((phase) => phase.name === name);
    if (theirs === undefined) return [];
    const limited = theirs.bottleneck === "launch" ? "" : `, limited by ${limitName(theirs.bottleneck)},`;
    const times = `takes it ${duration(theirs.time_s)} instead of ${duration(time_s)}`;
    return [{ added_s: theirs.time_s - time_s, words: `${name}${limited} ${times}` }];
  });
}

/**
 * Find what decides between two configurations, for the words `mainly because …` about the second of them:
 *
 * `fetch, limited by the network, takes it 6 min 46 s instead of 5 min 24 s`. For the cost, the time of a phase counts at
 * the first one's price of an hour; if no phase explains the difference, the price of an hour does. Undefined if nothing
 * is worse.
 */
export function decidingCause(own: Figures, other: Figures, by: "time" | "cost"): string | undefined {
  const [slowest] = phaseCauses(own, other).toSorted((one, next) => next.added_s - one.added_s);
  if (by === "time") return slowest !== undefined && slowest.added_s > 0 ? slowest.words : undefined;
  const dearer_usd = other.cost_usd.p50 - own.cost_usd.p50;
  if (dearer_usd <= 0) return undefined;
  if (slowest !== undefined && rate(own) * slowest.added_s >= DECIDES * dearer_usd) return slowest.words;
  if (rate(other) <= rate(own)) return undefined;
  return `an hour of it costs ${factorWords(rate(other), rate(own))} as much`;
}

const WITHOUT_ARTICLE: readonly string[] = ["CPU", "launch"];

/** Name a limiting resource in a sentence: `the network`, `CPU`. */
export function limitName(bottleneck: string): string {
  const name = resourceName(bottleneck);
  return WITHOUT_ARTICLE.includes(name) ? name : `the ${name}`;
}
