import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import type { LimitsAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import classes from "./Compare.module.css";
import { type Compared, comparedRows } from "./comparison";
import type { Objective } from "./rankedColumns";
import type { Named } from "./useConfigurations";
import { MOST_PINS } from "./view";

interface CompareProps {
  pins: Named[];
  today: Named | undefined;
  limits: LimitsAnswer;
  objective: Objective;
  onPick: (key: string) => void;
  onPins: (keys: string[]) => void;
  onToday: (key: string | undefined) => void;
  /** Leads to a report of what is pinned. */
  report?: ReactNode;
}

/** What was pinned, side by side with what runs today, the best of each row marked. */
export function Compare({ pins, today, limits, objective, onPick, onPins, onToday, report }: CompareProps) {
  const columns = [...pins, ...(today === undefined ? [] : [today])];
  if (columns.length === 0) return null;
  const keys = pins.map((pin) => pin.asked);
  const rows = comparedRows(columns, today, limits, objective);
  return (
    <section className="card" aria-labelledby="compare">
      <div className={classes.head}>
        <h2 id="compare" className={classes.title}>
          Compare
        </h2>
        {pins.length > 0 && (
          <Group gap="xs" className="no-print">
            {report}
            <Button variant="subtle" size="compact-xs" onClick={() => onPins([])}>
              Unpin all
            </Button>
          </Group>
        )}
      </div>
      <p className="dim" style={{ margin: "2px 0 8px" }}>
        {pins.length === 0 ? "Pin a configuration to set it beside today’s." : `${pins.length} of ${MOST_PINS} pinned.`}{" "}
        Percentages are of {today?.configuration === undefined ? "the best in the row" : "what runs today"}.
      </p>
      {/* A scrolling region must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section className={`${classes.scroller} sideways`} tabIndex={0} aria-label="Comparison">
        <table className={classes.table} aria-labelledby="compare">
          <thead>
            <tr>
              <th scope="col">
                <span className="spoken">Figure</span>
              </th>
              {columns.map((named, index) => (
                <th key={named === today ? "today" : named.asked} scope="col">
                  <Head
                    named={named}
                    badge={named === today ? "today" : String(index + 1)}
                    onPick={onPick}
                    onRemove={() =>
                      named === today ? onToday(undefined) : onPins(keys.filter((key) => key !== named.asked))
                    }
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{row.name}</th>
                {row.cells.map((cell, index) => (
                  <td key={index < pins.length ? pins[index]?.asked : "today"}>
                    <Cell cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

interface HeadProps {
  named: Named;
  badge: string;
  onPick: (key: string) => void;
  onRemove: () => void;
}

function Head({ named, badge, onPick, onRemove }: HeadProps) {
  const storage = named.configuration?.storage_words;
  return (
    <>
      <span className={classes.name}>
        <span className={classes.badge}>{badge}</span> {named.name}
      </span>
      {storage !== undefined && <div className="dim small">{storage}</div>}
      <Trouble named={named} />
      <Group gap={2} className="no-print">
        <Button
          variant="subtle"
          size="compact-xs"
          className={classes.action}
          aria-label={`Details of ${badge}, ${named.name}`}
          onClick={() => onPick(named.key)}
        >
          Details
        </Button>
        <Button
          variant="subtle"
          size="compact-xs"
          className={classes.action}
          aria-label={badge === "today" ? `Remove today’s, ${named.name}` : `Unpin ${badge}, ${named.name}`}
          onClick={onRemove}
        >
          {badge === "today" ? "Remove" : "Unpin"}
        </Button>
      </Group>
    </>
  );
}

/** Why a column has no figures. */
function Trouble({ named }: { named: Named }): ReactNode {
  if (named.configuration !== undefined) return null;
  if (named.infeasible !== undefined) return <div className="small">cannot do the job: {named.infeasible.reason}</div>;
  if (named.cluster === null) return <div className="small">the address names no configuration</div>;
  if (named.error instanceof ApiProblem) {
    const { fields, message, reference } = named.error;
    return (
      <div className="small">
        {fields.map((field) => field.message).join("; ") || message}
        {reference !== null && ` Reference ${reference}.`}
      </div>
    );
  }
  return <div className="dim small">{named.loading ? "being predicted" : "the service cannot be reached"}</div>;
}

function Cell({ cell }: { cell: Compared | null }) {
  if (cell === null) return <>—</>;
  return (
    <>
      <span title={cell.exact}>{cell.text}</span>
      {cell.range !== undefined && <div className="dim small">{cell.range}</div>}
      {(cell.best || cell.difference !== undefined) && (
        <div className="small">
          {cell.best && <strong className={classes.best}>✓ best</strong>}
          {cell.best && cell.difference !== undefined && ", "}
          {cell.difference}
        </div>
      )}
    </>
  );
}
