import { CloseButton, Group, UnstyledButton } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import type { SweepAnswer } from "@/api/generated";
import { isUnderway } from "@/api/planning/sweeps";
import { resourceKind, resourceName } from "@/lib/resources";
import { chance, counted } from "@/lib/wording";
import { Term } from "@/ui/Term";
import { ResourceMark } from "@/ui/values/ResourceMark";
import { cellAt, type Place } from "./cell";
import { isNearTie, NEAR_MARK, NEAR_WORDS, runnerUpWords } from "./nearTie";
import { spoken } from "./quantities";
import classes from "./SweepPage.module.css";
import { bestFigures } from "./views";

interface CellPanelProps {
  sweep: SweepAnswer;
  place: Place | null;
  /** Builds the link to the plan of the cell. */
  openAsPlan: (place: Place) => ReactNode;
  /** True if the user has just opened the cell: it then receives the focus. */
  focused: boolean;
  onClose: () => void;
}

/**
 * Panel of one cell: its answer in a sentence, figures, and a link to its plan. Also rendered empty, to avoid layout
 * shifts.
 */
export function CellPanel({ sweep, place, openAsPlan, focused, onClose }: CellPanelProps) {
  const head = useRef<HTMLHeadingElement>(null);
  const at = place === null ? "" : `${place.column}-${place.row}`;
  useEffect(() => {
    if (focused && at !== "") head.current?.focus();
  }, [focused, at]);
  const { columns, rows } = sweep;
  return (
    <section
      className={`card ${classes.cell}`}
      aria-label="Cell"
      onKeyDown={(event) => {
        if (event.key === "Escape" && place !== null) onClose();
      }}
    >
      {place === null ? (
        <>
          <h2>One cell</h2>
          <p className="dim" style={{ margin: 0 }}>
            Choose a cell to see its answer. By keyboard: arrow keys, then Enter.
          </p>
        </>
      ) : (
        <>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <h2 ref={head} tabIndex={-1}>
              {spoken(columns.quantity, columns.values[place.column] ?? "")},{" "}
              {spoken(rows.quantity, rows.values[place.row] ?? "")}
            </h2>
            <CloseButton aria-label="Close the cell" size="sm" onClick={onClose} />
          </Group>
          <CellAnswer sweep={sweep} place={place} />
          {openAsPlan(place)}
        </>
      )}
    </section>
  );
}

/** Cells of a sweep that is too small for a grid, each with its answer. */
export function CellList({ sweep, onOpen }: { sweep: SweepAnswer; onOpen: (place: Place) => void }) {
  const { columns, rows, cells } = sweep;
  return (
    <ul className="bare">
      {cells.map(({ column, row, sentence }) => (
        <li key={`${column}-${row}`}>
          <UnstyledButton className="anchor strong" onClick={() => onOpen({ column, row })}>
            {spoken(columns.quantity, columns.values[column] ?? "")}, {spoken(rows.quantity, rows.values[row] ?? "")}
          </UnstyledButton>
          <p className="line">{sentence}</p>
        </li>
      ))}
    </ul>
  );
}

function CellAnswer({ sweep, place }: { sweep: SweepAnswer; place: Place }) {
  const cell = cellAt(sweep.cells, place);
  if (cell === undefined) {
    return <p className="dim">{isUnderway(sweep.job) ? "Not computed yet." : "Not computed: the sweep is partial."}</p>;
  }
  const considered = (
    <p className="dim small">
      {counted(cell.candidates, "configuration")} considered; catalog {sweep.catalog_version}, model{" "}
      {sweep.model_version}.
    </p>
  );
  const { best } = cell;
  if (best === null) {
    return (
      <>
        <p className={`strong wraps ${classes.answer}`}>{cell.sentence}</p>
        {considered}
      </>
    );
  }
  const { time, costName, cost } = bestFigures(best, sweep);
  const limit = resourceName(best.bottleneck);
  const second = runnerUpWords(best, sweep);
  return (
    <>
      <p className={`strong wraps ${classes.answer}`}>{cell.sentence}</p>
      <dl className={`terms ledger ruled ${classes.answer}`}>
        <Figure name="Time of a run">{time}</Figure>
        <Figure name={costName}>{cost}</Figure>
        <Figure name="Storage">{best.storage_words}</Figure>
        <Figure name="Limited by">
          <ResourceMark kind={resourceKind(best.bottleneck)} />
          {limit}
        </Figure>
        {second !== null && (
          <Figure name="Second best">
            {second}
            {isNearTie(best) && (
              <strong>
                {" "}
                {NEAR_MARK} <Term of="nearTie">near-tie</Term>, within {NEAR_WORDS}
              </strong>
            )}
          </Figure>
        )}
        {best.meets_deadline !== null && <Figure name="Meets the deadline">{chance(best.meets_deadline)}</Figure>}
      </dl>
      {considered}
    </>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
