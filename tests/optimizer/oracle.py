"""The search as a plain loop over every candidate; imports nothing of the optimizer.

It shares only the model with the search: what `gather` looks up and what `offer_of` and `forecast` compute from it.
Bounds, pruning, grids of nodes and merging belong to the search, and must not change the result of this loop. No
layout is excluded beforehand, however unlikely.

Candidates are computed one by one, or all node counts and sizes of a layout at once: the model gives the same bits
for both, which `test_exact` also checks for the spaces that it searches.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.model.choice import Objective
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore, data_volumes, ordered
from stowage.model.figure import Figure
from stowage.model.forecast import Evaluation, evaluate, forecast
from stowage.model.hardware.catalog import Catalog, VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profile, Profiles, ScalingCurve
from stowage.model.hardware.steps import Steps, smallest_for_iops_gib
from stowage.model.hardware.volume import performance
from stowage.model.hardware.volume_limits import Typical
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import loss_probability
from stowage.model.money.cost import always_on_cost
from stowage.model.money.spot import NEVER_FINISHES
from stowage.model.offer import Offer, offer_of
from stowage.model.plan import Candidate, layout_key, nine_digits, row_key
from stowage.model.prediction import Prediction, predict
from stowage.model.units import Quantity

MOST_WITHOUT_LIMIT = 1000
GIB_MB = 1073.741824

Numbers = NDArray[np.float64]
Rank = tuple[Any, ...]


@dataclass(frozen=True)
class Answer:
    """Result of the loop.

    ``refused`` counts the candidates that cannot be computed, or that no cluster can be, by the first reason.
    ``broken`` counts the others by each limit of the workload that they violate: one that violates two is in it twice.
    """

    rows: list[Prediction]
    frontier: list[Candidate]
    candidates: int
    refused: Counter[str]
    broken: Counter[str]
    within: "list[Computed]" = field(default_factory=list, compare=False)
    """All candidates, of which `Computed.within` are within the limits."""


@dataclass(frozen=True)
class Group:
    """Candidates of one type that differ in nodes and, on EBS, in the size of their volumes."""

    instance: InstanceType
    workload: Workload
    volume: VolumeType | None
    layout: Layout
    nodes: Numbers
    size_gib: Numbers | None

    def configuration(self, place: int) -> Configuration:
        layout = self.layout
        if isinstance(layout, Ebs) and self.size_gib is not None:
            size_gib = int(self.size_gib[place])
            layout = Ebs(layout.volume_type, size_gib, layout.count, layout.iops, layout.throughput_mib_per_s)
        return Configuration(self.instance.name, int(self.nodes[place]), layout)

    def where(self, mask: NDArray[np.bool_]) -> "Group":
        size_gib = None if self.size_gib is None else self.size_gib[mask]
        return Group(self.instance, self.workload, self.volume, self.layout, self.nodes[mask], size_gib)

    @property
    def per_node(self) -> int:
        return self.layout.count if isinstance(self.layout, Ebs) else 0


@dataclass(frozen=True)
class Computed:
    """The model's results for the candidates of a group, and the limits that each of them violates."""

    group: Group
    time_s: Numbers
    cost_usd: Numbers
    month_usd: Numbers
    broken: dict[str, NDArray[np.bool_]]

    @property
    def within(self) -> NDArray[np.bool_]:
        mask = np.ones(self.time_s.size, dtype=np.bool_)
        for broken in self.broken.values():
            mask &= ~broken
        return mask


def enumerate_all(
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    steps: Steps | None = None,
    *,
    at_once: bool = False,
) -> Answer:
    refused: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    candidates = 0
    found: list[Computed] = []
    gathered: dict[tuple[str, str], Inputs | Infeasible] = {}
    for group in every_group(workload, catalog, steps or Steps()):
        candidates += group.nodes.size
        key = (group.instance.name, "" if group.volume is None else group.volume.name)
        if key not in gathered:
            gathered[key] = gather(group.instance, group.volume, workload, catalog, profiles)
        inputs = gathered[key]
        possible = np.ones(group.nodes.size, dtype=np.bool_)
        for reason, mask in reasons(group, inputs, catalog):
            # The first reason counts.
            refused[reason] += int(np.count_nonzero(possible & mask))
            possible &= ~mask
        rest = group.where(possible)
        if isinstance(inputs, Infeasible) or rest.nodes.size == 0:
            continue
        computed = compute(rest, inputs, at_once=at_once)
        broken.update({limit: int(np.count_nonzero(mask)) for limit, mask in computed.broken.items() if mask.any()})
        found.append(computed)
    frontier = pareto(found, workload.objective)
    return Answer(ranking(found, workload, catalog, profiles), frontier, candidates, +refused, broken, found)


