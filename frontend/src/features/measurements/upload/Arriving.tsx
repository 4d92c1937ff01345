import { Button } from "@mantine/core";
import { deleteUpload } from "@/api/generated";
import { type UploadSummary, uploadsKey } from "@/api/measurements/uploads";
import { useChange } from "@/api/useChange";
import classes from "@/features/measurements/Measurements.module.css";
import { bytesWords } from "@/lib/measured";
import { percent } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import type { Sending } from "./sending";
import { useSending } from "./Uploading";

/** Uploads in progress: sent or being parsed, with progress and errors. */
export function Arriving({ uploads }: { uploads: readonly UploadSummary[] }) {
  const { sendings } = useSending();
  const here = new Set(sendings.map(({ uploadId }) => uploadId));
  const others = uploads.filter(({ id, state }) => !here.has(id) && state !== "read" && state !== "kept");
  if (sendings.length === 0 && others.length === 0) return null;
  return (
    <section className="card" aria-label="Files on their way">
      <ul className={`bare ruled ${classes.arriving}`}>
        {sendings.map((sending) => (
          <OnItsWay key={sending.key} sending={sending} />
        ))}
        {others.map((upload) => (
          <BeingRead key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

function sendingWords({ state, sent_bytes, size_bytes, problem }: Sending): string {
  const far = `${bytesWords(sent_bytes)} of ${bytesWords(size_bytes)}`;
  if (state === "waiting") return "Waiting for the others.";
  if (state === "lost") return `${far} are there. The connection is lost; it goes on by itself.`;
  if (state === "failed") return `${problem ?? "It could not be sent."}${sent_bytes > 0 ? ` ${far} are there.` : ""}`;
  return `${far} sent`;
}

function OnItsWay({ sending }: { sending: Sending }) {
  const { sender } = useSending();
  const { key, name, size_bytes, sent_bytes, state } = sending;
  return (
    <li>
      <div className={classes.fileName}>{name}</div>
      <div className="small" data-testid="sending">
        {sendingWords(sending)}
      </div>
      <div className={classes.arrivingActs}>
        {state === "failed" && size_bytes > 0 && (
          <Button size="compact-xs" variant="default" onClick={() => sender?.again(key)}>
            Try again
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={`${state === "failed" ? "Remove" : "Cancel"} ${name}`}
          onClick={() => sender?.cancel(key)}
        >
          {state === "failed" ? "Remove" : "Cancel"}
        </Button>
      </div>
      {state !== "failed" && (
        <progress
          className={classes.bar}
          max={Math.max(1, size_bytes)}
          value={sent_bytes}
          aria-label={`Progress of ${name}`}
        />
      )}
    </li>
  );
}

function readingWords({ state, job, problem, received_bytes, size_bytes }: UploadSummary): string {
  if (state === "refused") {
    const runs = problem?.includes("input_output") === true;
    return `${problem ?? "It could not be read."}${runs ? ". Tables of finished jobs go in under “Jobs and calibration”." : ""}`;
  }
  if (state === "arriving") {
    return `${bytesWords(received_bytes)} of ${bytesWords(size_bytes)} are there, and nothing more comes. Drop it again.`;
  }
  if (job?.state === "failed") return job.reason ?? "Reading it failed.";
  if (job?.state === "queued") return "Waiting for a worker to read it.";
  return job === null || !isPartly(job) ? "Reading the file" : `${percent(job.done / job.total)} read`;
}

/** A small file has a single piece: its share would stay at 0% until it is read. */
function isPartly({ done, total }: NonNullable<UploadSummary["job"]>): boolean {
  return total > 1 && done > 0;
}

function BeingRead({ upload }: { upload: UploadSummary }) {
  const { id, name, state, job } = upload;
  const discarding = useChange(() => deleteUpload({ path: { upload_id: id } }), [uploadsKey()]);
  const reading = state === "reading" && job?.state !== "failed";
  return (
    <li data-bad={state === "refused" || undefined}>
      <div className={classes.fileName}>{name}</div>
      <div className="small">{readingWords(upload)}</div>
      <div className={classes.arrivingActs}>
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={`${reading ? "Cancel" : "Remove"} ${name}`}
          loading={discarding.isPending}
          onClick={() => discarding.mutate()}
        >
          {reading ? "Cancel" : "Remove"}
        </Button>
      </div>
      {reading && (
        <progress
          className={classes.bar}
          {...(job === null || !isPartly(job) ? {} : { max: job.total, value: job.done })}
          aria-label={`Progress of reading ${name}`}
        />
      )}
      {discarding.error !== null && <ProblemNotice error={discarding.error} kept="The file is kept." />}
    </li>
  );
}
