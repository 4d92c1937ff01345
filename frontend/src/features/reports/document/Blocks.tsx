import type { ReactNode } from "react";
import type { Calculation, Fact, Paragraph, Table } from "@/api/generated";
import type { Block, Drawings, ReportKind } from "@/api/reports";
import { ReportChart } from "@/charts/report/ReportChart";
import { termOf } from "@/lib/glossary/glossary";
import { useMedia } from "@/lib/useMedia";
import { Notice } from "@/ui/feedback/Notice";
import { Termed } from "@/ui/Term";
import { Scroller } from "@/ui/table/Scroller";
import { Table as DataTable } from "@/ui/table/Table";
import { Risk } from "@/ui/values/Risk";
import { AmountMark, Said } from "./AmountMark";
import { workings } from "./calculation";
import classes from "./Document.module.css";
import { Plain } from "./Plain";

interface BlockViewProps {
  block: Block;
  /** Renders a block that is a chart. */
  drawings: Drawings | undefined;
  kind: ReportKind;
}

/** One block of a report. */
export function BlockView({ block, drawings, kind }: BlockViewProps) {
  switch (block.kind) {
    case "paragraph":
      return <Words paragraph={block} />;
    case "facts":
      // Key figures are in large type.
      return <List facts={block.facts} {...(block.headline && { className: classes.headline })} />;
    case "table":
      return <TableView table={block} kind={kind} />;
    case "chart":
      return <ReportChart chart={block} drawings={drawings} level={3} />;
    case "calculation":
      return <CalculationView calculation={block} />;
  }
}

function Words({ paragraph: { text, tone } }: { paragraph: Paragraph }) {
  if (tone === "doubt") {
    return (
      <Notice tone="warn">
        <span className={classes.words}>
          <Plain text={text} />
        </span>
      </Notice>
    );
  }
  return (
    <p className={classes.words}>
      <Plain text={text} />
    </p>
  );
}

/** Keys of the facts whose level of risk is named: of missing the deadline, and of losing data in a year. */
const RISKS: readonly string[] = ["misses_deadline", "loss_year"];
/** A table of two clusters with a property in each row, which stands in two columns on a phone. */
const TWO_CLUSTERS = "today";

interface ListedFact extends Pick<Fact, "key" | "label"> {
  value: Fact["value"] | null;
  /** Label for screen readers (default: `label`). */
  spoken?: string;
}

