import { Button, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type DocumentsAnswer, makeDocuments } from "@/api/generated";
import { isEnded, type Job, job } from "@/api/jobs";
import { type FileFormat, reportsKey } from "@/api/reports";
import { forTeam } from "@/api/requests";
import { useMay } from "@/api/teams/session";
import { useJob } from "@/api/useJob";
import { JobProgress } from "@/ui/feedback/JobProgress";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";

const OTHERS: readonly [FileFormat, string, string][] = [
  ["xlsx", "Spreadsheet (XLSX)", "Sums recompute when an input is changed"],
  ["csv", "All numbers (CSV)", "A line for each number, with its words and source"],
  ["json", "Report (JSON)", "The report as it is stored"],
  ["png", "Preview (PNG)", "The picture that chats show"],
];

interface FilesProps {
  /** Address of a file. */
  addressOf: (format: FileFormat) => string;
  documents: DocumentsAnswer;
}

/** Files of the report; files that are not built yet look different. */
export function Files({ addressOf, documents: { state, formats } }: FilesProps) {
  const ready = formats.includes("pdf");
  return (
    <Group gap="xs" className="no-print" role="group" aria-label="Files of the report">
      <Button
        size="compact-sm"
        // A file that is not built yet is not a link.
        {...(ready ? { component: "a", href: addressOf("pdf"), download: true } : { disabled: true })}
      >
        {state === "making" && !ready ? "PDF is being made" : "Download PDF"}
      </Button>
      {OTHERS.filter(([format]) => formats.includes(format)).map(([format, name, note]) => (
        <Button
          key={format}
          size="compact-sm"
          variant="subtle"
          component="a"
          href={addressOf(format)}
          download
          title={note}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}

interface MakingProps {
  id: string;
  documents: DocumentsAnswer;
}

/** Progress or failure of the PDF; empty when it is built. */
export function Making({ id, documents }: MakingProps) {
  const jobId = documents.job_id;
  if (documents.state === "ready") return null;
  if (jobId === null) return <Stopped id={id} documents={documents} />;
  return <Watched key={jobId} id={id} jobId={jobId} documents={documents} />;
}

function Watched({ id, jobId, documents }: MakingProps & { jobId: string }) {
  const query = useQuery(job(jobId));
  if (query.data === undefined) return query.error === null ? null : <Stopped id={id} documents={documents} />;
  return <Followed id={id} first={query.data} />;
}

const KEPT = "The report and its existing files are unchanged.";

function Followed({ id, first }: { id: string; first: Job }) {
  const client = useQueryClient();
  const mayWrite = useMay("reports.write");
  const followed = useJob(first);
  const ended = isEnded(followed.job);
  const key = JSON.stringify(reportsKey());
  useEffect(() => {
    if (ended) void client.invalidateQueries({ queryKey: [...(JSON.parse(key) as string[]), "one", id] });
  }, [ended, key, id, client]);
  return (
    <section className="card no-print" aria-label="The PDF">
      <JobProgress
        {...followed}
        units="steps"
        doing="setting the PDF"
        part="worker-quick"
        kept={KEPT}
        {...(mayWrite ? { onCancel: followed.cancel, onRetry: followed.retry } : {})}
      />
    </section>
  );
}

/** The PDF does not exist and is not being built. */
function Stopped({ id, documents: { state, reason } }: MakingProps) {
  const client = useQueryClient();
  const mayWrite = useMay("reports.write");
  const queryKey = [...reportsKey(), "one", id];
  const making = useMutation({
    mutationFn: () => makeDocuments({ path: { report_id: id }, ...forTeam() }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  if (state === "making") return null;
  return (
    <div className="no-print">
      <Notice tone="warn" title="There is no PDF yet.">
        <p style={{ margin: "4px 0 8px" }}>
          {reason ?? ""} {KEPT}
        </p>
        {mayWrite && (
          <Button size="compact-sm" variant="default" loading={making.isPending} onClick={() => making.mutate()}>
            Make it now
          </Button>
        )}
        {making.error !== null && <ProblemNotice error={making.error} kept={KEPT} />}
      </Notice>
    </div>
  );
}
