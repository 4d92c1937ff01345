import { Group } from "@mantine/core";
import type { NodeResult, Run, RunMetric, RunResult } from "@/api/runs/runs";
import { Chart } from "@/charts/Chart";
import { chartTable, valueCell } from "@/charts/chartTable";
import { nodesFigure } from "@/charts/figures/nodeStrip";
import classes from "@/features/runs/Runs.module.css";
import { filenameFrom } from "@/lib/csv";
import { measuredWords, metricTitle } from "@/lib/measured";
import { counted, percent } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Disclosure } from "@/ui/Disclosure";
import { Table } from "@/ui/table/Table";
import { Value } from "@/ui/values/Value";

/** Results of each phase, for the cluster and by node. */
export function Results({ run }: { run: Run }) {
  if (run.results.length === 0) return null;
  const drop = new Set(run.screening?.drop.map(({ node }) => node) ?? []);
  return (
    <Card id="results" title="Results">
      <div className="columns">
        {run.results.map((result) => (
          <Phase key={result.phase} result={result} drop={drop} isMeasuring={run.state === "running"} />
        ))}
      </div>
    </Card>
  );
}

function Phase({ result, drop, isMeasuring }: { result: RunResult; drop: ReadonlySet<number>; isMeasuring: boolean }) {
  const { name, phase, metrics, per_node, complete } = result;
  const reported = per_node.filter(({ metrics: said }) => said.length > 0);
  const [first] = reported[0]?.metrics ?? [];
  return (
    <section aria-labelledby={`phase-${phase}`}>
      <h3 id={`phase-${phase}`} className={classes.phaseName}>
        {name}{" "}
        {!complete &&
          (isMeasuring ? (
            <span className="dim small">not all has come yet</span>
          ) : (
            <span className="strong small warn">◐ partial: {missingWords(result)}</span>
          ))}
      </h3>
      {metrics.length > 0 && (
        <Group gap="2px 24px" mb={8}>
          {metrics.map((metric) => (
            <span key={metric.name}>
              <strong>
                <Value
                  text={measuredWords(metric.name, metric.value, metric.unit)}
                  exact={metric.value}
                  unit={metric.unit}
                />
              </strong>{" "}
              <span className="dim">{metricTitle(metric.what, metric.name)}</span>
            </span>
          ))}
        </Group>
      )}
      {first !== undefined && reported.length > 2 && <Strip result={result} metric={first} drop={drop} />}
      {per_node.length > 0 && (
        <Disclosure summary={`By node (${counted(per_node.length, "report")})`}>
          {() => <PerNode result={result} />}
        </Disclosure>
      )}
    </section>
  );
}

function missingWords({ nodes_missing, per_node }: RunResult): string {
  const part = per_node.filter(({ status }) => status !== "ok").length;
  return [
    ...(nodes_missing.length > 0
      ? [`nothing of node${nodes_missing.length === 1 ? "" : "s"} ${nodes_missing.slice(0, 12).join(", ")}`]
      : []),
    ...(part > 0 ? [`${counted(part, "report")} of a part only`] : []),
  ].join("; ");
}

function valueIn({ metrics }: NodeResult, name: string): number | undefined {
  return metrics.find((metric) => metric.name === name)?.value;
}

/** Spread of the nodes. */
function Strip({ result, metric, drop }: { result: RunResult; metric: RunMetric; drop: ReadonlySet<number> }) {
  const words = (value: number) => measuredWords(metric.name, value, metric.unit);
  const nodes = result.per_node.flatMap((one) => {
    const value = valueIn(one, metric.name);
    return value === undefined
      ? []
      : [{ node: one.node, value, open: one.status !== "ok", marked: drop.has(one.node) }];
  });
  const values = nodes.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const behind = most > 0 ? 1 - least / most : 0;
  const caption =
    `${metricTitle(metric.what, metric.name)}: a dot for each node. The lowest is ${percent(behind)} below the highest.` +
    (nodes.some(({ marked }) => marked) ? " Crossed ones are to be given back." : "");
  return (
    <Chart
      level={3}
      title="Node by node"
      caption={caption}
      filename={filenameFrom(`${result.name} by node`)}
      data={() =>
        chartTable(nodes, ({ node }) => String(node), [
          { head: "Node", copied: "node", number: true, cell: ({ node }) => String(node) },
          {
            head: metric.what,
            copied: metric.name,
            number: true,
            cell: ({ value }) => valueCell(value, words, metric.unit),
          },
        ])
      }
      label={caption}
      figure={nodesFigure(nodes, words)}
    />
  );
}

function PerNode({ result: { per_node, name } }: { result: RunResult }) {
  const columns = [
    ...new Map(per_node.flatMap(({ metrics }) => metrics.map((metric) => [metric.name, metric]))).values(),
  ];
  return (
    <Table
      scrolls={`${name} by node`}
      rows={per_node}
      keyOf={({ node }) => String(node)}
      columns={[
        {
          head: "Node",
          name: "",
          rowHead: true,
          cell: ({ node, status, failure }) => (
            <>
              {node}
              {status !== "ok" && (
                <span className="strong small warn"> {status === "partial" ? "◐ partial" : "✕ failed"}</span>
              )}
              {failure !== null && <div className="dim small">{failure}</div>}
            </>
          ),
        },
        ...columns.map(({ name: metric, what, unit }) => ({
          head: metricTitle(what, metric),
          name: metric,
          number: true,
          cell: (one: (typeof per_node)[number]) => {
            const value = valueIn(one, metric);
            return value === undefined ? (
              "—"
            ) : (
              <Value text={measuredWords(metric, value, unit)} exact={value} unit={unit} />
            );
          },
        })),
      ]}
    />
  );
}
