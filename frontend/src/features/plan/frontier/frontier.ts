import type { CandidateAnswer } from "@/api/generated";
import { clusterKey } from "@/features/plan/address/cluster";
import type { Money } from "@/features/plan/configurations/money";
import type { Named } from "@/features/plan/configurations/useConfigurations";

/** Minimum relative change of time or cost in one step; smaller differences between neighbors are irrelevant. */
const STEP = 0.05;

interface Along {
  /** Index on the frontier; null if not on it. */
  place: number | null;
  faster: CandidateAnswer | undefined;
  cheaper: CandidateAnswer | undefined;
}

/** Find the position of a configuration on the frontier (fastest first), and the next step in both directions. */
export function along(
  frontier: readonly CandidateAnswer[],
  { key, configuration }: Pick<Named, "key" | "configuration">,
  money: Pick<Money, "at" | "range">,
): Along {
  const place = frontier.findIndex((point) => clusterKey(point) === key);
  const on = frontier[place];
  const time = on?.time_s ?? configuration?.time_s.p50;
  const cost = on === undefined ? configuration && money.range(configuration).p50 : money.at(on);
  if (time === undefined || cost === undefined) {
    return { place: null, faster: frontier[0], cheaper: frontier.at(-1) };
  }
  const differs = (point: CandidateAnswer) =>
    Math.abs(point.time_s / time - 1) >= STEP || Math.abs(money.at(point) / cost - 1) >= STEP;
  const before = frontier.filter((point) => point.time_s < time);
  const after = frontier.filter((point) => point.time_s > time && money.at(point) < cost);
  // Near the ends the last point may be closer than a step.
  return {
    place: place < 0 ? null : place,
    faster: before.findLast(differs) ?? before[0],
    cheaper: after.find(differs) ?? after.at(-1),
  };
}

/** Split the frontier into points cheaper than all faster ones, and points whose only advantage is less data loss. */
export function parted<Point>(
  frontier: readonly Point[],
  at: (point: Point) => number,
): { cheaper: Point[]; safer: Point[] } {
  const cheaper: Point[] = [];
  const safer: Point[] = [];
  let least_usd = Number.POSITIVE_INFINITY;
  for (const point of frontier) {
    (at(point) < least_usd ? cheaper : safer).push(point);
    least_usd = Math.min(least_usd, at(point));
  }
  return { cheaper, safer };
}
