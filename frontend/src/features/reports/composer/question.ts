// Question of the report composer: its object from the address, its options from the form.

import type { FieldProblem, NewReport } from "@/api/generated";
import type { Composed, ReportKind } from "@/api/reports";
import { aheadIn, type NewReportSearch, originIn } from "@/features/reports/search";

export const LONGEST_TITLE = 200;
export const LONGEST_WORDS = 20_000;

type Today = NonNullable<NewReport["today"]>;

/** The entered title; if it is empty, the suggested one is used. */
export interface Texts {
  title: string;
  words: string;
}

/** Whether a report of this kind covers the current cluster and the outlook. */
export function looksAhead(kind: ReportKind): boolean {
  return kind === "plan" || kind === "comparison";
}

/**
 * Build the request without texts, which do not affect the computation, so that typing them causes no request.
 *
 * @param todayIn parses the current cluster and its stated cost from the address
 * @returns null while the address names no valid object of a report
 */
export function questionIn(
  search: NewReportSearch,
  todayIn: (key: string, paid?: string) => Today | null,
): NewReport | null {
  const origin = originIn(search);
  if (origin === null) return null;
  const asked = { title: "Report", words: "", origin, replaces: search.replaces ?? null };
  if (!looksAhead(origin.kind)) return { ...asked, today: null, outlook: null };
  const { growth, months } = aheadIn(search).ahead;
  return {
    ...asked,
    today: search.today === undefined ? null : todayIn(search.today, search.pays),
    outlook: months === 0 ? null : { growth_pct_per_month: growth, months },
  };
}

/** Default title of a report. */
export function suggestedTitle({ kind, names }: Pick<Composed["report"]["origin"], "kind" | "names">): string {
  if (kind === "validation") return "How far the predictions are off";
  const title = kind === "comparison" ? names.join(" or ") : (names[0] ?? "Report");
  return title.slice(0, LONGEST_TITLE);
}

/** Title of the report. */
export function titleOf({ title }: Texts, composed: Composed | undefined): string {
  const written = title.trim();
  if (written !== "") return written;
  return composed === undefined ? "Report" : suggestedTitle(composed.report.origin);
}

/** Insert the texts into a report that was composed without them. */
export function withTexts(composed: Composed, texts: Texts): Composed {
  return { ...composed, report: { ...composed.report, title: titleOf(texts, composed), words: texts.words.trim() } };
}

/** Assign the errors of the service to the current cluster, to a field of the form, or to neither. */
export function sorted(problems: readonly FieldProblem[]) {
  const today = problems.filter(({ path }) => path === "today" || path.startsWith("today."));
  const at = (path: string) => problems.find((problem) => problem.path === path)?.message;
  const fields = {
    title: at("title"),
    words: at("words"),
    ranks: problems.find(({ path }) => path.startsWith("origin") && path.includes("ranks"))?.message,
    growth: problems.find(({ path }) => path.startsWith("outlook") && path.includes("growth"))?.message,
    months: problems.find(({ path }) => path.startsWith("outlook") && path.includes("months"))?.message,
  };
  const said = new Set([...today.map(({ message }) => message), ...Object.values(fields)]);
  return { today, fields, elsewhere: problems.filter(({ message }) => !said.has(message)) };
}
