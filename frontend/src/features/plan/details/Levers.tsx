import { Skeleton, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { ExplanationAnswer, NetworkCaseAnswer, NextDollarAnswer } from "@/api/generated";
import { Chart, type ChartData } from "@/charts/Chart";
import { chartTable, secondsCell, usdCell } from "@/charts/chartTable";
import { type Bar, bars } from "@/charts/figure";
import type { ResourceKind } from "@/lib/resources";
import { duration, usd } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import type { Explained } from "./useExplanation";

/** Changes to the answer by a little more of each resource, and by another network. */
export function Levers({ explained }: { explained: Explained }) {
  return (
    <Awaited explained={explained} label="Computing cost sensitivity">
      {(explanation) => (
        <>
          <NextDollars steps={explanation.next_dollar} />
          <Networks cases={explanation.network} />
        </>
      )}
    </Awaited>
  );
}

interface AwaitedProps {
  explained: Explained;
  /** Label of the loading state. */
  label: string;
  children: (explanation: ExplanationAnswer) => ReactNode;
}

/** Explanation once it is loaded; a skeleton before that, and the error if it fails. */
export function Awaited({ explained, label, children }: AwaitedProps) {
  const { explanation, current, error, retry } = explained;
  if (explanation !== undefined) {
    return (
      <Stack gap="sm" className="fades" data-stale={!current || undefined} aria-busy={!current}>
        {children(explanation)}
      </Stack>
    );
  }
  if (error !== null && error !== undefined) {
    return <ProblemNotice error={error} kept="The rest is still there." onRetry={retry} />;
  }
  return <Skeleton height={160} role="status" aria-label={label} />;
}

const KINDS: Record<string, ResourceKind> = {
  network: "network",
  storage: "local disk",
  "EBS link": "EBS link",
  "EBS volumes": "EBS volumes",
  "object store": "object store",
  CPU: "CPU",
};

/** Sort by savings, largest first; changes without any feasible cluster come last. */
export function bySaving(steps: readonly NextDollarAnswer[]): NextDollarAnswer[] {
  const worth = ({ saved_usd }: NextDollarAnswer) => saved_usd ?? Number.NEGATIVE_INFINITY;
  return steps.toSorted((a, b) => worth(b) - worth(a));
}

/** Bar chart of the savings by 10% more of each resource. */
function NextDollars({ steps }: { steps: readonly NextDollarAnswer[] }) {
  if (steps.length === 0) return null;
  const sorted = bySaving(steps);
  const most = Math.max(...sorted.map(({ saved_usd }) => Math.abs(saved_usd ?? 0)));
  const losing = sorted.some(({ saved_usd }) => (saved_usd ?? 0) < 0);
  // If any change costs more, the bars start from the middle.
  const [start, room] = losing ? [0.5, 0.5] : [0, 1];
  const drawn = sorted.map(({ what, change, saved_usd }): Bar => {
    const end = start + (most === 0 ? 0 : (room * (saved_usd ?? 0)) / most);
    const kind = KINDS[what];
    return {
      key: `${what} ${change}`,
      label: `${what} ${changeWords(change)}`,
      text: savedWords(saved_usd),
      from: Math.min(start, end),
      to: Math.max(start, end),
      ...(kind === undefined ? {} : { kind }),
    };
  });
  return (
    <div>
      <Chart
        level={3}
        title="Cost sensitivity"
        filename="stowage-next-dollar"
        data={() => nextDollarTable(sorted)}
        caption="What one run costs less with a little more of each thing alone, most saved first."
        figure={bars(drawn, losing ? start : undefined)}
      />
      <ul className="bullets" data-testid="next-dollar">
        {sorted.map(({ what, change, sentence }) => (
          <li key={`${what} ${change}`}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}

/** Format a change as on the page: `+10%`, `−10%`. */
function changeWords(change: string): string {
  return change.replace("-", "−").replace(" %", "%");
}

function savedWords(saved_usd: number | null): string {
  if (saved_usd === null) return "nothing fits";
  if (Math.abs(saved_usd) < 1e-9) return "saves nothing";
  return saved_usd > 0 ? `saves ${usd(saved_usd)}` : `costs ${usd(-saved_usd)} more`;
}

function nextDollarTable(steps: readonly NextDollarAnswer[]): ChartData {
  return chartTable(steps, ({ what, change }) => `${what} ${change}`, [
    { head: "What", copied: "what", cell: ({ what }) => what },
    { head: "Change", copied: "change", cell: ({ change }) => changeWords(change) },
    { head: "Cost of a run", copied: "cost_usd", number: true, cell: ({ cost_usd }) => usdCell(cost_usd) },
    { head: "Saved", copied: "saved_usd", number: true, cell: ({ saved_usd }) => usdCell(saved_usd) },
    { head: "Time", copied: "time_s", number: true, cell: ({ time_s }) => secondsCell(time_s) },
    { head: "Sooner by", copied: "saved_s", number: true, cell: ({ saved_s }) => secondsCell(saved_s) },
  ]);
}

const NETWORKS: Record<NetworkCaseAnswer["network"], string> = {
  infinite: "infinitely fast network",
  ideal: "network that scales ideally",
  observed: "network as it was observed",
};

/** Bar chart of the cost with different networks, like the paper's Figure 9 for this cluster. */
function Networks({ cases }: { cases: readonly NetworkCaseAnswer[] }) {
  if (cases.length === 0) return null;
  const most = Math.max(...cases.map(({ cost_usd }) => cost_usd));
  const drawn = cases.map(
    ({ network, time_s, cost_usd }): Bar => ({
      key: network,
      label: NETWORKS[network],
      text: `${usd(cost_usd)}, ${duration(time_s)}`,
      from: 0,
      to: cost_usd / most,
      ...(network === "observed" ? { kind: "network" } : {}),
    }),
  );
  return (
    <Chart
      level={3}
      title="What the network costs"
      filename="stowage-network-cost"
      data={() => networkTable(cases)}
      caption={cases.find(({ network }) => network === "observed")?.sentence ?? cases.at(-1)?.sentence}
      figure={bars(drawn)}
    />
  );
}

function networkTable(cases: readonly NetworkCaseAnswer[]): ChartData {
  return chartTable(cases, ({ network }) => network, [
    { head: "Network", copied: "network", cell: ({ network }) => NETWORKS[network] },
    { head: "Cost of a run", copied: "cost_usd", number: true, cell: ({ cost_usd }) => usdCell(cost_usd) },
    { head: "Time", copied: "time_s", number: true, cell: ({ time_s }) => secondsCell(time_s) },
  ]);
}
