import { Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { Disclosure } from "@/ui/Disclosure";
import { QueryState } from "@/ui/feedback/QueryState";
import { Accuracy } from "./Accuracy";
import type { ValidationAnswer } from "./answer";
import { CasesChart } from "./CasesChart";
import { CasesTable } from "./CasesTable";
import { Contradictions } from "./Contradictions";
import { experimentNames, keptCases, sortedCases } from "./cases";
import { Head } from "./Head";
import { Kinds } from "./Kinds";
import { Limits } from "./Limits";
import { Profiles } from "./Profiles";
import { validation } from "./query";
import { type ValidationSearch, validationSearchFrom, withChange, withoutFilters } from "./search";

interface ValidationPageProps {
  search: ValidationSearch;
  onSearch: (search: ValidationSearch, replace: boolean) => void;
  /** Link to a report of the validation. */
  report?: ReactNode;
}

/** Validation page: published figures against predictions. */
export function ValidationPage(props: ValidationPageProps) {
  useDocumentTitle("Model accuracy · Stowage");
  const query = useQuery(validation);
  return (
    <div className="page">
      <h1 className={query.error !== null && query.data === undefined ? undefined : "spoken"}>Model accuracy</h1>
      <QueryState
        query={query}
        kept="Nothing of yours is concerned."
        stale="What is below is the last that was read."
        loading="Reading the model accuracy"
        heights={[130, 150, 560]}
      />
      {query.data !== undefined && <Loaded {...props} answer={query.data} />}
    </div>
  );
}

function Loaded({ answer, search, onSearch, report }: ValidationPageProps & { answer: ValidationAnswer }) {
  const [picked, setPicked] = useState<string | null>(null);
  const { kind, group, misses, search: text, sort, case: open } = search;
  const { cases } = answer;
  const names = useMemo(() => experimentNames(answer.experiments.rows), [answer.experiments.rows]);
  const kept = useMemo(
    () => keptCases(cases, { kind, group, misses, search: text }, names),
    [cases, kind, group, misses, text, names],
  );
  const shown = useMemo(() => sortedCases(kept, sort), [kept, sort]);
  const pick = (id: string) => {
    setPicked(id);
    // Filters that would hide the selected case are removed.
    const from = kept.some((one) => one.id === id) ? search : withoutFilters(search);
    onSearch(withChange(from, { case: id }), false);
  };
  const toggle = (id: string) => {
    setPicked(null);
    onSearch(withChange(search, { case: id === open ? undefined : id }), false);
  };
  return (
    <>
      <Accuracy accuracies={answer.accuracies} />
      <Head answer={answer} report={report} />
      {/* Search parameters in the URL expand the section. */}
      <Disclosure
        summary="Every published figure"
        initiallyOpen={Object.keys(validationSearchFrom({ ...search })).length > 0}
      >
        {() => (
          <Stack mt={12}>
            <Kinds summary={answer.summary} />
            <CasesChart
              cases={cases}
              kept={kept}
              open={open}
              upwards={search.show ?? "predicted"}
              onUpwards={(show) => onSearch(withChange(search, { show }), true)}
              onPick={pick}
            />
            <CasesTable
              cases={shown}
              total={cases.length}
              names={names}
              search={search}
              picked={picked}
              onFilter={(change) => onSearch(withChange(search, change), true)}
              onShowAll={() => onSearch(withoutFilters(search), true)}
              onOpen={toggle}
            />
          </Stack>
        )}
      </Disclosure>
      <Disclosure summary="Physical limits of published runs">{() => <Limits limits={answer.limits} />}</Disclosure>
      <Disclosure summary="What the sources contradict">
        {() => <Contradictions contradictions={answer.contradictions} />}
      </Disclosure>
      <Disclosure summary="What is known of each framework">
        {() => <Profiles frameworks={answer.frameworks} />}
      </Disclosure>
    </>
  );
}
