"""Configurations: layouts, capacity, and the resources of each node."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import numpy as np

from stowage.model.figure import Figure
from stowage.model.hardware.catalogue import VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.resource import Line, Resource
from stowage.model.hardware.volume import Volume
from stowage.model.hardware.volume import check as check_volume
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.flows import INTERMEDIATE, READS, WRITES, Role
from stowage.model.jobs.framework import Framework, busy_share
from stowage.model.jobs.workload import Job, Workload
from stowage.model.sizes import MB_PER_GB, MB_PER_GIB, MB_PER_MIB
from stowage.model.units import Quantity, longer

StorageKind = Literal["instance-store", "ebs", "object-store"]
Channel = Literal[
    "network", "storage", "EBS link", "EBS volumes", "object store", "CPU", "data link", "framework", "launch"
]
"""Group of resources whose rates come from one source and vary together."""

OBJECT_STORE_MB_PER_S_PER_VCPU = Figure(
    quantity="object_store_mb_per_s_per_vcpu",
    value=85.0,
    unit="MB/s per vCPU",
    source=(
        "Amazon S3 user guide, performance guidelines: one request moves 85 to 90 MB/s; one request under way for each "
        "vCPU is assumed"
    ),
    kind="estimated",
    as_of=date(2026, 11, 20),
)
"""Default rate of a node to and from the object store, used without a measurement; its network is a limit too."""

MOST_VOLUMES = Figure(
    quantity="most_volumes",
    value=28.0,
    unit="1",
    source=(
        "EC2 user guide, volume limits: most types take 28 attachments; network interfaces and instance-store disks "
        "count on some, and the root volume always. The default where a catalogue knows no better"
    ),
    kind="published",
    as_of=date(2026, 11, 20),
)

LINK_BURST_S = 1_800.0
"""Minimum time for which an EBS link sustains its maximum in 24 hours [s] (EC2 user guide, EBS optimization)."""


@dataclass(frozen=True, slots=True)
class InstanceStore:
    """All data on the instance's own disks, divided between two uses.

    Parameters
    ----------
    input_output_disks : int
        Disks for input and output; at least 1.
    intermediate_disks : int
        Disks for intermediate data; 0 if it shares the other disks, or if there is no intermediate data.
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
    iops : int or None
        Provisioned IOPS of each volume, for types that support them [1/s].
    throughput_mib_per_s : int or None
        Provisioned throughput of each volume, for types that support it [MiB/s].
    first_read_mib_per_s : float or None
        For volumes restored from a snapshot: rate of the first read of each volume [MiB/s]; None for volumes that
        are new or were read before. AWS publishes no figure.
    """

    volume_type: str
    size_gib: int
    count: int
    iops: int | None = None
    throughput_mib_per_s: int | None = None
    first_read_mib_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """Input and output in the object store, intermediate data on the instance's own disks."""


Layout = InstanceStore | Ebs | ObjectStore


