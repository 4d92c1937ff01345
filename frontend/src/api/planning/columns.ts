// Answers that come as columns, as the objects that the page works with.

import type {
  CandidateAnswer,
  CostPartsAnswer,
  CurveAnswer,
  CurveColumns,
  PhaseAnswer,
  PhaseColumns,
  PlanAnswer,
  PlanColumns,
  PointColumns,
  RangeColumns,
  RankedAnswer,
  Rejection,
  RejectionColumns,
  RowColumns,
  SavedPlanAnswer,
  SavedPlanColumns,
  StorageColumns,
} from "@/api/generated";
import { COST_PARTS } from "@/api/generated/registry.gen";

type Storage = RankedAnswer["storage"];

/** Return the value of a row: a column with a single element holds for all rows. */
function at<Value>(column: readonly Value[], row: number): Value {
  return column[column.length === 1 ? 0 : row] as Value;
}

/** Build the answer of a preview from its columns. */
export function planFrom({ first, rows, frontier, curves, rejected, storages, ...head }: PlanColumns): PlanAnswer {
  const known = storages.flatMap(sectionsFrom);
  const [, ...others] = rowsFrom(rows, known);
  return {
    ...head,
    configurations: first === null ? [] : [first, ...others],
    frontier: pointsFrom(frontier, known),
    curves: curvesOf(curves, known),
    rejected: rejectedFrom(rejected),
  };
}

/** Build the curves of a ranking from their columns. */
export function curvesFrom({ curves, storages }: CurveColumns): CurveAnswer[] {
  return curvesOf(curves, storages.flatMap(sectionsFrom));
}

function curvesOf(curves: readonly PointColumns[], storages: readonly Storage[]): CurveAnswer[] {
  return curves.map((points) => ({ instance: points.instances[0] ?? "", points: pointsFrom(points, storages) }));
}

function rejectedFrom({ limit, reason, count, types }: RejectionColumns): Rejection[] {
  const rejections = each(reason.length, (row) => {
    const instances: string[] = [];
    return { limit: at(limit, row), reason: at(reason, row), count: at(count, row), instances };
  });
  for (const { reasons, families } of types) {
    const names = Object.entries(families).flatMap(([sizes, of]) =>
      of.split(" ").flatMap((family) => sizes.split(" ").map((size) => (size === "" ? family : `${family}.${size}`))),
    );
    for (const index of reasons) rejections[index]?.instances.push(...names);
  }
  for (const { instances } of rejections) instances.sort();
  return rejections;
}

/** Build a saved plan with its answer as objects; older plans come with objects. */
export function savedFrom({ answer, ...saved }: SavedPlanColumns): SavedPlanAnswer {
  return { ...saved, answer: "rows" in answer ? planFrom(answer) : answer };
}

function sectionsFrom({ size, fields }: StorageColumns): Storage[] {
  const columns = Object.entries(fields);
  return each(size, (row) => {
    const given = Object.fromEntries(columns.map(([name, column]) => [name, at(column, row)]));
    // As in other answers, which state what a volume does not provision.
    const unset = {
      iops: null,
      throughput_mib_per_s: null,
      first_read_mib_per_s: null,
      intermediate: "instance-store",
    };
    return (given["kind"] === "ebs" ? { ...unset, ...given } : given) as unknown as Storage;
  });
}

function pointsFrom(points: PointColumns, storages: readonly Storage[]): CandidateAnswer[] {
  return each(points.size, (row) => ({
    instance: at(points.instances, at(points.instance, row)),
    nodes: at(points.nodes, row),
    storage: storages[at(points.storage, row)] as Storage,
    time_s: at(points.time_s, row),
    cost_usd: at(points.cost_usd, row),
    cost_always_on_usd: at(points.cost_always_on_usd, row),
    purchase: at(points.purchase, row),
    durability: at(points.durability, row),
    replicas: at(points.replicas, row),
    loss_probability: at(points.loss_probability, row),
  }));
}

