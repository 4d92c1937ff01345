import { Button, Skeleton, Stack, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type AuditRow, record, recordFile } from "@/api/teams/record";
import { useAheadText } from "@/lib/useAhead";
import { counted, moment } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import form from "@/ui/forms/Form.module.css";
import classes from "./AuditPage.module.css";
import { changeWords } from "./changes";
import { LONGEST_SEARCH, type RecordSearch, recordSearchFrom } from "./search";

interface AuditPageProps {
  search: RecordSearch;
  onSearch: (search: RecordSearch) => void;
}

/** Who did what to which object, when, from where; newest first. */
export function AuditPage({ search, onSearch }: AuditPageProps) {
  useDocumentTitle("Record · Stowage");
  const asked = (search.search ?? "").trim();
  const [text, setText] = useAheadText(search.search ?? "", (next) => onSearch(recordSearchFrom({ search: next })));
  const query = useInfiniteQuery(record(asked));
  const events = query.data?.pages.flatMap((page) => page.events);
  return (
    <section className={`card ${form.page}`} style={{ display: "block" }} aria-labelledby="record">
      <div className={classes.head}>
        <h1 id="record">Record</h1>
        <div className={`${classes.tools} no-print`}>
          <TextInput
            type="search"
            aria-label="Search the record"
            placeholder="Who, what or from where"
            value={text}
            maxLength={LONGEST_SEARCH}
            autoComplete="off"
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button variant="default" component="a" href={recordFile()} download>
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
          kept={events === undefined ? "The record is kept." : "The lines below are the last ones read."}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && (
        <Stack gap="xs" role="status" aria-label="Reading the record">
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
              Show the whole record
            </Button>
          </div>
        ))}
      {events !== undefined && events.length > 0 && (
        <ol className={classes.list} aria-labelledby="record" data-stale={query.isPlaceholderData || undefined}>
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
