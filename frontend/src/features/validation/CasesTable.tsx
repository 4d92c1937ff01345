import { Button, Group, UnstyledButton } from "@mantine/core";
import { type RefObject, useEffect, useRef, useState } from "react";
import { lookOf } from "@/charts/figures/predictedActual";
import { PointIcon } from "@/charts/plot/Points";
import { BELOW, useMedia } from "@/lib/useMedia";
import { count, counted } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Pager, pageStart } from "@/ui/list/Pager";
import { Table } from "@/ui/table/Table";
import { Value } from "@/ui/values/Value";
import type { CaseAnswer } from "./answer";
import { CaseDetails } from "./CaseDetails";
import { CaseFilters } from "./CaseFilters";
import classes from "./CasesTable.module.css";
import { ErrorCell } from "./ErrorCell";
import type { Order, ValidationChange, ValidationSearch } from "./search";
import { rangeWords, valueWords } from "./words";

interface CasesTableProps {
  /** Filtered and sorted cases. */
  cases: readonly CaseAnswer[];
  /** Total number of cases. */
  total: number;
  names: ReadonlyMap<string, string>;
  search: ValidationSearch;
  /** The case just selected elsewhere, which then receives the focus. */
  picked: string | null;
  onFilter: (change: ValidationChange) => void;
  onShowAll: () => void;
  onOpen: (id: string) => void;
}

/** All cases: a table on wide screens, cards on narrow ones. */
export function CasesTable(props: CasesTableProps) {
  const { cases, total, search, picked, onFilter, onShowAll } = props;
  const narrow = useMedia(BELOW.desktop);
  const opened = useBroughtIntoView(search.case, picked);
  const size = narrow ? PAGE_CASES.narrow : PAGE_CASES.wide;
  const [first, setFirst] = usePage(cases, search.case, size);
  const page = { ...props, cases: cases.slice(first, first + size), opened };
  return (
    <Card id="cases" title="Every case">
      <CaseFilters search={search} onChange={onFilter} withOrder={narrow} />
      <p className={classes.count} role="status">
        {cases.length === total ? counted(total, "case") : `${count(cases.length)} of ${counted(total, "case")}`}
      </p>
      {cases.length === 0 ? (
        <div className="empty">
          <p>No case fits all of these filters.</p>
          <Button variant="default" onClick={onShowAll}>
            Show every case
          </Button>
        </div>
      ) : narrow ? (
        <Cards {...page} />
      ) : (
        <Rows {...page} />
      )}
      <Pager rows="cases" first={first} size={size} total={cases.length} onFirst={setFirst} />
    </Card>
  );
}

/** Cases on a page, wide and narrow. */
const PAGE_CASES = { wide: 40, narrow: 15 };

/** Index of the first case of the displayed page: the page of the case that was opened last, or a chosen one. */
function usePage(cases: readonly CaseAnswer[], open: string | undefined, size: number) {
  const key = `${open ?? ""} ${cases.length} ${cases[0]?.id ?? ""}`;
  const [chosen, setChosen] = useState<{ key: string; first: number } | null>(null);
  const at = Math.max(
    0,
    cases.findIndex(({ id }) => id === open),
  );
  const first = pageStart(chosen?.key === key ? chosen.first : at, size, cases.length);
  return [first, (next: number) => setChosen({ key, first: next })] as const;
}

/** Scroll the open case into view on page load, and also focus it when it is selected elsewhere. */
function useBroughtIntoView(open: string | undefined, picked: string | null): RefObject<HTMLButtonElement | null> {
  const opened = useRef<HTMLButtonElement>(null);
  const first = useRef(true);
  useEffect(() => {
    const came = first.current;
    first.current = false;
    if (open === undefined || (!came && open !== picked)) return;
    opened.current?.scrollIntoView({ block: "center" });
    if (open === picked) opened.current?.focus({ preventScroll: true });
  }, [open, picked]);
  return opened;
}

type ListProps = CasesTableProps & { opened: RefObject<HTMLButtonElement | null> };

