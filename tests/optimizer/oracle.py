"""The search as a plain scalar loop over every candidate; imports nothing of the optimizer.

It shares with the search only the model: one prediction at a time. Bounds, vectors, pruning and merging
are the search's own, and what they must not change is what this loop finds.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout
from stowage.model.infeasible import Infeasible
from stowage.model.instance import Catalogue, InstanceType
from stowage.model.plan import Candidate, nine_digits
from stowage.model.prediction import Prediction, predict
from stowage.model.profile import Profiles
from stowage.model.workload import Workload

MOST_WITHOUT_LIMIT = 1000
VOLUMES = 8
GIB_MB = 1073.741824


@dataclass(frozen=True)
class Answer:
    rows: list[Prediction]
    frontier: list[Candidate]
    candidates: int
    rejected: Counter[str]


def enumerate_all(workload: Workload, catalogue: Catalogue, profiles: Profiles) -> Answer:
    limits = workload.limits
    rows: dict[tuple[str, str], Prediction] = {}
    feasible: list[Prediction] = []
    rejected: Counter[str] = Counter()
    candidates = 0
    for configuration in every_configuration(workload, catalogue):
        candidates += 1
        answer = predict(configuration, workload, catalogue, profiles)
        reason = why_not(answer, configuration, workload, catalogue)
        if reason is not None or isinstance(answer, Infeasible):
            rejected[reason or "?"] += 1
            continue
        feasible.append(answer)
        row = (configuration.instance, "ebs" if isinstance(configuration.layout, Ebs) else "own disks")
        if row not in rows or order(answer) < order(rows[row]):
            rows[row] = answer
    assert limits.max_nodes is None or all(p.configuration.nodes <= limits.max_nodes for p in feasible)
    return Answer(sorted(rows.values(), key=order), pareto(feasible), candidates, rejected)


def every_configuration(workload: Workload, catalogue: Catalogue) -> Iterator[Configuration]:
    last = workload.limits.max_nodes or MOST_WITHOUT_LIMIT
    for name, instance in catalogue.instance_types.items():
        layouts = list(every_layout(workload, catalogue, instance))
        if not layouts:
            continue
        first = min(first_that_holds(workload, instance, layout) for layout in layouts)
        for layout in layouts:
            for nodes in range(first, max(first, last) + 1):
                yield Configuration(name, nodes, sized(layout, workload, nodes))


def every_layout(workload: Workload, catalogue: Catalogue, instance: InstanceType) -> Iterator[Layout]:
    disks = int(instance.disk_count.value)
    if disks == 0:
        return
    if workload.job.durability.model == "infrastructure":
        for volume in catalogue.volume_types.values():
            yield Ebs(volume.name, int(volume.largest_gib.value), VOLUMES)
    elif disks == 1:
        yield InstanceStore(1, 0)
    else:
        for outer in range(1, disks):
            yield InstanceStore(outer, disks - outer)


def sized(layout: Layout, workload: Workload, nodes: int) -> Layout:
    """Take the smallest whole GiB that hold input and output."""
    if isinstance(layout, InstanceStore):
        return layout
    size = 1
    guess = int(workload.job.input_output_mb / (nodes * layout.count * GIB_MB))
    size = max(size, guess - 1)
    while nodes * (layout.count * size * GIB_MB) < workload.job.input_output_mb:
        size += 1
    return Ebs(layout.volume_type, size, layout.count)


def first_that_holds(workload: Workload, instance: InstanceType, layout: Layout) -> int:
    nodes = max(1, workload.job.durability.replicas)
    nodes = max(nodes, math.floor(need_ratio(workload, instance, layout)) - 1)
    while not holds(workload, instance, layout, nodes):
        nodes += 1
    return nodes


def need_ratio(workload: Workload, instance: InstanceType, layout: Layout) -> float:
    return max(needed / per_node for per_node, needed in groups(workload, instance, layout))


def holds(workload: Workload, instance: InstanceType, layout: Layout, nodes: int) -> bool:
    return all(nodes * per_node >= needed for per_node, needed in groups(workload, instance, layout))


def groups(workload: Workload, instance: InstanceType, layout: Layout) -> list[tuple[float, float]]:
    job = workload.job
    assert instance.disk_size_gb is not None
    disk = instance.disk_size_gb.value * 1000.0
    everything = job.input_output_mb + job.map_output_mb
    if isinstance(layout, Ebs):
        volumes = layout.count * layout.size_gib * GIB_MB
        return [(volumes, job.input_output_mb), (instance.disk_count.value * disk, job.map_output_mb)]
    if workload.assume.capacity == "pooled":
        return [(instance.disk_count.value * disk, everything)]
    if layout.intermediate_disks == 0:
        return [(layout.input_output_disks * disk, everything)]
    return [
        (layout.input_output_disks * disk, job.input_output_mb),
        (layout.intermediate_disks * disk, job.map_output_mb),
    ]


def why_not(
    answer: Prediction | Infeasible, configuration: Configuration, workload: Workload, catalogue: Catalogue
) -> str | None:
    """Name the first reason, in the order: figures every candidate needs, nodes, capacity, network, limits."""
    limits = workload.limits
    instance = catalogue.instance_types[configuration.instance]
    if isinstance(answer, Infeasible) and answer.limit in {
        "price unknown",
        "storage bandwidth unknown",
        "EBS bandwidth unknown",
    }:
        return answer.limit
    if limits.max_nodes is not None and configuration.nodes > limits.max_nodes:
        layouts = list(every_layout(workload, catalogue, instance))
        fewest = min(first_that_holds(workload, instance, layout) for layout in layouts)
        assert fewest > limits.max_nodes
        return "max nodes"
    if isinstance(answer, Infeasible):
        return "capacity" if answer.limit == "volume size" else answer.limit
    if limits.deadline_s is not None and answer.time_s.p50 > limits.deadline_s:
        return "deadline"
    if limits.budget_usd is not None and answer.cost_usd.p50 > limits.budget_usd:
        return "budget"
    return None


def order(row: Prediction) -> tuple[float, int, float, float, str, str]:
    configuration = row.configuration
    return (
        float(nine_digits(row.cost_usd.p50)),
        configuration.nodes,
        row.time_s.p50,
        row.loss_probability,
        configuration.instance,
        layout_order(configuration.layout),
    )


def layout_order(layout: Layout) -> str:
    if isinstance(layout, Ebs):
        return f"ebs {layout.volume_type} {layout.count:04} {layout.size_gib:06}"
    return f"own disks {layout.input_output_disks:04} {layout.intermediate_disks:04}"


def pareto(feasible: list[Prediction]) -> list[Candidate]:
    """Keep what no other beats in both time and cost; of equals fewer nodes, first type, first layout."""

    def key(row: Prediction) -> tuple[float, float, int, str, str]:
        configuration = row.configuration
        cost = float(nine_digits(row.cost_usd.p50))
        return row.time_s.p50, cost, configuration.nodes, configuration.instance, layout_order(configuration.layout)

    kept: list[Candidate] = []
    cheapest = math.inf
    for row in sorted(feasible, key=key):
        cost = float(nine_digits(row.cost_usd.p50))
        if cost < cheapest:
            cheapest = cost
            kept.append(Candidate(row.configuration, row.time_s.p50, row.cost_usd.p50))
    return kept
