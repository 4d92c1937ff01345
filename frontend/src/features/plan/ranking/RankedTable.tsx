import { Button, Group, NativeSelect } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { memo, type ReactNode, useCallback, useMemo } from "react";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { allRows, PAGE } from "@/api/planning/rankings";
import { clusterKey, headsSentence, headWords } from "@/features/plan/address/cluster";
import type { View, ViewChange } from "@/features/plan/address/view";
import type { Named } from "@/features/plan/configurations/useConfigurations";
import { chosenWords, openIn } from "@/features/plan/workload/place";
import { filenameFrom, saveCsv } from "@/lib/csv";
import { nextSorting, SORT_ARROWS, sortingIn, sortState } from "@/lib/sorting";
import { useAheadText } from "@/lib/useAhead";
import { BELOW, useMedia } from "@/lib/useMedia";
import { count, counted } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { SearchBox } from "@/ui/list/List";
import { PlainButton } from "@/ui/PlainButton";
import { Term } from "@/ui/Term";
import { type Column, Table } from "@/ui/table/Table";
import { PriceNote } from "@/ui/values/PriceTerms";
import { Card, CELLS, type Entry } from "./cells";
import classes from "./RankedTable.module.css";
import { OBJECTIVE_WORDS, type Objective, type RankedColumn, rankedColumns, rankedCsv } from "./rankedColumns";
import { TimeBarLegend } from "./TimeBar";
import type { WholeRanking } from "./useRanking";

interface RankedTableProps {
  answer: PlanAnswer;
  /** While a limit is dragged: the rows at its last rest (`Entry.still`). */
  still?: readonly RankedAnswer[] | undefined;
  /** The answered document; each row shows the choices that it leaves open. */
  document: unknown;
  /** The ranking beyond the rows of the answer. */
  ranking: WholeRanking;
  /** The row highlighted in the chart. */
  chosen: string | undefined;
  /** The current cluster, if each row shows its difference from it. */
  today?: Named | undefined;
  view: View;
  onView: (change: ViewChange, replace: boolean) => void;
  /** Opens a row; undefined if the ranking is read-only. */
  onPick?: ((key: string) => void) | undefined;
  /** Changes the objective; undefined for a saved plan. */
  onObjective?: ((objective: Objective) => void) | undefined;
}

/**
 * Number of rows shown initially: of the table, and of the cards on narrow screens. The answer to a question has no more
 * than the table shows, a saved plan 50; with fewer, the ranking is complete.
 */
const AT_ONCE = { table: 15, cards: 8 };
/**
 * Rows keep their places, not their elements: while a limit is dragged, each step writes texts, and moves and makes no
 * elements.
 */
const PLACE = (_: Entry, place: number) => place;

