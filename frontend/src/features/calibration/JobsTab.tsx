import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import {
  type CalibrationRow,
  fitFramework,
  keepFinishedJobs,
  restoreFinishedJob,
  withdrawFinishedJob,
} from "@/api/generated";
import {
  calibrations as calibrationsQuery,
  finishedJobs,
  type JobRow,
  jobsKey,
  type KeptJobs,
} from "@/api/measurements/calibrations";
import { useMay } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { counted, duration, moment, percent } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { CopyText } from "@/ui/CopyText";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Refusal } from "@/ui/feedback/Refusal";
import { useUndo } from "@/ui/feedback/Undo";
import { linkToJob } from "@/ui/links/objects";
import { RowAction } from "@/ui/list/RowAction";
import { Term } from "@/ui/Term";
import classes from "./Calibration.module.css";

interface JobsTabProps {
  /** Upload of framework logs. */
  chooseLogs: ReactNode;
  onCalibrated: (id: string) => void;
}

const EXAMPLE = `name,job,framework,instance,nodes,data,input_output,measured_s
small,sort,ours,i3.8xlarge,5,1 TB,instance-store,610
medium,sort,ours,i3.8xlarge,10,2 TB,instance-store,655
large,sort,ours,i3.8xlarge,20,4 TB,instance-store,720`;

/** Finished jobs, and calibrations of frameworks. */
export function JobsTab({ chooseLogs, onCalibrated }: JobsTabProps) {
  const mayWrite = useMay("measurements.write");
  const jobs = useQuery(finishedJobs());
  const fits = useQuery(calibrationsQuery());
  const found = jobs.data?.jobs ?? [];
  const fewest = fits.data?.fewest_jobs ?? 0;
  return (
    <Stack>
      {(jobs.error ?? fits.error) !== null && (
        <ProblemNotice
          error={jobs.error ?? fits.error}
          kept="The runs are kept."
          onRetry={() => void Promise.all([jobs.refetch(), fits.refetch()])}
        />
      )}
      <Card id="calibrations" title="Calibrations">
        {fits.isPending && <Skeleton height={60} role="status" aria-label="Reading the calibrations" />}
        {fits.data?.calibrations.length === 0 && (
          <p className="lead">
            A <Term of="calibration">calibration</Term> learns from your finished jobs how far a framework stays from
            the <Term of="physicalLimit">physical limit</Term>, and predicts large runs from small ones.{" "}
            {found.length === 0 ? "It begins with runs, below." : ""}
          </p>
        )}
        <ul className="bare ruled rows" aria-labelledby="calibrations">
          {fits.data?.calibrations.map((row) => (
            <Fit key={row.id} row={row} />
          ))}
        </ul>
        {mayWrite &&
          fits.data?.frameworks.map(({ framework, jobs: runs }) => (
            <Calibrate key={framework} framework={framework} runs={runs} fewest={fewest} onCalibrated={onCalibrated} />
          ))}
      </Card>
      <Card id="jobs" title="Finished jobs">
        {jobs.isPending && <Skeleton height={100} role="status" aria-label="Reading the finished jobs" />}
        {jobs.data !== undefined && found.length === 0 && (
          <p className="lead">
            Runs come from a framework's own log, or as a table, one a line: what ran, on what, how long it took. More
            columns are allowed; those named<code> phase:NAME</code> are times of phases.
          </p>
        )}
        {mayWrite && <Runs first={found.length === 0} />}
        {mayWrite && <div className={`${classes.logs} no-print`}>{chooseLogs}</div>}
        <ul className="bare ruled rows" aria-labelledby="jobs">
          {found.map((job) => (
            <Job key={job.id} job={job} mayWrite={mayWrite} />
          ))}
        </ul>
      </Card>
    </Stack>
  );
}

