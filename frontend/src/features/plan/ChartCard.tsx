import { Button, CopyButton, SegmentedControl, Skeleton, UnstyledButton } from "@mantine/core";
import { lazy, Suspense, useMemo } from "react";
import type { PlanAnswer } from "@/api/generated";
import type { CostTimeData, CostTimePoint } from "@/charts/costTime";
import { RESOURCES, resourceKind } from "@/lib/resources";
import { duration, usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { ResourceMark } from "@/ui/ResourceMark";
import { Value } from "@/ui/Value";
import classes from "./ChartCard.module.css";
import { storageWords } from "./cluster";
import { longestPhase } from "./longest";
import { pointOf } from "./useChosen";

const loadChart = () => import("@/charts/CostTimeChart");
const CostTimeChart = lazy(() => loadChart().then((module) => ({ default: module.CostTimeChart })));

/** Fetch the chart's code while the answer is computed. */
export function preloadChart(): void {
  // A failure shows where the chart is drawn.
  loadChart().catch(() => undefined);
}

interface ChartCardProps {
  answer: PlanAnswer;
  chosen: CostTimePoint | null;
  scale: "log" | "linear";
  onScale: (scale: "log" | "linear") => void;
  onPick: (key: string) => void;
}

/** Cost against time: what to see in words, the picture, and its data as a table. */
export function ChartCard({ answer, chosen, scale, onScale, onPick }: ChartCardProps) {
  const data = useMemo(() => chartData(answer, chosen), [answer, chosen]);
  const kinds = [...new Set(data.ranked.map((row) => row.resource))];
  return (
    <section className="card" aria-labelledby="cost-time">
      <div className={classes.head}>
        <h2 id="cost-time" className={classes.title}>
          Cost against time
        </h2>
        <SegmentedControl
          size="xs"
          className="no-print"
          aria-label="Scale of the axes"
          value={scale}
          onChange={(value) => onScale(value === "linear" ? "linear" : "log")}
          data={[
            { value: "log", label: "Logarithmic" },
            { value: "linear", label: "Linear" },
          ]}
        />
      </div>
      <p className={classes.caption}>
        {caption(data)} Marks show what limits the longest phase:{" "}
        {kinds.map((kind, index) => (
          <span key={kind} className={classes.key}>
            <ResourceMark kind={kind} />
            {RESOURCES[kind].label}
            {index < kinds.length - 1 ? ", " : "."}
          </span>
        ))}
      </p>
      <Suspense fallback={<Skeleton height={380} />}>
        <CostTimeChart
          data={data}
          scale={scale}
          label={`Chart of cost against time. ${caption(data)}`}
          onPick={onPick}
        />
      </Suspense>
      <Disclosure summary="Data of this chart">
        {() => <ChartTable data={data} answer={answer} onPick={onPick} />}
      </Disclosure>
    </section>
  );
}

function chartData(answer: PlanAnswer, chosen: CostTimePoint | null): CostTimeData {
  return {
    curves: answer.curves.map((curve) => ({
      name: curve.instance,
      points: curve.points.map((point) => ({ ...pointOf(point), time_s: point.time_s, cost_usd: point.cost_usd })),
    })),
    frontier: answer.frontier.map((point) => ({ ...pointOf(point), time_s: point.time_s, cost_usd: point.cost_usd })),
    ranked: answer.configurations.map((row) => ({
      ...pointOf(row),
      rank: row.rank,
      time_s: row.time_s.p50,
      cost_usd: row.cost_usd.p50,
      time: row.time_s,
      cost: row.cost_usd,
      resource: resourceKind(longestPhase(row)?.bottleneck ?? ""),
    })),
    chosen,
    deadline_s: answer.limits.deadline_s,
    budget_usd: answer.limits.budget_usd,
  };
}

/** What to see: how much money buys how much time. */
function caption({ frontier }: CostTimeData): string {
  const [fastest, cheapest] = [frontier[0], frontier.at(-1)];
  if (fastest === undefined || cheapest === undefined) return "";
  if (fastest.key === cheapest.key) return `${fastest.name} is both the fastest and the cheapest.`;
  return (
    `The bold line is the frontier, which nothing beats in both: from ${duration(fastest.time_s)} for ` +
    `${usd(fastest.cost_usd)} (${fastest.name}) to ${duration(cheapest.time_s)} for ${usd(cheapest.cost_usd)} ` +
    `(${cheapest.name}).`
  );
}

interface ChartTableProps {
  data: CostTimeData;
  answer: PlanAnswer;
  onPick: (key: string) => void;
}

function ChartTable({ data, answer, onPick }: ChartTableProps) {
  const words = new Map(
    [...answer.frontier, ...answer.curves.flatMap((curve) => curve.points)].map((point) => [
      pointOf(point).key,
      storageWords(point.storage),
    ]),
  );
  const parts: [string, CostTimePoint[]][] = [
    ["ranked", data.ranked],
    ["frontier", data.frontier],
    ...data.curves.map((curve): [string, CostTimePoint[]] => [`curve of ${curve.name}`, curve.points]),
  ];
  return (
    <>
      <CopyButton value={asText(parts)}>
        {({ copied, copy }) => (
          <Button variant="default" size="compact-sm" mb={4} onClick={copy}>
            {copied ? "Copied" : "Copy table"}
          </Button>
        )}
      </CopyButton>
      {/* A scrolling region must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section className="scroller" tabIndex={0} aria-label="Data of the chart">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Configuration</th>
              <th scope="col">Part of</th>
              <th scope="col" className="number">
                Time
              </th>
              <th scope="col" className="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.flatMap(([part, points]) =>
              points.map((point) => (
                <tr key={`${part} ${point.key}`}>
                  <td>
                    <UnstyledButton className={classes.pick} onClick={() => onPick(point.key)}>
                      {point.name}
                    </UnstyledButton>{" "}
                    <span className="dim">{words.get(point.key)}</span>
                  </td>
                  <td>{part}</td>
                  <td className="number">
                    <Value text={duration(point.time_s)} exact={point.time_s} unit="s" />
                  </td>
                  <td className="number">
                    <Value text={usd(point.cost_usd)} exact={point.cost_usd} unit="USD" />
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** The table as spreadsheets take it: tabs between columns, all digits, units in the heads. */
function asText(parts: [string, CostTimePoint[]][]): string {
  const rows = parts.flatMap(([part, points]) =>
    points.map((point) => [point.name, part, point.time_s, point.cost_usd].join("\t")),
  );
  return ["configuration\tpart\ttime_s\tcost_usd", ...rows].join("\n");
}