function Rows({ cases, names, search, opened, onFilter, onOpen }: ListProps) {
  const order = search.sort ?? "none";
  return (
    <Table
      className={`picking ${classes.table}`}
      aria-labelledby="cases"
      rows={cases}
      keyOf={({ id }) => id}
      // The button in the row does the same by keyboard; the rest of the row is a larger target for the mouse.
      rowProps={({ id }) => ({
        className: "pressable",
        "data-chosen": id === search.case || undefined,
        onClick: () => onOpen(id),
      })}
      columns={[
        {
          head: "Quantity",
          rowHead: true,
          cell: (one) => <OpenButton one={one} open={one.id === search.case} opened={opened} />,
        },
        { head: "Kind", cell: (one) => <Kind one={one} /> },
        { head: "Predicted", number: true, cell: (one) => <Predicted one={one} /> },
        { head: "Actual", number: true, cell: ({ actual, unit }) => <Figure value={actual} unit={unit} /> },
        {
          // A click cycles through largest first, smallest first, and published order.
          head: (
            <UnstyledButton className={classes.sort} onClick={() => onFilter({ sort: NEXT_ORDER[order] })}>
              Error <span aria-hidden="true">{ARROWS[order]}</span>
            </UnstyledButton>
          ),
          headProps: { "aria-sort": SORTED[order] },
          cell: (one) => <ErrorCell one={one} />,
        },
        {
          head: "Source",
          className: classes.source,
          cell: ({ source }) => <span className={classes.clamped}>{source}</span>,
        },
      ]}
      details={(one) =>
        one.id === search.case && (
          <tr className={classes.details} id={detailsId(one)}>
            <td colSpan={6}>
              <CaseDetails one={one} experiment={names.get(one.experiment) ?? one.experiment} />
            </td>
          </tr>
        )
      }
    />
  );
}

const NEXT_ORDER: Record<Order | "none", Order | undefined> = { none: "worst", worst: "best", best: undefined };
const SORTED = { worst: "descending", best: "ascending", none: "none" } as const;
const ARROWS = { worst: "↓", best: "↑", none: "↕" } as const;

interface EntryProps {
  one: CaseAnswer;
  experiment: string;
  open: boolean;
  opened: RefObject<HTMLButtonElement | null>;
  onOpen: (id: string) => void;
}

function Cards({ cases, names, search, opened, onOpen }: ListProps) {
  return (
    <ul className="picking-cards" aria-labelledby="cases">
      {cases.map((one) => (
        <CaseCard
          key={one.id}
          one={one}
          experiment={names.get(one.experiment) ?? one.experiment}
          open={one.id === search.case}
          opened={opened}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}

function CaseCard({ one, experiment, open, opened, onOpen }: EntryProps) {
  return (
    <li className={classes.card} data-chosen={open || undefined}>
      <OpenButton one={one} open={open} opened={opened} onOpen={onOpen} />
      <Kind one={one} />
      <Group justify="space-between" align="stretch" gap="4px 16px">
        <span>
          Predicted <Predicted one={one} />
        </span>
        <span>
          Actual <Figure value={one.actual} unit={one.unit} />
        </span>
        <ErrorCell one={one} />
      </Group>
      {open && (
        <div id={detailsId(one)} className={classes.cardDetails}>
          <CaseDetails one={one} experiment={experiment} />
        </div>
      )}
    </li>
  );
}

function detailsId({ id }: CaseAnswer): string {
  return `case-${id.replace(/[^\w-]/g, "-")}`;
}

interface OpenButtonProps extends Pick<EntryProps, "one" | "open" | "opened"> {
  /** Undefined if the click bubbles up to the row. */
  onOpen?: (id: string) => void;
}

function OpenButton({ one, open, opened, onOpen }: OpenButtonProps) {
  return (
    <UnstyledButton
      ref={open ? opened : null}
      className={`pick ${classes.quantity}`}
      aria-expanded={open}
      {...(open ? { "aria-controls": detailsId(one) } : {})}
      {...(onOpen === undefined ? {} : { onClick: () => onOpen(one.id) })}
    >
      {one.quantity}
    </UnstyledButton>
  );
}

function Kind({ one }: { one: CaseAnswer }) {
  return (
    <span className={classes.kind}>
      <PointIcon {...lookOf(one.kind, one.group)} />
      <span>
        {one.kind} <span className="dim small">{one.group}</span>
      </span>
    </span>
  );
}

function Predicted({ one }: { one: CaseAnswer }) {
  const { predicted, range, unit } = one;
  return (
    <>
      <Figure value={predicted} unit={unit} />
      {range !== null && (
        <>
          {" "}
          <span className={classes.range} title={`p10–p90: ${range.p10}–${range.p90} ${unit}`}>
            {rangeWords(range, unit)}
          </span>
        </>
      )}
    </>
  );
}

function Figure({ value, unit }: { value: number | null; unit: string }) {
  if (value === null) return <>—</>;
  return <Value text={valueWords(value, unit)} exact={value} unit={unit} />;
}
