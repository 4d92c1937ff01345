import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useMemo, useState } from "react";
import { ApiProblem, Unreachable } from "@/api/problem";
import type { WorkloadDocument } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { Asking } from "@/ui/Asking";
import { FirstStep, useFirstSteps } from "@/ui/FirstStep";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { pinFrom } from "./address/pinText";
import { ranFrom, ranKeptAs } from "./address/ran";
import { type ViewChange, viewFrom, withView } from "./address/view";
import { Answer, AnswerSkeleton } from "./answer/Answer";
import { type Preview, usePreview } from "./answer/usePreview";
import { TodayForm } from "./baseline/TodayForm";
import { DraggingProvider } from "./dragging/dragging";
import { useKnownRows } from "./dragging/useKnownRows";
import { hasMore, isMore, WorkloadForm } from "./form/WorkloadForm";
import { viewMoved } from "./pins/pins";
import { AnsweredAgain } from "./saved/AnsweredAgain";
import { decidedIn } from "./saved/decided";
import { MeasuredDifference } from "./saved/MeasuredDifference";
import { SaveButton } from "./saved/SaveButton";
import {
  type Choice,
  choiceFrom,
  choiceFromDocument,
  documentFrom,
  type Remarks,
  remarksFrom,
  type Search,
  searchOf,
} from "./workload/choice";
import type { Field } from "./workload/fields";
import { type Change, useChoice } from "./workload/useChoice";
import { jobWords, questionWords } from "./workload/workloadWords";

export interface PlanPageProps {
  search: Search;
  /** Updates the URL: typing replaces the history entry, a selection adds one. */
  onSearch: (change: (search: Search) => Search, replace: boolean) => void;
  onSaved: (id: string) => void;
  /** Further actions on the question. */
  actions?: ReactNode;
  /** Link to the team's measurements. */
  toMeasurements?: ReactNode;
}

/** Plan page: the form on the left, the answer on the right. */
export function PlanPage({ search, onSearch, onSaved, actions, toMeasurements }: PlanPageProps) {
  useDocumentTitle("New plan · Stowage");
  const {
    choice,
    asked,
    change: write,
  } = useChoice(search, (next: Choice, replace) =>
    // Pins and the current cluster stay the same while the question changes.
    onSearch(
      (before) => ({ ...searchOf(next), ...viewMoved(viewFrom({ ...before }), choiceFrom(before), next) }),
      replace,
    ),
  );
  // A measured run keeps its data like the current cluster, and so it also stays the same while the question changes.
  const change: Change = (changes, pace) => {
    const next = { ...choice, ...changes };
    const { today } = viewMoved(viewFrom({ ...search }), choiceFrom(search), next);
    const ran = changes.ran ?? ranKeptAs(next.ran, today);
    write(ran === choice.ran ? changes : { ...changes, ran }, pace);
  };
  const document = useMemo(() => documentFrom(asked), [asked]);
  const preview = usePreview(document);
  const maySave = useMay("plans.write");
  const { answer } = preview;
  const known = useKnownRows({ asked, document, view: search, preview });
  const [more, setMore] = useState(() => hasMore(asked));
  const problems = preview.error instanceof ApiProblem ? preview.error.fields : [];
  const remarks = remarksFrom(problems, asked);
  // The API's normalized document: one question has one text, whether its answer is current or cached.
  const answered = useMemo(
    () => (answer === undefined ? undefined : pinned(answer.workload, answer.catalog_version)),
    [answer],
  );
  // Everything below is compared with the answered question, which may be an earlier one.
  const of = useMemo(
    () => (answer === undefined ? asked : choiceFromDocument(answer.workload).choice),
    [answer, asked],
  );
  const seen = viewMoved(viewFrom({ ...search }), choiceFrom(search), of);
  // A measured run names its own cluster: a stored question may lack a current cluster.
  const run = ranFrom(choice.ran)?.key;
  const view = seen.today === undefined && run !== undefined ? { ...seen, today: run } : seen;
  const onView = (change: ViewChange, replace: boolean) =>
    onSearch((before) => withView(before, viewMoved(change, of, choiceFrom(before))), replace);
  // Each of the first steps ends with its action: a described job, a baseline, a saved plan with it.
  const described = Object.keys(searchOf(asked)).length > 0;
  const [, hideSteps] = useFirstSteps();
  return (
    <DraggingProvider {...known} answer={answer} current={preview.current}>
      <Asking
        title="Plan"
        formLabel="Workload"
        chip={questionWords(choice).join(" · ")}
        refused={problems.length > 0}
        form={
          <>
            {!described && <FirstStep number={1} spaced />}
            <WorkloadForm
              choice={choice}
              remarks={remarks}
              onChange={change}
              more={more}
              onMore={setMore}
              baseline={
                <TodayForm
                  today={view.today}
                  asked={answer && answered && { answer, document: answered }}
                  onToday={(today) => onView({ today }, true)}
                  ran={choice.ran}
                  onRan={(ran) => change({ ran })}
                  ranError={remarks.fields.ran}
                  data={choice.data}
                  paid={view.pays ?? ""}
                  onPaid={(pays) => onView({ pays }, true)}
                />
              }
            />
          </>
        }
        working={preview.working}
        notices={<Troubles preview={preview} remarks={remarks} hidden={(field) => !more && isMore(field, asked)} />}
        gap={12}
      >
        {answer === undefined || answered === undefined ? (
          preview.error === null && <AnswerSkeleton />
        ) : (
          <>
            {view.today === undefined && <FirstStep number={2} />}
            {view.again !== undefined && <AnsweredAgain planId={view.again} answer={answer} />}
            <Example choice={choice} today={search.today} />
            <Answer
              answer={answer}
              document={answered}
              ranking={{ of: "question", document: answered }}
              measured={<MeasuredDifference document={answered} link={toMeasurements} />}
              current={preview.current}
              view={view}
              onView={(next, replace) => {
                onView(next, replace);
                // The measured time does not apply to another current cluster.
                if ("today" in next && choice.ran !== "") {
                  const other = ranFrom(choice.ran)?.key !== pinFrom(next.today ?? "").cluster;
                  change({ ran: other ? "" : ranKeptAs(choice.ran, next.today) });
                }
              }}
              question={{ asked: { deadline: choice.deadline, budget: choice.budget }, change }}
              actions={
                <>
                  {maySave && (
                    <SaveButton
                      document={document}
                      decided={() =>
                        decidedIn(viewMoved(viewFrom({ ...search }), choiceFrom(search), asked), document, asked)
                      }
                      disabled={!preview.current}
                      onSaved={(id) => {
                        if (view.today !== undefined) hideSteps();
                        onSaved(id);
                      }}
                    />
                  )}
                  {actions}
                  {(maySave || view.today === undefined) && (
                    <FirstStep number={3} words={lastStep(maySave, view.today !== undefined)} />
                  )}
                </>
              }
            />
          </>
        )}
      </Asking>
    </DraggingProvider>
  );
}

