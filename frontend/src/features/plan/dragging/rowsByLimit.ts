// Look-up of the first rows of a ranking under a limit, in the steps that the service found for one workload.

import type { LimitRowsAnswer, RankedAnswer, RowKindAnswer } from "@/api/generated";
import { storageWords } from "@/features/plan/address/cluster";
import { normalCdf, Z90 } from "@/lib/normal";
import { count } from "@/lib/wording";

/** Limits of a question; null for none. */
export interface AskedLimits {
  deadline_s: number | null;
  budget_usd: number | null;
  /** Confidence of meeting the deadline. */
  confidence: number;
}

/** Quantiles of the confidences: a time is met with a confidence if the limit is so many deviations above the median. */
const QUANTILES: Readonly<Record<number, number>> = {
  0.5: 0,
  0.8: 0.8416212335729143,
  0.9: Z90,
  0.95: 1.6448536269514722,
  0.99: 2.3263478740408408,
};
/** Relative error of costs with six digits, and of times with deviations in 1/1,000,000. */
const COST_ERROR = 1e-5;
const TIME_ERROR = 1e-5;
const RATIO = 100_000;
const DEVIATION = 1_000_000;
const SHARE = 1_000;

/**
 * Rows under each limit of one workload.
 *
 * A look-up returns undefined where its rows might differ from those of a search: for limits between two known ones with
 * different rows, other confidences, and where rounding decides. The service is then asked. It is also asked if no row
 * is within the limits, since only a search finds what comes nearest.
 */
export class RowsByLimit {
  readonly answer: LimitRowsAnswer;
  /** Steps, best first. */
  private readonly order: Uint32Array;
  private readonly row: Uint16Array;
  /** For each confidence, index of the first limit that a step meets. */
  private readonly since: readonly Uint16Array[];
  private readonly unsure: readonly ReadonlySet<number>[];
  /** Rows of the steps shown so far: a step is one object under all limits, so that its cells are not drawn again. */
  private readonly shown = new Map<number, RankedAnswer>();
  /** The last rows looked up: under limits with the same rows they are the same array, which is not drawn again. */
  private last: { steps: number[]; deadline_s: number | null; rows: RankedAnswer[] } | undefined;

  constructor(answer: LimitRowsAnswer) {
    const { row, since } = answer.steps;
    this.answer = answer;
    this.row = Uint16Array.from(row);
    this.order = ordered(answer);
    let before: Uint16Array | undefined;
    this.since = since.map((level) => {
      const known = before;
      before = known === undefined ? Uint16Array.from(level) : known.map((first, step) => first + (level[step] ?? 0));
      return before;
    });
    this.unsure = answer.unsure.map((slots) => new Set(slots));
  }

  /** Find the steps of the first rows within limits, best first; undefined if only a search can tell. */
  stepsWithin({ deadline_s, budget_usd, confidence }: AskedLimits): number[] | undefined {
    const { along, limits, confidences } = this.answer;
    const ofDeadline = along === "deadline";
    // Without a deadline the confidence does not matter.
    const met = deadline_s === null ? 0.5 : confidence;
    const level = confidences.indexOf(met);
    if (level < 0) return undefined;
    const [limit, other] = ofDeadline ? [deadline_s, budget_usd] : [budget_usd, deadline_s];
    const within = (slot: number) => this.stepsAt(ofDeadline ? level : 0, slot, other, met);
    if (limit === null) return within(limits.length);
    const slot = firstAtLeast(limits, limit);
    if (limits[slot] === limit) return within(slot);
    // Between two limits the rows are known if both have the same.
    if (slot === 0) return undefined;
    const [tighter, looser] = [within(slot - 1), within(slot)];
    return tighter !== undefined && looser !== undefined && areEqual(tighter, looser) ? looser : undefined;
  }

