import { Button, TextInput, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { filenameFrom, saveCsv } from "@/lib/csv";
import { resourceKind, resourceName } from "@/lib/resources";
import { useAheadText } from "@/lib/useAhead";
import { chance, count, duration, durationRange, usd, usdRange } from "@/lib/wording";
import { ResourceMark } from "@/ui/ResourceMark";
import { Value } from "@/ui/Value";
import { clusterKey, clusterName, headWords } from "./cluster";
import { percentWords } from "./difference";
import { longestPhase } from "./longest";
import { type Money, moneyOf } from "./money";
import { PinButton } from "./PinButton";
import { chosenWords, openIn } from "./place";
import classes from "./RankedTable.module.css";
import {
  type ColumnName,
  filtered,
  OBJECTIVE_WORDS,
  type Objective,
  type RankedColumn,
  rankedColumns,
  rankedCsv,
} from "./rankedColumns";
import { TimeBar } from "./TimeBar";
import type { Configuration, Named } from "./useConfigurations";
import type { View, ViewChange } from "./view";

interface RankedTableProps {
  answer: PlanAnswer;
  /** What was answered: what it leaves open, each row says of itself. */
  document: unknown;
  /** The row that the chart rings. */
  chosen: string | undefined;
  /** What runs today: every row says how it differs from it. */
  today?: Named | undefined;
  view: View;
  onView: (change: ViewChange, replace: boolean) => void;
  /** Opens a row; where there is none, the ranking can only be read. */
  onPick?: ((key: string) => void) | undefined;
  /** Rank by something else; a saved plan cannot. */
  onObjective?: ((objective: Objective) => void) | undefined;
}

/** Rows that one takes in at a glance; the others are a click away. */
const AT_ONCE = 15;

/** The ranking, best first: a table where there is room, cards where there is not. */
export function RankedTable({ answer, document, chosen, today, view, onView, onPick, onObjective }: RankedTableProps) {
  const narrow = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const [find, setFind] = useAheadText(view.find ?? "", (text) => onView({ find: text }, true));
  const { configurations: rows, configurations_size: size, objective } = answer;
  const columns = rankedColumns(
    objective,
    document,
    today?.configuration,
    rows.some((row) => headWords(row) !== undefined),
  );
  const open = openIn(document);
  const passing = filtered(rows, find, document);
  const all = view.shown === "all";
  const shown = all ? passing : passing.filter((row, place) => place < AT_ONCE || clusterKey(row) === view.row);
  const full_s = Math.max(...shown.map((row) => row.time_s.p90));
  const entries = shown.map((row): EntryProps => {
    const key = clusterKey(row);
    const looks = { chosen: key === chosen, open: key === view.row, today: today?.configuration };
    const head = headWords(row);
    const words = [row.storage_words, ...chosenWords(row, open), ...(head === undefined ? [] : [`with ${head}`])];
    return { row, columns, full_s, words: words.join(", "), onPick, ...looks };
  });
  return (
    <section className="card" aria-labelledby="ranking">
      <div className={classes.head}>
        <h2 id="ranking" className="title">
          Ranked by {OBJECTIVE_WORDS[objective]}
        </h2>
        <div className={`${classes.tools} no-print`}>
          <TextInput
            size="xs"
            type="search"
            aria-label="Filter the ranking"
            placeholder="Filter"
            value={find}
            onChange={(event) => setFind(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <Button
            variant="default"
            size="xs"
            disabled={shown.length === 0}
            onClick={() =>
              saveCsv(rankedCsv(shown, columns), filenameFrom(`stowage ranking ${answer.catalogue_version}`))
            }
          >
            Save as CSV
          </Button>
        </div>
      </div>
      <p className="dim" style={{ margin: "2px 0 8px" }}>
        {BEST[objective]} of each {rows.some(({ storage }) => storage.kind === "ebs") ? "type and volume type" : "type"}{" "}
        within the limits
        {size > rows.length && `, the first ${rows.length} of ${count(size)}`}. Bars show the phases, whiskers p10 to
        p90.
      </p>
      {shown.length === 0 ? (
        <p>
          No row of the ranking holds “{find.trim()}”.{" "}
          <Button variant="default" size="compact-sm" onClick={() => setFind("")}>
            Show all rows
          </Button>
        </p>
      ) : narrow ? (
        <ol className="picking-cards">
          {entries.map((entry) => (
            <Card key={clusterKey(entry.row)} {...entry} />
          ))}
        </ol>
      ) : (
        <table className="picking" aria-labelledby="ranking">
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.name} column={column} objective={objective} onObjective={onObjective} />
              ))}
              {onPick !== undefined && (
                <th scope="col">
                  <span className="spoken">Pin</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row key={clusterKey(entry.row)} {...entry} />
            ))}
          </tbody>
        </table>
      )}
      {passing.length > shown.length && (
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => onView({ shown: "all" }, true)}>
          Show {count(passing.length - shown.length)} more
        </Button>
      )}
    </section>
  );
}

