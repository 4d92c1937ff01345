import { Group } from "@mantine/core";
import { hasEnded, type Run, type RunNode } from "@/api/runs/runs";
import classes from "@/features/runs/Runs.module.css";
import { RATES } from "@/features/runs/search";
import { measuredWords } from "@/lib/measured";
import { useNow } from "@/lib/useNow";
import { counted, duration } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Disclosure } from "@/ui/Disclosure";
import { Scroller } from "@/ui/table/Scroller";
import { Mark, type Tone } from "@/ui/values/Mark";
import { RATE_WORDS } from "./rates";

const STATES: Record<RunNode["state"], readonly [glyph: string, word: string, tone?: Tone]> = {
  awaited: ["○", "not there yet", "dim"],
  waiting: ["◔", "waiting"],
  running: ["◕", "measuring"],
  done: ["✓", "done"],
  failed: ["✕", "failed", "bad"],
  silent: ["?", "not heard of", "bad"],
  gone: ["–", "gone", "dim"],
};

/** Number of nodes up to which the list does not scroll. */
const FEW = 8;

/** Nodes with instance, activity, progress and current rates. */
export function Nodes({ run }: { run: Run }) {
  const ended = hasEnded(run);
  const title = counted(run.nodes.length, "node");
  if (run.nodes.length === 0) return null;
  if (ended) {
    return (
      <section className="card" aria-label="Nodes">
        <Disclosure summary={title}>{() => <List run={run} />}</Disclosure>
      </section>
    );
  }
  return (
    <Card id="nodes" title={title}>
      <List run={run} />
    </Card>
  );
}

function List({ run }: { run: Run }) {
  const ended = hasEnded(run);
  const now_ms = useNow(!ended);
  return (
    <Scroller
      className={classes.nodesScroller}
      aria-label="Nodes of the run"
      data-many={run.nodes.length > FEW || undefined}
    >
      <ul className={`bare ruled between ${classes.nodes}`} aria-label="Nodes">
        {run.nodes.map((node) => (
          <Node key={node.node} node={node} now_ms={now_ms} ended={ended} />
        ))}
      </ul>
    </Scroller>
  );
}

function Node({ node, now_ms, ended }: { node: RunNode; now_ms: number; ended: boolean }) {
  const [glyph, word, tone] = STATES[node.state];
  const progress = node.progress ?? 0;
  return (
    <li data-state={node.state}>
      <div>
        <strong>Node {node.node}</strong>
        <div className="dim small">{[node.instance_id, node.zone, node.address].filter(Boolean).join(" · ")}</div>
      </div>
      <div>
        <Mark glyph={glyph} tone={tone}>
          {word}
        </Mark>
        {node.phase !== null && <span className="dim"> {node.phase}</span>}
        {node.words !== "" && node.words !== word && <div className="dim small">{node.words}</div>}
        {node.state === "running" && (
          <progress
            style={{ maxWidth: 180 }}
            max={1}
            value={progress}
            aria-label={`Progress of node ${node.node}: ${node.phase ?? ""}`}
          />
        )}
      </div>
      <Group gap="0 16px" align="start">
        {liveWords(node).map((words) => (
          <span key={words}>{words}</span>
        ))}
        {!ended && node.heard_at !== null && <span className="dim small">{heardWords(node.heard_at, now_ms)}</span>}
      </Group>
    </li>
  );
}

/** Current rates: `received 1.2 GB/s`. */
function liveWords({ live }: RunNode): string[] {
  if (live === null) return [];
  return RATES.flatMap((rate) => {
    const { name, field } = RATE_WORDS[rate];
    const value = live[field];
    return value == null ? [] : [`${name.toLowerCase()} ${measuredWords("", value, "MB/s")}`];
  });
}

function heardWords(heard_at: string, now_ms: number): string {
  const seconds = Math.max(0, Math.round((now_ms - Date.parse(heard_at)) / 1_000));
  return seconds < 5 ? "heard just now" : `heard ${duration(seconds)} ago`;
}
