import { UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import type { VolumeDesignAnswer, VolumeDesignRow } from "@/api/generated";
import { BELOW, useMedia } from "@/lib/useMedia";
import { count, percent, usd } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Table } from "@/ui/table/Table";
import { Priced, PriceNote } from "@/ui/values/PriceTerms";
import classes from "./DesignTable.module.css";
import { Sourced } from "./Sourced";
import { layoutName, limitWords, lossWords, provisionedWords, reachedWords, volumeFigures } from "./words";

interface DesignTableProps {
  answer: VolumeDesignAnswer;
  /** The volume type with the shown day. */
  chosen: string | undefined;
  onPick: (type: string) => void;
}

/**
 * Maximum length of a bar, as a multiple of the cheapest cost, so that one expensive type does not dwarf the others.
 */
const LONGEST_BAR = 6;

/** Cheapest volumes of each type: a table on wide screens, cards on narrow ones. */
export function DesignTable({ answer, chosen, onPick }: DesignTableProps) {
  const narrow = useMedia(BELOW.desktop);
  const totals = answer.designs.map(({ cost_usd_per_month }) => cost_usd_per_month.total);
  const most = Math.min(Math.max(...totals), LONGEST_BAR * Math.min(...totals));
  const entries = answer.designs.map(
    (row): Entry => ({ row, answer, most, chosen: row.layout.volume_type === chosen, onPick }),
  );
  return (
    <Card id="designs" title="The cheapest of each type">
      <p className="dim" style={{ margin: "2px 0 8px" }}>
        USD a month of 730 hours{answer.price_terms == null ? "" : `, incl. ${answer.price_terms.words}`}. A figure
        opens its sources; a type shows its day below.
      </p>
      {narrow ? (
        <ol className="picking-cards">
          {entries.map((entry) => (
            <DesignCard key={keyOf(entry)} {...entry} />
          ))}
        </ol>
      ) : (
        <Table
          className="picking"
          aria-labelledby="designs"
          rows={entries}
          keyOf={keyOf}
          rowProps={({ chosen: isChosen }) => ({ "data-chosen": isChosen || undefined })}
          columns={[
            { head: "Volumes", rowHead: true, cell: (entry) => <Volumes {...entry} /> },
            {
              head: (
                <Priced terms={answer.price_terms}>
                  USD a month
                  <PriceNote />
                </Priced>
              ),
              className: classes.price,
              cell: (entry) => <Price {...entry} />,
            },
            ...FACTS,
          ]}
        />
      )}
    </Card>
  );
}

interface Entry {
  row: VolumeDesignRow;
  answer: VolumeDesignAnswer;
  most: number;
  chosen: boolean;
  onPick: (type: string) => void;
}

/** Facts of a volume type: columns of the table, lines of a card. */
const FACTS: readonly { head: string; cell: (entry: Entry) => ReactNode }[] = [
  { head: "Reaches", cell: (entry) => <Reached {...entry} /> },
  { head: "Limited by", cell: ({ row }) => limitWords(row) },
  { head: "Annual failure rate (AFR)", cell: (entry) => <Loss {...entry} /> },
  { head: "AWS design target (not an SLA)", cell: (entry) => <Promised {...entry} /> },
];

function keyOf({ row }: Entry): string {
  return row.layout.volume_type;
}

function DesignCard(entry: Entry) {
  return (
    <li data-chosen={entry.chosen || undefined}>
      <Volumes {...entry} />
      <Price {...entry} />
      <dl className={`terms ${classes.facts}`}>
        {FACTS.map(({ head, cell }) => (
          <div key={head}>
            <dt>{head}</dt>
            <dd>{cell(entry)}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function Volumes({ row, chosen, onPick }: Entry) {
  const { layout, fewest } = row;
  return (
    <>
      <UnstyledButton className="pick" aria-pressed={chosen} onClick={() => onPick(layout.volume_type)}>
        {layoutName(layout)}
      </UnstyledButton>
      {provisionedWords(layout) !== "" && <div className="dim small">{provisionedWords(layout)}</div>}
      {fewest !== null && (
        <div className="dim small">
          {fewest.layout.count === 1 ? "as one volume" : `as ${count(fewest.layout.count)} volumes`}:{" "}
          {count(fewest.layout.size_gib)} GiB
          {provisionedWords(fewest.layout) !== "" && `, ${provisionedWords(fewest.layout)}`},{" "}
          {usd(fewest.usd_per_month)}
        </div>
      )}
    </>
  );
}

function Price({ row, answer, most }: Entry) {
  const { cost_usd_per_month: cost, layout } = row;
  const parts = (
    [
      ["capacity", cost.capacity],
      ["IOPS", cost.iops],
      ["throughput", cost.throughput],
      ["I/O operations", cost.operations],
    ] as const
  ).filter(([, amount]) => amount > 0);
  return (
    <>
      <Sourced
        exact={`${cost.total} USD a month`}
        working={parts.map(([name, amount]) => `${name} ${amount.toFixed(2)} USD`).join(" + ")}
        figures={volumeFigures(answer, layout.volume_type, "price")}
        label={`the price of ${layout.volume_type}`}
      >
        <strong>{usd(cost.total)}</strong>
      </Sourced>
      <span className={classes.track} data-cut={cost.total > most || undefined} aria-hidden="true">
        {parts.map(([name, amount]) => (
          <span
            key={name}
            className={classes.bar}
            data-part={name}
            style={{ width: `${Math.min(100, (100 * amount) / most)}%` }}
          />
        ))}
      </span>
      {parts.length > 1 && (
        <span className="dim small">{parts.map(([name, amount]) => `${name} ${usd(amount)}`).join(", ")}</span>
      )}
    </>
  );
}

function Reached({ row, answer }: Entry) {
  const { reached, layout } = row;
  return (
    <Sourced
      exact={`${reached.baseline_iops} IOPS and ${reached.baseline_mib_per_s} MiB/s for ever, ${reached.burst_iops} IOPS and ${reached.burst_mib_per_s} MiB/s at most`}
      working={layout.count > 1 ? `All ${layout.count} volumes together.` : undefined}
      figures={volumeFigures(answer, layout.volume_type, "reach")}
      label={`what ${layout.volume_type} reaches`}
    >
      {reachedWords(row)}
      {row.typical && <span className="dim small"> (typical)</span>}
    </Sourced>
  );
}

function Loss({ row, answer }: Entry) {
  const { layout } = row;
  return (
    <Sourced
      exact={`${100 * row.any_lost_low}% to ${100 * row.any_lost_high}%`}
      working={
        layout.count > 1
          ? `Any of ${layout.count} volumes; a given one ${lossWords(row.failure_rate_low, row.failure_rate_high)}.`
          : undefined
      }
      figures={volumeFigures(answer, layout.volume_type, "loss")}
      label={`the failure rate of ${layout.volume_type}`}
    >
      {lossWords(row.any_lost_low, row.any_lost_high)}
      {layout.count > 1 && <span className="dim small"> (any)</span>}
    </Sourced>
  );
}

function Promised({ row, answer }: Entry) {
  const { promise, layout } = row;
  if (promise === null) return <span className="dim">none</span>;
  return (
    <Sourced
      exact={`at least ${100 * promise.share}% of its performance for ${100 * promise.time}% of a year`}
      figures={volumeFigures(answer, layout.volume_type, "promise")}
      label={`AWS design target for ${layout.volume_type}`}
    >
      at least {percent(promise.share)} of its performance, {percent(promise.time)} of the time
    </Sourced>
  );
}
