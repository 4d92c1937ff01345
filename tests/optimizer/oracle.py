"""The search as a plain scalar loop over every candidate; imports nothing of the optimizer.

It shares with the search only the model: one prediction at a time. Bounds, vectors, pruning and merging
are the search's own, and what they must not change is what this loop finds.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from stowage.model.catalogue import Catalogue
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import gather
from stowage.model.instance import InstanceType
from stowage.model.mapreduce import MapReduce
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
    rows: dict[tuple[str, str, str], Prediction] = {}
    feasible: list[Prediction] = []
    rejected: Counter[str] = Counter()
    candidates = 0
    for configuration in every_configuration(workload, catalogue):
        candidates += 1
        answer = predict(configuration, workload, catalogue, profiles)
        if isinstance(answer, Infeasible) and answer.limit == "volume size":
            # A layout that cannot be ordered is refused first; the search asks first what is known of a type.
            answer = unknown(configuration, workload, catalogue, profiles) or answer
        reason = why_not(answer, configuration, workload, catalogue)
        if reason is not None or isinstance(answer, Infeasible):
            rejected[reason or "?"] += 1
            continue
        feasible.append(answer)
        row = (configuration.instance, *kind_of(configuration.layout))
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
        for nodes in node_counts(workload, instance, layouts, last):
            for layout in layouts:
                yield Configuration(name, nodes, sized(layout, workload.at(nodes), catalogue, nodes))


def node_counts(workload: Workload, instance: InstanceType, layouts: list[Layout], last: int) -> Iterator[int]:
    """List the counts that some layout holds the job on; beyond the last one only the first of them.

    EMR keeps more copies on more nodes, so that holding is a question at each count. Beyond the last
    it is asked with the copies that hold there.
    """
    found = False
    for nodes in range(1, last + 1):
        found = any(holds(workload.at(nodes), instance, layout, nodes) for layout in layouts)
        if found:
            yield nodes
    if not found:
        yield min(first_that_holds(workload.at(last), instance, layout) for layout in layouts)


def every_layout(workload: Workload, catalogue: Catalogue, instance: InstanceType) -> Iterator[Layout]:
    disks = int(instance.disk_count.value)
    model, scratch = workload.job.durability.model, workload.job.intermediate_mb > 0.0
    own = model in {"none", "application"}
    if disks == 0 and (scratch or own):
        return
    if model == "object-store":
        yield ObjectStore()
    elif model == "infrastructure":
        for volume in catalogue.volume_types.values():
            if volume.name not in {"io1", "io2", "standard"}:
                yield Ebs(volume.name, int(volume.limits.largest_gib.value), VOLUMES)
    elif disks == 1 or not scratch:
        yield InstanceStore(disks, 0)
    else:
        for outer in range(1, disks):
            yield InstanceStore(outer, disks - outer)


def kind_of(layout: Layout) -> tuple[str, str]:
    if isinstance(layout, Ebs):
        return "ebs", layout.volume_type
    return ("object store" if isinstance(layout, ObjectStore) else "own disks"), ""


def sized(layout: Layout, workload: Workload, catalogue: Catalogue, nodes: int) -> Layout:
    """Take the smallest whole GiB that can be ordered and hold input and output."""
    if not isinstance(layout, Ebs):
        return layout
    smallest = int(catalogue.volume_types[layout.volume_type].limits.smallest_gib.value)
    held = workload.job.input_output_mb + (more_of(workload)[0] if nodes > 1 else 0.0)
    guess = int(held / (nodes * layout.count * GIB_MB))
    size = max(smallest, guess - 1)
    while nodes * (layout.count * size * GIB_MB) < held:
        size += 1
    return Ebs(layout.volume_type, size, layout.count)


def first_that_holds(workload: Workload, instance: InstanceType, layout: Layout) -> int:
    nodes = max(1, workload.job.durability.replicas)
    nodes = max(nodes, math.floor(need_ratio(workload, instance, layout)) - 1)
    while not holds(workload, instance, layout, nodes):
        nodes += 1
    return nodes


def need_ratio(workload: Workload, instance: InstanceType, layout: Layout) -> float:
    return max((needed / per_node for per_node, needed in groups(workload, instance, layout)), default=0.0)


def holds(workload: Workload, instance: InstanceType, layout: Layout, nodes: int) -> bool:
    enough = all(nodes * per_node >= needed for per_node, needed in groups(workload, instance, layout))
    return enough and nodes >= workload.job.durability.replicas


def more_of(workload: Workload) -> tuple[float, float]:
    """Say what the node with the most keys has beyond the mean, times the nodes: of output, of intermediate data."""
    job = workload.job
    if not isinstance(job, MapReduce):
        return 0.0, 0.0
    return (job.skew - 1.0) * job.output_mb, (job.skew - 1.0) * job.intermediate_mb


def groups(workload: Workload, instance: InstanceType, layout: Layout) -> list[tuple[float, float]]:
    """Pair what a node holds with what it must, times the nodes; what fits on one node needs no more."""
    outer_more, inner_more = more_of(workload)
    even = even_groups(workload, instance, layout)
    apart = isinstance(layout, Ebs) or (len(even) == 2)
    mores = [outer_more, inner_more] if apart else [outer_more + inner_more]
    if isinstance(layout, ObjectStore):
        mores = [inner_more]
    pairs = zip(even, mores, strict=False)
    return [(held, needed if needed <= held else needed + more) for (held, needed), more in pairs]


def even_groups(workload: Workload, instance: InstanceType, layout: Layout) -> list[tuple[float, float]]:
    job = workload.job
    disk = 0.0 if instance.disk_size_gb is None else instance.disk_size_gb.value * 1000.0
    own = instance.disk_count.value * disk
    everything = job.input_output_mb + job.intermediate_mb
    scratch = [(own, job.intermediate_mb)] if job.intermediate_mb > 0.0 else []
    if isinstance(layout, ObjectStore):
        return scratch
    if isinstance(layout, Ebs):
        return [(layout.count * layout.size_gib * GIB_MB, job.input_output_mb), *scratch]
    if workload.assume.capacity == "pooled":
        return [(own, everything)]
    if layout.intermediate_disks == 0:
        return [(layout.input_output_disks * disk, everything)]
    return [
        (layout.input_output_disks * disk, job.input_output_mb),
        (layout.intermediate_disks * disk, job.intermediate_mb),
    ]


def why_not(
    answer: Prediction | Infeasible, configuration: Configuration, workload: Workload, catalogue: Catalogue
) -> str | None:
    """Name the first reason.

    In the order: volumes that no node takes, figures every candidate needs, nodes, capacity, network, limits.
    """
    limits = workload.limits
    instance = catalogue.instance_types[configuration.instance]
    if isinstance(answer, Infeasible) and answer.limit in {
        "attachments",
        "price unknown",
        "storage bandwidth unknown",
        "storage IOPS unknown",
        "EBS bandwidth unknown",
    }:
        return answer.limit
    if limits.max_nodes is not None and configuration.nodes > limits.max_nodes:
        layouts = list(every_layout(workload, catalogue, instance))
        fewest = min(first_that_holds(workload.at(limits.max_nodes), instance, layout) for layout in layouts)
        assert fewest > limits.max_nodes
        return "max nodes"
    if isinstance(answer, Infeasible):
        return "capacity" if answer.limit == "volume size" else answer.limit
    if limits.deadline_s is not None and answer.time_s.p50 > limits.deadline_s:
        return "deadline"
    if limits.budget_usd is not None and answer.cost_usd.p50 > limits.budget_usd:
        return "budget"
    return None


def unknown(
    configuration: Configuration, workload: Workload, catalogue: Catalogue, profiles: Profiles
) -> Infeasible | None:
    assert isinstance(configuration.layout, Ebs)
    volume = catalogue.volume_types[configuration.layout.volume_type]
    found = gather(catalogue.instance_types[configuration.instance], volume, workload, catalogue, profiles)
    return found if isinstance(found, Infeasible) else None


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
    if isinstance(layout, ObjectStore):
        return "object store"
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
