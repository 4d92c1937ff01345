"""The search space: instance types x storage layouts x node counts, as lanes.

A lane is an instance type with one storage layout over a range of node counts. The layout is one of three: the type's
local disks with one division between input/output and scratch; one type of EBS volume in any count, size, IOPS and
throughput; or the object store.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.cluster import provided_mb
from stowage.model.hardware.instance import InstanceType
from stowage.model.infeasible import Limit
from stowage.model.jobs.flows import Nodes, Phase, with_busiest_node
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Workload
from stowage.model.loss.durability import chance_of_object_loss
from stowage.model.offer import OBJECT_MB
from stowage.model.sizes import MB_PER_GIB
from stowage.model.units import SECONDS_PER_YEAR
from stowage.optimizer.arrays import Flags, Floats, Ints, Records
from stowage.optimizer.columns.rates import RateColumns
from stowage.optimizer.rereplication import rereplicated_in_time
from stowage.optimizer.volume_grid import distinct

NODES_WITHOUT_LIMIT = 1_000
"""Maximum node count of a type, or the count that its capacity requires, if the user sets no limit."""


@frozen
class Lanes:
    """Search space of one workload, as arrays for the kernel."""

    nodes: Floats
    """All node counts that occur in some lane, ascending. Shape (places,)."""
    held_mb: Floats
    """Minimum size of the volumes of all nodes together [MB]. Shape (places,)."""
    rows: Records
    """Lanes. A lane whose field `row` is -1 is not searched: all its candidates count as excluded, for the reason in
    `unsearched`."""
    row_count: int
    """Number of rows of the ranking."""
    unsearched: Sequence[tuple[Limit, slice]]
    """Slices of the lanes that are not searched, with the reason."""
    excluded: Mapping[Limit, Floats]
    """Numbers of candidates of each type that are excluded before the search and have no lane, by reason."""
    workloads: tuple[Workload, ...]
    """One workload for each range of node counts, with the replication factor in that range."""
    ranges: tuple[slice, ...]
    """Range of node counts of each workload, as a slice of `nodes`."""
    workload_of: Ints
    """Index of each lane's workload. Shape (lanes,)."""
    volume_keys: tuple[tuple[str, bool], ...]
    """Key of each volume type of the kernel in `RateColumns.grids`."""
    counts: NDArray[np.int32]
    """Numbers of volumes per node in the search."""
    members: tuple[int, ...]
    """Index of one type of each class. The types of a class have equal flows."""
    most_units: tuple[float, ...]
    """Largest number of units that meets the limit on loss. Units are the nodes or volumes that can lose data. If data
    lives only as long as its job, the number is in units times seconds. The first element is for nodes, the others are
    for the volume types. Infinite if there is no limit, and for replicated data."""
    units_stay: bool
    """Whether `most_units` are numbers of units, instead of units times seconds."""
    framework: Framework

    def phases(self, instances: Sequence[InstanceType], of: int) -> tuple[Phase, ...]:
        """Return the phases of `forecast.phases_of` at all node counts of the range with index ``of``.

        Flows that depend on the type are arrays of shape (instances, places) if there are several types.
        """
        workload = self.workloads[of]
        nodes = np.ascontiguousarray(self.nodes[self.ranges[of]])
        memory_gib, vcpus = (
            figures[0] if len(figures) == 1 else np.array(figures)[:, np.newaxis]
            for figures in (
                [instance.memory_gib.value for instance in instances],
                [instance.vcpus.value for instance in instances],
            )
        )
        cluster = Nodes(
            nodes,
            memory_gib * MB_PER_GIB,
            vcpus,
            whole_shuffle=workload.assume.shuffle == "whole",
            engine=self.framework.engine,
        )
        return with_busiest_node(workload.phases(cluster), self.framework.grown(nodes))


@frozen
class _Layouts:
    """Storage layouts of all instance types in one range of node counts, as columns."""

    types: Ints
    first: Ints
    """Disks for input and output, or the volume's key."""
    second: Ints
    needed: Floats

    def where(self, which: Flags | NDArray[np.intp]) -> "_Layouts":
        return _Layouts(self.types[which], self.first[which], self.second[which], self.needed[which])


