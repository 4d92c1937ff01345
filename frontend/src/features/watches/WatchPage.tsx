import { Group, SegmentedControl, Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { endWatch } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { forTeam } from "@/api/requests";
import { isAwaited, type Watch, watchesKey, watchOf, watchSeries } from "@/api/runs/watches";
import { useMay } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { useUnits } from "@/lib/units";
import { moment } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import { NotFound } from "@/ui/links/NotFound";
import { backToRuns } from "@/ui/links/objects";
import { drawnOf } from "./groups";
import { MetricCharts } from "./MetricCharts";
import { SPANS, type Span, USUAL_SPAN, type WatchSearch, watchSearchFrom } from "./search";

interface WatchPageProps {
  id: string;
  search: WatchSearch;
  onSearch: (search: WatchSearch) => void;
}

const SPAN_WORDS: Record<Span, string> = {
  "1h": "1 h",
  "6h": "6 h",
  "24h": "24 h",
  "7d": "7 d",
  "15d": "15 d",
  "60d": "60 d",
  "1y": "1 y",
};

/** A monitored volume: CloudWatch metrics, with the burst balance beside the model's. */
export function WatchPage({ id, search, onSearch }: WatchPageProps) {
  useUnits();
  const query = useQuery(watchOf(id));
  const watch = query.data;
  useDocumentTitle(`${watch?.volume_id ?? "Volume"} · Stowage`);
  if (query.error instanceof ApiProblem && query.error.status === 404) {
    return <NotFound what="There is no such volume, or it belongs to another team." />;
  }
  return (
    <Stack>
      <QueryState
        query={query}
        kept="The volume is still monitored."
        stale="What is below is the last that was read."
        loading="Reading the volume"
        heights={[120]}
      />
      {watch !== undefined && (
        <>
          <Head watch={watch} />
          <Charts
            watch={watch}
            span={search.span ?? USUAL_SPAN}
            onSpan={(span) => onSearch(watchSearchFrom({ span }))}
          />
        </>
      )}
    </Stack>
  );
}

function Head({ watch }: { watch: Watch }) {
  const mayWrite = useMay("runs.write");
  const ending = useChange(() => endWatch({ path: { watch_id: watch.id }, ...forTeam() }), [watchesKey()]);
  return (
    <section className="card" aria-labelledby="volume">
      <div className="spread">
        <h1 id="volume" className="wraps">
          {watch.volume_id}
        </h1>
        <Group gap="6px 8px" className="no-print">
          {backToRuns("/benchmarks/monitored", "All volumes")}
          {mayWrite && watch.ended_at === null && (
            <Confirm words="Stop monitoring" go="Stop" onGo={ending.mutateAsync}>
              Its metrics are no longer read from CloudWatch, and AWS charges nothing more for them. Stored metrics are
              kept.
            </Confirm>
          )}
        </Group>
      </div>
      <p className="line">{watch.volume?.words ?? (isAwaited(watch) ? "It is being looked for." : "")}</p>
      <p className="line dim small">
        {[
          `${watch.account_name}, ${watch.region}`,
          watch.read_until === null ? "not read yet" : `read up to ${moment(watch.read_until)}`,
          ...(watch.ended_at === null ? [] : [`monitored until ${moment(watch.ended_at)}`]),
        ].join(" · ")}
      </p>
      {watch.problem !== null && watch.ended_at === null && (
        <Notice tone="warn" title="It could not be read. ">
          {watch.problem} What was measured before is kept, and it is tried again every five minutes.
        </Notice>
      )}
      {watch.volume !== null && watch.volume.instance === null && (
        <Notice tone="plain">CloudWatch has nothing of a volume while it is attached to no instance.</Notice>
      )}
      <Refusal error={ending.error} kept="The volume is still monitored." />
    </section>
  );
}

function Charts({ watch, span, onSpan }: { watch: Watch; span: Span; onSpan: (span: Span) => void }) {
  const query = useQuery(watchSeries(watch.id, SPANS[span]));
  const metrics = query.data;
  const nothing = metrics !== undefined && drawnOf(metrics).length === 0;
  return (
    <>
      <Group gap="6px 8px" className="no-print">
        <SegmentedControl
          size="xs"
          aria-label="How far back"
          value={span}
          data={(Object.keys(SPANS) as Span[]).map((value) => ({ value, label: SPAN_WORDS[value] }))}
          onChange={(value) => onSpan(value as Span)}
        />
      </Group>
      <QueryState
        query={query}
        kept="What was measured is kept."
        stale="The charts below are the last ones read."
        loading="Reading what was measured"
        heights={[280]}
      />
      {nothing && (
        <section className="card">
          <p className="dim">{`CloudWatch has measured nothing of it in the last ${SPAN_WORDS[span]}.`}</p>
        </section>
      )}
      {metrics !== undefined && !nothing && <MetricCharts metrics={metrics} name={watch.volume_id} />}
    </>
  );
}
