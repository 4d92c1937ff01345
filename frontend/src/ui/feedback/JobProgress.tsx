import { Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { isEnded, type Job } from "@/api/jobs";
import { parts } from "@/api/teams/teams";
import { remaining_s, roughly, type Sample, sampled } from "@/lib/progress";
import { useNow } from "@/lib/useNow";
import { count, duration } from "@/lib/wording";
import classes from "./JobProgress.module.css";
import { Notice } from "./Notice";
import { ProblemNotice } from "./ProblemNotice";

interface JobProgressProps {
  job: Job;
  /** Units of work: `cells`. */
  units: string;
  /** Description of the work in progress: `ranking the configurations of each cell`. */
  doing: string;
  /** Responsible part of the service, as named in its readiness response. */
  part: "worker" | "worker-quick" | "worker-refresh";
  /** Cancel and retry; undefined without the permission. */
  onCancel?: (() => void) | undefined;
  onRetry?: (() => void) | undefined;
  asking: boolean;
  error: Error | null;
  /** Result that survives an incomplete job (default: the number of stored units). */
  kept?: string;
  /** Actions after completion. */
  actions?: ReactNode;
}

/** Render the progress of a background job with its remaining time, and cancel and retry buttons. */
export function JobProgress(props: JobProgressProps) {
  const { job, units, doing, part, onCancel, onRetry, asking, error, kept = keptWords(job, units), actions } = props;
  const share = job.total === 0 ? 0 : job.done / job.total;
  const ended = isEnded(job);
  return (
    <Stack gap={6}>
      <div className={classes.line}>
        <StateWords job={job} units={units} doing={doing} kept={props.kept} />
        <Group gap="xs" className="no-print">
          {!ended && onCancel !== undefined && (
            <Button variant="default" size="compact-sm" disabled={asking} onClick={onCancel}>
              Cancel
            </Button>
          )}
          {job.state === "cancelled" && onRetry !== undefined && (
            <Button size="compact-sm" disabled={asking} onClick={onRetry}>
              Run the rest
            </Button>
          )}
          {job.state === "failed" && onRetry !== undefined && (
            <Button size="compact-sm" disabled={asking} onClick={onRetry}>
              Try again
            </Button>
          )}
          {ended && actions}
        </Group>
      </div>
      {job.state !== "done" && (
        <div
          className={classes.track}
          data-state={job.state}
          role="progressbar"
          aria-label={`Progress: ${units}`}
          aria-valuemin={0}
          aria-valuemax={job.total}
          aria-valuenow={job.done}
          aria-valuetext={`${count(job.done)} of ${count(job.total)} ${units}`}
        >
          <span style={{ width: `${(100 * share).toFixed(2)}%` }} />
        </div>
      )}
      {job.state === "queued" && <NoWorker part={part} />}
      {job.state === "failed" && (
        <Notice tone="bad" title="It did not come to its end.">
          <p style={{ margin: "4px 0 0" }}>
            {job.reason ?? "The reason is unknown."} {kept}
            {job.reference !== null && (
              <>
                {" "}
                Reference <code>{job.reference}</code>.
              </>
            )}
          </p>
        </Notice>
      )}
      {error !== null && <ProblemNotice error={error} kept={props.kept ?? "What is computed is kept."} />}
      <span className="spoken" role="status">
        {ended ? `${stateWord(job)}: ${count(job.done)} of ${count(job.total)} ${units}` : ""}
      </span>
    </Stack>
  );
}

/** Return the state of a job as a word. */
export function stateWord({ state }: Pick<Job, "state">): string {
  const words = { queued: "waiting", running: "running", done: "done", failed: "failed", cancelled: "cancelled" };
  return words[state];
}

function keptWords({ done, total }: Job, units: string): string {
  return `${count(done)} of ${count(total)} ${units} are kept.`;
}

type StateWordsProps = Pick<JobProgressProps, "job" | "units" | "doing"> & { kept: string | undefined };

function StateWords({ job, units, doing, kept }: StateWordsProps) {
  const now_ms = useNow(!isEnded(job));
  const left_s = useRemaining(job, now_ms);
  const far = `${count(job.done)} of ${count(job.total)} ${units}`;
  if (job.state === "queued") {
    return (
      <p>
        <strong>Waiting for a worker.</strong> {far} so far.
      </p>
    );
  }
  if (job.state === "running") {
    const elapsed_s = sinceStart_s(job, now_ms);
    return (
      <p>
        <strong>{far}</strong>: {doing}.{" "}
        <span className="dim">
          {elapsed_s === null ? "" : `${duration(Math.max(1, Math.round(elapsed_s)))} so far`}
          {left_s === null ? "" : `, ${roughly(left_s)} to go`}
        </span>
      </p>
    );
  }
  if (job.state === "done") {
    const took_s = sinceStart_s(job, Date.parse(job.finished_at ?? ""));
    return (
      <p>
        <strong>Done</strong>: {count(job.total)} {units}
        {took_s === null ? "" : ` in ${duration(Math.max(0.1, took_s))}`}.
      </p>
    );
  }
  if (job.state === "failed") return <p>Failed after {far}.</p>;
  return (
    <p>
      <strong>Cancelled</strong>
      {kept === undefined ? `: what is below is partial. ${keptWords(job, units)}` : `. ${kept}`}
    </p>
  );
}

function sinceStart_s(job: Job, now_ms: number): number | null {
  const started_ms = Date.parse(job.started_at ?? "");
  const seconds = (now_ms - started_ms) / 1_000;
  // Clocks of client and server may differ: clip to zero.
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** Estimate the remaining time from the progress since the page was opened [s]. */
function useRemaining({ state, done, total }: Job, now_ms: number): number | null {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const running = state === "running";
  useEffect(() => {
    setSamples((before) => (running ? sampled(before, { done, at_ms: Date.now() }) : []));
  }, [running, done]);
  return running ? remaining_s(samples, total, now_ms) : null;
}

const LOOK_EVERY_MS = 5_000;

/** Render a warning if no worker is running. */
function NoWorker({ part }: Pick<JobProgressProps, "part">) {
  const { data } = useQuery({ ...parts, refetchInterval: LOOK_EVERY_MS });
  const found = data?.parts.find(({ name }) => name === part);
  if (found === undefined || found.status === "ok") return null;
  return (
    <Notice tone="warn" title="No worker runs now.">
      <p style={{ margin: "4px 0 0" }}>
        It is kept, and begins when a worker is there. <code>stowage up</code> starts one; <code>stowage worker</code>{" "}
        is one by itself.
      </p>
    </Notice>
  );
}
