"""Configurations of a cluster, and their capacity for the data of a job.

A configuration is an instance type, a node count and a storage layout. The layout is the place of input, intermediate
data and output.
"""

import math
from datetime import date
from typing import Literal

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Number
from stowage.model.hardware.catalog import VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.volume import Volume
from stowage.model.hardware.volume import check as check_volume
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.workload import Job, Workload
from stowage.model.sizes import MB_PER_GB, MB_PER_GIB
from stowage.model.units import Quantity, quantity_of

StorageKind = Literal["instance-store", "ebs", "object-store"]

MOST_VOLUMES = Number("most_volumes", 28.0, "1").published(
    "EC2 user guide, volume limits: most types take 28 attachments; network interfaces and instance-store disks "
    "count on some, and the root volume always. The default where a catalog knows no better",
    date(2026, 11, 20),
)


@frozen
class InstanceStore:
    """Storage layout with all data on the instance's own disks.

    The disks are divided between input/output data and intermediate data.
    """

    input_output_disks: int
    """Disks for input and output; at least 1."""
    intermediate_disks: int
    """Disks for intermediate data; 0 if intermediate data shares the disks of input and output, or does not exist."""


@frozen
class Ebs:
    """Storage layout with input and output on EBS volumes.

    Intermediate data is on the instance's own disks.
    """

    volume_type: str
    size_gib: int
    """Size of each volume [GiB]."""
    count: int
    """Volumes attached to each node; at least 1."""
    iops: int | None = None
    """Provisioned IOPS of each volume, for types that support them [1/s]."""
    throughput_mib_per_s: int | None = None
    """Provisioned throughput of each volume, for types that support it [MiB/s]."""
    first_read_mib_per_s: float | None = None
    """Rate at which a volume restored from a snapshot is read for the first time [MiB/s]; None for volumes that are new
    or were read before. AWS publishes no figure."""


@frozen
class ObjectStore:
    """Storage layout with input and output in the object store.

    Intermediate data is on the instance's own disks.
    """


Layout = InstanceStore | Ebs | ObjectStore


@frozen
class Configuration:
    """One candidate of a search: an instance type, a node count and a storage layout."""

    instance: str
    nodes: int
    layout: Layout


def storage_kind(layout: Layout) -> StorageKind:
    """Return the kind of storage of a layout, as users write it."""
    if isinstance(layout, InstanceStore):
        return "instance-store"
    return "ebs" if isinstance(layout, Ebs) else "object-store"


def divisions(disk_count: int, *, intermediate: bool = True) -> tuple[InstanceStore, ...]:
    """List the ways to divide a node's disks between input/output data and intermediate data.

    A single disk stores both kinds of data. If ``intermediate`` is False, the job has no intermediate data, and all
    disks are input/output disks.

    Examples
    --------
    >>> [(d.input_output_disks, d.intermediate_disks) for d in divisions(4)]
    [(1, 3), (2, 2), (3, 1)]
    >>> divisions(4, intermediate=False)
    (InstanceStore(input_output_disks=4, intermediate_disks=0),)
    """
    if disk_count == 1 or not intermediate:
        return (InstanceStore(disk_count, 0),)
    return tuple(InstanceStore(count, disk_count - count) for count in range(1, disk_count))


def data_volumes(instance: InstanceType) -> int:
    """Return the maximum number of EBS data volumes of a node.

    It is AWS' limit on attached volumes minus the root volume.

    Examples
    --------
    >>> from stowage.model.hardware.catalog import instance_type
    >>> names = ("vcpus", "memory_gib", "disk_count")
    >>> plain = {name: Number(name, 1.0, "1").estimated("made up", None) for name in names}
    >>> data_volumes(instance_type("m9.large", plain, disk_media=None, placement_group=True, gaps={}))
    27
    """
    return max(0, int((instance.most_volumes or MOST_VOLUMES).value) - 1)