const BEST: Record<Objective, string> = {
  cost: "The cheapest cluster",
  time: "The fastest cluster",
  month: "The cheapest month",
};

interface HeadProps {
  column: RankedColumn;
  objective: Objective;
  onObjective: ((objective: Objective) => void) | undefined;
}

/** What is ranked by is marked; a press on another ranks by that. */
function Head({ column, objective, onObjective }: HeadProps) {
  const { name, head, number, objective: own } = column;
  const ranked = own === objective;
  return (
    <th
      scope="col"
      className={[number ? "number" : "", name === "rank" ? classes.rank : ""].join(" ").trim() || undefined}
      aria-sort={ranked ? "ascending" : undefined}
    >
      {own === undefined || ranked || onObjective === undefined ? (
        <>
          {head}
          {ranked && <span aria-hidden="true"> ↑</span>}
        </>
      ) : (
        <UnstyledButton className={classes.rankBy} title={`Rank by ${own}`} onClick={() => onObjective(own)}>
          {head}
        </UnstyledButton>
      )}
    </th>
  );
}

interface EntryProps {
  row: RankedAnswer;
  columns: readonly RankedColumn[];
  /** Where the data is, and what else the search chose. */
  words: string;
  full_s: number;
  chosen: boolean;
  open: boolean;
  today: Configuration | undefined;
  onPick: ((key: string) => void) | undefined;
}

function Row(entry: EntryProps) {
  const { row, columns, words, chosen, open, onPick } = entry;
  return (
    // The button in the row does the same by keyboard; the rest of the row is a larger target for the mouse.
    <tr
      className={onPick && "pressable"}
      data-chosen={chosen || undefined}
      onClick={onPick && (() => onPick(clusterKey(row)))}
    >
      {columns.map(({ name, number }) =>
        name === "configuration" ? (
          <th key={name} scope="row">
            {onPick === undefined ? <strong>{clusterName(row)}</strong> : <PickButton row={row} open={open} />}
            <div className="dim small">{words}</div>
          </th>
        ) : (
          <td key={name} className={name === "time" ? classes.time : number ? "number" : undefined}>
            <Figure name={name} {...entry} />
          </td>
        ),
      )}
      {onPick !== undefined && (
        <td className={classes.pin}>
          <Pin row={row} />
        </td>
      )}
    </tr>
  );
}

/** What stands in a cell of the table, or at its place on a card. */
function Figure({ name, row, columns, full_s, today }: EntryProps & { name: ColumnName }): ReactNode {
  // Of a month a run has its time; what it costs is in the month.
  const month = columns.some((column) => column.name === "month");
  if (name === "rank") return row.rank;
  if (name === "time") return <Time row={row} full_s={full_s} priced={!month} />;
  if (name === "cost") return <Cost row={row} />;
  if (name === "month") return <Month row={row} />;
  if (name === "limit") return <Limits row={row} />;
  if (name === "risk") return <Risk row={row} />;
  return today === undefined ? null : <Difference row={row} today={today} money={moneyOf(month ? "month" : "cost")} />;
}

