import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { isMissing } from "@/api/problem";
import { comparison, type RunComparison, type RunSummary } from "@/api/runs/runs";
import { differenceWords, measuredWords } from "@/lib/measured";
import { useUnits } from "@/lib/units";
import { moment } from "@/lib/wording";
import { CopyText } from "@/ui/CopyText";
import { QueryState } from "@/ui/feedback/QueryState";
import { NotFound } from "@/ui/links/NotFound";
import { backToRuns, linkToRun } from "@/ui/links/objects";
import { Scroller } from "@/ui/table/Scroller";
import { Value } from "@/ui/values/Value";
import { StateMark } from "./StateMark";
import { idsIn } from "./search";
import { moneyWords } from "./words";

/** Comparison of runs: differences in their specifications, and each figure relative to the first run. */
export function ComparePage({ ids: written }: { ids: string | undefined }) {
  useDocumentTitle("Compare runs · Stowage");
  useUnits();
  const ids = idsIn(written);
  const query = useQuery({ ...comparison(ids), enabled: ids.length > 1 });
  if (isMissing(query.error)) {
    return <NotFound what="One of these runs is not there, or belongs to another team." />;
  }
  return (
    <div className="page">
      <section className="card" aria-labelledby="compare">
        <div className="spread">
          <h1 id="compare">Runs beside each other</h1>
          {backToRuns("/benchmarks/runs", "All runs")}
        </div>
        {ids.length < 2 && <p className="line">Choose two or more runs in the list to see them beside each other.</p>}
        {ids.length > 1 && (
          <QueryState query={query} kept="The runs are kept." loading="Reading the runs" heights={[240]} />
        )}
        {query.data !== undefined && <Compared comparison={query.data} />}
      </section>
    </div>
  );
}

function Compared({ comparison: found }: { comparison: RunComparison }) {
  const { runs, rows, differences } = found;
  return (
    <>
      <p className="line">
        {differences.length === 0 ? "All were asked for alike." : `Asked for differently: ${differences.join("; ")}.`}{" "}
        Percentages are against the first one.
      </p>
      <Scroller aria-label="Figures of the runs" className="sideways" style={{ margin: "8px 0" }}>
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Figure</th>
              {runs.map((run) => (
                <th key={run.id} scope="col" className="number">
                  {linkToRun(run)}
                  <div>{moment(run.created_at)}</div>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">State</th>
              {runs.map((run) => (
                <td key={run.id} className="number">
                  <StateMark run={run} />
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">Cost</th>
              {runs.map((run) => (
                <td key={run.id} className="number">
                  {moneyWords(run)}
                </td>
              ))}
            </tr>
            {rows.map((row) => (
              <Row key={`${row.phase} ${row.name}`} row={row} runs={runs} />
            ))}
          </tbody>
        </table>
      </Scroller>
      {rows.length === 0 && <p className="line">None of them has results.</p>}
      {rows.length > 0 && <CopyText label="Copy table" done="The table is copied." text={() => asText(found)} />}
    </>
  );
}

function Row({ row, runs }: { row: RunComparison["rows"][number]; runs: readonly RunSummary[] }) {
  const known = row.values.filter((value) => value !== null);
  const best = known.length > 1 ? Math.max(...known) : null;
  return (
    <tr>
      <th scope="row">
        {row.what}
        <div className="dim small">{row.phase}</div>
      </th>
      {runs.map((run, index) => {
        const value = row.values[index] ?? null;
        const off = row.percent[index] ?? null;
        return (
          <td key={run.id} className="number">
            {value === null ? (
              "—"
            ) : (
              <>
                <span className={value === best ? "strong" : undefined}>
                  <Value text={measuredWords(row.name, value, row.unit)} exact={value} unit={row.unit} />
                </span>
                {index > 0 && off !== null && <div className="dim small">{differenceWords(off)}</div>}
              </>
            )}
          </td>
        );
      })}
    </tr>
  );
}

/** Format as tab-separated text for spreadsheets. */
function asText({ runs, rows }: RunComparison): string {
  const heads = ["phase", "figure", "unit", ...runs.map(({ name }) => name.replace(/[\t\r\n]+/g, " "))];
  const lines = rows.map(({ phase, name, unit, values }) => [phase, name, unit, ...values.map((value) => value ?? "")]);
  return [heads, ...lines].map((line) => line.join("\t")).join("\n");
}
