import { Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import type { Chart, ReportAnswer, ReportRow } from "@/api/generated";
import { isMissing } from "@/api/problem";
import {
  type Composed,
  type Drawings,
  type ReportChange,
  reportDifference,
  report as reportQuery,
} from "@/api/reports";
import { ReportChart } from "@/charts/report/ReportChart";
import { Said } from "@/features/reports/document/AmountMark";
import { Fold } from "@/features/reports/document/Fold";
import { Plain } from "@/features/reports/document/Plain";
import type { CompareSearch } from "@/features/reports/search";
import { wayWords } from "@/features/reports/words";
import { shown } from "@/lib/plainText";
import { counted, day, threeDigits } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Disclosure } from "@/ui/Disclosure";
import { Unread } from "@/ui/feedback/QueryState";
import { Scroller } from "@/ui/table/Scroller";
import { Table } from "@/ui/table/Table";
import classes from "./DifferencePage.module.css";

interface DifferencePageProps {
  search: CompareSearch;
  linkTo: (id: string, words: string) => ReactNode;
  back: ReactNode;
  /** Content if one of the reports does not exist. */
  missing: ReactNode;
}

/** Comparison of two reports. */
export function DifferencePage({ search, ...props }: DifferencePageProps) {
  useDocumentTitle("Two reports · Stowage");
  if (search.old === undefined || search.new === undefined) {
    return (
      <section className="card page" style={{ maxWidth: 1080 }} aria-labelledby="two-reports">
        <h1 id="two-reports" className={classes.title}>
          Two reports
        </h1>
        <p>Tick two reports in the list to see what changed between them.</p>
        {props.back}
      </section>
    );
  }
  return <Two older={search.old} newer={search.new} {...props} />;
}

type TwoProps = Omit<DifferencePageProps, "search"> & { older: string; newer: string };

/** Key of the section with changed versions of model, catalog and measurements. */
const VERSIONS = "Versions";

/** Title of the summary section in either report. */
function summaryHeading(reports: readonly (ReportAnswer | undefined)[]): string | undefined {
  const sections = reports.flatMap((answer) => answer?.report.sections ?? []);
  return sections.find(({ key }) => key === "summary")?.heading;
}

function Two({ older, newer, linkTo, back, missing }: TwoProps) {
  const query = useQuery(reportDifference(older, newer));
  const [then, now] = [useQuery(reportQuery(older)).data, useQuery(reportQuery(newer)).data];
  if (query.data === undefined || isMissing(query.error)) {
    return (
      <Unread
        query={query}
        title="Two reports"
        className="page"
        style={{ maxWidth: 1080 }}
        kept="Both reports are kept."
        loading="Comparing the two"
        heights={[320]}
        missing={missing}
      />
    );
  }
  const { old, new: next, sentence, counts, changes } = query.data;
  const sections = sectionsOf(changes);
  const heading = summaryHeading([now, then]);
  const first = sections.filter(([section]) => section === heading);
  // Versions explain the differences, so they come last.
  const others = sections.filter(([section]) => section !== heading && section !== VERSIONS);
  const made = sections.filter(([section]) => section === VERSIONS && section !== heading);
  return (
    <div className="page" style={{ maxWidth: 1080 }}>
      <section className="card" aria-labelledby="two-reports">
        <div className="spread">
          <h1 id="two-reports" className={classes.title}>
            What changed
          </h1>
          {back}
        </div>
        <p className="headline" style={{ marginTop: 8 }} data-testid="sentence">
          <Plain text={sentence} />
        </p>
        <div className={classes.two}>
          <Named word="Then" row={old} linkTo={linkTo} />
          <Named word="Now" row={next} linkTo={linkTo} />
        </div>
      </section>
      <Changes title="Key changes" sections={first} folded={false} />
      <section aria-label="All differences">
        <Disclosure summary={`All differences: ${counts}`}>
          {() => (
            <Stack gap="md" mt="xs">
              {then !== undefined && now !== undefined && <Charts then={then} now={now} />}
              <Changes title="Everything else that differs" sections={[...others, ...made]} folded />
            </Stack>
          )}
        </Disclosure>
      </section>
    </div>
  );
}

function Named({ word, row, linkTo }: { word: string; row: ReportRow; linkTo: TwoProps["linkTo"] }) {
  return (
    <div className={classes.named}>
      <div className="dim small">
        {word}, {day(row.made_at)}, by <Plain text={row.author} />
      </div>
      <div className="strong wraps">{linkTo(row.id, row.title)}</div>
      <p>
        <Plain text={row.sentence} />
      </p>
    </div>
  );
}

