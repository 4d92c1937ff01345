// What makes one configuration cheaper or faster than another: one phase, or the price of an hour.

import { resourceName } from "@/lib/resources";
import { duration } from "@/lib/wording";
import { factorWords } from "./difference";
import type { Configuration } from "./useConfigurations";

type Figures = Pick<Configuration, "phases" | "cost_usd" | "billed_s">;

/** Return the cost of a second of all nodes [USD]. */
function rate({ cost_usd, billed_s }: Figures): number {
  return billed_s > 0 ? cost_usd.p50 / billed_s : 0;
}

interface Cause {
  /** What it adds to the other configuration, in the unit of the comparison. */
  added: number;
  words: string;
}

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
 * `fetch, limited by the network, takes it 6 min 46 s instead of 5 min 24 s`. The difference in cost is that of the time
 * of each phase at the first one's price of an hour, and of the price itself. Undefined if nothing is worse.
 */
export function decidingCause(own: Figures, other: Figures, by: "time" | "cost"): string | undefined {
  const price = by === "time" ? 1 : rate(own);
  const causes: Cause[] = phaseCauses(own, other).map(({ added_s, words }) => ({ added: price * added_s, words }));
  if (by === "cost") {
    const factor = factorWords(rate(other), rate(own));
    const words = `an hour of it costs ${factor} as much`;
    causes.push({ added: (rate(other) - rate(own)) * other.billed_s, words });
  }
  const whole = causes.reduce((sum, { added }) => sum + added, 0);
  const [first] = causes.toSorted((one, next) => next.added - one.added);
  return whole > 0 && first !== undefined && first.added > 0 ? first.words : undefined;
}

const WITHOUT_ARTICLE: readonly string[] = ["CPU", "launch"];

/** Name a limiting resource in a sentence: `the network`, `CPU`. */
export function limitName(bottleneck: string): string {
  const name = resourceName(bottleneck);
  return WITHOUT_ARTICLE.includes(name) ? name : `the ${name}`;
}
