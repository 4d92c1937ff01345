import { Button, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type RefObject, useEffect, useRef } from "react";
import { lookOf } from "@/charts/figures/predictedActual";
import { PointIcon } from "@/charts/plot/Points";
import { count, counted } from "@/lib/wording";
import { Card } from "@/ui/Card";
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
  const narrow = useMediaQuery("(max-width: 61.99em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const opened = useBroughtIntoView(search.case, picked);
  return (
    <Card id="cases" title="Every case">
      <CaseFilters search={search} onChange={onFilter} withOrder={narrow} />
      <p className={classes.count} role="status">
        {cases.length === total ? counted(total, "case") : `${count(cases.length)} of ${counted(total, "case")}`}
      </p>
      {cases.length === 0 ? (
        <div className={classes.empty}>
          <p>No case fits all of these filters.</p>
          <Button variant="default" onClick={onShowAll}>
            Show every case
          </Button>
        </div>
      ) : narrow ? (
        <Cards {...props} opened={opened} />
      ) : (
        <Table {...props} opened={opened} />
      )}
    </Card>
  );
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

function Table({ cases, names, search, opened, onFilter, onOpen }: ListProps) {
  return (
    <table className={`picking ${classes.table}`} aria-labelledby="cases">
      <thead>
        <tr>
          <th scope="col">Quantity</th>
          <th scope="col">Kind</th>
          <th scope="col" className="number">
            Predicted
          </th>
          <th scope="col" className="number">
            Actual
          </th>
          <ErrorHead order={search.sort} onOrder={(sort) => onFilter({ sort })} />
          <th scope="col">Source</th>
        </tr>
      </thead>
      <tbody>
        {cases.map((one) => (
          <Row
            key={one.id}
            one={one}
            experiment={names.get(one.experiment) ?? one.experiment}
            open={one.id === search.case}
            opened={opened}
            onOpen={onOpen}
          />
        ))}
      </tbody>
    </table>
  );
}

const NEXT_ORDER: Record<Order | "none", Order | undefined> = { none: "worst", worst: "best", best: undefined };
const SORTED = { worst: "descending", best: "ascending", none: "none" } as const;
const ARROWS = { worst: "↓", best: "↑", none: "↕" } as const;

/** Column header that cycles through largest first, smallest first, and published order. */
function ErrorHead({ order, onOrder }: { order: Order | undefined; onOrder: (order: Order | undefined) => void }) {
  const now = order ?? "none";
  return (
    <th scope="col" aria-sort={SORTED[now]}>
      <UnstyledButton className={classes.sort} onClick={() => onOrder(NEXT_ORDER[now])}>
        Error <span aria-hidden="true">{ARROWS[now]}</span>
      </UnstyledButton>
    </th>
  );
}

interface EntryProps {
  one: CaseAnswer;
  experiment: string;
  open: boolean;
  opened: RefObject<HTMLButtonElement | null>;
  onOpen: (id: string) => void;
}

function Row({ one, experiment, open, opened, onOpen }: EntryProps) {
  return (
    <>
      {/* The button in the row does the same by keyboard; the rest of the row is a larger target for the mouse. */}
      <tr className="pressable" data-chosen={open || undefined} onClick={() => onOpen(one.id)}>
        <th scope="row">
          <OpenButton one={one} open={open} opened={opened} />
        </th>
        <td>
          <Kind one={one} />
        </td>
        <td className="number">
          <Predicted one={one} />
        </td>
        <td className="number">
          <Figure value={one.actual} unit={one.unit} />
        </td>
        <td>
          <ErrorCell one={one} />
        </td>
        <td className={classes.source}>
          <span className={classes.clamped}>{one.source}</span>
        </td>
      </tr>
      {open && (
        <tr className={classes.details} id={detailsId(one)}>
          <td colSpan={6}>
            <CaseDetails one={one} experiment={experiment} />
          </td>
        </tr>
      )}
    </>
  );
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
      <div className={classes.cardFigures}>
        <span>
          Predicted <Predicted one={one} />
        </span>
        <span>
          Actual <Figure value={one.actual} unit={one.unit} />
        </span>
        <ErrorCell one={one} />
      </div>
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