/** Changes by section, in the order of the newer report. */
function sectionsOf(changes: readonly ReportChange[]): [string, ReportChange[]][] {
  const sections = new Map<string, ReportChange[]>();
  for (const change of changes) sections.set(change.section, [...(sections.get(change.section) ?? []), change]);
  return [...sections];
}

/** Changes that are always shown, and those that are collapsed. */
function Changes({ title, sections, folded }: ChangesProps) {
  const id = useId();
  if (sections.length === 0) return null;
  return (
    <Card id={id} title={title}>
      {sections.map(([section, changes]) =>
        folded ? (
          <Fold
            key={section}
            as="h3"
            className="strong"
            heading={`${shown(section)}: ${counted(changes.length, "difference")}`}
          >
            <ChangeTable section={section} changes={changes} />
          </Fold>
        ) : (
          <ChangeTable key={section} section={section} changes={changes} />
        ),
      )}
    </Card>
  );
}

interface ChangesProps {
  title: string;
  sections: readonly [string, ReportChange[]][];
  folded: boolean;
}

function ChangeTable({ section, changes }: { section: string; changes: readonly ReportChange[] }) {
  return (
    <Scroller className="sideways" aria-label={`What differs: ${shown(section)}`}>
      <Table
        className={`plain ${classes.changes}`}
        rows={changes}
        // Changes may have equal labels, and their order never changes.
        keyOf={(_, place) => place}
        columns={[
          {
            head: "What",
            rowHead: true,
            className: classes.what,
            cell: ({ label }) => <Plain text={label} />,
            note: ({ where }) => (where === "" ? null : <Plain text={where} />),
          },
          { head: "Then", cell: (change) => <Said what={change.old} label={`${change.label}, then`} /> },
          { head: "Now", cell: (change) => <Said what={change.new} label={`${change.label}, now`} /> },
          {
            head: "Change",
            className: classes.change,
            cell: changeWords,
            cellProps: (change) => ({
              "data-better": sameWords(change) ? undefined : (change.better ?? undefined),
            }),
          },
        ]}
      />
    </Scroller>
  );
}

/** Whether both values have the same words: 99.96% and 99.99% are both “over 99.9%”. */
function sameWords({ old, new: now }: Pick<ReportChange, "old" | "new">): boolean {
  return typeof old === "object" && typeof now === "object" && old !== null && old.words === now?.words;
}

/** `▼ 12% less, better`: color only repeats arrow and words. */
export function changeWords({ kind, old, new: now, change_pct, better }: ReportChange): string {
  if (kind === "added") return "new";
  if (kind === "gone") return "no longer there";
  if (old === null || now === null || typeof old === "string" || typeof now === "string") return "reads otherwise";
  if (sameWords({ old, new: now })) return "no visible change";
  const by =
    change_pct === null ? "" : `${threeDigits(Math.abs(change_pct))}% ${now.value > old.value ? "more" : "less"}`;
  return wayWords(old.value, now.value, by, better);
}

/** Charts of both reports side by side. */
function Charts({ then, now }: { then: ReportAnswer; now: ReportAnswer }) {
  const before = chartsOf(then);
  const pairs = [...chartsOf(now)].flatMap(([key, after]) => {
    const old = before.get(key);
    return old === undefined ? [] : [{ key, old, now: after }];
  });
  if (pairs.length === 0) return null;
  return (
    <Stack gap="md">
      {pairs.map((pair) => (
        <div key={pair.key} className={`card ${classes.pair}`}>
          <Side drawn={pair.old} word="then" made={then.report.made_at} />
          <Side drawn={pair.now} word="now" made={now.report.made_at} />
        </div>
      ))}
    </Stack>
  );
}

interface Drawn {
  chart: Chart;
  drawings: Drawings | undefined;
}

function Side({ drawn: { chart, drawings }, word, made }: { drawn: Drawn; word: "then" | "now"; made: string }) {
  // The two charts have the same title; the date distinguishes them, also as files.
  const title = `${chart.title}, ${word} (${day(made)})`;
  return (
    <div className={classes.side}>
      <ReportChart chart={{ ...chart, title }} drawings={drawings} level={3} filename={`${chart.key}-${word}`} />
    </div>
  );
}

function chartsOf({ report, drawings }: Pick<Composed, "report" | "drawings">): Map<string, Drawn> {
  const found = report.sections.flatMap((section) =>
    section.blocks.flatMap((block): [string, Drawn][] => {
      if (block.kind !== "chart") return [];
      const key = `${section.key}.${block.key}`;
      return [[key, { chart: block, drawings: drawings[key] }]];
    }),
  );
  return new Map(found);
}
