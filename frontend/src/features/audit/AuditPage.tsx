import { Button, Skeleton, Stack, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type AuditRow, auditFile, auditLog } from "@/api/teams/audit";
import { useAheadText } from "@/lib/useAhead";
import { counted, moment } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import form from "@/ui/forms/Form.module.css";
import classes from "./AuditPage.module.css";
import { changeWords } from "./changes";
import { type AuditSearch, auditSearchFrom, LONGEST_SEARCH } from "./search";

interface AuditPageProps {
  search: AuditSearch;
  onSearch: (search: AuditSearch) => void;
}

/** The audit log, newest first. */
export function AuditPage({ search, onSearch }: AuditPageProps) {
  useDocumentTitle("Audit log · Stowage");
  const asked = (search.search ?? "").trim();
  const [text, setText] = useAheadText(search.search ?? "", (next) => onSearch(auditSearchFrom({ search: next })));
  const query = useInfiniteQuery(auditLog(asked));
  const events = query.data?.pages.flatMap((page) => page.events);
  return (
    <section className={`card ${form.page}`} style={{ display: "block" }} aria-labelledby="audit-log">
      <div className={classes.head}>
        <h1 id="audit-log">Audit log</h1>
        <div className={`${classes.tools} no-print`}>
          <TextInput
            type="search"
            aria-label="Search the audit log"
            placeholder="Who, what or from where"
            value={text}
            maxLength={LONGEST_SEARCH}
            autoComplete="off"
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button variant="default" component="a" href={auditFile()} download>
            Export as CSV
          </Button>
        </div>
      </div>
      <p className="dim" style={{ marginTop: 0 }}>
        What was done in this team. Entries cannot be changed or deleted, not even by owners.
      </p>
      {query.error !== null && (
        <ProblemNotice
          error={query.error}
          kept={events === undefined ? "The audit log is unchanged." : "The lines below are the last ones read."}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && (
        <Stack gap="xs" role="status" aria-label="Loading the audit log">
          {[1, 2, 3, 4].map((line) => (
            <Skeleton key={line} height={32} />
          ))}
        </Stack>
      )}
      {events?.length === 0 &&
        (asked === "" ? (
          <p>Nothing has happened yet. The first saved plan will be listed here.</p>
        ) : (
          <div>
            <p>No line holds all of “{asked}”.</p>
            <Button variant="default" onClick={() => setText("")}>
              Show the whole audit log
            </Button>
          </div>
        ))}
      {events !== undefined && events.length > 0 && (
        <ol className={classes.list} aria-labelledby="audit-log" data-stale={query.isPlaceholderData || undefined}>
          {events.map((event) => (
            <Line key={event.id} event={event} />
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button
          variant="default"
          size="compact-sm"
          mt="sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older ones
        </Button>
      )}
      <span className="spoken" role="status">
        {events === undefined || asked === "" || query.isPlaceholderData
          ? ""
          : `${counted(events.length, "line")} found`}
      </span>
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
      <div className={`dim small ${classes.from}`} title={request_id === null ? undefined : `Request ${request_id}`}>
        {address === null ? "" : `from ${address}`}
      </div>
    </li>
  );
}
