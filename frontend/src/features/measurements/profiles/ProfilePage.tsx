import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ProfilePoint } from "@/api/generated";
import { VERDICTS, type Verdict } from "@/api/measurements/measurements";
import { type Profile, profile as profileQuery } from "@/api/measurements/profiles";
import { Chart, type ChartData } from "@/charts/Chart";
import { chartTable, valueCell } from "@/charts/chartTable";
import { clusterFigure } from "@/charts/figures/clusterCurve";
import { cycleFigure } from "@/charts/figures/cycle";
import { type TimedValue, valuesFigure } from "@/charts/figures/valuesOverTime";
import { PlansOfInstance } from "@/features/measurements/changes/PlansOfInstance";
import { VerdictMark } from "@/features/measurements/VerdictMark";
import { filenameFrom } from "@/lib/csv";
import { termOf } from "@/lib/glossary/glossary";
import { differenceWords, measuredWords } from "@/lib/measured";
import { useUnits } from "@/lib/units";
import { count, counted, day, moment, percent } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { CopyText } from "@/ui/CopyText";
import { ObjectPage } from "@/ui/feedback/ObjectPage";
import { backToMeasurements, linkToMeasurement } from "@/ui/links/objects";
import { Sentence } from "@/ui/Sentence";
import { Term } from "@/ui/Term";
import { Table } from "@/ui/table/Table";
import { profileFacts, profileSentence } from "./sentences";

/** One metric of one target: its measurements over time, by cluster size, hour and weekday. */
export function ProfilePage({ id }: { id: string }) {
  useUnits();
  return (
    <ObjectPage
      query={useQuery(profileQuery(id))}
      title="Figure"
      nameOf={({ what }) => what}
      kind="figure"
      className="page small-labels"
      kept="What was measured is kept."
      heights={[420]}
    >
      {(profile) => <Loaded profile={profile} />}
    </ObjectPage>
  );
}

function Loaded({ profile }: { profile: Profile }) {
  const sentence = profileSentence(profile);
  const facts = profileFacts(profile);
  return (
    <div className="page small-labels">
      <section className="card" aria-label="In a sentence">
        <Sentence as="h1" facts={facts.map(explained)}>
          {sentence}
        </Sentence>
        {profile.published !== null && (
          <p className="dim small">
            Published: {profile.published.kind}
            {profile.published.as_of === null ? "" : `, ${day(profile.published.as_of)}`}. {profile.published.source}
          </p>
        )}
        <Group gap="xs" mt="sm" className="no-print">
          <CopyText
            label="Copy sentence"
            done="The sentence is copied, with its sources."
            text={() => `${sentence}\n(Stowage: ${facts.join("; ")}.)`}
          />
          {backToMeasurements("profiles", "All figures")}
        </Group>
      </section>
      {profile.feeds && profile.target.instance !== null && <PlansOfInstance instance={profile.target.instance} />}
      <OverTime profile={profile} />
      <OverNodes profile={profile} />
      <Cycles profile={profile} />
      <Measurements profile={profile} />
    </div>
  );
}

/** Explain the first word of a fact, if the glossary has it: `spread 4%`. */
function explained(fact: string): ReactNode {
  const [word = ""] = fact.split(" ", 1);
  const of = termOf(word);
  if (of === undefined) return fact;
  return (
    <>
      <Term of={of}>{word}</Term>
      {fact.slice(word.length)}
    </>
  );
}

/** Verdict of a point; unknown words count as doubtful. */
function verdictOf({ verdict }: ProfilePoint): Verdict {
  return VERDICTS.find((known) => known === verdict) ?? "doubtful";
}

function standingOf({ outlier, verdict }: ProfilePoint): TimedValue["standing"] {
  if (verdict === "rejected" || outlier) return "left out";
  return verdict === "doubtful" ? "doubtful" : "counts";
}

function pointWords(point: ProfilePoint, words: (value: number) => string): string {
  const why = point.verdict === "rejected" ? "rejected" : point.outlier ? "an outlier" : point.verdict;
  return `${words(point.value)}, ${point.tool}, ${moment(point.at)}: ${why}, weight ${percent(point.weight)}`;
}

function OverTime({ profile }: { profile: Profile }) {
  const { series, metric, unit, what, target_words, mean, low, high, published, changes } = profile;
  if (series.length === 0) return null;
  const words = (value: number) => measuredWords(metric, value, unit);
  const largest = Math.max(...series.map(({ weight }) => weight), 1e-9);
  const out = series.filter((point) => standingOf(point) === "left out").length;
  const caption = [
    "Each dot is a measurement, the smaller the less it counts by now; open ones are doubtful.",
    ...(out > 0 ? [`${counted(out, "cross is", "crosses are")} left out.`] : []),
    "The line is your mean, the band where it lies with a chance of 95%.",
    ...(published === null ? [] : ["The broken line is what is published."]),
    changes.length > 0
      ? `It changed ${changes.map(({ at, factor }) => `by ${differenceWords(100 * (factor - 1))} on ${day(at)}`).join(" and ")}.`
      : series.length < 6
        ? "From six measurements on, changes are looked for."
        : "No lasting change is seen.",
  ].join(" ");
  return (
    <Chart
      title="Over time"
      filename={filenameFrom(`${what} ${target_words}`)}
      caption={caption}
      data={() => seriesTable(profile)}
      label={`${what} over time. ${caption}`}
      figure={valuesFigure({
        values: series.map((point) => ({
          key: point.measurement_id,
          at_ms: Date.parse(point.at),
          value: point.value,
          weight: point.weight / largest,
          standing: standingOf(point),
          words: pointWords(point, words),
        })),
        mean,
        band: { low, high },
        published: published?.value ?? null,
        changes: changes.map(({ at, factor }) => ({
          at_ms: Date.parse(at),
          words: differenceWords(100 * (factor - 1)),
        })),
        words,
        title: "measured",
      })}
    />
  );
}