@dataclass(frozen=True, slots=True)
class Configuration:
    """One candidate: instance type x node count x storage layout."""

    instance: str
    nodes: int
    layout: Layout


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of a node's parts: floats, or arrays with one value for each configuration.

    Parameters
    ----------
    network : float or array, or None
        In each direction [MB/s]; None if unlimited.
    network_baseline, network_credit : float or array
        Rate that the network falls back to [MB/s] once the credit [MB] is used; None for a network that never does.
    flows_between_nodes : float or array, or None
        Total rate of one flow to each of the other nodes [MB/s]; None if the network was measured.
    input_output_disks, intermediate_disks : float or array, or None
        [MB/s]; with ``shares_disks`` the first are all disks.
    shares_disks : bool
    disk_iops : float or array, or None
        Random IOPS of the input/output disks [1/s].
    input_output_writes, intermediate_writes, disk_write_iops : float or array, or None
        The same for writes, if reads and writes were measured separately: the rates above are then those of
        reads. None if one rate holds for both [MB/s], [1/s].
    ebs_read, ebs_write : float or array, or None
        Measured rates of the EBS link [MB/s].
    ebs_maximum, ebs_baseline : float or array, or None
        Published rates of the EBS link, used without a measurement [MB/s].
    ebs_maximum_iops, ebs_baseline_iops : float or array, or None
        The same in IOPS [1/s].
    volumes : tuple of Line
        Lines of all volumes of a node together.
    volume_count : float or array
    object_store : float or array, or None
        [MB/s].
    outside : float or array, or None
        Rate of one node to and from places outside its region, each way [MB/s]; None if the job has no such data.
    link_in, link_out : float or None
        Rate of the link to data elsewhere, shared by all nodes, in each direction [MB/s]; None if it is unused.
    copies_objects : bool
        Whether the job copies data from and to the object store, and works on disks or volumes.
    cpu : float or array, or None
        [MB/s].
    random_io_mb : float
        Size of a random I/O [MB].
    credits : float
        Fill level of the EBS link's burst bucket at the start [1].
    """

    network: Quantity | None = None
    network_baseline: Quantity | None = None
    network_credit: Quantity = 0.0
    flows_between_nodes: Quantity | None = None
    input_output_disks: Quantity | None = None
    intermediate_disks: Quantity | None = None
    shares_disks: bool = False
    disk_iops: Quantity | None = None
    input_output_writes: Quantity | None = None
    intermediate_writes: Quantity | None = None
    disk_write_iops: Quantity | None = None
    ebs_read: Quantity | None = None
    ebs_write: Quantity | None = None
    ebs_maximum: Quantity | None = None
    ebs_baseline: Quantity | None = None
    ebs_maximum_iops: Quantity | None = None
    ebs_baseline_iops: Quantity | None = None
    volumes: tuple[Line, ...] = ()
    volume_count: Quantity = 1.0
    object_store: Quantity | None = None
    outside: Quantity | None = None
    link_in: float | None = None
    link_out: float | None = None
    copies_objects: bool = False
    cpu: Quantity | None = None
    random_io_mb: float = 16 * MB_PER_MIB / 1024.0
    credits: float = 1.0


def storage_kind(layout: Layout) -> StorageKind:
    """Return the kind of storage of a layout, as users write it."""
    if isinstance(layout, InstanceStore):
        return "instance-store"
    return "ebs" if isinstance(layout, Ebs) else "object-store"


def channel(resource: str) -> Channel:
    """Return the channel that a resource belongs to.

    Examples
    --------
    >>> [channel(name) for name in ("network out", "shared disks", "EBS link")]
    ['network', 'storage', 'EBS link']
    """
    if resource.startswith("network"):
        return "network"
    if resource.endswith("disks"):
        return "storage"
    return _NAMED[resource]


_NAMED: Mapping[str, Channel] = {
    "EBS link": "EBS link",
    "EBS volumes": "EBS volumes",
    "object store": "object store",
    "CPU": "CPU",
    "link to the data": "data link",
    "framework": "framework",
    "launch": "launch",
}


def divisions(disk_count: int, *, intermediate: bool = True) -> tuple[InstanceStore, ...]:
    """List every division of a node's disks: 1 + (d-1) ... (d-1) + 1; a single disk is shared.

    ``intermediate`` is whether the job has intermediate data; without it, all disks hold input and output.

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
    """Return the most data volumes of a node: AWS counts the root volume among the attachments.

    Examples
    --------
    >>> from stowage.model.hardware.catalogue import instance_type
    >>> plain = {name: Figure(name, 1.0, "1", "made up", "given") for name in ("vcpus", "memory_gib", "disk_count")}
    >>> data_volumes(instance_type("m9.large", plain, disk_media=None, placement_group=True, gaps={}))
    27
    """
    return max(0, int((instance.most_volumes or MOST_VOLUMES).value) - 1)


def check_layout(layout: Layout, instance: InstanceType, volume: VolumeType | None, job: Job) -> Infeasible | None:
    """Check whether a layout is possible on an instance type; return the obstacle, or None."""
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
    """Return the volume that a layout orders; with another size, or an array of sizes [GiB], if given."""
    return Volume(
        volume.limits,
        float(layout.size_gib) if size_gib is None else size_gib,
        None if layout.iops is None else float(layout.iops),
        None if layout.throughput_mib_per_s is None else float(layout.throughput_mib_per_s),
        nitro=nitro,
    )


def capacity_groups_mb(
    layout: Layout, instance: InstanceType, job: Job, capacity: Literal["divided", "pooled"], free_space: float = 0.0
) -> tuple[tuple[float, float], ...]:
    """Return the capacity per node and the capacity needed in all, for each group of disks or volumes.

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
        (capacity per node [MB], capacity needed in all, with the free space [MB]) of each group: n nodes hold the
        job if n x per node >= needed for every group.
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
    """Return the fewest nodes that hold every group, with each copy on a node of its own.

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
    """Return the fewest nodes that hold a job within its limits.

    Each copy is on a node of its own, the required free space stays empty, and all copies still fit after the
    loss of `Limits.lost_nodes` nodes.

    Parameters
    ----------
    layout, instance
        The layout must fit the instance (`check_layout`).
    workload : Workload
        With the replication factor that applies at that number of nodes (`Workload.by_replication`).
    """
    job, capacity = workload.job, workload.assume.capacity
    replicas, lost = job.durability.replicas, workload.survived_losses
    groups = capacity_groups_mb(layout, instance, job, capacity, workload.limits.free_space)
    fewest = nodes_needed(groups, replicas + lost)
    if lost:
        fewest = max(fewest, nodes_needed(capacity_groups_mb(layout, instance, job, capacity), replicas) + lost)
    return fewest


