// Question of the report composer: its object from the address, its options from the form.

import type { FieldProblem } from "@/api/generated";
import type { Composed, NewReport, ReportKind } from "@/api/reports";
import { aheadIn, type NewReportSearch, originIn } from "@/features/reports/search";

export const LONGEST_TITLE = 200;
export const LONGEST_WORDS = 20_000;

type Today = NonNullable<NewReport["today"]>;

/** The written title; an empty one leaves the suggestion. */
export interface Texts {
  title: string;
  words: string;
}

/** Whether a report of this kind looks at what runs today, and ahead. */
export function looksAhead(kind: ReportKind): boolean {
  return kind === "plan" || kind === "comparison";
}

/**
 * Put the question together, without its words: they change nothing of what is computed, and are not waited for.
 *
 * @param todayIn reads what the address says of today's cluster
 * @returns null while the address names nothing a report could be of
 */
export function questionIn(search: NewReportSearch, todayIn: (key: string) => Today | null): NewReport | null {
  const origin = originIn(search);
  if (origin === null) return null;
  const asked = { title: "Report", words: "", origin, replaces: search.replaces ?? null };
  if (!looksAhead(origin.kind)) return { ...asked, today: null, outlook: null };
  const { growth, months } = aheadIn(search).ahead;
  return {
    ...asked,
    today: search.today === undefined ? null : todayIn(search.today),
    outlook: months === 0 ? null : { growth_pct_per_month: growth, months },
  };
}

/** What a report is called where its author calls it nothing. */
export function suggestedTitle({ kind, names }: Pick<Composed["report"]["origin"], "kind" | "names">): string {
  if (kind === "validation") return "How far the predictions are off";
  const title = kind === "comparison" ? names.join(" or ") : (names[0] ?? "Report");
  return title.slice(0, LONGEST_TITLE);
}

/** What the report will be called. */
export function titleOf({ title }: Texts, composed: Composed | undefined): string {
  const written = title.trim();
  if (written !== "") return written;
  return composed === undefined ? "Report" : suggestedTitle(composed.report.origin);
}

/** Put the texts into what was composed without them. */
export function withTexts(composed: Composed, texts: Texts): Composed {
  return { ...composed, report: { ...composed.report, title: titleOf(texts, composed), words: texts.words.trim() } };
}

/** Sort what the service did not accept: what belongs to today's cluster, to a field of the form, to none. */
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