def every_configuration(workload: Workload, catalog: Catalog, steps: Steps) -> Iterator[Configuration]:
    for group in every_group(workload, catalog, steps):
        for place in range(group.nodes.size):
            yield group.configuration(place)


def every_group(workload: Workload, catalog: Catalog, steps: Steps) -> Iterator[Group]:
    for instance in catalog.instance_types.values():
        by_copies: dict[int, tuple[Workload, list[int]]] = {}
        for nodes, at_nodes in node_counts(workload, catalog, instance, steps):
            by_copies.setdefault(at_nodes.job.durability.replicas, (at_nodes, []))[1].append(nodes)
        for at_nodes, counts in by_copies.values():
            nodes_of_all = np.array(counts, dtype=np.float64)
            for layout in own_layouts(at_nodes, instance):
                yield Group(instance, at_nodes, None, layout, nodes_of_all, None)
            for volume in searched_volumes(at_nodes, catalog):
                for count in steps.counts(data_volumes(instance)):
                    fit = np.array([float(fit_gib(at_nodes, volume, count, nodes)) for nodes in counts])
                    for iops, throughput in zip(*steps.provisions(volume), strict=True):
                        volumes = (count, int(iops) or None, int(throughput) or None)
                        yield sized(instance, at_nodes, volume, volumes, nodes_of_all, fit, steps)


def sized(
    instance: InstanceType,
    workload: Workload,
    volume: VolumeType,
    volumes: tuple[int, int | None, int | None],
    nodes: Numbers,
    fit_gib: Numbers,
    steps: Steps,
) -> Group:
    """Return every size of a number of volumes: the smallest that fits, and the larger ones of the grid."""
    count, iops, throughput_mib_per_s = volumes
    grid = np.array(steps.sizes_gib(volume), dtype=np.float64)
    least = float(smallest_for_iops_gib(volume, iops))
    smallest = fit_gib if grid.size else np.maximum(fit_gib, least)
    sizes = np.hstack([smallest[:, np.newaxis], np.broadcast_to(grid, (nodes.size, grid.size))])
    allowed = sizes <= volume.limits.largest_gib.value
    allowed[:, 1:] &= sizes[:, 1:] > fit_gib[:, np.newaxis]
    layout = Ebs(volume.name, 0, count, iops, throughput_mib_per_s)
    return Group(instance, workload, volume, layout, np.repeat(nodes, allowed.sum(axis=1)), sizes[allowed])


def own_layouts(workload: Workload, instance: InstanceType) -> Iterator[InstanceStore | ObjectStore]:
    disks = int(instance.disk_count.value)
    model, scratch = workload.job.durability.model, workload.job.intermediate_mb > 0.0
    if model == "infrastructure" or (disks == 0 and (scratch or model != "object-store")):
        return
    if model == "object-store":
        yield ObjectStore()
    elif disks == 1 or not scratch:
        yield InstanceStore(disks, 0)
    else:
        for outer in range(1, disks):
            yield InstanceStore(outer, disks - outer)


def searched_volumes(workload: Workload, catalog: Catalog) -> list[VolumeType]:
    if workload.job.durability.model != "infrastructure":
        return []
    promised = (
        volume for volume in catalog.volume_types.values() if not isinstance(volume.limits.performance, Typical)
    )
    return [volume for volume in promised if workload.selection.takes_volume(volume.name)]


def capacious_layouts(workload: Workload, catalog: Catalog, instance: InstanceType, steps: Steps) -> list[Layout]:
    """List layouts that include the one with the highest capacity."""
    if workload.job.durability.model != "infrastructure":
        return list(own_layouts(workload, instance))
    most = max(steps.counts(data_volumes(instance)), default=0)
    if most == 0 or (workload.job.intermediate_mb > 0.0 and instance.disk_count.value < 1):
        return []
    volumes = searched_volumes(workload, catalog)
    return [Ebs(volume.name, int(volume.limits.largest_gib.value), most) for volume in volumes]