function seriesTable({ series, metric, unit }: Profile): ChartData {
  const words = (value: number) => measuredWords(metric, value, unit);
  return chartTable(series, (point) => point.measurement_id, [
    { head: "When", copied: "at", cell: ({ at }) => ({ copied: at, shown: moment(at) }) },
    { head: "Value", copied: `value_${unit}`, number: true, cell: ({ value }) => valueCell(value, words, unit) },
    { head: "Tool", copied: "tool", cell: ({ tool }) => tool },
    { head: "Verdict", copied: "verdict", cell: ({ verdict }) => verdict },
    { head: "Outlier", copied: "outlier", cell: ({ outlier }) => (outlier ? "yes" : "no") },
    { head: "Weight", copied: "weight", number: true, cell: ({ weight }) => valueCell(weight, percent, "") },
  ]);
}

function OverNodes({ profile }: { profile: Profile }) {
  const { curve, metric, unit, what } = profile;
  if (curve.length < 2) return null;
  const words = (value: number) => measuredWords(metric, value, unit);
  const own = curve.filter(({ kind }) => kind === "measured").length;
  const caption =
    `${counted(own, "filled dot is", "filled dots are")} yours, with 95% intervals; open ones are published. ` +
    "Between the sizes, and beyond them, plans read the curve that all of them make together.";
  return (
    <Chart
      title="Over the size of the cluster"
      filename={filenameFrom(`${what} over nodes`)}
      caption={caption}
      data={() =>
        chartTable(curve, ({ nodes, kind, source }) => `${nodes} ${kind} ${source}`, [
          {
            head: "Nodes",
            copied: "nodes",
            number: true,
            cell: ({ nodes }) => ({ copied: nodes, shown: count(nodes) }),
          },
          { head: "Value", copied: `value_${unit}`, number: true, cell: ({ value }) => valueCell(value, words, unit) },
          {
            head: "Low",
            copied: "low",
            number: true,
            cell: ({ low }) => (low === null ? "" : valueCell(low, words, unit)),
          },
          {
            head: "High",
            copied: "high",
            number: true,
            cell: ({ high }) => (high === null ? "" : valueCell(high, words, unit)),
          },
          { head: "Source", copied: "source", cell: ({ kind, source }) => `${kind}: ${source}` },
        ])
      }
      label={`${what} over the size of the cluster. ${caption}`}
      figure={clusterFigure({
        rates: curve.map(({ nodes, value, low, high, kind, source }) => ({
          nodes,
          value,
          range: low === null || high === null ? null : { low, high },
          measured: kind === "measured",
          words: `${counted(nodes, "node")}: ${words(value)}, ${kind}: ${source}`,
        })),
        words,
        title: "each node receives",
      })}
    />
  );
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const HOURS = Array.from({ length: 24 }, (_, hour) => `${hour}`);

function Cycles({ profile }: { profile: Profile }) {
  const { by_hour, by_weekday, metric, unit } = profile;
  const words = (value: number) => measuredWords(metric, value, unit);
  const parts = [
    { values: by_hour, names: HOURS, title: "hour of the day (UTC)", head: "By hour" },
    { values: by_weekday, names: WEEKDAYS, title: "day of the week (UTC)", head: "By weekday" },
  ];
  return (
    <div className="columns">
      {parts.map(({ values, names, title, head }) => {
        const known = values?.filter((value) => value !== null).length ?? 0;
        if (values === null || known < 2) return null;
        return (
          <Chart
            key={head}
            title={head}
            filename={filenameFrom(`${profile.what} ${head}`)}
            caption={`Weighted means of what was measured then.${known < values.length ? ` Where there is no dot, nothing was measured.` : ""}`}
            data={() => ({
              columns: [
                { head: title, copied: title },
                { head: "Mean", copied: `mean_${unit}`, number: true },
              ],
              rows: values.map((value, index) => ({
                key: names[index] ?? String(index),
                cells: [names[index] ?? "", value === null ? "—" : { copied: value, shown: words(value) }],
              })),
            })}
            label={`${head}: means`}
            figure={cycleFigure({ values, names, words, title })}
          />
        );
      })}
    </div>
  );
}

const MOST_ROWS = 200;

function Measurements({ profile }: { profile: Profile }) {
  const { series, metric, unit } = profile;
  const newest = series.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, MOST_ROWS);
  return (
    <Card id="rests" title="Sources & assumptions">
      <Table
        scrolls="Measurements of it"
        aria-labelledby="rests"
        rows={newest}
        keyOf={({ measurement_id }) => measurement_id}
        columns={[
          {
            head: "Measured",
            cell: ({ measurement_id, at, tool }) => (
              <>
                {linkToMeasurement(measurement_id, moment(at))} <span className="dim small">{tool}</span>
              </>
            ),
          },
          { head: "Value", value: (point) => [point.value, (value) => measuredWords(metric, value, unit), unit] },
          {
            head: "Verdict",
            cell: (point) => (
              <>
                <VerdictMark verdict={verdictOf(point)} />
                {point.outlier && point.verdict !== "rejected" && <span className="dim small"> an outlier</span>}
              </>
            ),
          },
          { head: "Weight", value: ({ weight }) => [weight, percent, ""] },
        ]}
      />
      {series.length > MOST_ROWS && <p className="dim">And {counted(series.length - MOST_ROWS, "older one")}.</p>}
    </Card>
  );
}
