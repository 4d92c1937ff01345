import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { hasEnded, type Run } from "@/api/runs/runs";
import { Chart } from "@/charts/Chart";
import { liveRatesFigure } from "@/charts/figures/liveRates";
import type { Rate } from "@/features/runs/search";
import { filenameFrom } from "@/lib/csv";
import { measuredWords } from "@/lib/measured";
import { counted, duration } from "@/lib/wording";
import { Value } from "@/ui/values/Value";
import { linesOf, RATE_WORDS, ratesIn, type Seen, seenAfter } from "./rates";

interface LiveSectionProps {
  run: Run;
  rate: Rate | undefined;
  onRate: (rate: Rate) => void;
}

const words = (value: number) => measuredWords("", value, "MB/s");

/** Current rates of each node since the page was opened. */
export function LiveSection({ run, rate: asked, onRate }: LiveSectionProps) {
  const [seen, setSeen] = useState<Seen>(() => seenAfter({}, run));
  const next = seenAfter(seen, run);
  if (next !== seen) setSeen(next);
  const rates = ratesIn(next);
  const rate = rates.find((one) => one === asked) ?? rates[0];
  if (rate === undefined) return null;
  const lines = linesOf(next, rate);
  const { name } = RATE_WORDS[rate];
  const caption =
    `${counted(lines.length, "node")}, as each says every few seconds, since this page was opened. ` +
    (lines.length > 8 ? "The slowest and the fastest are named." : "Each line ends at its node's number.");
  return (
    <Chart
      title={hasEnded(run) ? "As it went while this page was open" : "Now"}
      caption={caption}
      filename={filenameFrom(`${run.name} ${name}`)}
      controls={
        rates.length > 1 && (
          <SegmentedControl
            size="xs"
            className="no-print"
            aria-label="What is drawn"
            value={rate}
            data={rates.map((value) => ({ value, label: RATE_WORDS[value].name }))}
            onChange={(value) => onRate(value as Rate)}
          />
        )
      }
      data={() => ({
        columns: [
          { head: "Node", copied: "node", number: true },
          { head: "Since the first", copied: "time_s", number: true },
          { head: name, copied: `${rate}_mb_per_s`, number: true },
        ],
        rows: lines.flatMap(({ node, times_s, values }) =>
          times_s.map((time_s, index) => ({
            key: `${node} ${time_s}`,
            cells: [
              String(node),
              { copied: time_s, shown: duration(time_s) },
              {
                copied: values[index] ?? "",
                shown: <Value text={words(values[index] ?? 0)} exact={values[index] ?? 0} unit="MB/s" />,
              },
            ],
          })),
        ),
      })}
      label={`${name} by each node over time. ${caption}`}
      figure={liveRatesFigure({
        lines,
        kind: RATE_WORDS[rate].kind,
        words,
        title: `${name.toLowerCase()} by each node`,
      })}
    />
  );
}