def lay_out(
    workload: Workload,
    rate_columns: RateColumns,
    last_nodes: int = NODES_WITHOUT_LIMIT,
    most_nodes: Mapping[tuple[str, int], int] = MappingProxyType({}),
) -> Lanes:
    """Build the search space of a workload.

    Parameters
    ----------
    workload : Workload
        Its durability selects local disks, EBS or the object store.
    rate_columns : RateColumns
    last_nodes : int
        Maximum node count if the user sets no limit. For a type that needs more nodes to store the data, the space has
        only the needed node count, so that the type is listed among the excluded types.
    most_nodes : Mapping[tuple of (str, int), int]
        Lower maximum node counts due to the limit on loss, by instance type and index of the replication factor.
    """
    last_nodes = last_nodes if workload.limits.max_nodes is None else workload.limits.max_nodes
    on_ebs = workload.job.durability.model == "infrastructure"
    keys = tuple(key for key in rate_columns.grids if workload.selection.takes_volume(key[0]))
    counts = np.array(rate_columns.counts, np.int32)
    ranges = workload.by_replication(last_nodes)
    laid = [_layouts(of, rate_columns, keys) for of, _, _ in ranges]
    spans = []
    for position, ((_, first, last), layouts) in enumerate(zip(ranges, laid, strict=True)):
        fewest = np.full(len(rate_columns.instances), np.inf)
        np.minimum.at(fewest, layouts.types, layouts.needed)
        starts = np.maximum(float(first), fewest)
        # Only the last range extends to the count that capacity requires; others end at the next replication factor.
        ends = np.maximum(starts, float(last)) if position == len(ranges) - 1 else np.full(starts.shape, float(last))
        spans.append((starts, np.where(np.isfinite(starts) & (starts <= ends), ends, -1.0)))
    beyond = np.concatenate([starts[(ends >= 0.0) & (starts > last_nodes)] for starts, ends in spans])
    nodes = np.concatenate([np.arange(1.0, last_nodes + 1.0), distinct(beyond)])
    found = _LaneBuilder(workload, rate_columns, keys, nodes, most_nodes)
    for position, (layouts, (starts, ends)) in enumerate(zip(laid, spans, strict=True)):
        found.add(position, ranges[position][0], layouts, starts, ends)
    edges = [0, *map(int, np.searchsorted(nodes, [float(first) for _, first, _ in ranges[1:]])), nodes.size]
    held_mb = np.zeros(nodes.size)
    slices = tuple(slice(start, stop) for start, stop in pairwise(edges))
    for (of, _, _), within in zip(ranges, slices, strict=True):
        held_mb[within] = provided_mb(of, nodes[within])
    return Lanes(
        nodes=nodes,
        held_mb=held_mb,
        rows=found.rows(),
        row_count=len(rate_columns.instances) * max(1, len(rate_columns.grids)),
        unsearched=found.unsearched,
        excluded=found.excluded,
        workloads=tuple(of for of, _, _ in ranges),
        ranges=slices,
        workload_of=found.column("workload_of"),
        volume_keys=keys,
        counts=counts,
        members=rate_columns.members if found.by_class else found.any_known,
        most_units=_most_units(workload, rate_columns, keys) if on_ebs else _most_units(workload, rate_columns, ()),
        units_stay=workload.kept_s is not None or workload.job.stays,
        framework=workload.reached,
    )