  /** Return the first rows within limits, as a search ranks them; undefined if only a search can tell. */
  rowsWithin(asked: AskedLimits): RankedAnswer[] | undefined {
    const { deadline_s } = asked;
    const steps = this.stepsWithin(asked);
    if (steps === undefined || steps.length === 0) return undefined;
    if (this.last?.deadline_s !== deadline_s || !areEqual(this.last.steps, steps)) {
      const rows = steps.map((step, place) => ({
        ...this.rowOf(step),
        rank: place + 1,
        meets_deadline: deadline_s === null ? null : this.chanceWithin(step, deadline_s),
      }));
      this.last = { steps, deadline_s, rows };
    }
    return this.last.rows;
  }

  private stepsAt(level: number, slot: number, other: number | null, confidence: number): number[] | undefined {
    const since = this.since[level];
    if (since === undefined || this.unsure[level]?.has(slot)) return undefined;
    const found: number[] = [];
    const seen = new Uint8Array(this.answer.kinds.length);
    for (const step of this.order) {
      const row = this.row[step] ?? 0;
      if ((since[step] ?? Number.POSITIVE_INFINITY) > slot || seen[row] === 1) continue;
      seen[row] = 1;
      const kept = other === null || this.isWithin(step, other, confidence);
      if (kept === undefined) return undefined;
      if (kept) found.push(step);
      if (found.length === this.answer.most_rows) break;
    }
    return found;
  }

  /**
   * Check if the best step of a row is within the other limit, and if not, if the row has no other that is; undefined if
   * that is not known.
   */
  private isWithin(step: number, limit: number, confidence: number): boolean | undefined {
    const { along, objective } = this.answer;
    const isDeadline = along === "budget";
    const value = isDeadline ? this.metIn_s(step, confidence) : (this.answer.steps.cost_usd[step] ?? 0);
    const error = isDeadline ? TIME_ERROR : COST_ERROR;
    if (!(Math.abs(value - limit) > error * limit)) return undefined;
    if (value < limit) return true;
    // No run of a row is cheaper than its cheapest, and no median faster than its fastest. But the cheapest month may not
    // have the cheapest run, and a slower run may be surer.
    const isOnly = isDeadline ? confidence === 0.5 : objective === "cost";
    return isOnly ? false : undefined;
  }

  /** Return the time that a step meets with a confidence [s]. */
  private metIn_s(step: number, confidence: number): number {
    const [above] = this.deviationsOf(step);
    return (this.answer.steps.time_s[step] ?? 0) * Math.exp((QUANTILES[confidence] ?? Number.NaN) * above);
  }

  /** Return the row of a step, without its rank and chance. */
  private rowOf(step: number): RankedAnswer {
    const known = this.shown.get(step);
    if (known !== undefined) return known;
    const { steps, kinds, purchase, durability } = this.answer;
    const at = (column: readonly number[]) => column[step] ?? 0;
    const kind = kinds[at(steps.row)] as RowKindAnswer;
    const [p50, cost] = [at(steps.time_s), at(steps.cost_usd)];
    const [above, below] = this.deviationsOf(step);
    const storage = storageOf(kind, steps.layout.map(at));
    const of = (share: number) => (cost * share) / RATIO;
    const row: RankedAnswer = {
      ...NOT_CARRIED,
      instance: kind.instance,
      nodes: at(steps.nodes),
      head_node: kind.head_node,
      storage,
      storage_words: storageWords(withThousands(storage)),
      time_s: { p10: p50 * Math.exp(-Z90 * below), p50, p90: p50 * Math.exp(Z90 * above) },
      cost_usd: { p10: of(at(steps.cost_low)), p50: cost, p90: of(at(steps.cost_high)) },
      cost_always_on_usd: steps.month_usd === null ? null : at(steps.month_usd),
      phases: this.phasesOf(step, p50),
      purchase,
      durability,
      replicas: at(steps.replicas),
    };
    this.shown.set(step, row);
    return row;
  }