def node_counts(
    workload: Workload, catalog: Catalog, instance: InstanceType, steps: Steps
) -> Iterator[tuple[int, Workload]]:
    """List the node counts at which some layout holds the job; beyond the last one only the first of them.

    EMR keeps more copies on more nodes, so that capacity is checked at each count. Beyond the last count, it is
    checked with the number of copies there.
    """
    layouts = capacious_layouts(workload, catalog, instance, steps)
    if not layouts:
        return
    fewest: dict[int, int] = {}

    def fewest_of(at_nodes: Workload) -> int:
        copies = at_nodes.job.durability.replicas
        if copies not in fewest:
            fewest[copies] = min(first_that_holds(at_nodes, instance, layout) for layout in layouts)
        return fewest[copies]

    last = workload.limits.max_nodes or MOST_WITHOUT_LIMIT
    for nodes in range(1, last + 1):
        if nodes >= fewest_of(workload.at(nodes)):
            yield nodes, workload.at(nodes)
    at_last = workload.at(last)
    if fewest_of(at_last) > last:
        yield fewest_of(at_last), at_last


def most_nodes(workload: Workload, catalog: Catalog, instance: InstanceType) -> int | None:
    head = head_type(workload, instance, catalog)
    return workload.quotas.most_nodes(instance, workload.place.zones, workload.head_nodes * head.vcpus.value)


def fit_gib(workload: Workload, volume: VolumeType, count: int, nodes: int) -> int:
    """Return the smallest whole GiB that can be ordered and hold input and output."""
    smallest = int(volume.limits.smallest_gib.value)
    held = workload.job.input_output_mb + (more_of(workload)[0] if nodes > 1 else 0.0)
    guess = int(held / (nodes * count * GIB_MB))
    size = max(smallest, guess - 1)
    while nodes * (count * size * GIB_MB) < held / (1.0 - workload.limits.free_space):
        size += 1
    return size


def spared(workload: Workload) -> int:
    """Count the nodes whose loss the copies survive; a single copy is lost with its node, an EBS volume never."""
    kept = workload.job.durability
    return 0 if kept.replicas == 1 or kept.model == "infrastructure" else workload.limits.lost_nodes


def first_that_holds(workload: Workload, instance: InstanceType, layout: Layout) -> int:
    groups = held_groups(workload, instance, layout, None, workload.limits.free_space)
    ratio = max((float(needed / per_node) for per_node, needed in groups), default=0.0)
    nodes = max(1, workload.job.durability.replicas + spared(workload), math.floor(ratio) - 1)
    while not holds(workload, instance, layout, float(nodes)):
        nodes += 1
    return nodes


def holds(
    workload: Workload, instance: InstanceType, layout: Layout, nodes: Quantity, size_gib: Quantity | None = None
) -> NDArray[np.bool_]:
    lost = spared(workload)
    enough = np.asarray(nodes >= float(workload.job.durability.replicas + lost))
    for per_node, needed in held_groups(workload, instance, layout, size_gib, workload.limits.free_space):
        enough = enough & (nodes * per_node >= needed)
    for per_node, needed in held_groups(workload, instance, layout, size_gib, 0.0):
        enough = enough & ((nodes - lost) * per_node >= needed)
    return enough


def more_of(workload: Workload) -> tuple[float, float]:
    """Return the excess of the most loaded node over the mean, times the nodes: of output, of intermediate data."""
    job = workload.job
    if not isinstance(job, MapReduce):
        return 0.0, 0.0
    return (job.skew - 1.0) * job.output_mb, (job.skew - 1.0) * job.intermediate_mb


def held_groups(
    workload: Workload, instance: InstanceType, layout: Layout, size_gib: Quantity | None, free_space: float
) -> list[tuple[Quantity, Quantity]]:
    """Pair a node's capacity with the data it must hold, times the nodes; data that fits on one node needs no more."""
    outer_more, inner_more = more_of(workload)
    even = even_groups(workload, instance, layout, size_gib)
    apart = isinstance(layout, Ebs) or (len(even) == 2)
    mores = [outer_more, inner_more] if apart else [outer_more + inner_more]
    if isinstance(layout, ObjectStore):
        mores = [inner_more]
    pairs = zip(even, mores, strict=False)
    full = 1.0 - free_space
    return [(held, np.where(needed / full <= held, needed, needed + more) / full) for (held, needed), more in pairs]