function rowsFrom(rows: RowColumns, storages: readonly Storage[]): RankedAnswer[] {
  // Place of each row among those of its shape.
  const places: number[] = [];
  const phases = each(rows.size, (row) => {
    const shape = at(rows.shape, row);
    const place = places[shape] ?? 0;
    places[shape] = place + 1;
    return phasesFrom(rows.shapes[shape] ?? [], place);
  });
  return each(rows.size, (row) => {
    const cost_usd = rangeFrom(rows.cost_usd, row);
    const month = (usd: number) => usd * rows.runs_per_month;
    const [empty_s, empty_usd] = [at(rows.empty_time_s, row), at(rows.empty_cost_usd, row)];
    return {
      rank: row + 1,
      instance: at(rows.instances, at(rows.instance, row)),
      nodes: at(rows.nodes, row),
      storage: storages[at(rows.storage, row)] as Storage,
      storage_words: at(rows.storage_words, row),
      head_node: rows.heads[at(rows.head_node, row)] ?? null,
      time_s: rangeFrom(rows.time_s, row),
      cost_usd,
      cost_parts_usd: partsFrom(rows.cost_parts_usd, row),
      cost_per_month_usd: { p10: month(cost_usd.p10), p50: month(cost_usd.p50), p90: month(cost_usd.p90) },
      billed_s: at(rows.billed_s, row),
      physical_limit_s: at(rows.physical_limit_s, row),
      causes: [],
      cost_always_on_usd: at(rows.cost_always_on_usd, row),
      cost_always_on_parts_usd: partsFrom(rows.cost_always_on_parts_usd, row),
      phases: phases[row] ?? [],
      courses: [],
      on_empty: empty_s === null || empty_usd === null ? null : { time_s: empty_s, cost_usd: empty_usd },
      latency: at(rows.latency, row),
      promise: rows.promises[at(rows.promise, row)] ?? null,
      meets_deadline: at(rows.meets_deadline, row),
      meets_budget: at(rows.meets_budget, row),
      loss_probability: at(rows.loss_probability, row),
      loss_exposure_s: at(rows.loss_exposure_s, row),
      range_sources: rangeSourcesFrom(rows, row),
      provenance: [],
      sources: false,
      purchase: at(rows.purchase, row),
      durability: at(rows.durability, row),
      replicas: at(rows.replicas, row),
    };
  });
}

function phasesFrom(phases: readonly PhaseColumns[], place: number): PhaseAnswer[] {
  return phases.map(({ name, kind, time_s, bottlenecks, bottleneck, utilization }) => ({
    name,
    kind,
    time_s: at(time_s, place),
    bottleneck: at(bottlenecks, at(bottleneck, place)),
    utilization: Object.fromEntries(Object.entries(utilization).map(([of, shares]) => [of, at(shares, place)])),
  }));
}

function rangeFrom({ p10, p50, p90 }: RangeColumns, row: number): { p10: number; p50: number; p90: number } {
  return { p10: at(p10, row), p50: at(p50, row), p90: at(p90, row) };
}

function partsFrom(columns: RowColumns["cost_parts_usd"], row: number): CostPartsAnswer {
  const parts = COST_PARTS.map(({ name }) => [name, columns[name] === undefined ? 0 : at(columns[name], row)]);
  return Object.fromEntries(parts) as CostPartsAnswer;
}

function rangeSourcesFrom(rows: RowColumns, row: number): RankedAnswer["range_sources"] {
  return Object.entries(rows.range_sources).flatMap(([name, deviations]) => {
    const log_deviation = at(deviations, row);
    if (log_deviation === null) return [];
    const log_deviation_below = name === "framework error" ? at(rows.framework_error_below, row) : null;
    return { name, log_deviation, log_deviation_below };
  });
}

function each<Value>(size: number, make: (row: number) => Value): Value[] {
  return Array.from({ length: size }, (_, row) => make(row));
}
