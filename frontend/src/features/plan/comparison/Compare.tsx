import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import type { LimitsAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { MOST_PINS } from "@/features/plan/address/view";
import type { Named } from "@/features/plan/configurations/useConfigurations";
import { PinButton } from "@/features/plan/pins/PinButton";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { Scroller } from "@/ui/table/Scroller";
import { Table } from "@/ui/table/Table";
import { PriceNote } from "@/ui/values/PriceTerms";
import classes from "./Compare.module.css";
import { type Compared, comparedRows } from "./comparison";
import type { OfDurability } from "./useDurabilities";

export interface CompareProps {
  pins: Named[];
  today: Named | undefined;
  /** The first row of the ranking, which stands beside the current cluster while nothing is pinned. */
  best?: Named | undefined;
  /** The best configuration of each durability, if compared. */
  durabilities?: OfDurability[];
  limits: LimitsAnswer;
  objective: Objective;
  /** Opens a configuration; undefined if the comparison is read-only. */
  onPick?: (key: string) => void;
  onPins?: (keys: string[]) => void;
  onToday?: (key: string | undefined) => void;
  /** Shows or hides the best of each durability; undefined if the user may not search. */
  onDurabilities?: ((side: boolean) => void) | undefined;
  /** Link to a report of the pinned configurations. */
  report?: ReactNode;
}

interface Column {
  id: string;
  named: Named;
  badge: string;
  /** Button to pin or remove the configuration. */
  action: ReactNode;
  /** Reason for missing figures, if not an error. */
  empty?: string;
}

/**
 * Comparison of the pins with the current cluster and the best of each durability, with the best value of each row
 * marked.
 */
export function Compare(props: CompareProps) {
  const {
    pins,
    today,
    best,
    durabilities = [],
    limits,
    objective,
    onPick,
    onPins,
    onToday,
    onDurabilities,
    report,
  } = props;
  const isAlone = pins.length === 0 && durabilities.length === 0 && today !== undefined;
  const columns = [
    ...(isAlone && best !== undefined && best.key !== today.key ? [bestColumn(best, onPins !== undefined)] : []),
    ...pinColumns(pins, onPins),
    ...todayColumn(today, onToday),
    ...durabilities.map((one) => ofDurability(one, onPins !== undefined)),
  ];
  if (columns.length === 0 && onDurabilities === undefined) return null;
  const rows = comparedRows(
    columns.map(({ named }) => named),
    today,
    limits,
    objective,
  );
  return (
    <section className="card" aria-labelledby="compare">
      <Group justify="space-between" wrap="nowrap" gap={0}>
        <h2 id="compare">
          Compare
          <PriceNote />
        </h2>
        <Group gap="xs" className="no-print">
          {onDurabilities !== undefined && (
            <Button
              variant="default"
              size="compact-xs"
              aria-pressed={durabilities.length > 0}
              onClick={() => onDurabilities(durabilities.length === 0)}
            >
              {durabilities.length > 0 ? "Hide durabilities" : "Compare durabilities"}
            </Button>
          )}
          {pins.length > 0 && report}
          {pins.length > 0 && onPins !== undefined && (
            <Button variant="subtle" size="compact-xs" onClick={() => onPins([])}>
              Unpin all
            </Button>
          )}
        </Group>
      </Group>
      <p className="dim" style={{ margin: "2px 0 8px" }}>
        {columns.length === 0
          ? "Pin configurations of the ranking, or compare the best of each durability."
          : `${pinsWords(pins, today)} Percentages are of ${
              today?.configuration === undefined ? "the best in the row" : "what runs today"
            }.`}
      </p>
      {columns.length > 0 && (
        <Scroller className="sideways" aria-label="Comparison">
          <Table
            className={classes.table}
            aria-labelledby="compare"
            rows={rows}
            keyOf={({ name }) => name}
            columns={[
              { head: <span className="spoken">Figure</span>, rowHead: true, cell: ({ name }) => name },
              ...columns.map((column, place) => ({
                name: column.id,
                head: <Head column={column} onPick={onPick} />,
                cell: ({ cells }: (typeof rows)[number]) => <Cell cell={cells[place] ?? null} />,
              })),
            ]}
          />
        </Scroller>
      )}
    </section>
  );
}

function pinsWords(pins: readonly Named[], today: Named | undefined): string {
  if (pins.length > 0) return `${pins.length} of ${MOST_PINS} pinned.`;
  return today === undefined ? "" : "Pin a configuration to set it beside today’s.";
}

function pinColumns(pins: Named[], onPins: CompareProps["onPins"]): Column[] {
  const keys = pins.map((pin) => pin.asked);
  return pins.map((named, index) => ({
    id: named.asked,
    named,
    badge: String(index + 1),
    action: onPins !== undefined && (
      <Action
        words="Unpin"
        label={`Unpin ${index + 1}, ${named.name}`}
        onClick={() => onPins(keys.filter((key) => key !== named.asked))}
      />
    ),
  }));
}

function todayColumn(today: Named | undefined, onToday: CompareProps["onToday"]): Column[] {
  if (today === undefined) return [];
  const action = onToday !== undefined && (
    <Action words="Remove" label={`Remove today’s, ${today.name}`} onClick={() => onToday(undefined)} />
  );
  return [{ id: "today", named: today, badge: "today", action }];
}

function bestColumn(named: Named, mayPin: boolean): Column {
  const action = mayPin && <PinButton configuration={named.key} name={`${named.name}, recommended`} />;
  return { id: "best", named, badge: "recommended", action };
}

function ofDurability({ durability, label, named, empty }: OfDurability, mayPin: boolean): Column {
  const pin = mayPin && named.configuration !== undefined && (
    <PinButton configuration={named.key} name={`${named.name}, ${label}`} />
  );
  const column = { id: `durability ${durability}`, named, badge: label, action: pin };
  return empty === null ? column : { ...column, empty };
}

function Action({ words, label, onClick }: { words: string; label: string; onClick: () => void }) {
  return (
    <Button variant="subtle" size="compact-xs" className={classes.action} aria-label={label} onClick={onClick}>
      {words}
    </Button>
  );
}

function Head({ column, onPick }: { column: Column; onPick: CompareProps["onPick"] }) {
  const { named, badge, action, empty } = column;
  const storage = named.configuration?.storage_words;
  return (
    <>
      <span className={classes.name}>
        <span className={classes.badge}>{badge}</span> {named.name}
      </span>
      {storage !== undefined && <div className="dim small">{storage}</div>}
      {named.differs.length > 0 && (
        <div className="small" title="It keeps the question it was pinned for: this differs from the form">
          {named.differs.join(", ")}
        </div>
      )}
      {empty === undefined ? <Trouble named={named} /> : <div className="small">{empty}</div>}
      <Group gap={2} className="no-print">
        {onPick !== undefined && named.cluster !== null && (
          <Action words="Details" label={`Details of ${badge}, ${named.name}`} onClick={() => onPick(named.key)} />
        )}
        {action}
      </Group>
    </>
  );
}

/** Reason why a column has no figures. */
function Trouble({ named }: { named: Named }): ReactNode {
  if (named.configuration !== undefined) return null;
  if (named.infeasible !== undefined) return <div className="small">cannot do the job: {named.infeasible.reason}</div>;
  if (named.cluster === null && named.asked !== "") {
    return <div className="small">the address names no configuration</div>;
  }
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
