import { Button, Group, Skeleton } from "@mantine/core";
import { useDebouncedValue, useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode, useMemo, useState } from "react";
import { deleteUpload } from "@/api/generated";
import { type Judgement, measurementsKey, type Target } from "@/api/measurements/measurements";
import { profilesKey } from "@/api/measurements/profiles";
import {
  type Choice,
  judgement,
  type Kept,
  keep,
  type Upload,
  upload as uploadQuery,
  uploadsKey,
  uploads as uploadsQuery,
} from "@/api/measurements/uploads";
import { ApiProblem } from "@/api/problem";
import { useMay } from "@/api/teams/session";
import classes from "@/features/measurements/Measurements.module.css";
import { Arriving } from "@/features/measurements/upload/Arriving";
import { ChooseFiles, DropZone } from "@/features/measurements/upload/DropZone";
import { useSending } from "@/features/measurements/upload/Uploading";
import { counted } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Refusal } from "@/ui/feedback/Refusal";
import { NotFound } from "@/ui/links/NotFound";
import { backToMeasurements } from "@/ui/links/objects";
import { KeptNotice } from "./KeptNotice";
import { ReadingsTable } from "./ReadingsTable";
import { groupDraft, isKept, NOTHING_SAID, reviewSentence, type Said, targetFor } from "./review";
import { TargetForm } from "./TargetForm";
import { type Draft, type HostGroup, hostGroups, type Placed, placedIn, targetOf } from "./target";

interface ReviewPageProps {
  /** Id of one upload; by default all uploads that await review. */
  id?: string;
  /** Renders the review of a log of finished jobs; `isLast` if nothing else awaits review. */
  reviewLog: (upload: Upload, isLast: boolean) => ReactNode;
  /** Renders the finished jobs added from other logs. */
  addedJobs: ReactNode;
}

/** Most readings for which verdicts are requested; the others are judged when they are stored. */
const MOST_JUDGED = 60;
const REST_MS = 250;

/** Review of uploaded files: parsed results, missing details, and the choice of what to store. */
export function ReviewPage({ id, reviewLog, addedJobs }: ReviewPageProps) {
  useDocumentTitle("Review upload · Stowage");
  const mayWrite = useMay("measurements.write");
  const list = useQuery({ ...uploadsQuery(), enabled: mayWrite });
  const waiting = list.data?.uploads ?? [];
  const ids = id === undefined ? waiting.filter(({ state }) => state === "read").map((one) => one.id) : [id];
  const results = useQueries({ queries: ids.map((one) => ({ ...uploadQuery(one), enabled: mayWrite })) });
  const [kept, setKept] = useState<Kept | null>(null);
  const { sendings } = useSending();
  const read = results
    .flatMap(({ data }) => (data?.state === "read" && data.jobs_total === 0 ? [data] : []))
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  const logs = results.flatMap(({ data }) => (data?.state === "read" && data.jobs_total > 0 ? [data] : []));
  const failed = results.find(({ error }) => error !== null)?.error ?? list.error;
  if (!mayWrite || (failed instanceof ApiProblem && failed.status === 404 && id !== undefined)) {
    return <NotFound what="There is no such file, or it belongs to another team." />;
  }
  const loading = list.isPending || results.some(({ isPending }) => isPending);
  const underway = waiting.some(({ state }) => state === "reading") || sendings.length > 0;
  return (
    <DropZone onAdded={() => setKept(null)}>
      <div className="page small-labels">
        <div className="spread">
          <h1>Review upload</h1>
          <span className="no-print">{backToMeasurements("profiles", "All measurements")}</span>
        </div>
        {failed !== null && (
          <ProblemNotice error={failed} kept="The files are kept for a day." onRetry={() => void list.refetch()} />
        )}
        <Arriving uploads={id === undefined ? waiting : waiting.filter((one) => one.id === id)} />
        {kept !== null && <KeptNotice kept={kept} />}
        {loading && <Skeleton height={220} role="status" aria-label="Reading what was understood" />}
        {addedJobs}
        {logs.map((log) => (
          <Fragment key={log.id}>{reviewLog(log, logs.length === 1 && read.length === 0 && !underway)}</Fragment>
        ))}
        {!loading && read.length === 0 && logs.length === 0 && !underway && (
          <section className="card" aria-label="Files">
            <p className="lead">{kept === null ? "No file waits to be looked at." : "All files are dealt with."}</p>
            <ChooseFiles first={kept === null} onAdded={() => setKept(null)} />
          </section>
        )}
        {read.length > 0 && <Review key={read.map((one) => one.id).join(" ")} uploads={read} onKept={setKept} />}
      </div>
    </DropZone>
  );
}

