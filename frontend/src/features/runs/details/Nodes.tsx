import { Group } from "@mantine/core";
import { useState } from "react";
import { hasEnded, type Run, type RunNode } from "@/api/runs/runs";
import classes from "@/features/runs/Runs.module.css";
import { RATES } from "@/features/runs/search";
import { agoWords, EC2_STATES } from "@/features/runs/words";
import { measuredWords } from "@/lib/measured";
import { useNow } from "@/lib/useNow";
import { counted } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Disclosure } from "@/ui/Disclosure";
import { Pager, pageStart } from "@/ui/list/Pager";
import { Mark, type Tone } from "@/ui/values/Mark";
import { RATE_WORDS } from "./rates";

const STATES: Record<RunNode["state"], readonly [glyph: string, word: string, tone?: Tone]> = {
  awaited: ["○", "not started", "dim"],
  waiting: ["◔", "waiting"],
  running: ["◕", "measuring"],
  done: ["✓", "finished"],
  failed: ["✕", "failed", "bad"],
  silent: ["?", "no heartbeat", "bad"],
  gone: ["–", "stopped", "dim"],
};

const PAGE_NODES = 20;

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
  const [asked, setAsked] = useState(0);
  const first = pageStart(asked, PAGE_NODES, run.nodes.length);
  return (
    <>
      <ul className={`bare ruled between ${classes.nodes}`} aria-label="Nodes">
        {run.nodes.slice(first, first + PAGE_NODES).map((node) => (
          <Node key={node.node} node={node} now_ms={now_ms} ended={ended} />
        ))}
      </ul>
      <Pager rows="nodes" first={first} size={PAGE_NODES} total={run.nodes.length} onFirst={setAsked} />
    </>
  );
}

function Node({ node, now_ms, ended }: { node: RunNode; now_ms: number; ended: boolean }) {
  const progress = node.progress ?? 0;
  return (
    <li data-state={node.state}>
      <div>
        <strong>Node {node.node}</strong>
        <div className="dim small">{[node.instance_id, node.zone, node.address].filter(Boolean).join(" · ")}</div>
      </div>
      <div>
        <States node={node} now_ms={now_ms} ended={ended} />
        {node.words !== "" && node.words !== STATES[node.state][1] && <div className="dim small">{node.words}</div>}
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
      </Group>
    </li>
  );
}

/** State of the instance in EC2 and of the agent on it, each with the time of its last sign. */
function States({ node, now_ms, ended }: { node: RunNode; now_ms: number; ended: boolean }) {
  const [glyph, word, tone] = STATES[node.state];
  const { ec2_state, ec2_state_at, heard_at, phase } = node;
  const [ec2Glyph, ec2Tone] = ec2_state === null ? ["○", "dim" as const] : EC2_STATES[ec2_state];
  return (
    <>
      <div>
        EC2:{" "}
        <Mark glyph={ec2Glyph} tone={ec2Tone}>
          {ec2_state ?? "not observed"}
        </Mark>
        {!ended && ec2_state_at !== null && <span className="dim small"> {agoWords(ec2_state_at, now_ms)}</span>}
      </div>
      <div>
        Agent:{" "}
        <Mark glyph={glyph} tone={tone}>
          {word}
        </Mark>
        {phase !== null && <span className="dim"> {phase}</span>}
        {!ended && heard_at !== null && <span className="dim small"> {agoWords(heard_at, now_ms)}</span>}
      </div>
    </>
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
