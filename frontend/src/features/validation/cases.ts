// Filter and order of validation cases.

import type { CaseAnswer, ExperimentAnswer } from "./answer";
import type { Order, ValidationSearch } from "./search";

/** Errors larger than this [%] are misses. */
export const BAND_PCT = 15;

/** Check if the error of a case is outside the band. Context cases are not judged. */
export function isMiss({ kind, error_pct }: Pick<CaseAnswer, "kind" | "error_pct">): boolean {
  return kind !== "context" && error_pct !== null && Math.abs(error_pct) > BAND_PCT;
}

/** Filter the cases by the URL search parameters. */
export function keptCases(
  cases: readonly CaseAnswer[],
  { kind, group, misses, search }: ValidationSearch,
  names: ReadonlyMap<string, string>,
): CaseAnswer[] {
  const words = (search ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return cases.filter(
    (one) =>
      (kind === undefined || one.kind === kind) &&
      (group === undefined || one.group === group) &&
      (misses === undefined || isMiss(one)) &&
      (words.length === 0 || holdsAll(one, names.get(one.experiment) ?? "", words)),
  );
}

function holdsAll(one: CaseAnswer, experiment: string, words: readonly string[]): boolean {
  const texts = [one.quantity, one.source, experiment, one.experiment, one.kind, one.group, one.reason ?? ""];
  const text = [...texts, ...one.assumptions].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Return the names of the experiments by id. */
export function experimentNames(rows: readonly ExperimentAnswer[]): Map<string, string> {
  return new Map(rows.map(({ experiment, name }) => [experiment, name]));
}

/** Sort the cases by error; those without an error come last in any order. */
export function sortedCases(cases: readonly CaseAnswer[], order: Order | undefined): readonly CaseAnswer[] {
  if (order === undefined) return cases;
  const sign = order === "worst" ? -1 : 1;
  return cases.toSorted((a, b) => {
    if (a.error_pct === null || b.error_pct === null)
      return Number(a.error_pct === null) - Number(b.error_pct === null);
    return sign * (Math.abs(a.error_pct) - Math.abs(b.error_pct));
  });
}

/** Return the judged cases with the largest errors. */
export function worstCases(cases: readonly CaseAnswer[], most: number): CaseAnswer[] {
  const held = cases.filter(({ kind, error_pct }) => kind !== "context" && error_pct !== null && error_pct !== 0);
  return sortedCases(held, "worst").slice(0, most);
}