  /** Return the deviations of the logarithm of a step's time above and below its median. */
  private deviationsOf(step: number): [above: number, below: number] {
    const { deviation, deviation_below } = this.answer.steps;
    return [(deviation[step] ?? 0) / DEVIATION, ((deviation_below ?? deviation)[step] ?? 0) / DEVIATION];
  }

  private chanceWithin(step: number, limit_s: number): number {
    const median_s = this.answer.steps.time_s[step] ?? 0;
    const deviation = this.deviationsOf(step)[limit_s < median_s ? 1 : 0];
    return deviation === 0 ? Number(limit_s >= median_s) : normalCdf(Math.log(limit_s / median_s) / deviation);
  }

  private phasesOf(step: number, time_s: number): RankedAnswer["phases"] {
    const { phases, bottlenecks, steps } = this.answer;
    const longest = steps.longest[step];
    return phases.flatMap(({ name, kind }, place) => {
      const share = steps.phases[place]?.[step] ?? 0;
      if (share === 0 && place !== longest) return [];
      // Of two that are equally long when rounded, the longest stays the longest.
      const exact = (share + (place === longest ? 1e-6 : 0)) / SHARE;
      const bottleneck = bottlenecks[steps.bottlenecks[place]?.[step] ?? 0] ?? "";
      return [{ name, kind, time_s: exact * time_s, bottleneck, utilization: {} }];
    });
  }
}

/** Return the steps in the order of a ranking. */
function ordered({ objective, steps }: LimitRowsAnswer): Uint32Array {
  const values = { cost: steps.cost_usd, time: steps.time_s, month: steps.month_usd ?? [] }[objective];
  const byValue = values.map((_, step) => step).sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0));
  const order = new Uint32Array(byValue.length);
  byValue.forEach((step, place) => {
    order[place + (steps.shift[step] ?? 0)] = step;
  });
  return order;
}

/** What a look-up does not carry of a row: it is shown once the service has answered. */
const NOT_CARRIED = {
  billed_s: 0,
  causes: [] as never[],
  cost_always_on_parts_usd: null,
  cost_parts_usd: {
    instances: 0,
    launch: 0,
    ebs_link: 0,
    ebs_volumes: 0,
    head_nodes: 0,
    emr_fee: 0,
    object_store: 0,
    traffic: 0,
    rework: 0,
    volume_io: 0,
    screening: 0,
    idle_commitment: 0,
  },
  cost_per_month_usd: { p10: 0, p50: 0, p90: 0 },
  courses: [] as never[],
  latency: null,
  loss_exposure_s: 0,
  loss_probability: 0,
  meets_budget: null,
  meets_deadline: null,
  on_empty: null,
  physical_limit_s: null,
  promise: null,
  provenance: [] as never[],
  rank: 0,
  range_sources: [] as never[],
  sources: false,
} satisfies Partial<RankedAnswer>;

function storageOf({ storage, volume_type }: RowKindAnswer, [one = 0, two = 0, iops = 0, throughput = 0]: number[]) {
  if (storage === "object-store") return { kind: "object-store" } as const;
  if (storage !== "ebs") {
    return { kind: "instance-store", input_output_disks: one, intermediate_disks: two } as const;
  }
  const provisioned = {
    ...(iops > 0 ? { iops } : {}),
    ...(throughput > 0 ? { throughput_mib_per_s: throughput } : {}),
  };
  const volumes = { type: volume_type ?? "", size: `${two} GiB`, count: one, ...provisioned };
  return { kind: "ebs", intermediate: "instance-store", ...volumes } as const;
}

/** Return the storage as it is written in words: `1,024 GiB`. */
function withThousands(storage: ReturnType<typeof storageOf>): ReturnType<typeof storageOf> {
  return storage.kind === "ebs" ? { ...storage, size: `${count(Number.parseInt(storage.size, 10))} GiB` } : storage;
}

/** Return the index of the first limit that is at least a value. */
function firstAtLeast(limits: readonly number[], value: number): number {
  let [low, high] = [0, limits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((limits[middle] ?? 0) >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function areEqual(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((step, place) => step === other[place]);
}
