import { Group } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import type { ReportRow } from "@/api/generated";
import { reportList } from "@/api/reports";
import { useMay } from "@/api/teams/session";
import { counted, moment } from "@/lib/wording";
import type { WordsSearch } from "@/lib/wordsSearch";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { List, ListHead, SearchBox, useListSearch } from "@/ui/list/List";
import { RowAction } from "@/ui/list/RowAction";
import { useRows } from "@/ui/list/useRows";
import { Plain } from "./document/Plain";
import classes from "./ReportsPage.module.css";
import { useReportRemoval } from "./useReportRemoval";
import { KIND_WORDS } from "./words";

interface ReportsPageProps {
  search: WordsSearch;
  onSearch: (search: WordsSearch) => void;
  linkTo: (report: ReportRow) => ReactNode;
  /** Link to a new report. */
  begin: ReactNode;
  /** Action of the empty list. */
  start: ReactNode;
  /** Link to the comparison of the two reports. */
  compare: (older: string, newer: string) => ReactNode;
}

/** List of published reports, newest first. */
export function ReportsPage({ search, onSearch, linkTo, begin, start, compare }: ReportsPageProps) {
  useDocumentTitle("Reports · Stowage");
  const words = useListSearch(search, onSearch);
  const list = useRows(reportList(words.asked), (page) => page.reports);
  const [picked, setPicked] = useState<readonly string[]>([]);
  return (
    <section className="card centered" style={{ maxWidth: 960 }} aria-labelledby="reports">
      <ListHead id="reports" title="Reports">
        <SearchBox
          aria-label="Search the reports"
          placeholder="Title, sentence, author or what it is of"
          {...words.field}
        />
        {begin}
      </ListHead>
      <List
        {...list}
        kept="What was published is kept."
        label={{ "aria-label": "Published reports" }}
        className={classes.list}
        filter={words.filter("report", "Show all reports")}
        empty={
          <>
            <p>
              A report is a plan, a sweep or a run made to be read by others: frozen when it is published, to be shared,
              printed and compared with a later one.
            </p>
            {start}
          </>
        }
        row={(report) => (
          <Entry
            key={report.id}
            report={report}
            link={linkTo(report)}
            comparable={(list.rows?.length ?? 0) > 1}
            picked={picked.includes(report.id)}
            onPick={() => setPicked(pickedNext(picked, report.id))}
          />
        )}
      />
      {list.rows !== undefined && <Comparing picked={picked} found={list.rows} compare={compare} />}
    </section>
  );
}

/** At most two are selected; a third replaces the one selected first. */
function pickedNext(picked: readonly string[], id: string): string[] {
  return picked.includes(id) ? picked.filter((each) => each !== id) : [...picked, id].slice(-2);
}

interface ComparingProps {
  picked: readonly string[];
  found: readonly ReportRow[];
  compare: ReportsPageProps["compare"];
}

function Comparing({ picked, found, compare }: ComparingProps) {
  // The list is sorted newest first, regardless of the order of selection.
  const [newer, older] = found.filter(({ id }) => picked.includes(id));
  if (newer === undefined) return null;
  return (
    <Group gap="sm" className={classes.comparing}>
      {older === undefined ? (
        <span className="dim">Tick another one to compare the two.</span>
      ) : (
        <>
          <span>
            <Plain text={older.title} /> → <Plain text={newer.title} />
          </span>
          {compare(older.id, newer.id)}
        </>
      )}
    </Group>
  );
}

interface EntryProps {
  report: ReportRow;
  link: ReactNode;
  /** Whether there is another report to compare with. */
  comparable: boolean;
  picked: boolean;
  onPick: () => void;
}

function Entry({ report, link, comparable, picked, onPick }: EntryProps) {
  const mayWrite = useMay("reports.write");
  const removing = useReportRemoval(report);
  const { title, sentence, kind, names, author, made_at, replaced_by, comments, approval, since } = report;
  const facts = [
    names.length === 0 ? KIND_WORDS[kind] : `${KIND_WORDS[kind]}: ${names.join(", ")}`,
    `by ${author}`,
    moment(made_at),
    ...(approval === "requested" ? ["approval requested"] : approval === null ? [] : [approval]),
    ...(comments > 0 ? [counted(comments, "comment")] : []),
    ...(replaced_by === null ? [] : ["a newer one is there"]),
  ];
  return (
    <li data-old={replaced_by !== null || undefined}>
      <div className={classes.entry}>
        <div className="strong wraps">{link}</div>
        <p className={classes.sentence}>
          <Plain text={sentence} />
        </p>
        <div className="dim small wraps">
          <Plain text={facts.join(" · ")} />
        </div>
        {since !== null && (
          <div className="small strong wraps">
            <Plain text={since} />
          </div>
        )}
        {removing.error !== null && <ProblemNotice error={removing.error} kept="The report is kept." />}
      </div>
      <Group gap={4} wrap="nowrap" className={`${classes.actions} no-print`}>
        {comparable && (
          <label className={classes.pick}>
            <input type="checkbox" checked={picked} onChange={onPick} aria-label={`Compare “${title}”`} /> Compare
          </label>
        )}
        {mayWrite && (
          <RowAction label={`Delete “${title}”`} change={removing}>
            Delete
          </RowAction>
        )}
      </Group>
    </li>
  );
}
