import { Group } from "@mantine/core";
import type { CSSProperties } from "react";
import { hasEnded, type Run } from "@/api/runs/runs";
import classes from "@/features/runs/Runs.module.css";
import { cents, endingOf, leftWords, spentWords } from "@/features/runs/words";
import { useNow } from "@/lib/useNow";
import { usd } from "@/lib/wording";

/** Cost so far out of the approved sum, and the remaining time. */
export function CostSoFar({ run }: { run: Run }) {
  const ended = hasEnded(run);
  const now_ms = useNow(!ended && run.deadline !== null);
  if (run.agreed_usd === null) return null;
  const share = Math.min(1, run.spent_usd / run.agreed_usd);
  const clear = endingOf(run) === "nothing left" || endingOf(run) === "nothing made";
  const title = !ended ? "Cost so far" : clear ? "What it cost" : "What it can have cost until now";
  const facts = [
    ...(run.cost_per_hour > 0
      ? [`${usd(run.cost_per_hour)} an hour ${ended ? "still, as far as is known" : "now"}`]
      : []),
    ...[leftWords(run, now_ms)].filter((words) => words !== null),
    ...(ended && clear ? [`${cents(Math.max(0, run.agreed_usd - run.spent_usd))} less than agreed to`] : []),
  ];
  return (
    <section className="card" aria-labelledby="cost">
      <Group justify="space-between" align="baseline" gap="2px 16px">
        <h2 id="cost" className="title">
          {title}
        </h2>
        <span>
          <strong title={`${run.spent_usd} USD`}>{spentWords(run.spent_usd)}</strong> of at most {cents(run.agreed_usd)}
        </span>
      </Group>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> does not take the page's colours in every browser */}
      <div
        className={classes.cost}
        role="meter"
        aria-labelledby="cost"
        aria-valuemin={0}
        aria-valuemax={run.agreed_usd}
        aria-valuenow={run.spent_usd}
        aria-valuetext={`${spentWords(run.spent_usd)} of at most ${cents(run.agreed_usd)}`}
        style={{ "--share": `${(100 * share).toFixed(2)}%` } as CSSProperties}
      >
        <span />
      </div>
      <ul className="headline-facts">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
        <li className="small">counted by the prices of the quote, every second of what exists</li>
      </ul>
    </section>
  );
}