function Fit({ row }: { row: CalibrationRow }) {
  const {
    id,
    framework,
    runs,
    median_error_before_pct: before,
    median_error_pct: after,
    created_at,
    person,
    current,
  } = row;
  return (
    <li>
      <div>
        <strong>
          <Link to="/benchmarks/calibrations/$calibrationId" params={{ calibrationId: id }}>
            {framework}
          </Link>
        </strong>
        <div className="dim small">
          {counted(runs, "run")} · {moment(created_at)} by {person} ·{" "}
          {current ? "plans take it" : "a newer one is taken"}
        </div>
      </div>
      <div>
        off by <strong>{percent(after / 100)}</strong> in the median, {percent(before / 100)} without it
      </div>
    </li>
  );
}

interface CalibrateProps {
  framework: string;
  runs: number;
  /** Minimum number of jobs for a calibration. */
  fewest: number;
  onCalibrated: (id: string) => void;
}

function Calibrate({ framework, runs, fewest, onCalibrated }: CalibrateProps) {
  const fitting = useChange(
    () => fitFramework({ body: { framework } }),
    [jobsKey()],
    ({ id }) => onCalibrated(id),
  );
  return (
    <div className={classes.act}>
      <Group gap={8} mt={4} align="stretch">
        <Button
          variant="default"
          size="compact-sm"
          disabled={runs < fewest}
          loading={fitting.isPending}
          onClick={() => fitting.mutate()}
        >
          Calibrate “{framework}” on {counted(runs, "run")}
        </Button>
        {runs < fewest && <span className="dim small">from {counted(fewest, "run")} on</span>}
      </Group>
      <Refusal error={fitting.error} kept="The runs are kept." />
    </div>
  );
}

function Job({ job, mayWrite }: { job: JobRow; mayWrite: boolean }) {
  const client = useQueryClient();
  const undo = useUndo();
  const refresh = () => client.invalidateQueries({ queryKey: jobsKey() });
  const withdrawing = useMutation({
    mutationFn: () => withdrawFinishedJob({ path: { finished_job_id: job.id } }),
    onSuccess: async () => {
      await refresh();
      undo({
        words: `“${job.name}” is withdrawn.`,
        undo: () => restoreFinishedJob({ path: { finished_job_id: job.id } }).then(refresh),
      });
    },
  });
  return (
    <li>
      <div>
        <strong>{linkToJob(job.id, job.name)}</strong>
        <div className="dim small">
          {job.job} of {job.data} by {job.framework} on {job.nodes} × {job.instance}, {job.input_output}
        </div>
        <Refusal error={withdrawing.error} kept="The run is kept." />
      </div>
      <div>
        <span title={`${job.measured_s} s`}>{duration(job.measured_s)}</span>
        {mayWrite && (
          <RowAction label={`Withdraw “${job.name}”`} change={withdrawing} className="no-print">
            Withdraw
          </RowAction>
        )}
      </div>
    </li>
  );
}

/** Import of a table of finished jobs. */
function Runs({ first }: { first: boolean }) {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState<KeptJobs | null>(null);
  const keeping = useMutation({
    mutationFn: (file: File) => keepFinishedJobs({ body: file }),
    onSuccess: async (kept) => {
      setSaid(kept);
      await client.invalidateQueries({ queryKey: jobsKey() });
    },
  });
  return (
    <div className={`${classes.act} no-print`}>
      <Group gap={8} mt={4} align="stretch">
        <Button
          size="compact-sm"
          variant={first ? "filled" : "default"}
          loading={keeping.isPending}
          onClick={() => input.current?.click()}
        >
          Add runs from a CSV file
        </Button>
        <CopyText label="Copy an example table" done="The example is copied." text={() => EXAMPLE} variant="subtle" />
      </Group>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label="Table of finished jobs"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) keeping.mutate(file);
          // Allows the same file to be chosen again.
          event.currentTarget.value = "";
        }}
      />
      <Refusal error={keeping.error} kept="No run was added." />
      <span role="status">{said === null ? "" : `${counted(said.kept.length, "run is", "runs are")} added.`}</span>
      {said !== null && said.problems.length > 0 && (
        <Notice tone="warn" title={`${counted(said.problems.length, "line was", "lines were")} not added.`}>
          <ul className="bare">
            {said.problems.slice(0, 20).map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                Line {line}: {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}
