// Monitored volumes, and CloudWatch metrics of volumes and runs.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { listWatches, readRunMetrics, readWatch, readWatchSeries, type WatchAnswer } from "@/api/generated";
import { FRESH, ofTeam, pagesOfTeam, retryUnreachable } from "@/api/requests";
import { currentTeam, teamQuery } from "@/api/team";

export type {
  MetricSeriesAnswer as MetricSeries,
  MetricsAnswer as Metrics,
  WatchAnswer as Watch,
} from "@/api/generated";

const LOOK_EVERY_MS = 60_000;
/** Polling interval after adding a volume, which is looked up within a minute [ms]. */
const LOOK_SOON_MS = 5_000;
const PAGE = 30;
/** Steps per chart: about one for every two pixels. */
const STEPS = 400;

export function watchesKey() {
  return ["watches", currentTeam()];
}

/** Query the watched volumes, newest first. */
export function watchList(ended: boolean) {
  return pagesOfTeam(
    ["watches", "list", ended],
    ({ query, signal }) => listWatches({ query: { ...query, limit: PAGE, ended }, signal }),
    {
      refetchInterval: (query) => {
        const awaited = query.state.data?.pages.some(({ watches }) => watches.some(isAwaited)) === true;
        return retryUnreachable(query) || (awaited ? LOOK_SOON_MS : LOOK_EVERY_MS);
      },
    },
  );
}

/** Check if the first lookup of a volume is pending. */
export function isAwaited({ volume, problem, ended_at }: WatchAnswer): boolean {
  return volume === null && problem === null && ended_at === null;
}

export function watchOf(id: string) {
  return ofTeam(["watches", "one", id], (request) => readWatch({ path: { watch_id: id }, ...request }), {
    ...FRESH,
    refetchInterval: (query) => {
      const awaited = query.state.data !== undefined && isAwaited(query.state.data);
      return retryUnreachable(query) || (awaited ? LOOK_SOON_MS : LOOK_EVERY_MS);
    },
  });
}

/** Query the CloudWatch metrics of a volume for the last `hours` hours. */
export function watchSeries(id: string, hours: number) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["watches", team, "series", id, hours],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - hours * 3_600_000).toISOString();
      const query = { ...teamQuery(team), from, points: STEPS };
      return readWatchSeries({ path: { watch_id: id }, query, signal });
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: (query) => retryUnreachable(query) || LOOK_EVERY_MS,
  });
}

/** Query the CloudWatch metrics of a run's resources; polled while the run is active. */
export function runMetrics(id: string, open: boolean) {
  return ofTeam(
    ["runs", "metrics", id],
    ({ query, signal }) => readRunMetrics({ path: { run_id: id }, query: { ...query, points: STEPS }, signal }),
    { ...FRESH, refetchInterval: (query) => retryUnreachable(query) || (open ? LOOK_EVERY_MS / 2 : false) },
  );
}