class _LaneBuilder:
    """Builder of the lanes of a search space, which also counts the excluded candidates."""

    def __init__(
        self,
        workload: Workload,
        rate_columns: RateColumns,
        keys: tuple[tuple[str, bool], ...],
        nodes: Floats,
        most_nodes: Mapping[tuple[str, int], int],
    ) -> None:
        self.workload, self.rate_columns, self.keys, self.nodes = workload, rate_columns, keys, nodes
        self.columns: dict[str, list[NDArray[Any]]] = defaultdict(list)
        self.unsearched: list[tuple[Limit, slice]] = []
        self.excluded: dict[Limit, Floats] = {}
        self.count = 0
        job, framework = workload.job, workload.reached
        # Flows depend on memory and vCPUs if data is merged or cached in memory.
        partitions = job.partitions if isinstance(job, MapReduce) else None
        cached, merged = job.kind == "append-log", framework.engine.knows_nodes or partitions is not None
        self.by_class = cached or (isinstance(job, MapReduce) and merged)
        self.any_known = rate_columns.members[:1]
        self.excluded_types = [(reason, which) for reason, which in self._excluded_types() if which.any()]
        self.ceilings = self._ceilings()
        names = sorted({name for name, _ in rate_columns.grids})
        self.volume_rows = np.array([names.index(name) for name, _ in keys], np.int64)
        """Position of each volume type among the rows of an instance type in the ranking."""
        self.safe: dict[int, Floats] = {}
        for (name, position), most in most_nodes.items():
            of_types = self.safe.setdefault(position, np.full(len(rate_columns.instances), np.inf))
            of_types[rate_columns.position_of(name)] = most

    def _excluded_types(self) -> Iterator[tuple[Limit, Flags]]:
        """Yield the reasons that exclude types at every node count, each with those that no earlier one excludes."""
        rate_columns, head_memory_gib = self.rate_columns, self.workload.head_memory_gib
        left = ~rate_columns.refused(self.workload.selection)
        yield "selection", ~left
        for reason, unknown in rate_columns.unknown.items():
            yield reason, unknown & left
            left &= ~unknown
        if head_memory_gib > 0.0:
            head = rate_columns.head
            memory_gib = rate_columns.memory_gib if head is None else head.memory_gib.value
            yield "head node memory", left & (memory_gib < head_memory_gib)

    def _ceilings(self) -> Floats | None:
        """Return the largest number of workers that the quotas allow, for each instance type; None for any number."""
        workload, rate_columns = self.workload, self.rate_columns
        quotas = workload.quotas
        if not quotas.limit_nodes:
            return None
        ceilings = []
        for instance in rate_columns.instances:
            head_vcpus = workload.head_nodes * (rate_columns.head or instance).vcpus.value
            most = quotas.most_nodes(instance, workload.place.zones, head_vcpus)
            ceilings.append(np.inf if most is None else float(most))
        return np.array(ceilings)

    def add(self, position: int, of: Workload, layouts: _Layouts, starts: Floats, ends: Floats) -> None:
        """Add the lanes of one range of node counts.

        ``of`` is the workload with its replication factor. ``starts`` and ``ends`` are the node counts of each type.
        """
        first, last = starts[layouts.types], ends[layouts.types]
        left = last >= 0.0
        for reason, which in self.excluded_types:
            excluded = which[layouts.types] & left
            self._count(position, reason, layouts, first, last, excluded)
            left ^= excluded
        layouts, first, last = layouts.where(left), first[left], last[left]
        since, most = np.maximum(first, layouts.needed), self.workload.limits.max_nodes
        if most is not None:
            many, short = first > most, (first <= most) & (since > most)
            self._count(position, "max nodes", layouts, first, last, many)
            self._count(position, "capacity", layouts, first, last, short)
            left = ~(many | short)
            layouts, first, since, last = layouts.where(left), first[left], since[left], last[left]
        self._count(position, "capacity", layouts, first, np.minimum(since - 1.0, last))
        if self.ceilings is not None:
            last = self._up_to(position, "quota", layouts, self.ceilings[layouts.types], since, last)
        if of.rereplicated_within_s is not None:
            left = since <= last
            layouts, since, last = self._rereplicated(position, of, layouts.where(left), since[left], last[left])
        if position in self.safe:
            last = self._up_to(position, "loss", layouts, self.safe[position][layouts.types], since, last)
        if self.rate_columns.no_network.any():
            alone = np.where(self.rate_columns.no_network, 0.0 if self.workload.talks_outside else 1.0, np.inf)
            last = self._up_to(position, "network bandwidth unknown", layouts, alone[layouts.types], since, last)
        self._append(position, layouts, since <= last, since, last, walked=True)

    def _up_to(
        self, position: int, reason: Limit, layouts: _Layouts, most: Floats, since: Floats, last: Floats
    ) -> Floats:
        """Return the last node counts of ranges with at most ``most`` nodes, and count the candidates beyond."""
        self._count(position, reason, layouts, np.maximum(since, most + 1.0), last)
        return np.minimum(last, most)

    def _rereplicated(
        self, position: int, of: Workload, layouts: _Layouts, since: Floats, last: Floats
    ) -> tuple[_Layouts, Floats, Floats]:
        """Return the ranges of node counts at which a failed node is re-replicated in time.

        For each range, the result has the layout, the first and the last node count. Other node counts are counted as
        excluded. If the network rate falls with the cluster size, a layout may have several ranges.
        """
        nodes = self.nodes
        places = np.arange(nodes.size)
        within = (places >= np.searchsorted(nodes, since)[:, np.newaxis]) & (
            places <= np.searchsorted(nodes, last)[:, np.newaxis]
        )
        in_time = rereplicated_in_time(of, self.rate_columns, layouts.types, layouts.first, nodes)
        too_slow = within & ~in_time
        if not too_slow.any():
            return layouts, since, last
        which, start, stop = _runs(too_slow)
        self._count(position, "re-replication", layouts.where(which), nodes[start], nodes[stop])
        which, start, stop = _runs(within & in_time)
        return layouts.where(which), nodes[start], nodes[stop]

    def _count(
        self,
        position: int,
        reason: Limit,
        layouts: _Layouts,
        since: Floats,
        until: Floats,
        of: Flags | None = None,
    ) -> None:
        """Count the candidates of layouts, or some of them, at node counts from ``since`` to ``until``, if any."""
        which = since <= until if of is None else of & (since <= until)
        if not which.any():
            return
        if self.keys:
            # The number of layouts depends on their capacity: the kernel counts them.
            start = self.count
            self._append(position, layouts, which, since, until, walked=False)
            self.unsearched.append((reason, slice(start, self.count)))
            return
        count = self.rate_columns.places.size
        sizes: NDArray[Any] = np.bincount(layouts.types[which], (until - since + 1.0)[which], count)
        self.excluded[reason] = self.excluded[reason] + sizes if reason in self.excluded else sizes

    def _append(
        self,
        position: int,
        layouts: _Layouts,
        which: Flags,
        since: Floats,
        until: Floats,
        *,
        walked: bool,
    ) -> None:
        types = layouts.types[which]
        if types.size == 0:
            return
        first = layouts.first[which]
        row = np.full(types.size, -1)
        if walked:
            row = types * max(1, len(self.rate_columns.grids)) + (self.volume_rows[first] if self.keys else 0)
        parts = {
            "type": types,
            "row": row,
            "first": np.searchsorted(self.nodes, since[which]),
            "last": np.searchsorted(self.nodes, until[which]),
            "layout first": first,
            "layout second": layouts.second[which],
            "workload_of": np.full(types.size, position),
        }
        for name, part in parts.items():
            self.columns[name].append(part)
        self.count += types.size

    def column(self, name: str) -> Ints:
        """Return the values of a column, one for each lane."""
        parts = self.columns[name]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def rows(self) -> Records:
        """Build the array of all lanes for the kernel in a single step, since it takes megabytes."""
        rate_columns, job = self.rate_columns, self.workload.job
        types, first, second = (self.column(name) for name in ("type", "layout first", "layout second"))
        rows = rate_columns.lanes(types)
        for name in ("type", "row", "first", "last"):
            rows[name] = self.column(name)
        if self.by_class:
            rows["klass"] = rate_columns.classes[types]
        scratch = job.intermediate_mb > 0.0
        disks = rate_columns.disks[types]
        if self.keys:
            rows["volume"] = first
            rows["counts"] = np.searchsorted(np.array(rate_columns.counts), rate_columns.most_volumes, side="right")[
                types
            ]
            rows["inner"] = disks if scratch else 0.0
        elif job.durability.model == "object-store":
            rows["volume"], rows["inner"] = -1, disks if scratch else 0.0
        else:
            rows["volume"], rows["outer"], rows["inner"] = -1, first, second
            rows["outer_share"] = first / disks
            rows["shared"] = scratch & (second == 0)
            rows["layout"][:, 0], rows["layout"][:, 1] = first, second
        return rows


