import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useMemo, useState } from "react";
import { ApiProblem, Unreachable } from "@/api/problem";
import type { WorkloadDocument } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { pinFrom } from "./address/pinText";
import { ranFrom, ranKeptAs } from "./address/ran";
import { type ViewChange, viewFrom, withView } from "./address/view";
import { Answer, AnswerSkeleton } from "./answer/Answer";
import { type Preview, usePreview } from "./answer/usePreview";
import { TodayForm } from "./baseline/TodayForm";
import { hasMore, isMore, WorkloadForm } from "./form/WorkloadForm";
import classes from "./PlanPage.module.css";
import { viewMoved } from "./pins/pins";
import { decidedIn } from "./saved/decided";
import { MeasuredDifference } from "./saved/MeasuredDifference";
import { SaveButton } from "./saved/SaveButton";
import {
  type Choice,
  choiceFrom,
  choiceFromDocument,
  documentFrom,
  type Field,
  type Remarks,
  remarksFrom,
  type Search,
  searchOf,
} from "./workload/choice";
import { type Change, useChoice } from "./workload/useChoice";

export interface PlanPageProps {
  search: Search;
  /** Changes the address: typing replaces the entry in the history, picking adds one. */
  onSearch: (change: (search: Search) => Search, replace: boolean) => void;
  onSaved: (id: string) => void;
  /** What else can be done with the question. */
  actions?: ReactNode;
  /** Leads to what the team measured. */
  toMeasurements?: ReactNode;
}

/** The planner's page: questions at the left, the answer at the right. */
export function PlanPage({ search, onSearch, onSaved, actions, toMeasurements }: PlanPageProps) {
  useDocumentTitle("Plan · Stowage");
  const {
    choice,
    asked,
    change: write,
  } = useChoice(search, (next: Choice, replace) =>
    // What is pinned, and what runs today, stay what they are while the question changes.
    onSearch(
      (before) => ({ ...searchOf(next), ...viewMoved(viewFrom({ ...before }), choiceFrom(before), next) }),
      replace,
    ),
  );
  // A run that was measured keeps its data as what runs today does, and so it stays while the question changes.
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
  const [more, setMore] = useState(() => hasMore(asked));
  const problems = preview.error instanceof ApiProblem ? preview.error.fields : [];
  const remarks = remarksFrom(problems, asked);
  // As the service wrote it down: one question has one text, whether its answer is current or kept.
  const answered = useMemo(
    () => (answer === undefined ? undefined : pinned(answer.workload, answer.catalog_version)),
    [answer],
  );
  // Below, all that is named is held against the question that is answered, which may be an earlier one.
  const of = useMemo(
    () => (answer === undefined ? asked : choiceFromDocument(answer.workload).choice),
    [answer, asked],
  );
  const seen = viewMoved(viewFrom({ ...search }), choiceFrom(search), of);
  // A measured run names its cluster by itself: a stored question may come without one to compare with.
  const run = ranFrom(choice.ran)?.key;
  const view = seen.today === undefined && run !== undefined ? { ...seen, today: run } : seen;
  const onView = (change: ViewChange, replace: boolean) =>
    onSearch((before) => withView(before, viewMoved(change, of, choiceFrom(before))), replace);
  return (
    <div className="asking">
      <h1 className="spoken">Plan</h1>
      <aside className="card asking-form" aria-label="Workload">
        <WorkloadForm choice={choice} remarks={remarks} onChange={change} more={more} onMore={setMore} />
        <TodayForm
          today={view.today}
          asked={answer && answered && { answer, document: answered }}
          onToday={(today) => onView({ today }, true)}
          ran={choice.ran}
          onRan={(ran) => change({ ran })}
          ranError={remarks.fields.ran}
          data={choice.data}
        />
      </aside>
      <div className={classes.result}>
        <div
          className="progress"
          data-active={preview.working || undefined}
          role="progressbar"
          aria-label="Computing"
          aria-busy={preview.working}
          aria-valuetext={preview.working ? "computing" : "done"}
        />
        <div className={classes.notices} aria-live="polite">
          <Troubles preview={preview} remarks={remarks} hidden={(field) => !more && isMore(field, asked)} />
        </div>
        {answer === undefined || answered === undefined ? (
          preview.error === null && <AnswerSkeleton />
        ) : (
          <Answer
            answer={answer}
            document={answered}
            ranking={{ of: "question", document: answered }}
            measured={<MeasuredDifference document={answered} link={toMeasurements} />}
            current={preview.current}
            view={view}
            onView={(next, replace) => {
              onView(next, replace);
              // Another cluster of today's: what was measured is not its time.
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
                    onSaved={onSaved}
                  />
                )}
                {actions}
              </>
            }
          />
        )}
      </div>
    </div>
  );
}

interface TroublesProps {
  preview: Preview;
  remarks: Remarks;
  /** Whether the form does not show a field. */
  hidden: (field: Field) => boolean;
}

/** The problem, if no field shows it, and which answer is still shown. */
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

/** Ask the very catalog that answered, so that row and ranking agree. */
export function pinned(document: WorkloadDocument, catalog: string | undefined): WorkloadDocument {
  if (catalog === undefined) return document;
  return { ...document, place: { ...(document["place"] as WorkloadDocument | undefined), catalog } };
}
