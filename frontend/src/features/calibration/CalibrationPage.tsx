import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { CalibrationPoint } from "@/api/generated";
import { type Calibration, calibration as calibrationQuery, finishedJobs } from "@/api/measurements/calibrations";
import { Chart } from "@/charts/Chart";
import { chartTable, valueCell } from "@/charts/chartTable";
import { AFTER, BEFORE, beforeAfterFigure } from "@/charts/figures/beforeAfter";
import { PointIcon } from "@/charts/plot/Points";
import { filenameFrom } from "@/lib/csv";
import { differenceWords } from "@/lib/measured";
import { count, counted, duration, moment, percent, threeDigits, usd } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { CopyText } from "@/ui/CopyText";
import { Notice } from "@/ui/feedback/Notice";
import { ObjectPage } from "@/ui/feedback/ObjectPage";
import { backToMeasurements, linkToJob } from "@/ui/links/objects";
import { Sentence } from "@/ui/Sentence";
import { Table } from "@/ui/table/Table";
import { Value } from "@/ui/values/Value";
import classes from "./Calibration.module.css";

interface CalibrationPageProps {
  id: string;
  /** Link to a plan with this framework. */
  planWith: (name: string) => ReactNode;
}

/** Calibration of a framework: predicted and measured times, before and after. */
export function CalibrationPage({ id, planWith }: CalibrationPageProps) {
  return (
    <ObjectPage
      query={useQuery(calibrationQuery(id))}
      title="Calibration"
      nameOf={({ framework }) => framework}
      kind="calibration"
      className="page"
      kept="The calibration is kept."
      heights={[460]}
    >
      {(calibration) => <Loaded calibration={calibration} planWith={planWith} />}
    </ObjectPage>
  );
}

function Loaded({ calibration, planWith }: { calibration: Calibration } & Pick<CalibrationPageProps, "planWith">) {
  const sentence = sentenceOf(calibration);
  return (
    <div className="page">
      <section className="card" aria-label="In a sentence">
        <Sentence
          as="h1"
          facts={[calibration.evidence, `made ${moment(calibration.created_at)} by ${calibration.person}`]}
        >
          {sentence}
        </Sentence>
        {calibration.outdated && calibration.current && <Notice tone="warn">{outdatedWords(calibration)}</Notice>}
        {calibration.extrapolates !== null && <Notice tone="warn">{calibration.extrapolates}</Notice>}
        <Group gap="xs" mt="sm" className="no-print">
          <CopyText label="Copy sentence" done="The sentence is copied." text={() => sentence} />
          {calibration.current && planWith(calibration.name)}
          {backToMeasurements("jobs", "All calibrations")}
        </Group>
      </section>
      <Picture calibration={calibration} />
      <div className="columns">
        <Coefficients calibration={calibration} />
        <NextRuns calibration={calibration} />
      </div>
      <Runs calibration={calibration} />
    </div>
  );
}

function sentenceOf({
  framework,
  points,
  median_error_before_pct: before,
  median_error_pct: after,
}: Calibration): string {
  const runs = counted(points.length, "finished run");
  const was = `; without the calibration by ${percent(before / 100)}`;
  return `Predictions for “${framework}” are off by ${percent(after / 100)} in the median over ${runs}, each left out in turn${was}.`;
}

function outdatedWords({ not_refitted: reason }: Calibration): string {
  if (reason === null) return "Fitted with an earlier version of the physics. It is fitted again within minutes.";
  return `Fitted with an earlier version of the physics, and it could not be fitted again: ${reason}.`;
}

function runWords(point: CalibrationPoint): string {
  const { name, nodes, measured_s, predicted_before_s, predicted_s, low, high, loo_error_pct } = point;
  return (
    `${name}, ${counted(nodes, "node")}: measured ${duration(measured_s)}; predicted ${duration(predicted_before_s)} before, ` +
    `${duration(predicted_s)} (${duration(low)} to ${duration(high)}) after; left out, off by ${differenceWords(loo_error_pct)}`
  );
}

function Picture({ calibration: { points, framework } }: { calibration: Calibration }) {
  const inside = points.filter(({ low, high, measured_s }) => low <= measured_s && measured_s <= high).length;
  const caption = (
    <>
      <PointIcon {...BEFORE} /> before, <PointIcon {...AFTER} /> with the calibration, its whisker an interval of 80%;
      on the diagonal a prediction is perfect. {count(inside)} of {counted(points.length, "run")} lie within their
      interval.
    </>
  );
  if (points.length === 0) return null;
  return (
    <Chart
      title="Predicted against measured"
      filename={filenameFrom(`calibration ${framework}`)}
      caption={caption}
      data={() => pointsTable(points)}
      label={`Predicted against measured times of ${counted(points.length, "run")}, before and after the calibration`}
      figure={beforeAfterFigure(
        points.map((point) => ({
          key: point.name,
          name: point.name,
          measured_s: point.measured_s,
          before_s: point.predicted_before_s,
          after_s: point.predicted_s,
          range: { low: point.low, high: point.high },
          words: runWords(point),
        })),
      )}
    />
  );
}