def _runs(mask: Flags) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the row, the first column and the last column of each unbroken stretch of True."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, first = np.nonzero(edges == 1)
    _, behind = np.nonzero(edges == -1)
    return rows, first, behind - 1


def _layouts(workload: Workload, rate_columns: RateColumns, keys: tuple[tuple[str, bool], ...]) -> _Layouts:
    """Return the layouts of all instance types, each with the fewest nodes that can store the data."""
    job = workload.job
    model, fewest = job.durability.model, float(max(1, job.durability.replicas + workload.survived_losses))
    disks = rate_columns.disks
    kept_mb, scratch_mb = job.input_output_mb, job.intermediate_mb
    kept_skewed_mb, scratch_skewed_mb = job.skewed_mb
    scratch = scratch_mb > 0.0
    if model not in {"infrastructure", "object-store"}:
        types, outer, inner = rate_columns.divisions
        # Two groups of disks: that of input and output, which may have all data, and that of intermediate data.
        pooled = workload.assume.capacity == "pooled"
        together = (inner == 0) | pooled
        of_disk_mb = rate_columns.disk_mb[types]
        per_node_mb = (disks[types] if pooled else outer) * of_disk_mb, np.where(together, 1.0, inner * of_disk_mb)
        needed_mb = np.where(together, [[kept_mb + scratch_mb], [0.0]], [[kept_mb], [scratch_mb]])
        skewed_mb = np.where(
            together, [[kept_skewed_mb + scratch_skewed_mb], [0.0]], [[kept_skewed_mb], [scratch_skewed_mb]]
        )
        return _Layouts(types, outer, inner, _needed(workload, np.stack(per_node_mb), needed_mb, skewed_mb).max(axis=0))
    usable = np.flatnonzero((disks >= 1) if scratch else np.ones(disks.size, np.bool_))
    needed = np.full(usable.size, fewest)
    if scratch:
        local_mb = (disks * rate_columns.disk_mb)[usable]
        needed = np.maximum(needed, _needed(workload, local_mb, scratch_mb, scratch_skewed_mb))
    if model == "object-store":
        return _Layouts(usable, np.zeros(usable.size, np.int64), np.zeros(usable.size, np.int64), needed)
    counts = np.array(rate_columns.counts, np.int64)
    steps = np.searchsorted(counts, rate_columns.most_volumes[usable], side="right")
    usable, needed, steps = usable[steps > 0], needed[steps > 0], steps[steps > 0]
    most = counts[steps - 1].astype(np.float64)
    parts = []
    largest_gib = [rate_columns.grids[key].volume.limits.largest_gib.value for key in keys]
    held = {gib: _needed(workload, most * gib * MB_PER_GIB, kept_mb, kept_skewed_mb) for gib in set(largest_gib)}
    for at, (name, nitro) in enumerate(keys):
        alone = (name, not nitro) not in rate_columns.grids
        here = np.ones(usable.size, np.bool_) if alone else rate_columns.on_nitro[usable] == nitro
        which, of_type = usable[here], np.maximum(needed, held[largest_gib[at]])[here]
        parts.append((which, np.full(which.size, at), np.zeros(which.size, np.int64), of_type))
    if not parts:
        none = np.zeros(0, np.int64)
        return _Layouts(none, none, none, np.zeros(0))
    types, first, second, of_type = (np.concatenate(part) for part in zip(*parts, strict=True))
    # The minimum over the largest volumes applies to the type: at fewer nodes there are no candidates.
    least = np.full(disks.size, np.inf)
    np.minimum.at(least, types, of_type)
    return _Layouts(types, first, second, least[types])


