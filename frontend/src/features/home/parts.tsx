// Parts of the home page besides savings. Each entry is one line with its link.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type {
  ChangedPlansAnswer,
  NewResultsRow,
  OpenRunRow,
  OpenRunsAnswer,
  RecentEventRow,
  RecentReportRow,
} from "@/api/generated";
import { counted, moment, usd } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { linkToPlan, linkToReport, linkToRun } from "@/ui/links/objects";
import { Mark } from "@/ui/values/Mark";
import classes from "./HomePage.module.css";

interface RowProps {
  what: ReactNode;
  /** Date and source. */
  when: ReactNode;
}

/** One line of a part: what it is, and its date. */
function Row({ what, when }: RowProps) {
  return (
    <li className={classes.row}>
      <div className={classes.what}>{what}</div>
      <div className="dim small">{when}</div>
    </li>
  );
}

interface PartProps {
  id: string;
  title: string;
  /** Content if there are no rows. */
  empty: ReactNode;
  rows: readonly ReactNode[];
  /** Link to all of them. */
  all?: ReactNode;
}

/** Part of the page: a list, or a sentence why it is empty. */
export function Part({ id, title, empty, rows, all }: PartProps) {
  return (
    <Card id={id} title={title}>
      {rows.length === 0 ? <p className="dim line">{empty}</p> : <ul className="bare ruled">{rows}</ul>}
      {all !== undefined && <p className="small line">{all}</p>}
    </Card>
  );
}

/** Watched plans whose answer changed. */
export function Changed({ changed }: { changed: ChangedPlansAnswer }) {
  const { rows, size, watched } = changed;
  return (
    <Part
      id="changed"
      title="Changed answers"
      empty={
        watched === 0
          ? "No plan is watched. Open a saved plan and watch it to hear when its answer changes."
          : `${counted(watched, "plan is", "plans are")} watched; no answer changed.`
      }
      rows={rows.map(({ plan_id, name, words, at, direction }) => (
        <Row
          key={plan_id}
          what={
            <>
              {linkToPlan(plan_id, name)}{" "}
              {direction === "regression" && (
                <Mark glyph="▲" tone="bad">
                  worse
                </Mark>
              )}
              {direction === "improvement" && (
                <Mark glyph="▼" tone={undefined}>
                  better
                </Mark>
              )}
              <div>{words}</div>
            </>
          }
          when={moment(at)}
        />
      ))}
      all={
        size > 0 && (
          <Link to="/benchmarks" search={{ tab: "changes" }}>
            {size > rows.length ? `All ${size} changes` : "Mark as seen under Changes"}
          </Link>
        )
      }
    />
  );
}

/** Runs that await approval or cost money. */
export function Runs({ runs }: { runs: OpenRunsAnswer }) {
  const { rows, awaiting, in_progress } = runs;
  return (
    <Part
      id="runs"
      title="Benchmark runs"
      empty="No run awaits approval, and none costs money now."
      rows={rows.map((run) => (
        <Row
          key={run.id}
          what={
            <>
              {linkToRun(run)}: {runWords(run)}
            </>
          }
          when={`by ${run.person}, ${moment(run.created_at)}`}
        />
      ))}
      all={
        awaiting + in_progress > rows.length && (
          <Link to="/benchmarks/runs">All {counted(awaiting + in_progress, "run")}</Link>
        )
      }
    />
  );
}

function runWords({ state, quoted_usd, spent_usd, usd_per_hour, until }: OpenRunRow): ReactNode {
  if (state === "quoted") {
    return (
      <>
        <Mark glyph="○" tone="warn">
          awaits approval
        </Mark>{" "}
        of at most {usd(quoted_usd)}, until {moment(until)}
      </>
    );
  }
  return `${usd(spent_usd)} so far, ${usd(usd_per_hour)} an hour; ends by ${moment(until)}, at most ${usd(quoted_usd)}`;
}

/** Results that were kept lately, with the plans that they may change. */
export function Results({ results }: { results: readonly NewResultsRow[] }) {
  return (
    <Part
      id="results"
      title="New benchmark results"
      empty="None in the last 30 days. Predictions use your own results where they are newer than published ones."
      rows={results.map(({ upload_id, file, person, at, results: kept, instances, plans }) => (
        <Row
          key={upload_id}
          what={
            <>
              <Link to="/benchmarks" search={{ tab: "list" }}>
                {file}
              </Link>
              : {counted(kept, "result")}
              {instances.length > 0 && ` of ${instancesWords(instances)}`}
              {plans !== null &&
                plans > 0 &&
                `; the ${plans === 1 ? "winner" : "winners"} of ${counted(plans, "saved plan")} may change`}
            </>
          }
          when={`by ${person}, ${moment(at)}`}
        />
      ))}
    />
  );
}

const NAMED = 3;

function instancesWords(instances: readonly string[]): string {
  const named = instances.slice(0, NAMED).join(", ");
  return instances.length > NAMED ? `${named} and ${instances.length - NAMED} more` : named;
}

/** Reports published lately. */
export function Reports({ reports }: { reports: readonly RecentReportRow[] }) {
  return (
    <Part
      id="reports"
      title="Recent reports"
      empty="None yet. A saved plan becomes a report in one click."
      rows={reports.map(({ id, name, sentence, author, created_at }) => (
        <Row
          key={id}
          what={
            <>
              {linkToReport(id, name)}
              <div className={`dim ${classes.brief}`} title={sentence}>
                {sentence}
              </div>
            </>
          }
          when={`by ${author}, ${moment(created_at)}`}
        />
      ))}
    />
  );
}

/** Newest changes in the audit log. */
export function Activity({ activity }: { activity: readonly RecentEventRow[] }) {
  return (
    <Part
      id="activity"
      title="Recent activity"
      empty=""
      rows={activity.map(({ at, sentence }) => <Row key={`${at} ${sentence}`} what={sentence} when={moment(at)} />)}
      all={<Link to="/settings/audit-log">Audit log</Link>}
    />
  );
}