def check_layout(layout: Layout, instance: InstanceType, volume: VolumeType | None, job: Job) -> Infeasible | None:
    """Check whether a layout is possible on an instance type.

    The result is the obstacle, or None if the layout is possible.
    """
    disks = instance.disk_count.value
    own_disks = isinstance(layout, InstanceStore)
    if (own_disks or job.intermediate_mb > 0.0) and (disks < 1 or instance.disk_size_gb is None):
        what = "" if own_disks else ", and intermediate data needs them"
        return Infeasible("no disks", f"{instance.name} has no disks of its own{what}", "a type with local disks")
    if isinstance(layout, InstanceStore):
        asked = layout.input_output_disks + layout.intermediate_disks
        if asked > disks:
            return Infeasible(
                "disk division",
                f"{asked} disks are asked of {instance.name}, which has {disks:g}",
                f"at most {disks:g} disks",
            )
        if layout.input_output_disks < 1:
            return Infeasible("disk division", "0 disks hold no input or output", "at least 1 disk")
    if isinstance(layout, Ebs):
        if volume is None:
            raise ValueError(f"volume type {layout.volume_type} was not looked up")
        most = data_volumes(instance)
        if not 1 <= layout.count <= most:
            return Infeasible(
                "attachments",
                f"{layout.count} volumes are asked of each {instance.name}, which takes {most} beside its root volume",
                f"1 to {most} volumes a node" if most > 0 else None,
            )
        return check_volume(ordered(volume, layout, nitro=instance.on_nitro))
    return None


def ordered(volume: VolumeType, layout: Ebs, *, nitro: bool, size_gib: Quantity | None = None) -> Volume:
    """Return one EBS volume of a layout.

    ``size_gib`` is one size or an array of sizes [GiB]; it replaces the size in the layout.
    """
    return Volume(
        volume.limits,
        quantity_of(layout.size_gib) if size_gib is None else size_gib,
        None if layout.iops is None else quantity_of(layout.iops),
        None if layout.throughput_mib_per_s is None else quantity_of(layout.throughput_mib_per_s),
        nitro=nitro,
    )


def capacity_groups_mb(
    layout: Layout, instance: InstanceType, job: Job, capacity: Literal["divided", "pooled"], free_space: float = 0.0
) -> tuple[tuple[float, float], ...]:
    """Return the available and the needed capacity of each group of disks or volumes.

    A group stores one kind of data on every node: input/output data, intermediate data, or both.

    Parameters
    ----------
    layout, instance, job
        The layout must fit the instance (`check_layout`).
    capacity : {"divided", "pooled"}
        ``pooled`` lets every disk of the node hold any data, as the paper's Table 2 does.
    free_space : float
        Share of each group that stays empty [1], 0 to below 1.

    Returns
    -------
    tuple of (float, float)
        For each group: capacity of a node [MB], and capacity that the job needs on all nodes together, including the
        free space [MB]. A job fits n nodes if n x capacity of a node >= needed capacity, for every group.
    """
    disk_mb = 0.0 if instance.disk_size_gb is None else instance.disk_size_gb.value * MB_PER_GB
    local_mb = instance.disk_count.value * disk_mb
    kept_mb, scratch_mb = job.input_output_mb, job.intermediate_mb
    # Data of the node with the most keys, beyond the mean. If one node can hold all data of a group, it holds this too.
    kept_skewed_mb, scratch_skewed_mb = job.skewed_mb

    full = 1.0 - free_space

    def group(per_node_mb: float, needed_mb: float, skewed_mb: float) -> tuple[float, float]:
        one_node_holds_it = needed_mb / full <= per_node_mb
        return (per_node_mb, (needed_mb if one_node_holds_it else needed_mb + skewed_mb) / full)

    if not isinstance(layout, InstanceStore):
        scratch = (group(local_mb, scratch_mb, scratch_skewed_mb),) if scratch_mb > 0.0 else ()
        if isinstance(layout, ObjectStore):
            return scratch
        return (group(layout.count * layout.size_gib * MB_PER_GIB, kept_mb, kept_skewed_mb), *scratch)
    outer_mb = layout.input_output_disks * disk_mb
    if capacity == "pooled" or layout.intermediate_disks == 0:
        per_node_mb = local_mb if capacity == "pooled" else outer_mb
        return (group(per_node_mb, kept_mb + scratch_mb, kept_skewed_mb + scratch_skewed_mb),)
    return (
        group(outer_mb, kept_mb, kept_skewed_mb),
        group(layout.intermediate_disks * disk_mb, scratch_mb, scratch_skewed_mb),
    )


