import { Button, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import type { RankedAnswer } from "@/api/generated";
import { resourceKind, resourceName } from "@/lib/resources";
import { chance, count, duration, durationRange, usd, usdRange } from "@/lib/wording";
import { ResourceMark } from "@/ui/ResourceMark";
import { Value } from "@/ui/Value";
import { clusterKey, clusterName } from "./cluster";
import { percentWords } from "./difference";
import { longestPhase } from "./longest";
import { PinButton } from "./PinButton";
import classes from "./RankedTable.module.css";
import { TimeBar } from "./TimeBar";
import type { Configuration, Named } from "./useConfigurations";

interface RankedTableProps {
  rows: RankedAnswer[];
  /** How many there are; the answer carries the first of them. */
  size: number;
  /** The row that the chart rings. */
  chosen: string | undefined;
  /** The row whose details are open. */
  open: string | undefined;
  /** What runs today: every row says how it differs from it. */
  today?: Named | undefined;
  onPick: (key: string) => void;
}

/** Rows that one takes in at a glance; the others are a click away. */
const AT_ONCE = 15;

/** The ranking, cheapest first: a table where there is room, cards where there is not. */
export function RankedTable({ rows, size, chosen, open, today, onPick }: RankedTableProps) {
  const narrow = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.filter((row, place) => place < AT_ONCE || clusterKey(row) === open);
  const full_s = Math.max(...shown.map((row) => row.time_s.p90));
  const entries = shown.map((row) => {
    const key = clusterKey(row);
    return {
      key,
      props: { row, full_s, chosen: key === chosen, open: key === open, today: today?.configuration, onPick },
    };
  });
  return (
    <section className="card" aria-labelledby="ranking">
      <h2 id="ranking" className="title">
        Ranked by cost
      </h2>
      <p className="dim" style={{ margin: "2px 0 8px" }}>
        The cheapest cluster of each{" "}
        {rows.some(({ storage }) => storage.kind === "ebs") ? "type and volume type" : "type"} within the limits
        {size > rows.length && `, the first ${rows.length} of ${count(size)}`}. Bars show the phases, whiskers p10 to
        p90.
      </p>
      {narrow ? (
        <ol className="picking-cards">
          {entries.map((entry) => (
            <Card key={entry.key} {...entry.props} />
          ))}
        </ol>
      ) : (
        <table className="picking" aria-labelledby="ranking">
          <thead>
            <tr>
              <th scope="col" className={classes.rank}>
                #
              </th>
              <th scope="col">Configuration</th>
              <th scope="col">Time</th>
              <th scope="col" className="number">
                Cost
              </th>
              <th scope="col">Limited by</th>
              <th scope="col" className="number">
                Risk
              </th>
              {today?.configuration !== undefined && (
                <th scope="col" className="number">
                  Against today
                </th>
              )}
              <th scope="col">
                <span className="spoken">Pin</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row key={entry.key} {...entry.props} />
            ))}
          </tbody>
        </table>
      )}
      {!all && rows.length > shown.length && (
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => setAll(true)}>
          Show {count(rows.length - shown.length)} more
        </Button>
      )}
    </section>
  );
}

interface EntryProps {
  row: RankedAnswer;
  full_s: number;
  chosen: boolean;
  open: boolean;
  today: Configuration | undefined;
  onPick: (key: string) => void;
}

function Row({ row, full_s, chosen, open, today, onPick }: EntryProps) {
  const pick = () => onPick(clusterKey(row));
  return (
    // The button in the row does the same by keyboard; the rest of the row is a larger target for the mouse.
    <tr className="pressable" data-chosen={chosen || undefined} onClick={pick}>
      <td>{row.rank}</td>
      <th scope="row">
        <PickButton row={row} open={open} />
        <div className="dim small">{row.storage_words}</div>
      </th>
      <td className={classes.time}>
        <Time row={row} full_s={full_s} />
      </td>
      <td className="number">
        <Cost row={row} />
      </td>
      <td>
        <Limits row={row} />
      </td>
      <td className="number">
        <Risk row={row} />
      </td>
      {today !== undefined && (
        <td className="number">
          <Difference row={row} today={today} />
        </td>
      )}
      <td className={classes.pin}>
        <Pin row={row} />
      </td>
    </tr>
  );
}

function Card({ row, full_s, chosen, open, today, onPick }: EntryProps) {
  return (
    <li data-chosen={chosen || undefined}>
      <div className={classes.cardHead}>
        <span>
          <span className="dim">{row.rank}.</span> <PickButton row={row} open={open} onPick={onPick} />
        </span>
        <div className={classes.cardCost}>
          <span>
            <Cost row={row} />
          </span>
          <Pin row={row} />
        </div>
      </div>
      <div className="dim small">{row.storage_words}</div>
      <Time row={row} full_s={full_s} />
      <div className={classes.cardFoot}>
        <span>
          Limited by <Limits row={row} />
        </span>
        <span>
          Risk <Risk row={row} />
        </span>
        {today !== undefined && (
          <span>
            Against today <Difference row={row} today={today} />
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

function Time({ row, full_s }: { row: RankedAnswer; full_s: number }) {
  return (
    <>
      <Value text={duration(row.time_s.p50)} exact={row.time_s.p50} unit="s" />{" "}
      <span className="dim small" title={`${row.time_s.p10}–${row.time_s.p90} s`}>
        {durationRange(row.time_s)}
      </span>
      <TimeBar row={row} full_s={full_s} />
      <OnBursts row={row} />
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
function OnBursts({ row }: { row: RankedAnswer }): ReactNode {
  if (row.on_empty === null) return null;
  const { time_s, cost_usd } = row.on_empty;
  return (
    <div className="dim small" title={`lives on burst credit; with empty buckets ${time_s} s for ${cost_usd} USD`}>
      {duration(time_s)} on empty buckets
    </div>
  );
}

function Risk({ row }: { row: RankedAnswer }): ReactNode {
  if (row.meets_deadline === null) return <span title="There is no deadline to miss">—</span>;
  const risk = 1 - row.meets_deadline;
  return <span title={`chance to miss the deadline: ${100 * risk}%`}>{chance(risk)}</span>;
}

function Difference({ row, today }: { row: RankedAnswer; today: Configuration }): ReactNode {
  return (
    <>
      <span title="of the cost of today’s">{percentWords(row.cost_usd.p50, today.cost_usd.p50)} cost</span>{" "}
      <span className={classes.second} title="of the time of today’s">
        {percentWords(row.time_s.p50, today.time_s.p50)} time
      </span>
    </>
  );
}

function Pin({ row }: { row: RankedAnswer }): ReactNode {
  return <PinButton configuration={clusterKey(row)} name={`${clusterName(row)}, ${row.storage_words}`} />;
}
