"""A configuration, what it can hold, and the resources that each of its nodes offers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from stowage.model.figure import Figure
from stowage.model.infeasible import Infeasible
from stowage.model.instance import InstanceType, VolumeType
from stowage.model.resource import Line, Resource
from stowage.model.units import MB_PER_GB, MB_PER_GIB, Quantity
from stowage.model.workload import Job, Role

StorageKind = Literal["instance-store", "ebs"]

CPU_MB_PER_S_PER_VCPU = Figure(
    quantity="cpu_mb_per_s_per_vcpu",
    value=100.0,
    unit="MB/s per vCPU",
    source=(
        "Default where nothing is known of the job's code. In the paper's DiskBench c3.large moved 104 MB/s per "
        "vCPU; its 178-node sort ran phase 2 at 45 MB/s per vCPU without being limited by CPU (section 5.1)"
    ),
    kind="estimated",
    as_of=date(2015, 8, 27),
)
"""What one vCPU processes, where no framework profile says more."""


@dataclass(frozen=True, slots=True)
class InstanceStore:
    """Everything on the instance's own disks, divided between two uses.

    Parameters
    ----------
    input_output_disks : int
        Disks for input and output; at least 1.
    intermediate_disks : int
        Disks for intermediate data; 0 where it shares the others, as it must with a single disk.
    """

    input_output_disks: int
    intermediate_disks: int


@dataclass(frozen=True, slots=True)
class Ebs:
    """Input and output on EBS volumes, intermediate data on the instance's own disks.

    Parameters
    ----------
    volume_type : str
    size_gib : int
        Size of each volume [GiB].
    count : int
        Volumes attached to each node; at least 1.
    """

    volume_type: str
    size_gib: int
    count: int


Layout = InstanceStore | Ebs


@dataclass(frozen=True, slots=True)
class Configuration:
    """Instance type x node count x storage layout: one candidate answer."""

    instance: str
    nodes: int
    layout: Layout


@dataclass(frozen=True, slots=True)
class Rates:
    """What a node reaches [MB/s]; None where the resource is ignored or not there."""

    storage: Quantity
    network: Quantity | None
    ebs_read: float | None
    ebs_write: float | None
    cpu: float | None


def storage_kind(layout: Layout) -> StorageKind:
    """Name the kind of storage of a layout as users write it."""
    return "ebs" if isinstance(layout, Ebs) else "instance-store"


def divisions(disk_count: int) -> tuple[InstanceStore, ...]:
    """List every division of a node's disks: 1 + (d-1) ... (d-1) + 1; a single disk is shared.

    Examples
    --------
    >>> [(d.input_output_disks, d.intermediate_disks) for d in divisions(4)]
    [(1, 3), (2, 2), (3, 1)]
    """
    if disk_count == 1:
        return (InstanceStore(1, 0),)
    return tuple(InstanceStore(count, disk_count - count) for count in range(1, disk_count))


def check_layout(layout: Layout, instance: InstanceType, volume: VolumeType | None) -> Infeasible | None:
    """Say what is impossible about a layout on an instance type; None where nothing is."""
    disks = instance.disk_count.value
    if disks < 1 or instance.disk_size_gb is None:
        return Infeasible("no disks", f"{instance.name} has no disks of its own", "a type with local disks")
    if isinstance(layout, InstanceStore):
        asked = layout.input_output_disks + layout.intermediate_disks
        if asked > disks:
            return Infeasible(
                "disk division",
                f"{asked} disks are asked of {instance.name}, which has {disks:g}",
                f"at most {disks:g} disks",
            )
    if isinstance(layout, Ebs):
        if volume is None:
            raise ValueError(f"volume type {layout.volume_type} was not looked up")
        smallest, largest = volume.smallest_gib.value, volume.largest_gib.value
        if not smallest <= layout.size_gib <= largest:
            return Infeasible(
                "volume size",
                f"{layout.volume_type} cannot be {layout.size_gib} GiB",
                f"{smallest:g} to {largest:g} GiB a volume",
            )
    return None


def capacity_groups_mb(
    layout: Layout, instance: InstanceType, job: Job, capacity: Literal["divided", "pooled"]
) -> tuple[tuple[float, float], ...]:
    """Pair what each group of disks or volumes of one node holds with what the cluster must put there.

    Parameters
    ----------
    layout, instance, job
        The layout must fit the instance (`check_layout`).
    capacity : {"divided", "pooled"}
        ``pooled`` lets every disk of the node hold anything, as the paper's Table 2 does.

    Returns
    -------
    tuple of (float, float)
        (per node [MB], needed in all [MB]) of each group: n nodes hold the job where
        n x per node >= needed for every group.
    """
    if instance.disk_size_gb is None:
        raise ValueError(f"{instance.name} has no disks")
    disk_mb = instance.disk_size_gb.value * MB_PER_GB
    local_mb = instance.disk_count.value * disk_mb
    if isinstance(layout, Ebs):
        volumes_mb = layout.count * layout.size_gib * MB_PER_GIB
        return ((volumes_mb, job.input_output_mb), (local_mb, job.map_output_mb))
    if capacity == "pooled":
        return ((local_mb, job.input_output_mb + job.map_output_mb),)
    if layout.intermediate_disks == 0:
        return ((layout.input_output_disks * disk_mb, job.input_output_mb + job.map_output_mb),)
    return (
        (layout.input_output_disks * disk_mb, job.input_output_mb),
        (layout.intermediate_disks * disk_mb, job.map_output_mb),
    )


def nodes_needed(groups_mb: tuple[tuple[float, float], ...], replicas: int) -> int:
    """Give the fewest nodes that hold every group and can keep each copy on a node of its own.

    Examples
    --------
    >>> nodes_needed(((6400e3, 300e6),), replicas=1)
    47
    """
    fewest = max(1, replicas)
    for per_node_mb, needed_mb in groups_mb:
        nodes = max(1, math.ceil(needed_mb / per_node_mb))
        # The quotient may round across a whole number: what counts is whether n nodes hold it.
        while nodes > 1 and (nodes - 1) * per_node_mb >= needed_mb:
            nodes -= 1
        while nodes * per_node_mb < needed_mb:
            nodes += 1
        fewest = max(fewest, nodes)
    return fewest


def smallest_volume_gib(job: Job, volume: VolumeType, count: int, nodes: int) -> int:
    """Give the smallest whole size of ``count`` volumes a node that hold input and output [GiB].

    It may be larger than the volume type allows: `check_layout` says so.
    """
    size_gib = max(int(volume.smallest_gib.value), math.ceil(job.input_output_mb / (nodes * count * MB_PER_GIB)))
    while nodes * (count * size_gib * MB_PER_GIB) < job.input_output_mb:
        size_gib += 1
    return size_gib


def node_resources(layout: Layout, instance: InstanceType, rates: Rates) -> tuple[Resource, ...]:
    """List the resources of one node, in the order in which a tie for the bottleneck is decided.

    Parameters
    ----------
    layout : Layout
    instance : InstanceType
    rates : Rates
        ``storage`` is DiskBench's figure, so one disk moves storage / (disks / 2).

    Notes
    -----
    **Source**: SoCC 2015 paper, section 4.2.1 (half the disks read while the other half write),
    3.3.3 (EBS for input and output, local disks between). The link to EBS is half-duplex: its
    reads and writes add up.
    """
    resources: list[Resource] = []
    if rates.network is not None:
        resources.append(_single("network out", rates.network, Role.NETWORK_OUT))
        resources.append(_single("network in", rates.network, Role.NETWORK_IN))
    disk = rates.storage / (instance.disk_count.value / 2.0)
    if isinstance(layout, Ebs):
        if rates.ebs_read is None or rates.ebs_write is None:
            raise ValueError("a layout on EBS needs the rates of the EBS link")
        weights = {Role.INPUT_READ: 1.0, Role.OUTPUT_WRITE: rates.ebs_read / rates.ebs_write}
        resources.append(Resource("EBS link", (Line(rates.ebs_read, weights),)))
        local = instance.disk_count.value * disk
        resources.append(_single("intermediate disks", local, Role.INTERMEDIATE_WRITE, Role.INTERMEDIATE_READ))
    elif layout.intermediate_disks == 0:
        every = (Role.INPUT_READ, Role.OUTPUT_WRITE, Role.INTERMEDIATE_WRITE, Role.INTERMEDIATE_READ)
        resources.append(_single("shared disks", layout.input_output_disks * disk, *every))
    else:
        outer, inner = layout.input_output_disks * disk, layout.intermediate_disks * disk
        resources.append(_single("input/output disks", outer, Role.INPUT_READ, Role.OUTPUT_WRITE))
        resources.append(_single("intermediate disks", inner, Role.INTERMEDIATE_WRITE, Role.INTERMEDIATE_READ))
    if rates.cpu is not None:
        resources.append(_single("CPU", rates.cpu, Role.CPU))
    return tuple(resources)


def _single(name: str, rate: Quantity, *roles: Role) -> Resource:
    weights: Mapping[Role, float] = dict.fromkeys(roles, 1.0)
    return Resource(name, (Line(rate, weights),))