const pointsTable = (points: readonly CalibrationPoint[]) =>
  chartTable(points, ({ name }) => name, [
    { head: "Run", copied: "name", cell: ({ name }) => name },
    { head: "Nodes", copied: "nodes", number: true, cell: ({ nodes }) => ({ copied: nodes, shown: count(nodes) }) },
    {
      head: "Measured",
      copied: "measured_s",
      number: true,
      cell: (point) => valueCell(point.measured_s, duration, "s"),
    },
    {
      head: "Predicted before",
      copied: "predicted_before_s",
      number: true,
      cell: (point) => valueCell(point.predicted_before_s, duration, "s"),
    },
    {
      head: "Predicted after",
      copied: "predicted_s",
      number: true,
      cell: (point) => valueCell(point.predicted_s, duration, "s"),
    },
    { head: "Low", copied: "low_s", number: true, cell: ({ low }) => valueCell(low, duration, "s") },
    { head: "High", copied: "high_s", number: true, cell: ({ high }) => valueCell(high, duration, "s") },
    {
      head: "Error when left out",
      copied: "loo_error_pct",
      number: true,
      cell: ({ loo_error_pct: error }) => ({ copied: error, shown: differenceWords(error) }),
    },
  ]);

function Coefficients({ calibration: { coefficients } }: { calibration: Calibration }) {
  return (
    <Card id="coefficients" title="What was learnt">
      <Table
        aria-labelledby="coefficients"
        rows={coefficients}
        keyOf={({ name }) => name}
        columns={[
          { head: "Quantity", cell: ({ what }) => what },
          {
            head: "Value",
            number: true,
            cell: ({ value, unit, low, high, seen }) => (
              <>
                <Value text={coefficientWords(value, unit)} exact={value} unit={unit} />
                <div className={`dim small ${classes.under}`}>
                  {seen
                    ? `${coefficientWords(low, unit)} to ${coefficientWords(high, unit)}`
                    : "no run shows it: as the framework’s others"}
                </div>
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}

function coefficientWords(value: number, unit: string): string {
  if (unit === "s") return value > 0 ? duration(value) : "0 s";
  return unit === "1" || unit === "" ? threeDigits(value) : `${threeDigits(value)} ${unit}`;
}

function NextRuns({ calibration: { next_runs } }: { calibration: Calibration }) {
  return (
    <Card id="next" title="Which run would teach most">
      {next_runs.length === 0 ? (
        <p className="lead">No further run would narrow the predictions by much.</p>
      ) : (
        <ol className="bullets">
          {next_runs.map(({ words, cost_usd }) => (
            <li key={words}>
              {words}
              {cost_usd !== null && <div className="dim small">{usd(cost_usd)}</div>}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Runs({ calibration: { points, left_out } }: { calibration: Calibration }) {
  const jobs = new Map((useQuery(finishedJobs()).data?.jobs ?? []).map(({ id, name }) => [name, id]));
  const named = (name: string) => {
    const id = jobs.get(name);
    return id === undefined ? name : linkToJob(id, name);
  };
  return (
    <Card id="runs" title="The runs">
      <Table
        scrolls="The runs, the furthest off first"
        aria-labelledby="runs"
        rows={points.toSorted((a, b) => Math.abs(b.loo_error_pct) - Math.abs(a.loo_error_pct))}
        keyOf={({ name }) => name}
        columns={[
          {
            head: "Run",
            cell: ({ name, nodes }) => (
              <>
                {named(name)} <span className="dim small">{counted(nodes, "node")}</span>
              </>
            ),
          },
          { head: "Measured", value: (point) => [point.measured_s, duration, "s"] },
          { head: "Before", value: (point) => [point.predicted_before_s, duration, "s"] },
          { head: "After", value: (point) => [point.predicted_s, duration, "s"] },
          { head: "Left out", value: ({ loo_error_pct }) => [loo_error_pct, differenceWords, "%"] },
        ]}
      />
      {left_out.length > 0 && (
        <>
          <p className="lead">Not taken:</p>
          <ul className="bare">
            {left_out.map(({ name, reason }) => (
              <li key={name}>
                {named(name)}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