function List({
  facts,
  className = `terms wraps ${classes.facts}`,
}: {
  facts: readonly ListedFact[];
  className?: string;
}) {
  return (
    <dl className={className}>
      {facts.map(({ key, label, value, spoken = label }) => (
        <div key={key}>
          <dt>{termOf(label) === undefined ? <Plain text={label} /> : <Termed text={label} />}</dt>
          <dd data-long={typeof value === "string" || undefined}>
            {RISKS.includes(key) && typeof value === "object" && value !== null ? (
              <Risk met={1 - value.value} of={label} />
            ) : (
              <Said what={value} label={spoken} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Meaning of the highlighted row of a table. */
function chosenWord(kind: ReportKind): string {
  return kind === "plan" || kind === "comparison" ? "recommended" : "best";
}

function TableView({ table, kind }: { table: Table; kind: ReportKind }) {
  // Width of the screen; paper is wide enough.
  const phone = useMedia("screen and (max-width: 767px)");
  if (phone && table.key === TWO_CLUSTERS) return <Properties table={table} />;
  if (!table.sideways) return <Plainly table={table} />;
  return phone ? <Cards table={table} kind={kind} /> : <SideBySide table={table} kind={kind} />;
}

function Chosen({ kind }: { kind: ReportKind }) {
  return <span className={classes.chosen}>✓ {chosenWord(kind)}</span>;
}

/** Label of a cell for screen readers: its row and column. */
function cellLabel(table: Table, row: number, column: number): string {
  const name = table.rows[row]?.cells[0];
  const of = typeof name === "string" ? name : (name?.words ?? "");
  return [table.columns[column]?.head, of].filter((part) => part !== undefined && part !== "").join(", ");
}

/** Table whose rows are rows; the highlighted row is a sum or the winner. */
function Plainly({ table }: { table: Table }) {
  return (
    <ScrollingFigure caption={table.caption}>
      <DataTable
        rows={table.rows}
        keyOf={({ key }) => key}
        rowProps={({ chosen }) => ({ "data-chosen": chosen || undefined })}
        columns={table.columns.map(({ key, head, numeric }, index) => ({
          name: key,
          head: <Plain text={head} />,
          number: numeric,
          rowHead: index === 0,
          className: index === 0 ? classes.rowHead : undefined,
          cell: ({ cells }: Table["rows"][number], place: number) => (
            <Said what={cells[index] ?? null} label={cellLabel(table, place, index)} />
          ),
        }))}
      />
    </ScrollingFigure>
  );
}

function ScrollingFigure({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <figure className={classes.table}>
      <Caption text={caption} />
      <Scroller className="sideways" aria-label={caption}>
        {children}
      </Scroller>
    </figure>
  );
}

function Caption({ text }: { text: string }) {
  return (
    <figcaption className="dim line">
      <Plain text={text} />
    </figcaption>
  );
}

/** Table whose rows are columns, so that options are side by side. */
function SideBySide({ table, kind }: { table: Table; kind: ReportKind }) {
  const [name, ...rest] = table.columns;
  return (
    <ScrollingFigure caption={table.caption}>
      <DataTable
        className={classes.side}
        rows={rest}
        keyOf={({ key }) => key}
        columns={[
          {
            head: <span className="spoken">{name?.head}</span>,
            rowHead: true,
            cell: ({ head }) => <Plain text={head} />,
          },
          ...table.rows.map((row, place) => ({
            name: row.key,
            head: (
              <>
                {row.chosen && (
                  <div>
                    <Chosen kind={kind} />
                  </div>
                )}
                <Said what={row.cells[0] ?? null} label={cellLabel(table, place, 0)} />
              </>
            ),
            headProps: { "data-chosen": row.chosen || undefined },
            cell: (_: unknown, index: number) => (
              <Said what={row.cells[index + 1] ?? null} label={cellLabel(table, place, index + 1)} />
            ),
            cellProps: () => ({ "data-chosen": row.chosen || undefined }),
          })),
        ]}
      />
    </ScrollingFigure>
  );
}

/** Table whose rows are cards, for narrow screens. */
function Cards({ table, kind }: { table: Table; kind: ReportKind }) {
  const rest = table.columns.slice(1);
  return (
    <figure className={classes.table}>
      <Caption text={table.caption} />
      <ul className="picking-cards" aria-label={table.caption}>
        {table.rows.map((row, place) => (
          <li key={row.key} data-chosen={row.chosen || undefined}>
            {row.chosen && (
              <div>
                <Chosen kind={kind} />
              </div>
            )}
            <div className={classes.cardName}>
              <Said what={row.cells[0] ?? null} label={cellLabel(table, place, 0)} />
            </div>
            <List
              facts={rest.map(({ key, head }, index) => ({
                key,
                label: head,
                value: row.cells[index + 1] ?? null,
                spoken: cellLabel(table, place, index + 1),
              }))}
            />
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Table of properties for narrow screens: the values of a property stand below its name. */
function Properties({ table }: { table: Table }) {
  const rest = table.columns.slice(1);
  return (
    <figure className={classes.table}>
      <Caption text={table.caption} />
      <ul className="bare" aria-label={table.caption}>
        {table.rows.map((row, place) => (
          <li key={row.key} className={classes.property}>
            <Said what={row.cells[0] ?? null} label={cellLabel(table, place, 0)} />
            <dl>
              {rest.map(({ key, head }, index) => {
                const cell = row.cells[index + 1] ?? null;
                return cell === null ? null : (
                  <div key={key}>
                    <dt>
                      <Plain text={head} />
                    </dt>
                    <dd>
                      <Said what={cell} label={cellLabel(table, place, index + 1)} />
                    </dd>
                  </div>
                );
              })}
            </dl>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Calculation of a sum; later lines refer to a line by its letter. */
function CalculationView({ calculation: { caption, steps } }: { calculation: Calculation }) {
  const lines = workings(steps);
  return (
    <ScrollingFigure caption={caption}>
      <DataTable
        rows={steps}
        keyOf={({ key }) => key}
        rowProps={({ formula }) => ({ "data-sum": formula !== null || undefined })}
        columns={[
          {
            head: <span className="spoken">Line</span>,
            className: "dim",
            cell: (_, place) => lines[place]?.letter,
          },
          { head: "What", rowHead: true, className: classes.rowHead, cell: ({ label }) => <Plain text={label} /> },
          { head: "From", className: "dim", cell: (_, place) => lines[place]?.working },
          {
            head: "Value",
            number: true,
            cell: ({ amount, label }) => <AmountMark amount={amount} label={label} />,
          },
        ]}
      />
    </ScrollingFigure>
  );
}