/** Id of the place where the missing details are asked for. */
const NEEDED = "still-needed";

interface ReviewProps {
  uploads: readonly Upload[];
  onKept: (kept: Kept) => void;
}

function Review({ uploads, onKept }: ReviewProps) {
  const client = useQueryClient();
  const [said, setSaid] = useState<Said>(NOTHING_SAID);
  const [asked, setAsked] = useState(false);
  const placed = useMemo(() => placedIn(uploads), [uploads]);
  const groups = useMemo(() => hostGroups(placed), [placed]);
  const groupOf = useMemo(
    () => new Map(groups.flatMap((group) => group.readings.map(({ key }) => [key, group] as const))),
    [groups],
  );
  const [rested] = useDebouncedValue(said, REST_MS);
  const judged = useJudgements(placed, groupOf, rested);
  const wanted = placed.filter((one) => isKept(one, said));
  const leftOut = uploads.filter(({ id }) => !wanted.some(({ upload }) => upload.id === id)).length;
  const lacking = wanted.filter((one) => targetFor(one, groupOf.get(one.key), said) === null);
  const keeping = useMutation({
    mutationFn: () => keepAll(uploads, choicesOf(placed, groupOf, said)),
    onSuccess: async (all) => {
      onKept(all);
      await client.invalidateQueries({ queryKey: [...uploadsKey(), "list"] });
      // The uploads are deleted, and must not be requested again.
      for (const { id } of uploads) client.removeQueries({ queryKey: uploadQuery(id).queryKey });
      await Promise.all(
        [measurementsKey(), profilesKey(), ["alerts"]].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
  const discarding = useMutation({
    mutationFn: () => Promise.all(uploads.map(({ id }) => deleteUpload({ path: { upload_id: id } }))),
    onSettled: () => client.invalidateQueries({ queryKey: [...uploadsKey(), "list"] }),
  });
  const sayGroup = (group: HostGroup, change: Partial<Draft>) =>
    setSaid((now) => ({ ...now, groups: { ...now.groups, [group.key]: { ...groupDraft(group, now), ...change } } }));
  return (
    <>
      <section className="card" aria-label="In a sentence">
        <p className="headline" data-testid="sentence">
          {reviewSentence(uploads, placed, judged)}
        </p>
        {lacking.length > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            className="no-print"
            onClick={() => {
              const needed = document.getElementById(NEEDED);
              needed?.scrollIntoView({ block: "start" });
              needed?.focus({ preventScroll: true });
            }}
          >
            Still needed: details of {counted(lacking.length, "measurement")}
          </Button>
        )}
      </section>
      {uploads.map((upload) => (
        <ReadingsTable key={upload.id} upload={upload} groupOf={groupOf} judged={judged} said={said} onSaid={setSaid} />
      ))}
      <div id={NEEDED} tabIndex={-1} />
      {groups.map((group, index) => (
        <MachineCard
          key={group.key}
          group={group}
          draft={groupDraft(group, said)}
          asked={asked}
          above={aboveOf(groups[index - 1], said)}
          onChange={(change) => sayGroup(group, change)}
        />
      ))}
      <section className={`card ${classes.keeping} no-print`} aria-label="Keep">
        {asked && lacking.length > 0 && (
          <p role="alert" className={classes.lacking}>
            {counted(lacking.length, "measurement lacks", "measurements lack")} what the marked fields ask for.
          </p>
        )}
        <Group gap="xs">
          <Button
            disabled={wanted.length === 0}
            loading={keeping.isPending}
            onClick={() => {
              setAsked(true);
              if (lacking.length === 0) keeping.mutate();
            }}
          >
            Keep {counted(wanted.length, "measurement")}
          </Button>
          <Button variant="default" loading={discarding.isPending} onClick={() => discarding.mutate()}>
            Discard {uploads.length === 1 ? "the file" : `${uploads.length} files`}
          </Button>
          <span className="dim small">
            What is kept is never changed; a verdict of yours can take it out again.
            {leftOut > 0 && wanted.length > 0
              ? ` ${counted(leftOut, "file", "files")} of which nothing is kept ${leftOut === 1 ? "goes" : "go"}.`
              : ""}
          </span>
        </Group>
        <Refusal error={keeping.error ?? discarding.error} kept="The files are kept for a day." />
      </section>
    </>
  );
}

interface MachineCardProps {
  group: HostGroup;
  draft: Draft;
  asked: boolean;
  /** Entries for the previous machine; null if there are none. */
  above: Partial<Draft> | null;
  onChange: (change: Partial<Draft>) => void;
}

/** Fields that a machine may share with the previous one. */
function aboveOf(group: HostGroup | undefined, said: Said): Partial<Draft> | null {
  if (group === undefined) return null;
  const { instance, region, zone } = groupDraft(group, said);
  return instance.trim() === "" ? null : { instance, region, zone };
}

/** Form for the target of all readings of one machine. */
function MachineCard({ group, draft, asked, above, onChange }: MachineCardProps) {
  const { problems } = targetOf(draft, group.needs);
  const files = [...new Set(group.readings.map(({ upload }) => upload.name))];
  const title = group.host === null ? "What was measured" : `What was measured on ${group.host}`;
  return (
    <section className="card" aria-label={`${title}: ${files[0] ?? ""}`}>
      <div className="spread">
        <h2 className="title">{title}</h2>
        {above !== null && draft.instance.trim() === "" && (
          <Button size="compact-xs" variant="default" onClick={() => onChange(above)}>
            As above: {above.instance}
          </Button>
        )}
      </div>
      <p className="dim lead">
        For {counted(group.readings.length, "measurement")} in {files.slice(0, 3).join(", ")}
        {files.length > 3 ? ` and ${files.length - 3} more` : ""}.
        {group.host !== null && " It is remembered for this machine."}
      </p>
      <TargetForm
        label={title}
        draft={draft}
        needs={group.needs}
        guess={group.guess}
        // Empty fields are not errors before the first attempt to store.
        problems={asked ? problems : withoutEmpty(problems, draft)}
        onChange={onChange}
      />
    </section>
  );
}

function withoutEmpty(problems: ReturnType<typeof targetOf>["problems"], draft: Draft) {
  return Object.fromEntries(
    Object.entries(problems).filter(([field]) => draft[field as keyof Draft].trim() !== ""),
  ) as typeof problems;
}

/** Verdicts for the current entries; those of the upload where the guess is unchanged. */
function useJudgements(
  placed: readonly Placed[],
  groupOf: ReadonlyMap<string, HostGroup>,
  said: Said,
): ReadonlyMap<string, Judgement | null> {
  const asked = placed
    .filter(({ reading }) => reading.known === null && reading.status !== "failed")
    .map((one) => ({ one, target: targetFor(one, groupOf.get(one.key), said) }));
  const changed = asked.filter(({ one, target }) => target !== null && isChanged(one, target)).slice(0, MOST_JUDGED);
  const results = useQueries({
    queries: changed.map(({ one, target }) => judgement(one.upload.id, one.reading.position, target as Target)),
  });
  const found = new Map<string, Judgement | null>();
  for (const { reading, key } of placed) found.set(key, reading.judgement);
  for (const [index, { one }] of changed.entries()) {
    found.set(one.key, results[index]?.data ?? one.reading.judgement);
  }
  return found;
}

function isChanged({ reading }: Placed, target: Target): boolean {
  if (reading.judgement === null) return true;
  const { guess } = reading;
  return (Object.keys(target) as (keyof Target)[]).some(
    (field) => JSON.stringify(target[field]) !== JSON.stringify(guess[field].value ?? (field === "nodes" ? 1 : null)),
  );
}

function choicesOf(
  placed: readonly Placed[],
  groupOf: ReadonlyMap<string, HostGroup>,
  said: Said,
): ReadonlyMap<string, Choice[]> {
  const choices = new Map<string, Choice[]>();
  for (const one of placed) {
    const target = targetFor(one, groupOf.get(one.key), said);
    if (!isKept(one, said) || target === null) continue;
    choices.set(one.upload.id, [...(choices.get(one.upload.id) ?? []), { position: one.reading.position, target }]);
  }
  return choices;
}

/** Store each file separately: a failure does not affect the others. */
async function keepAll(uploads: readonly Upload[], choices: ReadonlyMap<string, Choice[]>): Promise<Kept> {
  const all: Kept = { measurements: [], known: 0, refused: [], profiles: [] };
  for (const [id, chosen] of choices) {
    const kept = await keep(id, chosen);
    all.measurements.push(...kept.measurements);
    all.known += kept.known;
    all.refused.push(...kept.refused);
    all.profiles.push(...kept.profiles);
  }
  // Only now, since after a failure all files stay listed.
  for (const { id } of uploads) if (!choices.has(id)) await deleteUpload({ path: { upload_id: id } });
  return { ...all, profiles: [...new Set(all.profiles)] };
}
