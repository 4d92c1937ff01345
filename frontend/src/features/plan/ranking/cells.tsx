// Cells of the ranking. A step of a drag changes some rows, and the risk of all: each cell receives only what it shows,
// and renders again only if that changes.

import { Group } from "@mantine/core";
import { memo, type ReactNode } from "react";
import type { RankedAnswer } from "@/api/generated";
import { clusterKey, clusterName } from "@/features/plan/address/cluster";
import { percentWords } from "@/features/plan/configurations/difference";
import { longestPhase } from "@/features/plan/configurations/longest";
import { moneyOf } from "@/features/plan/configurations/money";
import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import { PinButton } from "@/features/plan/pins/PinButton";
import { resourceKind, resourceName } from "@/lib/resources";
import { duration, durationRange, usd, usdRange } from "@/lib/wording";
import { PlainButton } from "@/ui/PlainButton";
import { ResourceMark } from "@/ui/values/ResourceMark";
import { Risk } from "@/ui/values/Risk";
import { Value } from "@/ui/values/Value";
import classes from "./RankedTable.module.css";
import type { ColumnName, Objective } from "./rankedColumns";
import { TimeBar } from "./TimeBar";

/** Row of the table, or card. */
export interface Entry {
  row: RankedAnswer;
  /**
   * What the pointer and screen readers find: all digits, names of buttons. While a limit is dragged it is the row of the
   * last rest: nothing is hovered or read then, and to write it takes as long as what is seen.
   */
  still: RankedAnswer;
  /** Key of the configuration. */
  configuration: string;
  objective: Objective;
  /** Storage, and the options chosen by the search. */
  words: string;
  /** Time that fills the width of a bar [s]. */
  full_s: number;
  chosen: boolean;
  open: boolean;
  today: Configuration | undefined;
  onPick: ((configuration: string) => void) | undefined;
}

/** Content of a table or card cell, by column. */
export const CELLS: Record<ColumnName | "pin", (entry: Entry) => ReactNode> = {
  rank: ({ row }) => row.rank,
  configuration: ({ row, still, open, onPick }) =>
    onPick === undefined ? (
      <strong>{clusterName(row)}</strong>
    ) : (
      <PickButton name={clusterName(row)} spoken={spokenName(still)} open={open} />
    ),
  time: ({ row: { time_s, phases, physical_limit_s, on_empty }, still, full_s, objective }) => (
    <>
      <Time time_s={time_s} exact={still.time_s} limit_s={still.physical_limit_s} />
      <TimeBar phases={phases} time_s={time_s} limit_s={physical_limit_s} full_s={full_s} />
      <OnBursts onEmpty={on_empty} priced={objective !== "month"} />
    </>
  ),
  cost: ({ row, still }) => <Cost cost_usd={row.cost_usd} exact={still.cost_usd} />,
  month: ({ row: { cost_always_on_usd: always }, still }) =>
    always === null ? (
      "—"
    ) : (
      <span title="of a cluster that stays up all month">
        <Value text={usd(always)} exact={still.cost_always_on_usd ?? always} unit="USD" />
      </span>
    ),
  limit: ({ row }) => <Limit phases={row.phases} />,
  risk: ({ row: { meets_deadline: met }, still }) =>
    met === null ? (
      <span title="There is no deadline to miss">—</span>
    ) : (
      <Risk met={met} exact={still.meets_deadline ?? met} />
    ),
  today: ({ row, objective, today }) => {
    const { range, word } = moneyOf(objective);
    if (today === undefined) return null;
    return (
      <>
        <span title={`of the ${word} of today’s`}>
          {percentWords(range(row).p50, range(today).p50)} {word}
        </span>{" "}
        <span style={{ display: "block" }} title="of the time of today’s">
          {percentWords(row.time_s.p50, today.time_s.p50)} time
        </span>
      </>
    );
  },
  pin: ({ still }) => <Pin row={still} />,
};

function spokenName(row: RankedAnswer): string {
  return `${clusterName(row)}, ${row.storage_words}`;
}

