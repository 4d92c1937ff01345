import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Run, type RunEvent, runLog } from "@/api/runs/runs";
import classes from "@/features/runs/Runs.module.css";
import { Card } from "@/ui/Card";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { sentence } from "@/ui/feedback/Refusal";
import { ShowMore } from "@/ui/list/List";

/** Number of events that come with a run. */
const SHOWN = 100;
/** Number of entries shown at first. */
const AT_FIRST = 20;

/** Events, newest first; older ones on demand. */
export function Log({ run }: { run: Run }) {
  const [all, setAll] = useState(false);
  const [whole, setWhole] = useState(false);
  const query = useInfiniteQuery({ ...runLog(run.id), enabled: whole });
  const events = withNewest(query.data?.pages.flatMap((page) => page.events) ?? [], run.log);
  if (run.log.length === 0) return null;
  return (
    <Card id="log" title="Log">
      {query.error !== null && <ProblemNotice error={query.error} kept="The newest entries are below." />}
      <ol className={`bare ${classes.log}`} aria-labelledby="log" reversed>
        {(all ? events : events.slice(-AT_FIRST)).toReversed().map((event) => (
          <li key={event.id} data-kind={event.kind}>
            <time dateTime={event.at} className="dim small">
              {clock(event.at)}
            </time>
            <span>{sentence(event.words)}</span>
          </li>
        ))}
      </ol>
      {!all && events.length > AT_FIRST && (
        <Button variant="subtle" size="compact-xs" onClick={() => setAll(true)}>
          Show {events.length - AT_FIRST} older entries
        </Button>
      )}
      {all && !whole && run.log.length >= SHOWN && (
        <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
          Show it from the beginning
        </Button>
      )}
      {whole && (
        <ShowMore query={query} variant="subtle" size="compact-xs">
          Read more of it
        </ShowMore>
      )}
    </Card>
  );
}

/** Merge older events with those of the run, without duplicates, in order. */
export function withNewest(read: readonly RunEvent[], newest: readonly RunEvent[]): RunEvent[] {
  const byId = new Map([...read, ...newest].map((event) => [event.id, event]));
  return [...byId.values()].toSorted((a, b) => a.id - b.id);
}

/** `10:02:07`, in the reader's time zone. */
function clock(isoTime: string): string {
  const date = new Date(isoTime);
  if (Number.isNaN(date.getTime())) return isoTime;
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}
