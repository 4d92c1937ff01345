import { Group } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import type { SweepSummaryAnswer } from "@/api/generated";
import { isUnderway, sweepList } from "@/api/planning/sweeps";
import { useMay } from "@/api/teams/session";
import { count, counted, moment } from "@/lib/wording";
import { stateWord } from "@/ui/feedback/JobProgress";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { NameForm } from "@/ui/forms/NameForm";
import { List, ListHead } from "@/ui/list/List";
import { RowAction } from "@/ui/list/RowAction";
import { useRows } from "@/ui/list/useRows";
import { QUANTITIES } from "./quantities";
import classes from "./SweepsPage.module.css";
import { useSweepChanges } from "./useSweepChanges";

interface SweepsPageProps {
  linkTo: (sweep: SweepSummaryAnswer) => ReactNode;
  /** Link to a new sweep. */
  begin: ReactNode;
  /** Examples, ready to start, if there are no sweeps. */
  examples: ReactNode;
}

/** List of the sweeps, newest first, each with its progress. */
export function SweepsPage({ linkTo, begin, examples }: SweepsPageProps) {
  useDocumentTitle("Scenarios · Stowage");
  const list = useRows(sweepList(), (page) => page.sweeps);
  return (
    <section className="card centered" aria-labelledby="sweeps">
      <ListHead id="sweeps" title="Scenarios">
        {begin}
      </ListHead>
      <List
        {...list}
        kept="What was computed is kept."
        label={{ "aria-label": "Scenarios" }}
        className={`columned ${classes.list}`}
        empty={
          <>
            <p>
              A sweep compares scenarios over two variables: which configuration wins where, and at what cost. No sweep
              is saved here yet.
            </p>
            {examples}
          </>
        }
        row={(sweep) => <Entry key={sweep.id} sweep={sweep} link={linkTo(sweep)} />}
      />
    </section>
  );
}

function Entry({ sweep, link }: { sweep: SweepSummaryAnswer; link: ReactNode }) {
  const [naming, setNaming] = useState(false);
  const { rename, deleting } = useSweepChanges(sweep);
  const { columns, rows, job } = sweep;
  const mayWrite = useMay("plans.write");
  return (
    <li>
      <div>
        {naming ? (
          <NameForm name={sweep.name} onRename={rename} onEnd={() => setNaming(false)} />
        ) : (
          <div className="strong wraps">{link}</div>
        )}
        <div className="dim small">
          {QUANTITIES[columns.quantity].label} ({columns.values.length}) by {QUANTITIES[rows.quantity].in_text} (
          {rows.values.length}) · {moment(sweep.created_at)} · catalog {sweep.catalog_version}
        </div>
        {deleting.error !== null && <ProblemNotice error={deleting.error} kept="The sweep is kept." />}
      </div>
      <div>
        <span className="small">
          {job.state === "done" ? counted(job.total, "cell") : `${count(job.done)} of ${counted(job.total, "cell")}`},{" "}
          {stateWord(job)}
        </span>
        {isUnderway(job) && <progress max={job.total} value={job.done} aria-label={`Progress of ${sweep.name}`} />}
      </div>
      {mayWrite && (
        <Group gap={4} wrap="nowrap" className="no-print">
          <RowAction label={`Rename “${sweep.name}”`} change={{ mutate: () => setNaming(!naming) }}>
            Rename
          </RowAction>
          <RowAction label={`Delete “${sweep.name}”`} change={deleting}>
            Delete
          </RowAction>
        </Group>
      )}
    </li>
  );
}