/** Row of the ranking on narrow screens. */
export function Card(entry: Entry) {
  const { row, still, configuration, objective, words, chosen, open, onPick } = entry;
  return (
    <li data-chosen={chosen || undefined}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap={12}>
        <span>
          <span className="dim">{row.rank}.</span>{" "}
          {onPick === undefined ? (
            <strong>{clusterName(row)}</strong>
          ) : (
            <PickButton
              name={clusterName(row)}
              spoken={spokenName(still)}
              open={open}
              onPick={() => onPick(configuration)}
            />
          )}
        </span>
        <Group align="flex-start" wrap="nowrap" gap={4} flex="none" ta="right">
          <span>{CELLS[objective === "month" ? "month" : "cost"](entry)}</span>
          {onPick !== undefined && CELLS.pin(entry)}
        </Group>
      </Group>
      <div className="dim small">{words}</div>
      {CELLS.time(entry)}
      <Group justify="space-between" gap="4px 12px" mt={4}>
        <span>Limited by {CELLS.limit(entry)}</span>
        <span>Deadline risk {CELLS.risk(entry)}</span>
        {entry.today !== undefined && <span>Against today {CELLS.today(entry)}</span>}
      </Group>
    </li>
  );
}

interface PickButtonProps {
  /** Name of the configuration. */
  name: string;
  /** The same with its storage, for screen readers. */
  spoken: string;
  open: boolean;
  /** Undefined if the click bubbles up to the row. */
  onPick?: (() => void) | undefined;
}

const PickButton = memo(function PickButton({ name, spoken, open, onPick }: PickButtonProps) {
  return (
    <PlainButton className="pick" aria-expanded={open} aria-label={`Details of ${spoken}`} onClick={onPick}>
      {name}
    </PlainButton>
  );
});

const Pin = memo(function Pin({ row }: Pick<Entry, "row">) {
  return <PinButton configuration={clusterKey(row)} name={spokenName(row)} />;
});

interface TimeProps {
  time_s: RankedAnswer["time_s"];
  /** Time and physical limit shown on hover, with all digits. */
  exact: RankedAnswer["time_s"];
  limit_s: number | null;
}

const Time = memo(function Time({ time_s, exact, limit_s }: TimeProps) {
  const limit = limit_s === null ? "" : `; physical limit ${limit_s} s`;
  return (
    <>
      <Value text={duration(time_s.p50)} exact={exact.p50} unit="s" />{" "}
      <span className="dim small" title={`${exact.p10}–${exact.p90} s${limit}`}>
        {durationRange(time_s)}
      </span>
    </>
  );
});

interface CostProps {
  cost_usd: RankedAnswer["cost_usd"];
  /** Cost shown on hover, with all digits. */
  exact: RankedAnswer["cost_usd"];
}

const Cost = memo(function Cost({ cost_usd, exact }: CostProps) {
  return (
    <>
      <Value text={usd(cost_usd.p50)} exact={exact.p50} unit="USD" />
      <div className="dim small" title={`${exact.p10}–${exact.p90} USD`}>
        {usdRange(cost_usd)}
      </div>
    </>
  );
});

const Limit = memo(function Limit({ phases }: Pick<RankedAnswer, "phases">) {
  const bottleneck = longestPhase({ phases })?.bottleneck ?? "—";
  return (
    <span className={classes.limit}>
      <ResourceMark kind={resourceKind(bottleneck)} />
      {resourceName(bottleneck)}
    </span>
  );
});

interface OnBurstsProps {
  onEmpty: RankedAnswer["on_empty"];
  priced: boolean;
}

/** Time and cost with empty buckets, for a configuration that relies on burst credit. */
function OnBursts({ onEmpty, priced }: OnBurstsProps): ReactNode {
  if (onEmpty === null) return null;
  const { time_s, cost_usd } = onEmpty;
  const title = `lives on burst credit; with empty buckets ${time_s} s${priced ? ` for ${cost_usd} USD` : ""}`;
  return (
    <div className={classes.bursts} title={title}>
      lives on bursts, else {duration(time_s)}
      {priced && ` for ${usd(cost_usd)}`}
    </div>
  );
}