/** Ranking, best first: a table on wide screens, cards on narrow ones. */
export function RankedTable(props: RankedTableProps) {
  const { answer, document, ranking, today, view, onView, onPick, onObjective } = props;
  const narrow = useMedia(BELOW.tablet);
  const [find, setFind] = useAheadText(view.find ?? "", (text) => onView({ find: text }, true));
  const { configurations: rows, objective } = answer;
  const { sort } = ranking.query;
  const headed = rows.some((row) => headWords(row) !== undefined);
  const cluster = today?.configuration;
  const columns = useMemo(
    () => rankedColumns(objective, document, cluster, headed),
    [objective, document, cluster, headed],
  );
  const shown = shownRows(rows, ranking, view, narrow);
  const entries = entriesOf(shown, props);
  const rankBy = (next: Objective) => {
    onView({ sort: undefined }, true);
    onObjective?.(next);
  };
  const sortBy = useCallback(
    (next: string | undefined) => onView({ sort: next === objective ? undefined : next }, true),
    [onView, objective],
  );
  const showAll = useCallback(() => onView({ shown: "all" }, true), [onView]);
  const tableColumns = useMemo(
    () => [
      ...columns.map((column) => tableColumn(column, sort ?? objective, sortBy)),
      ...(onPick === undefined ? [] : [PIN_COLUMN]),
    ],
    [columns, sort, objective, sortBy, onPick],
  );
  return (
    <section className={`card ${classes.ranking}`} aria-labelledby="ranking">
      <Head
        objective={objective}
        ranking={ranking}
        columns={columns}
        catalog={answer.catalog_version}
        terms={answer.price_terms?.words}
        find={find}
        onFind={setFind}
        onSort={narrow ? sortBy : undefined}
      />
      <p className="dim" style={{ margin: "2px 0 8px" }}>
        {BEST[objective]} of each {rows.some(({ storage }) => storage.kind === "ebs") ? "type and volume type" : "type"}{" "}
        within the limits. {headsSentence(rows)} Bars show the phases, by what limits them (
        <TimeBarLegend rows={shown} />
        ), whiskers {RANGE_TERM}, dashed lines the {LIMIT_TERM}.
        <RankBy columns={columns} sort={sort} objective={objective} onObjective={onObjective && rankBy} />
      </p>
      {ranking.error !== null && ranking.error !== undefined && (
        <ProblemNotice error={ranking.error} kept="The first rows are still there." onRetry={ranking.retry} />
      )}
      {ranking.current && ranking.incomplete !== null && <Notice tone="warn">{ranking.incomplete}</Notice>}
      {shown.length === 0 ? (
        <p>
          No row of the ranking holds “{ranking.query.find}”.{" "}
          <Button variant="default" size="compact-sm" onClick={() => setFind("")}>
            Show all rows
          </Button>
        </p>
      ) : narrow ? (
        <ol className={`picking-cards fades ${classes.rows}`} data-stale={isStale(ranking) || undefined}>
          {entries.map((entry, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: see PLACE
            <Card key={place} {...entry} />
          ))}
        </ol>
      ) : (
        <div className="sideways">
          <Table
            className={`picking fades ${classes.rows}`}
            aria-labelledby="ranking"
            aria-busy={isStale(ranking)}
            data-stale={isStale(ranking) || undefined}
            rows={entries}
            keyOf={PLACE}
            // The button in the row does the same by keyboard; the rest of the row is a larger target for the mouse.
            rowProps={({ configuration, chosen: isChosen }) => ({
              className: onPick && "pressable",
              "data-chosen": isChosen || undefined,
              onClick: onPick && (() => onPick(configuration)),
            })}
            columns={tableColumns}
          />
        </div>
      )}
      <Shown carried={rows.length} shown={shown.length} ranking={ranking} onAll={showAll} />
    </section>
  );
}

function entriesOf(
  rows: readonly RankedAnswer[],
  { answer, still, document, chosen, view, today, onPick }: RankedTableProps,
): Entry[] {
  const open = openIn(document);
  const full_s = Math.max(...rows.map((row) => row.time_s.p90));
  return rows.map((row) => {
    const configuration = clusterKey(row);
    return {
      row,
      still: still?.[answer.configurations.indexOf(row)] ?? row,
      configuration,
      objective: answer.objective,
      words: [row.storage_words, ...chosenWords(row, open)].join(", "),
      full_s,
      chosen: configuration === chosen,
      open: configuration === view.row,
      today: today?.configuration,
      onPick,
    };
  });
}

/** Check if an answer with so many rows has the whole ranking. */
function isComplete(carried: number): boolean {
  return carried < AT_ONCE.table;
}

/** Check if the shown rows belong to an earlier question, filter or order. */
function isStale({ wanted, current, error }: WholeRanking): boolean {
  return wanted && !current && !error;
}