/** Mark of the answer as an example: until something is asked, it is the answer to the defaults. */
function Example({ choice, today }: { choice: Choice; today: string | undefined }) {
  if (today !== undefined || Object.keys(searchOf(choice)).length > 0) return null;
  return (
    <p className="line dim strong" data-testid="example">
      Example: {jobWords(choice)} of {choice.data}. Enter your own job.
    </p>
  );
}

/** Describe the last of the first steps; undefined if the whole of it is to be done. */
function lastStep(maySave: boolean, compared: boolean): string | undefined {
  if (!maySave) return "Say what you run today to see the saving.";
  return compared ? "Save the plan: its saving is then listed on Home." : undefined;
}

interface TroublesProps {
  preview: Preview;
  remarks: Remarks;
  /** Returns true if the form does not show a field. */
  hidden: (field: Field) => boolean;
}

/** Error message, if no field shows it, and a note on the answer still shown. */
function Troubles({ preview, remarks, hidden }: TroublesProps) {
  if (preview.error === null || preview.error === undefined) return null;
  const kept = preview.answer === undefined ? "" : "The answer below belongs to the earlier input.";
  if (!(preview.error instanceof ApiProblem) || preview.error.fields.length === 0) {
    return (
      <ProblemNotice
        error={preview.error}
        kept={kept}
        {...(preview.error instanceof Unreachable ? {} : { onRetry: preview.retry })}
      />
    );
  }
  const unseen = (Object.entries(remarks.fields) as [Field, string][]).filter(([field]) => hidden(field));
  const marked = Object.keys(remarks.fields).length > 0;
  return (
    <Notice tone="warn">
      <span data-testid="earlier-input">
        The input is not accepted{marked ? ": see the marked fields" : ""}. {kept}
      </span>
      {unseen.map(([field, message]) => (
        <p key={field} style={{ margin: "4px 0 0" }}>
          Under “More”, {field}: {message}
        </p>
      ))}
      {remarks.elsewhere.map((problem) => (
        <p key={`${problem.path} ${problem.message}`} style={{ margin: "4px 0 0" }}>
          {problem.path === "" ? "" : `${problem.path}: `}
          {problem.message}
        </p>
      ))}
    </Notice>
  );
}

/** Pin a document to the catalog of its answer, so that row and ranking agree. */
export function pinned(document: WorkloadDocument, catalog: string | undefined): WorkloadDocument {
  if (catalog === undefined) return document;
  return { ...document, place: { ...(document["place"] as WorkloadDocument | undefined), catalog } };
}
