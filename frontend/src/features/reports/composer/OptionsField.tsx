import { Button, Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RankedAnswer } from "@/api/generated";
import { savedPlan } from "@/api/queries";
import { amountsWords } from "@/features/plan/configurations/money";
import { count } from "@/lib/wording";
import classes from "./ComposerPage.module.css";

interface OptionsFieldProps {
  planId: string;
  /** Ranks in the plan; the first is recommended. */
  ranks: readonly number[];
  error: string | undefined;
  onChange: (ranks: readonly number[]) => void;
}

const MOST = 5;
/** Number of rows offered initially. */
const OFFERED = 8;

/** Selection of the configurations to compare, and of the recommended one. */
export function OptionsField({ planId, ranks, error, onChange }: OptionsFieldProps) {
  const answer = useQuery(savedPlan(planId)).data?.answer;
  const rows = answer?.configurations;
  const objective = answer?.objective ?? "cost";
  const [all, setAll] = useState(false);
  if (rows === undefined || rows.length < 2) return null;
  const offered = all ? rows : rows.filter(({ rank }) => rank <= OFFERED || ranks.includes(rank));
  const chosen = ranks.filter((rank) => rows.some((row) => row.rank === rank));
  const toggle = (rank: number) => {
    if (!chosen.includes(rank)) onChange([...chosen, rank]);
    else if (chosen.length > 1) onChange(chosen.filter((each) => each !== rank));
  };
  return (
    <>
      <Checkbox.Group
        label="Options side by side"
        description={`Up to ${MOST} of ${count(rows.length)}`}
        error={error}
        value={chosen.map(String)}
      >
        <div className={classes.options}>
          {offered.map((row) => (
            <Checkbox
              key={row.rank}
              size="xs"
              value={String(row.rank)}
              disabled={chosen.length >= MOST && !chosen.includes(row.rank)}
              label={`${row.rank}. ${wordsOf(row)}`}
              description={amountsWords(row, objective)}
              onChange={() => toggle(row.rank)}
            />
          ))}
        </div>
      </Checkbox.Group>
      {!all && offered.length < rows.length && (
        <Button variant="subtle" size="compact-xs" className={classes.more} onClick={() => setAll(true)}>
          Show all {count(rows.length)}
        </Button>
      )}
      {chosen.length > 1 && (
        <NativeSelect
          label="Recommended"
          value={String(chosen[0])}
          data={chosen.toSorted((a, b) => a - b).map((rank) => ({ value: String(rank), label: labelOf(rows, rank) }))}
          onChange={(event) => {
            const first = Number(event.currentTarget.value);
            onChange([first, ...chosen.filter((rank) => rank !== first).toSorted((a, b) => a - b)]);
          }}
        />
      )}
    </>
  );
}

function wordsOf({ nodes, instance, storage_words }: RankedAnswer): string {
  return `${count(nodes)} × ${instance}, ${storage_words}`;
}

function labelOf(rows: readonly RankedAnswer[], rank: number): string {
  const row = rows.find((each) => each.rank === rank);
  return row === undefined ? String(rank) : `${rank}. ${wordsOf(row)}`;
}