def nodes_needed(groups_mb: tuple[tuple[float, float], ...], replicas: int) -> int:
    """Return the fewest nodes with enough capacity for a job.

    The data must fit in every group of `capacity_groups_mb`. Each copy of a block must be on a different node.

    Examples
    --------
    >>> nodes_needed(((6400e3, 300e6),), replicas=1)
    47
    """
    fewest = max(1, replicas)
    for per_node_mb, needed_mb in groups_mb:
        nodes = max(1, math.ceil(needed_mb / per_node_mb))
        # The quotient may round across a whole number: the test is whether n nodes hold the data.
        while nodes > 1 and (nodes - 1) * per_node_mb >= needed_mb:
            nodes -= 1
        while nodes * per_node_mb < needed_mb:
            nodes += 1
        fewest = max(fewest, nodes)
    return fewest


def fewest_nodes(layout: Layout, instance: InstanceType, workload: Workload) -> int:
    """Return the fewest nodes that hold a job's data within the limits of its workload.

    All copies of a block are on different nodes, the required free space stays empty, and all copies still fit after
    the loss of `Limits.lost_nodes` nodes.

    Parameters
    ----------
    layout, instance
        The layout must fit the instance (`check_layout`).
    workload : Workload
        Workload with the replication factor that applies at that number of nodes (`Workload.by_replication`).
    """
    job, capacity = workload.job, workload.assume.capacity
    replicas, lost = job.durability.replicas, workload.survived_losses
    groups = capacity_groups_mb(layout, instance, job, capacity, workload.limits.free_space)
    fewest = nodes_needed(groups, replicas + lost)
    if lost:
        fewest = max(fewest, nodes_needed(capacity_groups_mb(layout, instance, job, capacity), replicas) + lost)
    return fewest


def provided_mb(workload: Workload, nodes: Quantity) -> Quantity:
    """Return the total size of the EBS volumes that a workload requires for its data and limits [MB].

    Parameters
    ----------
    workload : Workload
        Workload with the replication factor that applies at those numbers of nodes.
    nodes : float or array, shape (n,)
        Whole numbers.
    """
    job = workload.job
    held_mb = job.input_output_mb + np.where(np.asarray(nodes) > 1.0, job.skewed_mb[0], 0.0)
    provided = held_mb / (1.0 - workload.limits.free_space)
    return provided if isinstance(nodes, np.ndarray) else float(provided)


def smallest_volume_gib(workload: Workload, volume: VolumeType, count: int, nodes: Quantity) -> Quantity:
    """Return the smallest volume size that is enough for input and output [GiB].

    The size is a whole number. Each node has ``count`` volumes of this size. The size may exceed what the volume type
    allows; `check_layout` reports that.

    Parameters
    ----------
    workload : Workload
        Workload with the replication factor that applies at those numbers of nodes.
    volume : VolumeType
    count : int
        Number of volumes of one node.
    nodes : float or array, shape (n,)
        Whole numbers.
    """
    # One code path for one size and for many: a search asks for hundreds of thousands of sizes.
    counts = np.atleast_1d(np.asarray(nodes, dtype=np.float64))
    held_mb = np.asarray(provided_mb(workload, counts))
    size_gib = np.maximum(volume.limits.smallest_gib.value, np.ceil(held_mb / (counts * count * MB_PER_GIB)))
    # The quotient may round across a whole number: the test is whether the volumes hold the data.
    smallest = volume.limits.smallest_gib.value
    while (over := (size_gib > smallest) & (counts * (count * (size_gib - 1.0) * MB_PER_GIB) >= held_mb)).any():
        size_gib[over] -= 1.0
    while (short := counts * (count * size_gib * MB_PER_GIB) < held_mb).any():
        size_gib[short] += 1.0
    return size_gib if isinstance(nodes, np.ndarray) else float(size_gib[0])
