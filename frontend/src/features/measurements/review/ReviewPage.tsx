import { Button, Group, Skeleton } from "@mantine/core";
import { useDebouncedValue, useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode, useMemo, useState } from "react";
import { deleteUpload } from "@/api/generated";
import { homeKey } from "@/api/home";
import { measurementsKey } from "@/api/measurements/measurements";
import { profilesKey } from "@/api/measurements/profiles";
import {
  type Choice,
  discard,
  isDiscarded,
  type Kept,
  keep,
  restore,
  type Upload,
  upload as uploadQuery,
  uploadsKey,
  uploads as uploadsQuery,
} from "@/api/measurements/uploads";
import { ApiProblem } from "@/api/problem";
import { plansKey } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import classes from "@/features/measurements/Measurements.module.css";
import { Arriving } from "@/features/measurements/upload/Arriving";
import { ChooseFiles, DropZone } from "@/features/measurements/upload/DropZone";
import { useSending } from "@/features/measurements/upload/Uploading";
import { useUnits } from "@/lib/units";
import { counted } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Refusal } from "@/ui/feedback/Refusal";
import { useUndo } from "@/ui/feedback/Undo";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { NotFound } from "@/ui/links/NotFound";
import { backToMeasurements } from "@/ui/links/objects";
import { KeptNotice } from "./KeptNotice";
import { ReadingsTable } from "./ReadingsTable";
import { groupDraft, isKept, NOTHING_SAID, refusedWords, reviewSentence, type Said, targetFor } from "./review";
import { TargetForm } from "./TargetForm";
import {
  type Draft,
  type DraftProblems,
  type HostGroup,
  hostGroups,
  type Placed,
  placedIn,
  targetOf,
  withoutEmpty,
} from "./target";
import { useJudgements } from "./useJudgements";

interface ReviewPageProps {
  /** Id of one upload; by default all uploads that await review. */
  id?: string;
  /** Renders the review of a log of finished jobs; `isLast` if nothing else awaits review. */
  reviewLog: (upload: Upload, isLast: boolean) => ReactNode;
  /** Renders the finished jobs added from other logs. */
  addedJobs: ReactNode;
}

const REST_MS = 250;

/** Review of uploaded files: parsed results, missing details, and the choice of what to store. */
export function ReviewPage({ id, reviewLog, addedJobs }: ReviewPageProps) {
  useUnits();
  const mayWrite = useMay("measurements.write");
  const { list, waiting, read, logs, failed, loading } = useUploads(id, mayWrite);
  const [kept, setKept] = useState<Kept | null>(null);
  const { sendings } = useSending();
  const reviewing = read.length > 0 || logs.length > 0;
  const title = reviewing ? "Review upload" : "Upload results";
  useDocumentTitle(`${title} · Stowage`);
  if (!mayWrite || (failed instanceof ApiProblem && failed.status === 404 && id !== undefined)) {
    return <NotFound what="There is no such file, or it belongs to another team." />;
  }
  const underway = waiting.some(({ state }) => state === "reading") || sendings.length > 0;
  return (
    <DropZone onAdded={() => setKept(null)}>
      <div className="page small-labels">
        <div className="spread">
          <h1>{title}</h1>
          <Group gap="xs" className="no-print">
            <ButtonLink to="/benchmarks" search={{ tab: "recipes" }} variant="default" size="compact-sm">
              How to measure
            </ButtonLink>
            {backToMeasurements("profiles", "All results")}
          </Group>
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
        {!loading && !reviewing && !underway && <Choose isFirst={kept === null} onAdded={() => setKept(null)} />}
        {read.length > 0 && <Review key={read.map((one) => one.id).join(" ")} uploads={read} onKept={setKept} />}
      </div>
    </DropZone>
  );
}

/** Uploads that await review, oldest first, and those that are not read yet. */
function useUploads(id: string | undefined, enabled: boolean) {
  const list = useQuery({ ...uploadsQuery(), enabled });
  const waiting = list.data?.uploads ?? [];
  const asked = id === undefined ? waiting.filter(({ state }) => state === "read").map((one) => one.id) : [id];
  const ids = asked.filter((one) => !isDiscarded(one));
  const results = useQueries({ queries: ids.map((one) => ({ ...uploadQuery(one), enabled })) });
  const found = results
    .flatMap(({ data }) => (data?.state === "read" ? [data] : []))
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  return {
    list,
    waiting,
    read: found.filter(({ jobs_total }) => jobs_total === 0),
    logs: found.filter(({ jobs_total }) => jobs_total > 0),
    failed: results.find(({ error }) => error !== null)?.error ?? list.error,
    loading: list.isPending || results.some(({ isPending }) => isPending),
  };
}

