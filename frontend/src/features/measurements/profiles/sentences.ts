// Summaries of the measurement pages in one sentence each.

import type { ProfileRow } from "@/api/generated";
import { differenceWords, measuredRange, measuredWords } from "@/lib/measured";
import { quantityTitle } from "@/lib/quantities";
import { counted, day, percent } from "@/lib/wording";

/** Differences below this are normal from one hour to the next [%]. */
export const NOTABLE_PCT = 5;

/** Summarize the team's measurements and their largest difference from published figures. */
export function profilesSentence(profiles: readonly ProfileRow[]): string {
  const targets = new Set(profiles.map(({ target_words }) => target_words)).size;
  const measurements = profiles.reduce((sum, { count }) => sum + count, 0);
  if (measurements === 0) return "Nothing of yours has been measured yet: plans rest on what is published.";
  const said = `You measured ${counted(profiles.length, "figure")} of ${counted(targets, "target")}`;
  const compared = profiles.filter(({ difference_pct }) => difference_pct !== null);
  if (compared.length === 0) return `${said}; none of them is published anywhere to compare with.`;
  const off = compared.filter(({ difference_pct }) => Math.abs(difference_pct ?? 0) >= NOTABLE_PCT);
  const most = compared.toSorted((a, b) => Math.abs(b.difference_pct ?? 0) - Math.abs(a.difference_pct ?? 0))[0];
  if (off.length === 0 || most === undefined) {
    return `${said}; all ${counted(compared.length, "that are published", "that are published")} agree within ${NOTABLE_PCT}%.`;
  }
  return (
    `${said}; ${off.length} of ${compared.length} that are published are off by ${NOTABLE_PCT}% or more, ` +
    `most the ${inText(profileTitle(most))} of ${most.target_words}: ${againstWords(most.difference_pct ?? 0)} what is published.`
  );
}

/** Summarize how many figures plans use: `7 of 25 figures are used by plans.` */
export function usedSentence(profiles: readonly ProfileRow[]): string {
  const used = profiles.filter(({ feeds }) => feeds).length;
  const all = counted(profiles.length, "figure");
  if (used === 0) return `None of ${all} is used by plans.`;
  return used === profiles.length
    ? `All ${all} are used by plans.`
    : `${used} of ${all} ${used === 1 ? "is" : "are"} used by plans.`;
}

/** Figures of one target that plans use, or figures that plans do not use for the same reason. */
export interface ProfileGroup {
  title: string;
  used: boolean;
  profiles: ProfileRow[];
}

/**
 * Group figures: those that plans use by target, the others by the reason.
 *
 * Groups have the order of their first figure.
 */
export function profileGroups(profiles: readonly ProfileRow[]): ProfileGroup[] {
  const groups = new Map<string, ProfileGroup>();
  for (const profile of profiles) {
    const { feeds, why_not, target_words } = profile;
    const title = feeds ? target_words : `Not used by plans: ${inText(why_not ?? "the reason is not known")}`;
    const group = groups.get(`${feeds} ${title}`) ?? { title, used: feeds, profiles: [] };
    group.profiles.push(profile);
    groups.set(`${feeds} ${title}`, group);
  }
  return [...groups.values()].toSorted((one, other) => Number(other.used) - Number(one.used));
}

/** Short description of a profile's metric. */
export function profileTitle({ metric, what }: Pick<ProfileRow, "metric" | "what">): string {
  const title = quantityTitle(metric);
  return title === metric ? what : title;
}

/** `18.2% below`. */
export function againstWords(difference_pct: number): string {
  return `${differenceWords(Math.abs(difference_pct)).replace("+", "")} ${difference_pct < 0 ? "below" : "above"}`;
}

/** Lowercase the first letter for use within a sentence; abbreviations are kept. */
export function inText(text: string): string {
  return /^[A-Z][A-Z]/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** Describe a profile with its uncertainty and its difference from the published figure. */
export function profileSentence(profile: ProfileRow): string {
  const { target_words, metric, mean, low, high, unit, published, difference_pct } = profile;
  const range = profile.count > 1 ? ` (${measuredRange(metric, low, high, unit)})` : "";
  const against =
    published === null || difference_pct === null
      ? "; nothing is published of it"
      : Math.abs(difference_pct) < 0.05
        ? ", as published"
        : `, ${againstWords(difference_pct)} the published ${measuredWords(metric, published.value, published.unit)}`;
  return `${profileTitle(profile)} of ${target_words}: ${measuredWords(metric, mean, unit)}${range}${against}.`;
}

/** Facts about the measurements behind a profile. */
export function profileFacts(profile: ProfileRow): string[] {
  const { count, effective_count, newest, oldest, spread, metric, slowest, fastest, unit } = profile;
  const dates = day(oldest) === day(newest) ? day(newest) : `${day(oldest)} to ${day(newest)}`;
  const weight = effective_count < 0.75 * count ? `, together worth ${effective_count.toFixed(1)} new ones` : "";
  return [
    `${counted(count, "measurement")}, ${dates}${weight}`,
    ...(count > 1 ? [`from ${measuredWords(metric, slowest, unit)} to ${measuredWords(metric, fastest, unit)}`] : []),
    ...(spread === null ? [] : [`spread ${percent(Math.expm1(spread))}`]),
    profile.feeds
      ? "used in predictions"
      : `not used in predictions${profile.why_not === null ? "" : `: ${inText(profile.why_not)}`}`,
  ];
}
