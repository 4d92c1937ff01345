import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { AuditRow } from "@/api/generated";
import { auditFile, auditLog } from "@/api/teams/audit";
import { counted, moment } from "@/lib/wording";
import type { WordsSearch } from "@/lib/wordsSearch";
import { List, ListHead, SearchBox, useListSearch } from "@/ui/list/List";
import { useRows } from "@/ui/list/useRows";
import classes from "./AuditPage.module.css";
import { changeWords } from "./changes";

interface AuditPageProps {
  search: WordsSearch;
  onSearch: (search: WordsSearch) => void;
}

/** The audit log, newest first. */
export function AuditPage({ search, onSearch }: AuditPageProps) {
  useDocumentTitle("Audit log · Stowage");
  const words = useListSearch(search, onSearch);
  const list = useRows(auditLog(words.asked), (page) => page.events);
  return (
    <section className="card centered" aria-labelledby="audit-log">
      <ListHead id="audit-log" title="Audit log">
        <div className={`${classes.tools} no-print`}>
          <SearchBox aria-label="Search the audit log" placeholder="Who, what or from where" {...words.field} />
          <Button variant="default" component="a" href={auditFile()} download>
            Export as CSV
          </Button>
        </div>
      </ListHead>
      <p className="dim" style={{ marginTop: 0 }}>
        What was done in this team. Entries cannot be changed or deleted, not even by owners.
      </p>
      <List
        ordered
        {...list}
        kept="The audit log is unchanged."
        label={{ "aria-labelledby": "audit-log" }}
        className={`columned ${classes.list}`}
        filter={{
          ...words.filter("line", "Show the whole audit log"),
          found: (rows) => `${counted(rows, "line")} found`,
        }}
        empty={<p>Nothing has happened yet. The first saved plan will be listed here.</p>}
        row={(event) => <Line key={event.id} event={event} />}
      />
    </section>
  );
}

function Line({ event }: { event: AuditRow }) {
  const { at, sentence, changes, address, request_id } = event;
  const words = changeWords(changes);
  return (
    <li>
      <time className="dim" dateTime={at}>
        {moment(at)}
      </time>
      <div>
        {sentence}
        {words !== "" && <div className="dim small">{words}</div>}
      </div>
      <div className="end dim small" title={request_id === null ? undefined : `Request ${request_id}`}>
        {address === null ? "" : `from ${address}`}
      </div>
    </li>
  );
}