def _needed(workload: Workload, per_node_mb: Floats, needed_mb: float | Floats, skewed_mb: float | Floats) -> Floats:
    """Return the smallest node counts at which a group of disks can store its data.

    A group is the disks for input and output, for intermediate data, or for both. Free space and survived losses of
    nodes count as in `cluster.fewest_nodes`.
    """
    copies, lost = max(1, workload.job.durability.replicas), workload.survived_losses
    fewest = np.maximum(_holding(per_node_mb, needed_mb, skewed_mb, workload.limits.free_space), float(copies + lost))
    if lost:
        fewest = np.maximum(fewest, np.maximum(_holding(per_node_mb, needed_mb, skewed_mb, 0.0), float(copies)) + lost)
    return fewest


def _holding(per_node_mb: Floats, needed_mb: float | Floats, skewed_mb: float | Floats, free_space: float) -> Floats:
    """Return the smallest node counts at which a group of disks keeps the share ``free_space`` of its capacity free."""
    full = 1.0 - free_space
    needed = np.where(needed_mb / full <= per_node_mb, needed_mb, needed_mb + skewed_mb) / full
    with np.errstate(divide="ignore", invalid="ignore"):
        nodes = np.maximum(1.0, np.ceil(needed / per_node_mb))
    # The quotient may be rounded across a whole number: check whether n nodes hold the group.
    while (over := (nodes > 1.0) & ((nodes - 1.0) * per_node_mb >= needed)).any():
        nodes[over] -= 1.0
    while (short := (nodes * per_node_mb < needed) & np.isfinite(nodes)).any():
        nodes[short] += 1.0
    return nodes


def _most_units(workload: Workload, rate_columns: RateColumns, keys: tuple[tuple[str, bool], ...]) -> tuple[float, ...]:
    limit, job = workload.limits.loss, workload.job
    if limit is None or limit >= 1.0 or job.durability.replicas > 1 or job.default_copies:
        return (math.inf,) * (1 + len(keys))
    stays_s = workload.exposure_s(1.0) if workload.kept_s is not None or job.stays else 1.0
    if job.durability.model == "object-store":
        # The number of objects does not depend on the number of nodes: one unit.
        each_year = -math.log1p(-chance_of_object_loss(max(1.0, job.input_output_mb / OBJECT_MB), SECONDS_PER_YEAR))
        return (-math.log1p(-limit) / each_year * SECONDS_PER_YEAR / stays_s,)
    rates = [rate_columns.node_failures, *(rate_columns.grids[key].volume.annual_failure_rate.value for key in keys)]
    # The probability of losing a single copy is 1 - exp(-units x rate x time).
    return tuple(-math.log1p(-limit) * SECONDS_PER_YEAR / rate / stays_s for rate in rates)
