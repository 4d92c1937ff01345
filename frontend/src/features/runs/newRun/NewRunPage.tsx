import { Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { FieldProblem } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { type AwsAccount, accounts as accountsQuery } from "@/api/runs/awsAccounts";
import { type Quote, quote as quoteQuery, type RunSpec } from "@/api/runs/runs";
import { useAhead } from "@/lib/useAhead";
import { Asking } from "@/ui/Asking";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Bound } from "./Bound";
import {
  askedOf,
  type NewRunSearch,
  newRunSearchFrom,
  type Question,
  questionOf,
  type Remarks,
  remarksFrom,
} from "./question";
import { RunForm } from "./RunForm";

interface NewRunPageProps {
  search: NewRunSearch;
  onSearch: (search: NewRunSearch, replace: boolean) => void;
  onStarted: (id: string) => void;
}

/** A new run: the form, with its maximum cost and its use beside it. */
export function NewRunPage({ search, onSearch, onStarted }: NewRunPageProps) {
  useDocumentTitle("New run · Stowage");
  const known = useQuery(accountsQuery()).data?.accounts;
  const [question, set, settled] = useAhead(questionOf(search), (next, replace) =>
    onSearch(newRunSearchFrom(next), replace),
  );
  const change = useCallback(
    (changes: Partial<Question>, typed = true) =>
      set((before) => ({ ...before, ...changes }), typed ? "typed" : "same entry"),
    [set],
  );
  const account = meantOf(known ?? [], question.account);
  const priced = usePrice(question, settled, account?.id ?? null);
  return (
    <Asking
      title="New run"
      formLabel="What is measured"
      form={
        <RunForm
          question={question}
          remarks={priced.remarks}
          accounts={known ?? null}
          account={account?.id ?? ""}
          onChange={change}
        />
      }
      working={priced.working}
      computing="Computing the price"
      notices={<Troubles priced={priced} />}
    >
      {priced.quote !== undefined && (
        <Bound
          quote={priced.quote}
          current={priced.current}
          question={settled}
          spec={priced.spec}
          account={account ?? null}
          onStarted={onStarted}
        />
      )}
      {priced.quote === undefined && priced.working && (
        <Skeleton height={260} role="status" aria-label="Computing the price" />
      )}
    </Asking>
  );
}

/** The selected account, or the only one. */
function meantOf(known: readonly AwsAccount[], id: string): AwsAccount | undefined {
  const usable = known.filter(({ state }) => state === "connected");
  return usable.find((one) => one.id === id) ?? (id === "" && usable.length === 1 ? usable[0] : undefined);
}

interface Priced {
  /** The last quote. */
  quote: Quote | undefined;
  /** Whether the quote is for the current form. */
  current: boolean;
  spec: RunSpec | null;
  remarks: Remarks;
  elsewhere: FieldProblem[];
  working: boolean;
  /** Error that belongs to no field; null if there is none. */
  error: unknown;
  retry: () => void;
}

/** Request a quote for the form after a pause in typing. */
function usePrice(question: Question, settled: Question, account_id: string | null): Priced {
  const asked = useMemo(() => askedOf(settled), [settled]);
  const written = useMemo(() => askedOf(question), [question]);
  const query = useQuery({
    ...quoteQuery({ spec: asked.spec ?? NOTHING, account_id }),
    enabled: asked.spec !== null,
  });
  const refused = query.error instanceof ApiProblem ? query.error.fields : [];
  const said = remarksFrom(refused, question);
  const same = JSON.stringify(written.spec) === JSON.stringify(asked.spec);
  return {
    quote: query.data,
    current: same && asked.spec !== null && query.isSuccess && !query.isPlaceholderData,
    spec: asked.spec,
    remarks: { ...said.fields, ...written.remarks },
    elsewhere: said.elsewhere,
    working: query.isFetching,
    error: refused.length === 0 ? query.error : null,
    retry: () => void query.refetch(),
  };
}

/** Placeholder for an invalid form; never sent. */
const NOTHING: RunSpec = { benchmark: "netbench", instance: "", nodes: 0, region: "" };

/** Reason why there is no quote for the form. */
function Troubles({ priced: { error, remarks, elsewhere, retry } }: { priced: Priced }) {
  return (
    <>
      {error !== null && <ProblemNotice error={error} kept="Nothing was launched." onRetry={retry} />}
      {Object.keys(remarks).length > 0 && (
        <Notice tone="warn">It cannot be asked for like this: see the marked fields.</Notice>
      )}
      {elsewhere.length > 0 && (
        <Notice tone="warn" title="It cannot be asked for like this.">
          {elsewhere.map(({ path, message }) => (
            <p key={`${path} ${message}`} className="line">
              {path.replace(/^spec\./, "")}: {message}
            </p>
          ))}
        </Notice>
      )}
    </>
  );
}
