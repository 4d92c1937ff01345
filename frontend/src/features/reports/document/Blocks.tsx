import { useMediaQuery } from "@mantine/hooks";
import type { Block, Calculation, Drawings, Fact, Facts, Paragraph, ReportKind, Table } from "@/api/reports";
import { ReportChart } from "@/charts/report/ReportChart";
import { Notice } from "@/ui/feedback/Notice";
import { Scroller } from "@/ui/table/Table";
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
      return block.headline ? <Headline facts={block} /> : <List facts={block.facts} />;
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

/** The key figures in large type. */
function Headline({ facts: { facts } }: { facts: Facts }) {
  return (
    <dl className={classes.headline}>
      {facts.map(({ key, label, value }) => (
        <div key={key}>
          <dt>
            <Plain text={label} />
          </dt>
          <dd data-long={typeof value === "string" || undefined}>
            <Said what={value} label={label} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function List({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ key, label, value }) => (
        <div key={key}>
          <dt>
            <Plain text={label} />
          </dt>
          <dd>
            <Said what={value} label={label} />
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
  const phone = useMediaQuery("screen and (max-width: 767px)", false, { getInitialValueInEffect: false });
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
    <figure className={classes.table}>
      <Caption table={table} />
      <Scroller label={table.caption} className={`${classes.scroller} sideways`}>
        <table className="plain">
          <thead>
            <tr>
              {table.columns.map(({ key, head, numeric }) => (
                <th key={key} scope="col" className={numeric ? "number" : undefined}>
                  <Plain text={head} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, place) => (
              <tr key={row.key} data-chosen={row.chosen || undefined}>
                {table.columns.map(({ key, numeric }, index) => {
                  const [what, label] = [row.cells[index] ?? null, cellLabel(table, place, index)];
                  return index === 0 ? (
                    <th key={key} scope="row" className={classes.rowHead}>
                      <Said what={what} label={label} />
                    </th>
                  ) : (
                    <td key={key} className={numeric ? "number" : undefined}>
                      <Said what={what} label={label} />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </figure>
  );
}

function Caption({ table: { caption } }: { table: Table }) {
  return (
    <figcaption className={classes.caption}>
      <Plain text={caption} />
    </figcaption>
  );
}

/** Table whose rows are columns, so that options are side by side. */
function SideBySide({ table, kind }: { table: Table; kind: ReportKind }) {
  const [name, ...rest] = table.columns;
  return (
    <figure className={classes.table}>
      <Caption table={table} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={`${classes.scroller} sideways`} tabIndex={0} aria-label={table.caption}>
        <table className={classes.side}>
          <thead>
            <tr>
              <th scope="col">
                <span className="spoken">{name?.head}</span>
              </th>
              {table.rows.map((row, place) => (
                <th key={row.key} scope="col" data-chosen={row.chosen || undefined}>
                  {row.chosen && (
                    <div>
                      <Chosen kind={kind} />
                    </div>
                  )}
                  <Said what={row.cells[0] ?? null} label={cellLabel(table, place, 0)} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rest.map(({ key, head }, index) => (
              <tr key={key}>
                <th scope="row">
                  <Plain text={head} />
                </th>
                {table.rows.map((row, place) => (
                  <td key={row.key} data-chosen={row.chosen || undefined}>
                    <Said what={row.cells[index + 1] ?? null} label={cellLabel(table, place, index + 1)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
  );
}

/** Table whose rows are cards, for narrow screens. */
function Cards({ table, kind }: { table: Table; kind: ReportKind }) {
  const rest = table.columns.slice(1);
  return (
    <figure className={classes.table}>
      <Caption table={table} />
      <ul className={classes.cards} aria-label={table.caption}>
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
            <dl className={classes.facts}>
              {rest.map(({ key, head }, index) => (
                <div key={key}>
                  <dt>
                    <Plain text={head} />
                  </dt>
                  <dd>
                    <Said what={row.cells[index + 1] ?? null} label={cellLabel(table, place, index + 1)} />
                  </dd>
                </div>
              ))}
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
    <figure className={classes.table}>
      <figcaption className={classes.caption}>
        <Plain text={caption} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={`${classes.scroller} sideways`} tabIndex={0} aria-label={caption}>
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">
                <span className="spoken">Line</span>
              </th>
              <th scope="col">What</th>
              <th scope="col">From</th>
              <th scope="col" className="number">
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {steps.map((step, index) => (
              <tr key={step.key} data-sum={step.formula !== null || undefined}>
                <td className="dim">{lines[index]?.letter}</td>
                <th scope="row" className={classes.rowHead}>
                  <Plain text={step.label} />
                </th>
                <td className="dim">{lines[index]?.working}</td>
                <td className="number">
                  <AmountMark amount={step.amount} label={step.label} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
  );
}
