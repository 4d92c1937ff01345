import { Button, Checkbox, Skeleton } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type JobRow, jobsKey, keepLoggedJobs, type LoggedJob, loggedJobs } from "@/api/measurements/calibrations";
import { discard, type Upload, upload as uploadQuery, uploadsKey } from "@/api/measurements/uploads";
import { measuredWords } from "@/lib/measured";
import { counted, duration, moment } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { Scroller } from "@/ui/table/Table";
import classes from "./Calibration.module.css";
import { ClusterForm } from "./ClusterForm";
import { type ClusterDraft, type ClusterProblems, clusterDraft, clusterOf, lackingOf } from "./logCluster";

interface LogReviewProps {
  upload: Upload;
  /** Called with the added finished jobs. */
  onKept: (jobs: readonly JobRow[]) => void;
}

const FRAMEWORKS: Record<LoggedJob["source"], string> = { spark: "Spark", mapreduce: "MapReduce", ray: "Ray" };

/** Review of a log's finished jobs: parsed values, missing details, and the choice of what to store. */
export function LogReview({ upload, onKept }: LogReviewProps) {
  const query = useQuery(loggedJobs(upload.id));
  if (query.data === undefined) {
    return query.error === null ? (
      <Skeleton height={220} role="status" aria-label={`Loading the jobs of ${upload.name}`} />
    ) : (
      <ProblemNotice error={query.error} kept="The file is kept for a day." onRetry={() => void query.refetch()} />
    );
  }
  return <Jobs upload={upload} jobs={query.data} onKept={onKept} />;
}

function Jobs({ upload, jobs, onKept }: LogReviewProps & { jobs: readonly LoggedJob[] }) {
  const client = useQueryClient();
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [draft, setDraft] = useState<ClusterDraft>(() => clusterDraft(jobs));
  const [asked, setAsked] = useState(false);
  const chosen = jobs.filter(({ position }) => !left.has(position));
  const lacking = lackingOf(chosen);
  const { cluster, problems } = clusterOf(draft, lacking);
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: [...uploadsKey(), "list"] });
    // The upload is deleted, and must not be requested again.
    client.removeQueries({ queryKey: uploadQuery(upload.id).queryKey });
  };
  const keeping = useMutation({
    mutationFn: () => {
      if (cluster === null) throw new Error("the form is not complete");
      return keepLoggedJobs(
        upload.id,
        chosen.map(({ position }) => position),
        cluster,
      );
    },
    onSuccess: async ({ kept }) => {
      onKept(kept);
      await Promise.all([refresh(), client.invalidateQueries({ queryKey: jobsKey() })]);
    },
  });
  const discarding = useMutation({ mutationFn: () => discard(upload.id), onSuccess: refresh });
  const id = `log-${upload.id}`;
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id} className={`headline ${classes.name}`} data-testid="log">
        {logSentence(upload.name, jobs)}
      </h2>
      <Scroller label="Jobs of the log">
        <table className="plain" aria-labelledby={id}>
          <thead>
            <tr>
              <th scope="col">Job</th>
              {["Time", "Read", "Shuffled", "Written"].map((title) => (
                <th key={title} scope="col" className="number">
                  {title}
                </th>
              ))}
              <th scope="col" className={classes.phases}>
                Phases
              </th>
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <Row
                key={job.position}
                job={job}
                kept={!left.has(job.position)}
                onKept={(kept) => setLeft((now) => withOne(now, job.position, !kept))}
              />
            ))}
          </tbody>
        </table>
      </Scroller>
      <Problems upload={upload} />
      <h3 className={`title ${classes.asked}`}>What the log does not say</h3>
      <ClusterForm
        draft={draft}
        lacking={lacking}
        // Empty fields are not errors before the first attempt to store.
        problems={{ ...(asked ? problems : {}), ...refusedFields(keeping.error) }}
        onChange={(change) => {
          setDraft((now) => ({ ...now, ...change }));
          keeping.reset();
        }}
      />
      <div className={`${classes.act} no-print`}>
        <div className={classes.acts}>
          <Button
            size="compact-sm"
            disabled={chosen.length === 0}
            loading={keeping.isPending}
            onClick={() => {
              setAsked(true);
              if (cluster !== null) keeping.mutate();
            }}
          >
            Add {counted(chosen.length, "finished job")}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            loading={discarding.isPending}
            onClick={() => discarding.mutate()}
          >
            Discard the file
          </Button>
        </div>
        <span className="dim small">The jobs are stored with their phases; the log itself is deleted.</span>
        <Refusal
          error={keeping.error ?? discarding.error}
          fields={Object.keys(FIELDS)}
          kept="The file is kept for a day."
        />
      </div>
    </section>
  );
}