def provided_mb(workload: Workload, nodes: Quantity) -> Quantity:
    """Return the total size of EBS volumes that the data and the limits of a workload require [MB].

    Parameters
    ----------
    workload : Workload
        With the replication factor that applies at those numbers of nodes.
    nodes : float or array, shape (n,)
        Whole numbers.
    """
    job = workload.job
    held_mb = job.input_output_mb + np.where(np.asarray(nodes) > 1.0, job.skewed_mb[0], 0.0)
    provided = held_mb / (1.0 - workload.limits.free_space)
    return provided if isinstance(nodes, np.ndarray) else float(provided)


def smallest_volume_gib(workload: Workload, volume: VolumeType, count: int, nodes: Quantity) -> Quantity:
    """Return the smallest whole size of ``count`` volumes a node that hold input and output [GiB].

    It may be larger than the volume type allows: `check_layout` reports that.

    Parameters
    ----------
    workload : Workload
        With the replication factor that applies at those numbers of nodes.
    volume : VolumeType
    count : int
        Volumes of a node.
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


def node_resources(rates: Rates, framework: Framework, cache_mb: Quantity = 0.0) -> tuple[Resource, ...]:
    """List the resources of one node, in the order that decides a tie for the bottleneck.

    Parameters
    ----------
    rates : Rates
    framework : Framework
        Its efficiencies reduce rates, not credits: lost time spends no credit.
    cache_mb : float or array
        Output that the page cache takes before the writer waits for the disks [MB].

    Notes
    -----
    **Source**: SoCC 2015 paper, section 3.3.3 (EBS for input and output, local disks between). The link to
    EBS is half-duplex: its reads and writes add up. The object store is reached over the network.
    """
    resources: list[Resource] = []
    if rates.network is not None:
        remote_store = rates.object_store is not None and not rates.copies_objects
        outwards = (Role.NETWORK_OUT, Role.OUTPUT_WRITE if remote_store else Role.UNLOADED, Role.DELIVERED)
        inwards = (Role.NETWORK_IN, Role.INPUT_READ if remote_store else Role.LOADED, Role.FETCHED)
        resources += [
            Resource("network out", _network(rates.network, rates, outwards)),
            Resource("network in", _network(rates.network, rates, inwards)),
        ]
    storage = _input_output(rates, framework)
    if not isinstance(cache_mb, float) or cache_mb > 0.0:
        storage = [_buffered(resource, cache_mb) for resource in storage]
    resources += storage
    if rates.intermediate_disks is not None:
        disks = Resource("intermediate disks", (_disks(rates.intermediate_disks, rates.intermediate_writes, _INNER),))
        resources.append(_driven(disks, framework))
    if rates.cpu is not None:
        resources.append(_single("CPU", rates.cpu, Role.CPU))
    slowed = []
    for resource in resources:
        slower = framework.slower(channel(resource.name))
        slowed.append(resource if slower == 1.0 else resource.slowed(slower))
    # The user states the rate of this link end to end: no framework efficiency applies.
    links = ((rates.link_in, Role.LINK_IN), (rates.link_out, Role.LINK_OUT))
    shared = tuple(Line(rate, {role: 1.0}) for rate, role in links if rate is not None)
    return (*slowed, Resource("link to the data", shared)) if shared else tuple(slowed)


_OUTER = (Role.INPUT_READ, Role.OUTPUT_WRITE)
_INNER = INTERMEDIATE
_RANDOM = (Role.RANDOM_READ, Role.RANDOM_WRITE)
_MERGED_MB = 256.0 / 1_024.0 * MB_PER_MIB
"""Size to which sequential I/Os are merged on their way to a volume [MB] (EBS user guide, I/O characteristics)."""


def _input_output(rates: Rates, framework: Framework) -> list[Resource]:
    """List the resources of input and output: EBS volumes and link, the object store, or the node's own disks."""
    found: list[Resource] = []
    if rates.ebs_read is not None and rates.ebs_write is not None:
        ratio = rates.ebs_read / rates.ebs_write
        reads: dict[Role, Quantity] = {Role.INPUT_READ: 1.0, Role.RANDOM_READ: 1.0}
        weights = reads | {Role.OUTPUT_WRITE: ratio, Role.RANDOM_WRITE: ratio}
        found.append(Resource("EBS link", (Line(rates.ebs_read, weights),)))
    elif rates.ebs_maximum is not None and rates.ebs_baseline is not None:
        lines = _with_burst(
            rates.ebs_maximum, rates.ebs_baseline, rates.credits, dict.fromkeys((*_OUTER, *_RANDOM), 1.0)
        )
        if rates.ebs_maximum_iops is not None and rates.ebs_baseline_iops is not None:
            ios = dict.fromkeys(_OUTER, 1.0 / _MERGED_MB) | dict.fromkeys(_RANDOM, 1.0 / rates.random_io_mb)
            lines += _with_burst(rates.ebs_maximum_iops, rates.ebs_baseline_iops, rates.credits, ios)
        found.append(Resource("EBS link", lines))
    if rates.volumes:
        found.append(_driven(Resource("EBS volumes", rates.volumes), framework, rates.volume_count))
    if rates.object_store is not None:
        copied = (Role.LOADED, Role.UNLOADED) if rates.copies_objects else _OUTER
        found.append(_single("object store", rates.object_store, *copied))
    if rates.input_output_disks is not None:
        name, roles = ("shared disks", (*_OUTER, *_INNER)) if rates.shares_disks else ("input/output disks", _OUTER)
        lines = (_disks(rates.input_output_disks, rates.input_output_writes, (*roles, *_RANDOM)),)
        if rates.disk_iops is not None:
            lines += (_disks(rates.disk_iops, rates.disk_write_iops, _RANDOM, rates.random_io_mb),)
        found.append(_driven(Resource(name, lines), framework))
    return found