def even_groups(
    workload: Workload, instance: InstanceType, layout: Layout, size_gib: Quantity | None
) -> list[tuple[Quantity, float]]:
    job = workload.job
    disk = 0.0 if instance.disk_size_gb is None else instance.disk_size_gb.value * 1000.0
    own = instance.disk_count.value * disk
    everything = job.input_output_mb + job.intermediate_mb
    scratch: list[tuple[Quantity, float]] = [(own, job.intermediate_mb)] if job.intermediate_mb > 0.0 else []
    if isinstance(layout, ObjectStore):
        return scratch
    if isinstance(layout, Ebs):
        each = float(layout.size_gib) if size_gib is None else size_gib
        return [(layout.count * each * GIB_MB, job.input_output_mb), *scratch]
    if workload.assume.capacity == "pooled":
        return [(own, everything)]
    if layout.intermediate_disks == 0:
        return [(layout.input_output_disks * disk, everything)]
    return [
        (layout.input_output_disks * disk, job.input_output_mb),
        (layout.intermediate_disks * disk, job.intermediate_mb),
    ]


def reasons(group: Group, inputs: Inputs | Infeasible, catalog: Catalog) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield excluded candidates by reason: choice, figures, nodes, capacity, quota, network."""
    workload, instance, nodes = group.workload, group.instance, group.nodes
    every = np.ones(nodes.size, dtype=np.bool_)
    chosen = workload.selection
    if chosen.refuses(instance) is not None or (chosen.measured_only and not is_measured(inputs)):
        yield "selection", every
        return
    if isinstance(inputs, Infeasible):
        yield inputs.limit, every
        return
    if head_memory_gib(workload, instance, catalog) < blocks_gib(workload):
        yield "head node memory", every
    if workload.limits.max_nodes is not None:
        yield "max nodes", nodes > workload.limits.max_nodes
    yield "capacity", ~holds(workload, instance, group.layout, nodes, group.size_gib)
    quota = most_nodes(workload, catalog, instance)
    if quota is not None:
        yield "quota", nodes > quota
    if is_repaired(workload) and workload.limits.rereplication_s is not None:
        again_s = [copied_again_s(group, inputs, float(number)) for number in nodes]
        yield "re-replication", np.array(again_s) > workload.limits.rereplication_s
    if inputs.network_gap is not None:
        yield "network bandwidth unknown", every if workload.talks_outside else nodes > 1.0


def head_memory_gib(workload: Workload, instance: InstanceType, catalog: Catalog) -> float:
    return head_type(workload, instance, catalog).memory_gib.value


def head_type(workload: Workload, instance: InstanceType, catalog: Catalog) -> InstanceType:
    """Return the head node's type: the named one, that of the workers, or the smallest of the general-purpose types."""
    if workload.place.primary is not None:
        return catalog.instance_types[workload.place.primary]
    if workload.place.head == "general":
        for size in ("xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge"):
            for family in ("m5", "m6i", "m6g", "m7i", "m7g", "m8g", "m4", "m3"):
                found = catalog.instance_types.get(f"{family}.{size}")
                if found is not None and found.usd_per_hour and found.memory_gib.value >= blocks_gib(workload):
                    return found
    return instance


def blocks_gib(workload: Workload) -> float:
    """Return the memory that the blocks of one copy of all files need."""
    job = workload.job
    return workload.limits.gib_per_million_blocks * (job.data_mb / job.block_mb) / 1e6 if isinstance(job, Hdfs) else 0.0


def is_repaired(workload: Workload) -> bool:
    """Return whether lost copies are made again: not those that a job keeps for its own duration."""
    kept = workload.job.durability
    on_nodes = kept.model in {"none", "application"} and kept.replicas > 1
    return on_nodes and (workload.kept_s is not None or workload.job.kind in {*LASTING})


LASTING = ("hdfs-write", "hdfs-read", "append-log", "random-io")


def copied_again_s(group: Group, inputs: Inputs, nodes: float) -> float:
    """Return the time from the failure of a node until the others have made its copies again."""
    if nodes == 1.0:
        return math.inf
    workload = group.workload
    offered = offer_of(inputs, group.layout, workload, nodes, quantile=0.5)
    each = offered.repair_mb_per_s * nodes / nodes
    return float(630.0 + workload.job.input_output_mb / nodes / ((nodes - 1.0) * each))