/** Remarks on lines of the log that were not parsed, and on missing data. */
function Problems({ upload: { problems } }: { upload: Upload }) {
  if (problems.length === 0) return null;
  return (
    <Notice tone="warn" title="Not all of the log was read.">
      <ul className={classes.problems}>
        {problems.slice(0, MOST_LISTED).map(({ member, line, message }) => (
          <li key={`${member} ${line} ${message}`}>
            {[...(member === "" ? [] : [member]), ...(line === null ? [] : [`line ${line}`])].join(", ")}: {message}
          </li>
        ))}
      </ul>
      {problems.length > MOST_LISTED && ` And ${problems.length - MOST_LISTED} more.`}
    </Notice>
  );
}

/** Fields of the request, and the corresponding fields of the form. */
const FIELDS: Record<string, keyof ClusterDraft> = {
  instance: "instance",
  region: "region",
  nodes: "nodes",
  input_output: "place",
  framework: "framework",
  replicas: "replicas",
  job: "job",
  data: "data",
};

function refusedFields(error: unknown): ClusterProblems {
  const found: ClusterProblems = {};
  for (const [path, field] of Object.entries(FIELDS)) {
    const remark = remarkOn(error, path);
    if (remark !== undefined) found[field] = remark;
  }
  return found;
}

function withOne(set: ReadonlySet<number>, one: number, there: boolean): ReadonlySet<number> {
  const next = new Set(set);
  if (there) next.add(one);
  else next.delete(one);
  return next;
}

interface AddedJobsProps {
  jobs: readonly JobRow[];
  linkToJob: (id: string, words: string) => ReactNode;
}

/** Added finished jobs, while other files await review. */
export function AddedJobs({ jobs, linkToJob }: AddedJobsProps) {
  if (jobs.length === 0) return null;
  return (
    <section className="card" aria-label="Added jobs" role="status">
      <p className="headline">{counted(jobs.length, "finished job is", "finished jobs are")} added.</p>
      <ul className={classes.problems}>
        {jobs.slice(0, MOST_LISTED).map(({ id, name }) => (
          <li key={id}>{linkToJob(id, name)}</li>
        ))}
      </ul>
    </section>
  );
}

/** `events.gz: 2 finished jobs of Spark 3.5.7 on 4 nodes.` */
export function logSentence(name: string, jobs: readonly LoggedJob[]): string {
  const [first] = jobs;
  if (first === undefined) return `${name}: no finished job.`;
  const nodes = new Set(jobs.map((job) => job.nodes));
  const on = nodes.size === 1 && first.nodes !== null ? ` on ${counted(first.nodes, "node")}` : "";
  const framework = `${FRAMEWORKS[first.source]} ${first.version}`.trim();
  return `${name}: ${counted(jobs.length, "finished job")} of ${framework}${on}.`;
}

interface RowProps {
  job: LoggedJob;
  kept: boolean;
  onKept: (kept: boolean) => void;
}

function Row({ job, kept, onKept }: RowProps) {
  const { name, member, started_at, measured_s, input_mb, shuffled_mb, output_mb, phases } = job;
  return (
    <tr data-off={!kept || undefined}>
      <th scope="row" className="strong">
        <Checkbox size="xs" checked={kept} label={name} onChange={(event) => onKept(event.currentTarget.checked)} />
        <div className={`dim small ${classes.beside}`}>
          {[...(member === "" ? [] : [member]), moment(started_at)].join(" · ")}
        </div>
      </th>
      <td className="number">{duration(measured_s)}</td>
      {[input_mb, shuffled_mb, output_mb].map((size_mb, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: three columns in a fixed order
        <td key={index} className="number">
          {size_mb === 0 ? "—" : measuredWords("size", size_mb, "MB")}
        </td>
      ))}
      <td className={classes.phases}>
        {phases.slice(0, MOST_PHASES).map((phase) => (
          <div key={phase.name} className="small">
            {phase.name}: {duration(phase.measured_s)}
          </div>
        ))}
        {phases.length > MOST_PHASES && <div className="dim small">and {phases.length - MOST_PHASES} more</div>}
      </td>
    </tr>
  );
}

const MOST_PHASES = 4;
const MOST_LISTED = 20;
