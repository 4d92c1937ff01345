// Benchmark runs: quotes, progress, results.

import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import {
  compareRuns,
  createRun,
  listRuns,
  type NewRun,
  quoteRun,
  type RunAnswer,
  type RunRequest,
  type RunSpec,
  type RunSummaryAnswer,
  readRun,
  readRunLog,
  rerankByRun,
} from "@/api/generated";
import { addressOf, FRESH, ofTeam, pagesOfTeam, retryUnreachable, storedOnce } from "@/api/requests";
import { eventData } from "@/api/stream";
import { currentTeam, teamQuery } from "@/api/team";

export type {
  HeadlineAnswer as RunMetric,
  LiveAnswer as Live,
  NodeAnswer as RunNode,
  NodeResultAnswer as NodeResult,
  QuoteAnswer as Quote,
  QuotedAnswer as Quoted,
  ResourceAnswer as RunResource,
  RunAnswer as Run,
  RunComparisonAnswer as RunComparison,
  RunEventAnswer as RunEvent,
  RunResultAnswer as RunResult,
  RunSpec,
  RunSummaryAnswer as RunSummary,
  ScreeningAnswer as Screening,
  StepAnswer as RunStep,
} from "@/api/generated";

export type RunState = RunSummaryAnswer["state"];
export type Benchmark = RunSpec["benchmark"];

export const RUN_STATES: readonly RunState[] = [
  "quoted",
  "approved",
  "launching",
  "running",
  "collecting",
  "tearing-down",
  "done",
  "failed",
  "cancelled",
];

const ENDED: ReadonlySet<RunState> = new Set(["done", "failed", "cancelled"]);
/** States without progress: awaiting approval, or finished. */
const STILL: ReadonlySet<RunState> = new Set(["quoted", ...ENDED]);

const WATCH_MS = 3_000;
const PAGE = 30;
const LOG_PAGE = 200;

export function hasEnded({ state }: Pick<RunSummaryAnswer, "state">): boolean {
  return ENDED.has(state);
}

/** Check if a run is active in the account, or may become active. */
export function isUnderWay({ state }: Pick<RunSummaryAnswer, "state">): boolean {
  return !STILL.has(state);
}

/** Return the key prefix of all cached data about the team's runs. */
export function runsKey() {
  return ["runs", currentTeam()];
}

/** Query the team's runs, newest first; polled while one is active. */
export function runList(state: RunState | "") {
  return pagesOfTeam(
    ["runs", "list", state],
    ({ query, signal }) =>
      listRuns({
        query: { ...query, limit: PAGE, ...(state === "" ? {} : { state }) },
        signal,
      }),
    {
      refetchInterval: (query) =>
        query.state.data?.pages.some(({ runs }) => runs.some(isUnderWay)) === true ? WATCH_MS : retryUnreachable(query),
    },
  );
}

export function run(id: string) {
  return ofTeam(["runs", "one", id], (request) => readRun({ path: { run_id: id }, ...request }), FRESH);
}

/** Query the maximum price of a run and its effect. Keeps the previous price while loading. */
export function quote(asked: RunRequest) {
  return ofTeam(["runs", "quote", asked], (request) => quoteRun({ body: asked, ...request }), {
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
}

/** Store a run with its quote; it starts only after approval. */
export function ask(asked: NewRun): Promise<RunAnswer> {
  return storedOnce(["run", asked], (request) => createRun({ body: asked, ...request }));
}

/** Query the log of a run, oldest first. */
export function runLog(id: string) {
  const team = currentTeam();
  return infiniteQueryOptions({
    queryKey: ["runs", team, "log", id],
    queryFn: ({ signal, pageParam }) =>
      readRunLog({
        path: { run_id: id },
        query: { ...teamQuery(team), after: pageParam, limit: LOG_PAGE },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ events, more }) => (more ? (events.at(-1)?.id ?? null) : null),
    staleTime: 0,
  });
}

export function comparison(ids: readonly string[]) {
  return ofTeam(
    ["runs", "compare", ids],
    ({ query, signal }) => compareRuns({ query: { ...query, ids: ids.join(",") }, signal }),
    FRESH,
  );
}

/** Query the changes to the newest saved plans caused by a run's accepted results. */
export function reranked(id: string) {
  return ofTeam(["runs", "reranked", id], (request) => rerankByRun({ path: { run_id: id }, ...request }), {
    retry: false,
    ...FRESH,
  });
}

/** Return the URL of a run's event stream; each event is the complete run. */
export function eventsAddress(id: string): string {
  return addressOf("/api/v1/runs/{run_id}/events", { run_id: id });
}

/** Parse the data of an event as a run; null if invalid. */
export function runIn(data: unknown): RunAnswer | null {
  return eventData<RunAnswer>(data, ["state", "steps"]);
}