function Card(entry: EntryProps) {
  const { row, columns, words, chosen, open, onPick } = entry;
  const has = (name: ColumnName) => columns.some((column) => column.name === name);
  const money: ColumnName = has("month") ? "month" : "cost";
  return (
    <li data-chosen={chosen || undefined}>
      <div className={classes.cardHead}>
        <span>
          <span className="dim">{row.rank}.</span>{" "}
          {onPick === undefined ? (
            <strong>{clusterName(row)}</strong>
          ) : (
            <PickButton row={row} open={open} onPick={onPick} />
          )}
        </span>
        <div className={classes.cardCost}>
          <span>
            <Figure name={money} {...entry} />
          </span>
          {onPick !== undefined && <Pin row={row} />}
        </div>
      </div>
      <div className="dim small">{words}</div>
      <Figure name="time" {...entry} />
      <div className={classes.cardFoot}>
        <span>
          Limited by <Figure name="limit" {...entry} />
        </span>
        <span>
          Deadline risk <Figure name="risk" {...entry} />
        </span>
        {has("today") && (
          <span>
            Against today <Figure name="today" {...entry} />
          </span>
        )}
      </div>
    </li>
  );
}

interface PickButtonProps {
  row: RankedAnswer;
  open: boolean;
  /** Left out where the click reaches the row around the button. */
  onPick?: (key: string) => void;
}

function PickButton({ row, open, onPick }: PickButtonProps) {
  const name = clusterName(row);
  return (
    <UnstyledButton
      className="pick"
      aria-expanded={open}
      aria-label={`Details of ${name}, ${row.storage_words}`}
      {...(onPick === undefined ? {} : { onClick: () => onPick(clusterKey(row)) })}
    >
      {name}
    </UnstyledButton>
  );
}

function Time({ row, full_s, priced }: { row: RankedAnswer; full_s: number; priced: boolean }) {
  return (
    <>
      <Value text={duration(row.time_s.p50)} exact={row.time_s.p50} unit="s" />{" "}
      <span className="dim small" title={`${row.time_s.p10}–${row.time_s.p90} s`}>
        {durationRange(row.time_s)}
      </span>
      <TimeBar row={row} full_s={full_s} />
      <OnBursts row={row} priced={priced} />
    </>
  );
}

function Cost({ row }: { row: RankedAnswer }): ReactNode {
  return (
    <>
      <Value text={usd(row.cost_usd.p50)} exact={row.cost_usd.p50} unit="USD" />
      <div className="dim small" title={`${row.cost_usd.p10}–${row.cost_usd.p90} USD`}>
        {usdRange(row.cost_usd)}
      </div>
    </>
  );
}

function Month({ row }: { row: RankedAnswer }): ReactNode {
  const always = row.cost_always_on_usd;
  if (always === null) return "—";
  return (
    <span title="of a cluster that stays up all month">
      <Value text={usd(always)} exact={always} unit="USD" />
    </span>
  );
}

function Limits({ row }: { row: RankedAnswer }): ReactNode {
  const bottleneck = longestPhase(row)?.bottleneck ?? "—";
  return (
    <span className={classes.limit}>
      <ResourceMark kind={resourceKind(bottleneck)} />
      {resourceName(bottleneck)}
    </span>
  );
}

/** Where the figures hold only as long as burst buckets are not empty: what they are on empty ones. */
function OnBursts({ row, priced }: { row: RankedAnswer; priced: boolean }): ReactNode {
  if (row.on_empty === null) return null;
  const { time_s, cost_usd } = row.on_empty;
  const title = `lives on burst credit; with empty buckets ${time_s} s${priced ? ` for ${cost_usd} USD` : ""}`;
  return (
    <div className={classes.bursts} title={title}>
      lives on bursts, else {duration(time_s)}
      {priced && ` for ${usd(cost_usd)}`}
    </div>
  );
}

function Risk({ row }: { row: RankedAnswer }): ReactNode {
  if (row.meets_deadline === null) return <span title="There is no deadline to miss">—</span>;
  const risk = 1 - row.meets_deadline;
  return <span title={`risk of missing the deadline: ${100 * risk}%`}>{chance(risk)}</span>;
}

function Difference({ row, today, money }: { row: RankedAnswer; today: Configuration; money: Money }): ReactNode {
  const { range, word } = money;
  return (
    <>
      <span title={`of the ${word} of today’s`}>
        {percentWords(range(row).p50, range(today).p50)} {word}
      </span>{" "}
      <span className={classes.second} title="of the time of today’s">
        {percentWords(row.time_s.p50, today.time_s.p50)} time
      </span>
    </>
  );
}

function Pin({ row }: { row: RankedAnswer }): ReactNode {
  return <PinButton configuration={clusterKey(row)} name={`${clusterName(row)}, ${row.storage_words}`} />;
}