def is_measured(inputs: Inputs | Infeasible) -> bool:
    """Return whether all known rates of disks, network and EBS link were measured, or are given."""
    if isinstance(inputs, Infeasible):
        return False
    network = inputs.network
    rates: list[Figure | Profile | None] = [
        *(inputs.storage, inputs.storage_read, inputs.storage_write),
        *(inputs.storage_iops, inputs.storage_read_iops, inputs.storage_write_iops),
        *(inputs.ebs_read, inputs.ebs_write, inputs.ebs_maximum, inputs.ebs_baseline),
        *(network.points if isinstance(network, ScalingCurve) else (network, inputs.network_baseline)),
    ]
    return all(rate.kind in {"measured", "given"} for rate in rates if rate is not None)


def compute(group: Group, inputs: Inputs, *, at_once: bool) -> Computed:
    if at_once:
        time_s, work_s, cost_usd, month_usd, chance = of_group(group, inputs, group.nodes, group.size_gib)
    else:
        sizes: list[float | None] = [None] * group.nodes.size if group.size_gib is None else group.size_gib.tolist()
        each = [of_group(group, inputs, float(n), size) for n, size in zip(group.nodes, sizes, strict=True)]
        time_s, work_s, cost_usd, month_usd, chance = (np.array(one) for one in zip(*each, strict=True))
    shape = group.nodes.shape
    times, costs = np.broadcast_to(np.asarray(time_s), shape), np.broadcast_to(np.asarray(cost_usd), shape)
    limits = group.workload.limits
    broken: dict[str, NDArray[np.bool_]] = {}
    if limits.deadline_s is not None and limits.chance is None:
        broken["deadline"] = times > limits.deadline_s
    elif limits.deadline_s is not None:
        broken["chance"] = ~np.broadcast_to(np.asarray(chance) >= limits.chance, shape)
    if limits.budget_usd is not None:
        broken["budget"] = costs > limits.budget_usd
    if inputs.interruptions is not None:
        broken["never finishes"] = times > NEVER_FINISHES * np.asarray(work_s)
    if group.volume is not None and group.volume.name in group.workload.quotas.volumes:
        broken["quota"] = over_quota(group)
    if limits.loss is not None:
        broken["loss"] = np.array(
            [loss(group, place, inputs, times[place]) > limits.loss for place in range(times.size)]
        )
    return Computed(group, times, costs, np.broadcast_to(np.asarray(month_usd), shape), broken)


def of_group(
    group: Group, inputs: Inputs, nodes: Quantity, size_gib: Quantity | None
) -> tuple[Quantity, Quantity, Quantity, Quantity, Quantity]:
    """Return time, work, cost, cost of a month and the chance to meet the deadline: of one candidate or of all."""
    workload, limits = group.workload, group.workload.limits
    chance: Quantity = 1.0
    found: Evaluation
    offered: Offer
    if limits.chance is not None and limits.deadline_s is not None:
        offered = offer_of(inputs, group.layout, workload, nodes, size_gib)
        whole = forecast(offered, workload, nodes)
        found, chance = whole.evaluation, 1.0 if whole.meets_deadline is None else whole.meets_deadline
    else:
        offered = offer_of(inputs, group.layout, workload, nodes, size_gib, quantile=0.5)
        found = evaluate(offered, workload, nodes)
    month = always_on_cost(offered.prices, nodes, offered.charges, workload.runs_per_month).total
    return found.time_s, found.work_s, found.cost.total, month, chance


def over_quota(group: Group) -> NDArray[np.bool_]:
    """Return which candidates exceed the quota of GiB or IOPS of a volume type."""
    layout = group.layout
    if not isinstance(layout, Ebs) or group.volume is None or group.size_gib is None:
        raise TypeError("only volumes have quotas")
    quota = group.workload.quotas.volumes[layout.volume_type]
    over = np.zeros(group.nodes.size, dtype=np.bool_)
    for place, (nodes, size_gib) in enumerate(zip(group.nodes, group.size_gib, strict=True)):
        volume = ordered(group.volume, layout, nitro=group.instance.on_nitro, size_gib=float(size_gib))
        iops = float(performance(volume).baseline_iops)
        too_large = quota.size_gib is not None and nodes * layout.count * size_gib > quota.size_gib
        too_many = quota.iops is not None and nodes * layout.count * iops > quota.iops
        over[place] = too_large or too_many
    return over