def _disks(rate: Quantity, written: Quantity | None, roles: tuple[Role, ...], unit_mb: float = 1.0) -> Line:
    """Return the line of disks with one rate for all I/O, or with a read and a write rate whose times add up.

    Two rates make a line in seconds: the weight of a flow is the time that the disks need for one MB of it. A line
    with the read rate, where written bytes weigh read/write, gives the same time. But for a flow that only writes,
    the read rate, which cancels out, would change the last digits.
    """
    if written is None:
        return Line(rate, dict.fromkeys(roles, 1.0 / unit_mb))
    read_s, written_s = 1.0 / (rate * unit_mb), 1.0 / (written * unit_mb)
    return Line(1.0, {role: written_s if role in WRITES else read_s for role in roles})


def _single(name: str, rate: Quantity, *roles: Role) -> Resource:
    return Resource(name, (Line(rate, dict.fromkeys(roles, 1.0)),))


def _network(peak: Quantity, rates: Rates, roles: tuple[Role, Role, Role]) -> tuple[Line, ...]:
    """Return the network lines of one direction: between nodes, to the object store, and out of the region."""
    between, _, outside = roles
    weights: dict[Role, Quantity] = dict.fromkeys(roles, 1.0)
    lines: tuple[Line, ...] = (Line(peak, weights),)
    if rates.network_baseline is not None:
        credit = rates.network_credit * rates.credits
        lines += (Line(rates.network_baseline, weights, credit, rates.network_credit),)
    if rates.flows_between_nodes is not None:
        lines += (Line(rates.flows_between_nodes, {between: 1.0}),)
    if rates.outside is not None:
        lines += (Line(rates.outside, {outside: 1.0}),)
    return lines


def _with_burst(
    maximum: Quantity, baseline: Quantity, credits_left: float, weights: Mapping[Role, Quantity]
) -> tuple[Line, ...]:
    """Return the two lines of an EBS link: its maximum, and its baseline with 30 minutes of credit."""
    full = longer(maximum - baseline, 0.0) * LINK_BURST_S
    return (Line(maximum, weights), Line(baseline, weights, full * credits_left, full))


def _driven(resource: Resource, framework: Framework, channels: Quantity = 1.0) -> Resource:
    """Return disks or volumes at the rates that a framework reaches, by direction and by its number of streams."""
    read = 1.0 if framework.read_efficiency is None else framework.read_efficiency.value
    write = 1.0 if framework.write_efficiency is None else framework.write_efficiency.value
    busy: Quantity = 1.0 if framework.streams is None else busy_share(framework.streams.value, channels)
    if read == write == 1.0 and framework.streams is None:
        return resource
    reached = dict.fromkeys(READS, read * busy) | dict.fromkeys(WRITES, write * busy)
    return replace(
        resource,
        lines=tuple(
            replace(line, weights={role: weight / reached[role] for role, weight in line.weights.items()})
            if isinstance(line.full, float) and line.full == 0.0
            else line
            for line in resource.lines
        ),
    )


def _buffered(resource: Resource, cache_mb: Quantity) -> Resource:
    """Return a resource with the page cache in front of it: a credit on each line that output loads, in its unit."""
    return replace(
        resource,
        lines=tuple(
            replace(line, credit=line.credit + line.weights[Role.OUTPUT_WRITE] * cache_mb)
            if Role.OUTPUT_WRITE in line.weights
            else line
            for line in resource.lines
        ),
    )