/** Return the rows to show: those loaded of the whole ranking, else the first rows of the answer. */
function shownRows(
  rows: readonly RankedAnswer[],
  ranking: WholeRanking,
  view: View,
  narrow: boolean,
): readonly RankedAnswer[] {
  const atOnce = narrow ? AT_ONCE.cards : AT_ONCE.table;
  const { wanted, current, query } = ranking;
  const open = view.row === undefined ? [] : rows.slice(atOnce).filter((row) => clusterKey(row) === view.row);
  const first = [...rows.slice(0, atOnce), ...open];
  if (!wanted) return first;
  // In its original order the ranking starts with the rows of the answer, which are already loaded.
  if (!current && query.find === "" && query.sort === undefined) return rows;
  return ranking.rows ?? first;
}

interface ShownProps {
  /** Number of rows in the answer, and of those shown. */
  carried: number;
  shown: number;
  ranking: WholeRanking;
  onAll: () => void;
}

/** Number of shown and total rows, and a button for more; not rendered again while only the rows change. */
const Shown = memo(function Shown({ carried, shown, ranking, onAll }: ShownProps) {
  const { wanted, current, matching, more, fetching } = ranking;
  const known = wanted && current;
  const first = wanted || (carried <= shown && isComplete(carried)) ? undefined : onAll;
  const next = known ? more : first;
  return (
    <Group gap="4px 12px" mt={8}>
      <span className="dim small" aria-live="polite" data-testid="rows-shown">
        {isStale(ranking) ? "Looking through the whole ranking …" : shownWords(carried, shown, ranking)}
      </span>
      {next !== undefined && (
        <Button
          variant="default"
          size="compact-sm"
          className="no-print"
          loading={known && fetching}
          onClick={() => next()}
        >
          {known ? `Show ${count(Math.min(PAGE, matching - shown))} more` : "Show more"}
        </Button>
      )}
    </Group>
  );
});

function shownWords(carried: number, shown: number, { wanted, current, matching, total, query }: WholeRanking): string {
  if (!wanted || !current) {
    if (isComplete(carried)) return `${count(shown)} of ${counted(carried, "row")} shown.`;
    const rows = `first ${counted(carried, "row")}`;
    return shown < carried ? `${count(shown)} of the ${rows} shown.` : `The ${rows} are shown.`;
  }
  const holding = query.find === "" ? "" : ` with “${query.find}”`;
  const all = matching < total ? `; the ranking has ${count(total)}` : "";
  return `${count(shown)} of ${counted(matching, "row")}${holding} shown${all}.`;
}

// The same elements at each step of a drag, so that they are not rendered again.
const RANGE_TERM = <Term of="range">p10 to p90</Term>;
const LIMIT_TERM = <Term of="physicalLimit">physical limit</Term>;
const PRICE_NOTE = <PriceNote />;

interface HeadProps extends SaveRowsProps {
  objective: Objective;
  find: string;
  onFind: (text: string) => void;
  /** Undefined where the columns have headers to sort by. */
  onSort: ((sort: string | undefined) => void) | undefined;
}

/** Title, and buttons to sort, filter and download; not rendered again while only the rows change. */
const Head = memo(function Head({ objective, find, onFind, onSort, ...saving }: HeadProps) {
  const { columns, ranking } = saving;
  const { sort } = ranking.query;
  return (
    <Group justify="space-between" gap={8}>
      <h2 id="ranking" className="title">
        Ranked by {OBJECTIVE_WORDS[objective]}
      </h2>
      <Group gap={8} className={`${classes.tools} no-print`}>
        {onSort !== undefined && (
          <NativeSelect
            size="xs"
            aria-label="Sort the ranking"
            value={sort ?? ""}
            data={[{ value: "", label: "By rank" }, ...sortOptions(columns, sort)]}
            onChange={(event) => onSort(event.currentTarget.value || undefined)}
          />
        )}
        <SearchBox size="xs" aria-label="Filter the ranking" placeholder="Filter" value={find} onText={onFind} />
        <SaveRows {...saving} />
      </Group>
    </Group>
  );
});