def loss(group: Group, place: int, inputs: Inputs, time_s: float) -> float:
    configuration, workload = group.configuration(place), group.workload
    offered = offer_of(inputs, configuration.layout, workload, float(configuration.nodes), quantile=0.5)
    return loss_probability(
        inputs, offered.repair_mb_per_s, configuration, workload, workload.exposure_s(float(time_s))
    )


def ranking(found: list[Computed], workload: Workload, catalog: Catalog, profiles: Profiles) -> list[Prediction]:
    """Rank the best of each type, storage kind and volume type; among types a lower loss probability ranks first."""
    best: dict[tuple[str, str, str], tuple[Rank, Configuration]] = {}
    for computed in found:
        for place in candidates_for_best(computed, workload):
            configuration = computed.group.configuration(place)
            layout = layout_key(configuration.layout)
            rank = (*merits(computed, workload, place), computed.group.per_node, layout)
            row = row_key(configuration)
            if row not in best or rank < best[row][0]:
                best[row] = (rank, configuration)
    rows: list[tuple[Rank, Prediction]] = []
    for rank, configuration in best.values():
        prediction = predict(configuration, workload, catalog, profiles, sources=False)
        if isinstance(prediction, Infeasible):
            raise TypeError(f"the oracle ranks what the model refuses: {prediction.reason}")
        name, layout = configuration.instance, layout_key(configuration.layout)
        rows.append(((*rank[:-2], prediction.loss_probability, name, layout), prediction))
    return [prediction for _, prediction in sorted(rows, key=lambda row: row[0])]


def merits(computed: Computed, workload: Workload, place: int) -> tuple[float, ...]:
    """Return the primary criteria of candidates, without those that only break ties."""
    cost, time_s = nine(computed.cost_usd[place]), nine(computed.time_s[place])
    nodes = float(computed.group.nodes[place])
    if workload.objective == "time":
        return time_s, cost, nodes
    if workload.objective == "month":
        return nine(computed.month_usd[place]), nodes, time_s
    return cost, nodes, time_s


def candidates_for_best(computed: Computed, workload: Workload) -> list[int]:
    """Return the candidates within the limits that no other of the group beats in the primary criterion."""
    by_objective = {"cost": computed.cost_usd, "time": computed.time_s, "month": computed.month_usd}
    places = np.flatnonzero(computed.within)
    if places.size == 0:
        return []
    first = np.asarray(nine_digits(by_objective[workload.objective][places]))
    return [int(place) for place in places[first == first.min()]]


def pareto(found: list[Computed], objective: Objective) -> list[Candidate]:
    """Return the Pareto frontier of time and cost; of equals fewer nodes, then type, fewer volumes, layout.

    If the objective is a month, the cost is that of a month.
    """
    every = [(computed, np.flatnonzero(computed.within)) for computed in found]
    pairs = [(computed, int(place)) for computed, places in every for place in places]
    if not pairs:
        return []
    times = nines(np.concatenate([computed.time_s[places] for computed, places in every]))
    of_month = objective == "month"
    costs = nines(
        np.concatenate([(computed.month_usd if of_month else computed.cost_usd)[places] for computed, places in every])
    )
    kept: list[Candidate] = []
    order = np.lexsort((costs, times))
    cheapest_before = np.concatenate(([math.inf], np.minimum.accumulate(costs[order])[:-1]))
    for one in order[costs[order] < cheapest_before]:
        equals = np.flatnonzero((times == times[one]) & (costs == costs[one]))
        computed, place = min((pairs[other] for other in equals), key=lambda pair: tie(*pair))
        configuration = computed.group.configuration(place)
        month_usd = float(computed.month_usd[place]) if of_month else None
        time_s, cost_usd = float(computed.time_s[place]), float(computed.cost_usd[place])
        kept.append(Candidate(configuration, time_s, cost_usd, month_usd=month_usd))
    return kept


def tie(computed: Computed, place: int) -> Rank:
    group = computed.group
    layout = layout_key(group.configuration(place).layout)
    return float(group.nodes[place]), group.instance.name, group.per_node, layout


def nine(value: float) -> float:
    return float(nine_digits(float(value)))


def nines(values: Numbers) -> Numbers:
    return np.asarray(nine_digits(values))