/** Nothing awaits review: files can be chosen. */
function Choose({ isFirst, onAdded }: { isFirst: boolean; onAdded: () => void }) {
  return (
    <section className="card" aria-label="Files">
      <p className="lead">
        {isFirst
          ? "No file awaits review. Nothing is stored before you have seen what is in a file and kept it."
          : "No other file awaits review."}
      </p>
      <ChooseFiles first={isFirst} onAdded={onAdded} />
    </section>
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
  const { judged, refused: refusedThen } = useJudgements(placed, groupOf, rested);
  // A message is about what was entered then: it goes when a field changes.
  const refused = rested === said ? refusedThen : NOTHING_REFUSED;
  const wanted = placed.filter((one) => isKept(one, said, judged));
  const rejected = wanted.filter(({ key }) => judged.get(key)?.verdict === "rejected").length;
  const leftOut = uploads.filter(({ id }) => !wanted.some(({ upload }) => upload.id === id)).length;
  const lacking = wanted.filter((one) => refused.has(one.key) || targetFor(one, groupOf.get(one.key), said) === null);
  const keeping = useMutation({
    mutationFn: () => keepAll(uploads, choicesOf(wanted, groupOf, said)),
    onSuccess: async (all) => {
      // Answers for plans that were computed before are out of date.
      client.removeQueries({ queryKey: [...plansKey(), "today"] });
      onKept(all);
      await client.invalidateQueries({ queryKey: [...uploadsKey(), "list"] });
      // The uploads are deleted, and must not be requested again.
      for (const { id } of uploads) client.removeQueries({ queryKey: uploadQuery(id).queryKey });
      await Promise.all(
        [measurementsKey(), profilesKey(), plansKey(), homeKey(), ["alerts"]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
  const say: typeof setSaid = (change) => {
    if (keeping.error !== null) keeping.reset();
    setSaid(change);
  };
  const throwAway = useDiscard(uploads);
  const sayGroup = (group: HostGroup, change: Partial<Draft>) =>
    say((now) => ({ ...now, groups: { ...now.groups, [group.key]: { ...groupDraft(group, now), ...change } } }));
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
            px={0}
            h="auto"
            styles={{ label: { whiteSpace: "normal", textAlign: "start" } }}
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
        <ReadingsTable
          key={upload.id}
          upload={upload}
          groupOf={groupOf}
          judged={judged}
          refused={refused}
          asked={asked}
          said={said}
          onSaid={say}
        />
      ))}
      <div id={NEEDED} tabIndex={-1} />
      {groups.map((group, index) => (
        <MachineCard
          key={group.key}
          group={group}
          shared={group.readings.filter(({ key }) => said.own[key] === undefined)}
          draft={groupDraft(group, said)}
          asked={asked}
          refused={refused}
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
          <Button variant="default" onClick={throwAway}>
            Discard {uploads.length === 1 ? "the file" : `${uploads.length} files`}
          </Button>
          <span className="dim small">
            {wanted.length === 0
              ? "No measurement is ticked."
              : "Kept measurements cannot be edited. To exclude one later, reject it on its page."}
            {rejected > 0 && ` ${counted(rejected, "rejected one is", "rejected ones are")} kept for the record only.`}
            {leftOut > 0 && wanted.length > 0
              ? ` ${counted(leftOut, "file", "files")} without a ticked measurement ${leftOut === 1 ? "is" : "are"} deleted.`
              : ""}
          </span>
        </Group>
        <NotKept error={keeping.error} />
      </section>
    </>
  );
}

const NOTHING_REFUSED: ReadonlyMap<string, DraftProblems> = new Map();

/** Discards files; they can be brought back for a while. */
function useDiscard(uploads: readonly Upload[]): () => void {
  const client = useQueryClient();
  const undo = useUndo();
  return () => {
    const ids = uploads.map(({ id }) => id);
    const read = () => client.invalidateQueries({ queryKey: [...uploadsKey(), "list"] });
    discard(ids);
    void read();
    undo({
      words: ids.length === 1 ? `“${uploads[0]?.name}” is discarded.` : `${ids.length} files are discarded.`,
      undo: async () => {
        restore(ids);
        await read();
      },
    });
  };
}

/** Reason why nothing was stored, without the names of the API's fields. */
function NotKept({ error }: { error: unknown }) {
  const words = refusedWords(error);
  if (words.length === 0) return <Refusal error={error} kept="The files are kept for a day." />;
  return (
    <Notice tone="bad" title="Nothing was kept. ">
      {words.join(" ")}
    </Notice>
  );
}

interface MachineCardProps {
  group: HostGroup;
  /** Measurements of the group without details of their own. */
  shared: readonly Placed[];
  draft: Draft;
  asked: boolean;
  refused: ReadonlyMap<string, DraftProblems>;
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
function MachineCard({ group, shared, draft, asked, refused, above, onChange }: MachineCardProps) {
  const { problems } = targetOf(draft, group.needs);
  const files = [...new Set(shared.map(({ upload }) => upload.name))];
  const wrong = shared.map(({ key }) => refused.get(key)).find((found) => found !== undefined);
  // All have details of their own.
  if (shared.length === 0) return null;
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
        For {counted(shared.length, "measurement")} in {files.slice(0, 3).join(", ")}
        {files.length > 3 ? ` and ${files.length - 3} more` : ""}.
        {group.host !== null && " It is remembered for this machine."}
      </p>
      <TargetForm
        label={title}
        draft={draft}
        needs={group.needs}
        guess={group.guess}
        problems={{ ...wrong, ...(asked ? problems : withoutEmpty(problems, draft)) }}
        onChange={onChange}
      />
    </section>
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
    if (target === null) continue;
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