interface SaveRowsProps {
  ranking: WholeRanking;
  columns: readonly RankedColumn[];
  catalog: string;
  /** Discounts that the costs include, in words. */
  terms: string | undefined;
}

/** Button to download every row that passes the filter, including hidden ones, in the selected order. */
function SaveRows({ ranking, columns, catalog, terms }: SaveRowsProps) {
  const saving = useMutation({
    mutationFn: () => allRows(ranking.source, ranking.query),
    onSuccess: ({ rows }) => saveCsv(rankedCsv(rows, columns, terms), filenameFrom(`stowage ranking ${catalog}`)),
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        title="All rows that pass the filter, in this order"
        disabled={ranking.wanted && ranking.current && ranking.matching === 0}
        loading={saving.isPending}
        onClick={() => saving.mutate()}
      >
        Save as CSV
      </Button>
      {saving.data?.incomplete && (
        <div className={classes.wrong}>
          <Notice tone="warn">
            The file has {counted(saving.data.rows.length, "row")}. {saving.data.incomplete}
          </Notice>
        </div>
      )}
      {saving.error !== null && (
        <div className={classes.wrong}>
          <ProblemNotice error={saving.error} kept="Nothing was saved." onRetry={() => saving.mutate()} />
        </div>
      )}
    </>
  );
}

/** Return the sort options for cards, which have no column headers, including the current one. */
function sortOptions(columns: readonly RankedColumn[], sort: string | undefined): { value: string; label: string }[] {
  const descending = sort?.startsWith("-") === true;
  return columns.flatMap(({ sort: column, head }) => {
    if (column === undefined) return [];
    const isThis = descending && sort === `-${column}`;
    return { value: isThis ? `-${column}` : column, label: `By ${head.toLowerCase()}${isThis ? ", last first" : ""}` };
  });
}

interface RankByProps {
  columns: readonly RankedColumn[];
  sort: string | undefined;
  objective: Objective;
  onObjective: ((objective: Objective) => void) | undefined;
}

/**
 * Button to rank by the sort column: sorting reorders the rows, but the best by another measure is another question.
 */
function RankBy({ columns, sort, objective, onObjective }: RankByProps): ReactNode {
  const other = columns.find((column) => column.sort !== undefined && column.sort === sort)?.objective;
  if (other === undefined || other === objective || onObjective === undefined) return null;
  return (
    <>
      {" "}
      <PlainButton className={`${classes.rankBy} no-print`} onClick={() => onObjective(other)}>
        Rank by {OBJECTIVE_WORDS[other]}
      </PlainButton>
    </>
  );
}

const BEST: Record<Objective, string> = {
  cost: "The cheapest cluster",
  time: "The fastest cluster",
  month: "The cheapest month",
};

/** Column of the table; a click on its header cycles through ascending, descending and original order. */
function tableColumn(
  { name, head, number = false, sort: own }: RankedColumn,
  sort: string,
  onSort: (sort: string | undefined) => void,
): Column<Entry> {
  const state = own === undefined ? undefined : sortState(sortingIn(sort), own);
  return {
    name,
    head:
      own === undefined || state === undefined ? (
        head
      ) : (
        <PlainButton className={classes.sort} onClick={() => onSort(nextSorting(sort, own))}>
          {head}
          {state !== "none" && <span aria-hidden="true"> {SORT_ARROWS[state]}</span>}
          {(name === "cost" || name === "month") && PRICE_NOTE}
        </PlainButton>
      ),
    number,
    rowHead: name === "configuration",
    headProps: { "aria-sort": state, ...(name === "rank" && { className: classes.rank }) },
    className: name === "time" ? classes.time : undefined,
    cell: CELLS[name],
    ...(name === "configuration" && { note: ({ words }: Entry) => words }),
  };
}

const PIN_COLUMN: Column<Entry> = {
  head: <span className="spoken">Pin</span>,
  className: classes.pin,
  cell: CELLS.pin,
};
