import { Button, Group, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { DeploymentAnswer, DeploymentFile, DeploymentRefusal } from "@/api/generated";
import { type Deployable, deployment } from "@/api/planning/deployments";
import { ApiProblem } from "@/api/problem";
import { saveText } from "@/lib/csv";
import { CopyText } from "@/ui/CopyText";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Loading } from "@/ui/feedback/QueryState";
import { Scroller } from "@/ui/table/Scroller";
import { FORMATS, isFormat, TYPES } from "./formats";

interface DeployProps {
  deployable: Deployable;
  /** True if the panel is visible; files are requested only then. */
  shown?: boolean;
}

/** Deployment files of a configuration, to read, copy and download. Hidden in print. */
export function Deploy({ deployable, shown = true }: DeployProps) {
  const query = useQuery({ ...deployment(deployable), enabled: shown });
  const { data, error } = query;
  if (data?.feasible === true) return <Files answer={data} />;
  if (data?.feasible === false) {
    return (
      <Notice tone="warn" title="This cluster cannot do the job.">
        <p style={{ margin: "2px 0 0" }}>
          {data.reason}.{data.nearest !== null && ` ${data.nearest} would do.`}
        </p>
      </Notice>
    );
  }
  if (error instanceof ApiProblem && error.status === 422) {
    return (
      <Notice tone="warn" title="No files can be made of this.">
        {error.fields.map((field) => (
          <p key={field.path} style={{ margin: "2px 0 0" }}>
            {field.path}: {field.message}
          </p>
        ))}
      </Notice>
    );
  }
  if (error !== null) {
    return <ProblemNotice error={error} kept="" onRetry={() => void query.refetch()} />;
  }
  return (
    <div className="no-print">
      <Loading label="Writing the files" heights={[36, 240]} />
    </div>
  );
}

function Files({ answer }: { answer: DeploymentAnswer }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const there = FORMATS.filter((format) => byFormat(answer, format) !== undefined);
  const tab = chosen !== null && isFormat(chosen) ? chosen : (answer.files[0]?.format ?? there[0] ?? null);
  return (
    <Stack gap={12} miw={0} className="no-print">
      <p style={{ margin: 0 }}>
        {answer.what}. None of these files was tried on AWS itself; each says at its head what it builds and what was
        tried.
      </p>
      {answer.notes.length > 0 && <Notes notes={answer.notes} />}
      <Tabs value={tab} onChange={setChosen} keepMounted={false} classNames={{ tab: "tab" }}>
        <Tabs.List aria-label="Formats">
          {there.map((format) => {
            const one = byFormat(answer, format);
            const refused = one !== undefined && "reason" in one;
            return (
              <Tabs.Tab key={format} value={format} {...(refused && REFUSED)}>
                {one?.title}
              </Tabs.Tab>
            );
          })}
        </Tabs.List>
        {there.map((format) => {
          const one = byFormat(answer, format);
          return (
            <Tabs.Panel key={format} value={format}>
              {one !== undefined && ("reason" in one ? <NotMade refusal={one} /> : <OneFile file={one} />)}
            </Tabs.Panel>
          );
        })}
      </Tabs>
    </Stack>
  );
}

const REFUSED = { c: "dimmed", fs: "italic" } as const;

function NotMade({ refusal }: { refusal: DeploymentRefusal }) {
  return (
    <Stack gap={10} miw={0} pt={12}>
      <Notice tone="plain" title="This file is not made.">
        <p style={{ margin: "2px 0 0" }}>{refusal.reason}.</p>
      </Notice>
    </Stack>
  );
}

function OneFile({ file }: { file: DeploymentFile }) {
  const name = useId();
  return (
    <Stack gap={10} miw={0} pt={12}>
      {file.notes.length > 0 && <Notes notes={file.notes} />}
      <Group gap={8}>
        <span id={name} className="code">
          {file.name}
        </span>
        <CopyText text={() => file.text} label="Copy" done={`${file.name} is copied.`} />
        <Button
          variant="default"
          size="compact-sm"
          aria-describedby={name}
          onClick={() => saveText(file.text, file.name, TYPES[file.language])}
        >
          Download
        </Button>
      </Group>
      <Scroller className="command" style={{ maxHeight: 420 }} aria-labelledby={name}>
        {/* Isolates the code from the surrounding text direction. */}
        <pre dir="ltr">{file.text}</pre>
      </Scroller>
    </Stack>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <ul className="bullets">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

function byFormat(answer: DeploymentAnswer, format: string): DeploymentFile | DeploymentRefusal | undefined {
  const is = (one: { format: string }) => one.format === format;
  return answer.files.find(is) ?? answer.refusals.find(is);
}
