import { Box, Button, Skeleton, Stack, Textarea, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type CSSProperties, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { FieldProblem, NewReport, Report, SavedPlanAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { savedPlan } from "@/api/queries";
import { publish, type ReportKind, report as reportQuery, reportsKey } from "@/api/reports";
import { Plain } from "@/features/reports/document/Plain";
import { ReportDocument } from "@/features/reports/document/ReportDocument";
import {
  aheadIn,
  DEFAULT_MONTHS,
  DEFAULT_RANKS,
  idsIn,
  type NewReportSearch,
  newReportSearchFrom,
  originIn,
  UNTOUCHED,
} from "@/features/reports/search";
import { useAhead } from "@/lib/useAhead";
import { counted } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Refusal, sentence } from "@/ui/feedback/Refusal";
import { fieldsOf } from "@/ui/forms/fields";
import { submits } from "@/ui/forms/submits";
import classes from "./ComposerPage.module.css";
import { todayLost } from "./newer";
import { OptionsField } from "./OptionsField";
import { OriginFields } from "./OriginFields";
import {
  LONGEST_TITLE,
  LONGEST_WORDS,
  looksAhead,
  questionIn,
  sorted,
  suggestedTitle,
  type Texts,
  titleOf,
  withTexts,
} from "./question";
import { type Preview, useComposed } from "./useComposed";

export interface TodayFields {
  /** In the form of the address. */
  today: string | undefined;
  onToday: (key: string | undefined) => void;
  /** Monthly cost as stated by the user; "" if it is computed. */
  paid: string;
  onPaid: (text: string) => void;
  /** Errors of the service; paths begin with `cluster`. */
  problems: readonly FieldProblem[];
}

export interface ComposerPageProps {
  search: NewReportSearch;
  onSearch: (search: NewReportSearch, replace: boolean) => void;
  /** Parses the current cluster and its stated cost from the address. */
  todayIn: (key: string, paid?: string) => NonNullable<NewReport["today"]> | null;
  /** Returns the current cluster stored with a plan and its stated cost, in the form of the address. */
  todayOf: (plan: SavedPlanAnswer) => Pick<NewReportSearch, "today" | "pays">;
  /** Fields for the current cluster. */
  today: (fields: TodayFields) => ReactNode;
  /** Called with whether unsaved texts would be lost on leaving. */
  onUnsaved: (unsaved: boolean) => void;
  onPublished: (id: string) => void;
}

/** Form for a new report, with a preview beside it. */
export function ComposerPage({ search, onSearch, ...props }: ComposerPageProps) {
  useDocumentTitle("New report · Stowage");
  const [shown, change, asked] = useAhead(search, onSearch);
  const older = useQuery({ ...reportQuery(search.replaces ?? ""), enabled: search.replaces !== undefined }).data;
  if (search.replaces !== undefined && older === undefined)
    return <Loading {...props} form={{ shown, change, asked }} />;
  return <Composer key={older?.id ?? "new"} {...props} form={{ shown, change, asked }} older={older?.report} />;
}

const FORM_WIDTH = { "--form-width": "320px" } as CSSProperties;

interface Form {
  shown: NewReportSearch;
  change: ReturnType<typeof useAhead<NewReportSearch>>[1];
  asked: NewReportSearch;
}

type ComposerProps = Omit<ComposerPageProps, "search" | "onSearch"> & {
  form: Form;
  /** The report to be replaced; its texts are the initial values. */
  older?: Report | undefined;
};

/** The older report is being loaded or does not exist; then the new report replaces none. */
function Loading(props: Omit<ComposerProps, "older">) {
  const query = useQuery({ ...reportQuery(props.form.shown.replaces ?? "") });
  if (query.error === null) return <Skeleton height={400} role="status" aria-label="Reading the older report" />;
  return <Composer {...props} />;
}

function Composer({ form, older, todayIn, todayOf, today, onUnsaved, onPublished }: ComposerProps) {
  const { shown, change, asked } = form;
  const [begun, setBegun] = useState({ title: older?.title ?? "", words: older?.words ?? "" });
  const [texts, setTexts] = useState(begun);
  const fill = useBeginningOfPlan(form, todayOf, (notes) => {
    // Entered text is kept.
    setTexts((now) => (now.words === begun.words ? { ...now, words: notes } : now));
    setBegun((now) => ({ ...now, words: notes }));
  });
  const [kind, setKind] = useState<ReportKind>(() => originIn(shown)?.kind ?? "plan");
  const question = questionIn(asked, todayIn);
  const settled = JSON.stringify(shown) === JSON.stringify(asked);
  const preview = useComposed(question, settled);
  const composed = preview.composed && withTexts(preview.composed, texts);
  const publishing = usePublishing(onPublished);
  const written = texts.words !== begun.words || texts.title !== begun.title;
  const refused = refusesAhead(kind, shown);
  const unsaved = written && publishing.data === undefined;
  useEffect(() => onUnsaved(unsaved), [unsaved, onUnsaved]);
  const said = sorted(problemsOf(publishing.error) ?? problemsOf(preview.error) ?? []);
  const id = useId();
  const send = () => {
    if (question === null || refused || !settled || publishing.isPending) return;
    publishing.mutate({ ...question, title: titleOf(texts, composed), words: texts.words.trim() });
  };
  return (
    <div className="page" style={{ maxWidth: 1320 }}>
      <form id={id} className="spread no-print" onSubmit={submits(() => send())}>
        <h1>{older === undefined ? "New report" : "A newer report"}</h1>
        <Button
          type="submit"
          disabled={question === null || refused || preview.error !== null}
          loading={publishing.isPending}
        >
          Publish
        </Button>
      </form>
      {older !== undefined && <InPlaceOf older={older} today={shown.today} />}
      <div className="asking" style={FORM_WIDTH}>
        <Questions
          formId={id}
          kind={kind}
          search={shown}
          texts={texts}
          suggestion={preview.composed === undefined ? "" : suggestedTitle(preview.composed.report.origin)}
          said={said}
          today={today}
          onKind={setKind}
          onTexts={setTexts}
          onChange={(changes, typed) => {
            change((now) => newReportSearchFrom({ ...now, ...changes }), typed ? "typed" : "same entry");
            fill(changes);
          }}
        />
        <Box component="section" miw={0} aria-label="Preview">
          <div className="progress" data-active={preview.working || undefined} />
          <Troubles preview={preview} publishing={publishing.error} elsewhere={said.elsewhere} />
          {composed === undefined ? (
            <Nothing
              asked={question !== null}
              failed={preview.error !== null}
              atFields={problemsOf(preview.error) !== null && said.elsewhere.length === 0}
              kind={kind}
            />
          ) : (
            <div data-stale={!preview.current || undefined} className={`fades ${classes.sheet}`}>
              <ReportDocument composed={composed} level={2} />
            </div>
          )}
          <span className="spoken" role="status">
            {preview.current ? "The preview is up to date." : ""}
          </span>
        </Box>
      </div>
    </div>
  );
}

/**
 * Fill in the cluster of today and the notes that are stored with a plan: for the plan in the address, and when one is
 * selected. Of several plans, the first one that stores a cluster of today counts. A cluster in the address stays.
 */
function useBeginningOfPlan(
  { shown, change }: Form,
  todayOf: ComposerPageProps["todayOf"],
  onNotes: (notes: string) => void,
): (changes: Pick<NewReportSearch, "plan" | "plans">) => void {
  const client = useQueryClient();
  const filled = useRef<string>(undefined);
  const fill = (key: "plan" | "plans", text: string) => {
    // For a plan that cannot be read, the preview shows the error.
    const read = idsIn(text).map((id) => client.ensureQueryData(savedPlan(id)).catch(() => undefined));
    void Promise.all(read).then((found) => {
      const plans = found.filter((plan) => plan !== undefined);
      const [plan] = plans;
      if (plan === undefined) return;
      if (key === "plan") onNotes(plan.decided.notes);
      const { today, pays } = plans.map(todayOf).find((each) => each.today !== undefined) ?? {};
      const before = filled.current;
      filled.current = today;
      change((now) => {
        const named = now.today !== undefined && now.today !== before;
        return now[key] !== text || named ? now : newReportSearchFrom({ ...now, today, pays });
      }, "same entry");
    });
  };
  const chosen = ({ plan, plans }: Pick<NewReportSearch, "plan" | "plans">) => {
    if (plan !== undefined) fill("plan", plan);
    else if (plans !== undefined) fill("plans", plans);
  };
  const [first] = useState(() => (shown.replaces === undefined ? { plan: shown.plan, plans: shown.plans } : undefined));
  const begin = useRef(chosen);
  useEffect(() => {
    if (first !== undefined) begin.current({ ...first } as NewReportSearch);
  }, [first]);
  return chosen;
}

/** The replaced report, and the values that must be entered again. */
function InPlaceOf({ older, today: named }: { older: Report; today: string | undefined }) {
  const today = named === undefined ? todayLost(older) : null;
  return (
    <>
      <p className="dim line">
        It comes in the place of “<Plain text={older.title} />
        ”, which stays as it is and names this one.
      </p>
      {today !== null && <NotTaken today={today} />}
    </>
  );
}

function NotTaken({ today }: { today: string }) {
  return (
    <Notice tone="warn">
      The older report compares with what runs today{today === "" ? "" : <Plain text={`, ${today}`} />}. This is not
      taken over; name it under “Compare with what runs today”.
    </Notice>
  );
}

type Changes = Partial<Record<keyof NewReportSearch, string | undefined>>;

interface QuestionsProps {
  formId: string;
  kind: ReportKind;
  search: NewReportSearch;
  texts: Texts;
  /** Default title. */
  suggestion: string;
  said: ReturnType<typeof sorted>;
  today: ComposerPageProps["today"];
  onKind: (kind: ReportKind) => void;
  onTexts: (texts: Texts) => void;
  onChange: (changes: Changes, typed?: boolean) => void;
}

/** Fields for the author. */
function Questions(props: QuestionsProps) {
  const { formId, kind, search, texts, suggestion, said, today, onKind, onTexts, onChange } = props;
  const origin = originIn(search);
  return (
    <section className={`card ${classes.form} small-labels no-print`} aria-label="What the report is">
      <OriginFields
        kind={kind}
        search={search}
        onKind={(next) => {
          onKind(next);
          onChange({ ...UNTOUCHED, validation: next === "validation" ? "published" : undefined });
        }}
        onChange={onChange}
      />
      <TextInput
        form={formId}
        label="Title"
        dir="auto"
        maxLength={LONGEST_TITLE}
        autoComplete="off"
        placeholder={suggestion}
        value={texts.title}
        error={said.fields.title && sentence(said.fields.title)}
        onChange={(event) => onTexts({ ...texts, title: event.currentTarget.value })}
      />
      <Textarea
        label="Your words (optional)"
        description="Above everything else: what is decided, what you ask for"
        dir="auto"
        resize="vertical"
        rows={5}
        maxLength={LONGEST_WORDS}
        value={texts.words}
        error={said.fields.words && sentence(said.fields.words)}
        onChange={(event) => onTexts({ ...texts, words: event.currentTarget.value })}
      />
      {origin?.kind === "plan" && kind === "plan" && (
        <OptionsField
          key={origin.plan_id}
          planId={origin.plan_id}
          ranks={origin.ranks ?? DEFAULT_RANKS}
          error={said.fields.ranks}
          onChange={(ranks) => onChange({ ranks: ranks.join(",") })}
        />
      )}
      {looksAhead(kind) && (
        <>
          <Ahead search={search} remarks={said.fields} onChange={(changes) => onChange(changes, true)} />
          {today({
            today: search.today,
            onToday: (key) => onChange({ today: key, ...(key === undefined ? { pays: undefined } : {}) }, true),
            paid: search.pays ?? "",
            onPaid: (pays) => onChange({ pays }, true),
            problems: said.today.map(({ path, message }) => ({ path: path.replace(/^today/, "cluster"), message })),
          })}
        </>
      )}
    </section>
  );
}

function usePublishing(onPublished: (id: string) => void) {
  const client = useQueryClient();
  const queryKey = reportsKey();
  return useMutation({
    mutationFn: (asked: NewReport) => publish(asked),
    onSuccess: (published, { replaces }) => {
      client.setQueryData(reportQuery(published.id).queryKey, published);
      void client.invalidateQueries({ queryKey: [...queryKey, "list"] });
      if (replaces) void client.invalidateQueries({ queryKey: reportQuery(replaces).queryKey });
      onPublished(published.id);
    },
  });
}

/** Whether one of the two fields is invalid; the preview would then differ from the intention. */
function refusesAhead(kind: ReportKind, search: NewReportSearch): boolean {
  return looksAhead(kind) && Object.keys(aheadIn(search).errors).length > 0;
}

function problemsOf(error: unknown): readonly FieldProblem[] | null {
  return error instanceof ApiProblem && error.fields.length > 0 ? error.fields : null;
}

interface TroublesProps {
  preview: Preview;
  publishing: unknown;
  elsewhere: readonly FieldProblem[];
}

/** Obstacle that no field shows. */
function Troubles({ preview, publishing, elsewhere }: TroublesProps) {
  const error = publishing ?? preview.error;
  if (error === null) return null;
  const kept = "What you wrote is kept here.";
  if (error instanceof ApiProblem && error.fields.length > 0) {
    if (elsewhere.length === 0) return null;
    return (
      <Notice tone="bad" title="This cannot be a report yet.">
        {elsewhere.map(({ path, message }) => (
          <p key={`${path} ${message}`} style={{ margin: "4px 0 0" }}>
            {sentence(message)}
          </p>
        ))}
      </Notice>
    );
  }
  if (error instanceof ApiProblem && error.status === 404) {
    return <Notice tone="bad">There is nothing of that kind, or it belongs to another team.</Notice>;
  }
  if (publishing !== null) return <Refusal error={publishing} kept={kept} />;
  return <ProblemNotice error={error} kept={kept} onRetry={preview.retry} />;
}

interface NothingProps {
  asked: boolean;
  failed: boolean;
  /** Whether fields show the reason. */
  atFields: boolean;
  kind: ReportKind;
}

/** Placeholder of the preview. */
function Nothing({ asked, failed, atFields, kind }: NothingProps) {
  if (atFields) {
    return <p className="card dim line">One of the fields is not understood: it says itself why.</p>;
  }
  if (failed) return null;
  if (!asked) {
    const what = {
      plan: "a saved plan",
      comparison: "two saved plans",
      sweep: "a sweep",
      run: "a run",
      validation: "",
    };
    return <p className="card dim line">Choose {what[kind]}: the report is shown here as it will be.</p>;
  }
  return (
    <Stack gap="md" className="card" role="status" aria-label="Composing the report">
      <Skeleton height={28} width="80%" />
      <Skeleton height={80} />
      <Skeleton height={320} />
    </Stack>
  );
}

interface AheadProps {
  search: NewReportSearch;
  remarks: { growth: string | undefined; months: string | undefined };
  onChange: (changes: { growth?: string | undefined; months?: string | undefined }) => void;
}

/** Horizon of the outlook and growth of the data. */
function Ahead({ search, remarks, onChange }: AheadProps) {
  const { ahead, errors } = aheadIn(search);
  const { text } = fieldsOf<"growth" | "months">({
    values: { growth: search.growth ?? "", months: search.months ?? "" },
    errors: { growth: errors.growth ?? remarks.growth, months: errors.months ?? remarks.months },
    onChange: (field, value) => onChange({ [field]: value }),
  });
  return (
    <fieldset className={`fieldset pair ${classes.ahead}`}>
      <legend>Cost over time</legend>
      {text("growth", "Growth a month [%]", "0", { inputMode: "decimal" })}
      {text("months", "Months", String(DEFAULT_MONTHS), { inputMode: "numeric" })}
      <p className="dim small">
        {ahead.months === 0 ? "Not looked at." : `${counted(ahead.months, "month")} ahead; 0 leaves it out.`}
      </p>
    </fieldset>
  );
}
