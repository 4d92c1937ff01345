import type { Run, RunNode, RunResource } from "@/api/runs/runs";

/** An upper bound with one part. */
const QUOTE = {
  total_usd: 3.21,
  parts: [
    {
      name: "Instances",
      usd: 3.21,
      words: "4 × i4i.xlarge for 30 min",
      source: "AWS price list",
      kind: "published" as const,
      as_of: "2026-11-01",
    },
  ],
  longest_s: 1_800,
  valid_until: "2999-01-01T00:00:00Z",
  sentence: "At most $3.21.",
};

const STEPS: Run["steps"] = (
  ["quoted", "approved", "launching", "running", "collecting", "tearing-down", "done"] as const
).map((state, place) => ({
  state,
  words: `the step ${state}`,
  status: place < 3 ? "ended" : place === 3 ? "now" : "ahead",
  started_at: place <= 3 ? `2026-11-21T10:0${place}:00Z` : null,
  ended_at: place < 3 ? `2026-11-21T10:0${place + 1}:00Z` : null,
}));

export function node(number: number, change: Partial<RunNode> = {}): RunNode {
  return {
    node: number,
    instance_id: `i-${number}`,
    zone: "us-east-1a",
    ec2_state: "running",
    ec2_state_at: "2026-11-21T10:05:00Z",
    address: `10.0.0.${number}`,
    state: "running",
    phase: "net-4",
    progress: 0.5,
    words: "measuring",
    heard_at: "2026-11-21T10:05:00Z",
    live: { read_mb_per_s: null, write_mb_per_s: null, received_mb_per_s: 1_000, sent_mb_per_s: 990 },
    ...change,
  };
}

export function resource(kind: RunResource["kind"], id: string, gone_at: string | null = null): RunResource {
  return { kind, id, usd_per_hour: 0.343, since: "2026-11-21T10:02:00Z", gone_at };
}

/** A run of four nodes in the middle. */
export const RUNNING: Run = {
  id: "00000000-0000-4000-8000-000000000001",
  name: "Network of four",
  state: "running",
  spec: { benchmark: "netbench", instance: "i4i.xlarge", nodes: 4, region: "us-east-1" },
  spec_words: "NetBench on 4 × i4i.xlarge in us-east-1",
  account_id: "00000000-0000-4000-8000-0000000000ac",
  account_name: "Benchmarks",
  person: "Ada",
  created_at: "2026-11-21T10:00:00Z",
  launched_at: "2026-11-21T10:02:00Z",
  instances: {
    pending: 0,
    running: 4,
    ending: 0,
    terminated: 0,
    observed_at: "2026-11-21T10:05:00Z",
    agents_reporting: 3,
    agents_finished: 1,
    agents_lost: 0,
    heard_at: "2026-11-21T10:05:00Z",
  },
  finished_at: null,
  quoted_usd: 3.21,
  agreed_usd: 3.21,
  spent_usd: 0.42,
  sentence: "4 nodes measure; 2 of 6 reports have come.",
  progress: 0.4,
  failure: null,
  verified: false,
  accepted: false,
  steps: STEPS,
  quote: QUOTE,
  agreed_by: "Ada",
  agreed_at: "2026-11-21T10:01:00Z",
  cost_per_hour: 1.37,
  deadline: "2999-01-01T00:00:00Z",
  cancel_asked_at: null,
  cancel_asked_by: null,
  can_approve: false,
  can_cancel: true,
  can_accept: false,
  nodes: [node(0), node(1), node(2), node(3)],
  resources: [resource("instance", "i-0"), resource("instance", "i-1"), resource("security-group", "sg-0")],
  trouble: null,
  results: [],
  scaling: [],
  published_scaling: null,
  screening: null,
  log: [{ id: 1, at: "2026-11-21T10:01:00Z", kind: "state", words: "Ada agreed to it." }],
  accepted_as: null,
};

/** The same, waiting for the approval of its price. */
export const QUOTED: Run = {
  ...RUNNING,
  state: "quoted",
  launched_at: null,
  agreed_usd: null,
  agreed_by: null,
  agreed_at: null,
  spent_usd: 0,
  cost_per_hour: 0,
  deadline: null,
  can_approve: true,
  nodes: [],
  resources: [],
  sentence: "Quote ready; awaiting approval.",
};
