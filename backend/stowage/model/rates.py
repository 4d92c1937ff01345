"""Rates of a node's network, disks, volumes and CPUs.

From these rates, the module builds the resources of the node: for each, the limits that apply to its flows. A line
(`resource.Line`) is one such limit.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Literal

from stowage.frozen import frozen
from stowage.model.figure import Number, value_of
from stowage.model.hardware.resource import Line, Resource
from stowage.model.jobs.flows import INTERMEDIATE, READS, WRITES, Role
from stowage.model.jobs.framework import Framework, busy_share
from stowage.model.sizes import MB_PER_MIB
from stowage.model.units import Quantity, longer

Channel = Literal[
    "network", "storage", "EBS link", "EBS volumes", "object store", "CPU", "data link", "framework", "launch"
]
"""Group of resources whose rates come from one source and vary together."""

OBJECT_STORE_MB_PER_S_PER_VCPU = Number("object_store_mb_per_s_per_vcpu", 85.0, "MB/s per vCPU").estimated(
    "Amazon S3 user guide, performance guidelines: one request moves 85 to 90 MB/s; one request under way for each "
    "vCPU is assumed",
    date(2026, 11, 20),
)
"""Default rate of a node to and from the object store, used without a measurement; its network is a limit too."""

LINK_BURST_S = 1_800.0
"""Minimum time for which an EBS link sustains its maximum in 24 hours [s] (EC2 user guide, EBS optimization)."""


@frozen
class Rates:
    """Rates of a node's network, disks, volumes and CPUs.

    Each rate is a float, or an array with one value for each configuration.
    """

    network: Quantity | None = None
    """Network rate in each direction [MB/s]; None if unlimited."""
    network_baseline: Quantity | None = None
    """Network rate after the network credit is used [MB/s]; None for a network without a baseline."""
    network_credit: Quantity = 0.0
    """Data that passes before the network falls back to its baseline [MB]."""
    flows_between_nodes: Quantity | None = None
    """Total rate of a node that has one flow to each of the other nodes [MB/s]; None if the network was measured."""
    input_output_disks: Quantity | None = None
    """Rate of the disks for input and output [MB/s]. If `shares_disks` is true, these are all disks."""
    intermediate_disks: Quantity | None = None
    """Rate of the disks for intermediate data [MB/s]."""
    shares_disks: bool = False
    disk_iops: Quantity | None = None
    """Random IOPS of the input/output disks [1/s]."""
    input_output_writes: Quantity | None = None
    """Write rate of the disks for input and output [MB/s], if reads and writes were measured separately;
    `input_output_disks` is then a read rate. None if one rate applies to both reads and writes."""
    intermediate_writes: Quantity | None = None
    """Write rate of the disks for intermediate data [MB/s], if reads and writes were measured separately;
    `intermediate_disks` is then a read rate. None as for `input_output_writes`."""
    disk_write_iops: Quantity | None = None
    """Random write IOPS of the input/output disks [1/s]; `disk_iops` then applies to reads only. None if it applies to
    both."""
    ebs_read: Quantity | None = None
    """Measured rate of the EBS link for reads [MB/s]."""
    ebs_write: Quantity | None = None
    """Measured rate of the EBS link for writes [MB/s]."""
    ebs_maximum: Quantity | None = None
    """Published rate of the EBS link for a limited time, used if the link was not measured [MB/s]."""
    ebs_baseline: Quantity | None = None
    """Published sustained rate of the EBS link, used if the link was not measured [MB/s]."""
    ebs_maximum_iops: Quantity | None = None
    """Published I/O rate of the EBS link for a limited time, used if the link was not measured [1/s]."""
    ebs_baseline_iops: Quantity | None = None
    """Published sustained I/O rate of the EBS link, used if the link was not measured [1/s]."""
    volumes: tuple[Line, ...] = ()
    """Lines of all volumes of a node together."""
    volume_count: Quantity = 1.0
    """Number of volumes of a node, at least 1."""
    object_store: Quantity | None = None
    """Rate between a node and the object store [MB/s], above 0."""
    outside: Quantity | None = None
    """Rate of one node in each direction to and from places outside its region [MB/s]; None if the job moves no data to
    or from such places."""
    link_in: float | None = None
    """Rate into AWS of the link to a place outside AWS, which all nodes share [MB/s]; None if no data moves in this
    direction."""
    link_out: float | None = None
    """Rate out of AWS of the link to a place outside AWS, which all nodes share [MB/s]; None if no data moves in this
    direction."""
    copies_objects: bool = False
    """Whether the job works on disks or volumes, and copies data between these and the object store."""
    cpu: Quantity | None = None
    """Processing rate of all vCPUs of a node [MB/s], above 0."""
    random_io_mb: float = 16 * MB_PER_MIB / 1024.0
    """Size of a random I/O [MB]."""
    credits: float = 1.0
    """Fill level of the EBS link's burst bucket at the start [1]."""


def channel(resource: str) -> Channel:
    """Return the channel of a resource.

    A channel is a group of resources with a common uncertainty and efficiency.

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


def node_resources(rates: Rates, framework: Framework, cache_mb: Quantity = 0.0) -> tuple[Resource, ...]:
    """List the resources of one node.

    If resources tie for the bottleneck, the first in this order is the bottleneck.

    Parameters
    ----------
    rates : Rates
    framework : Framework
        Framework whose efficiencies reduce rates, but not credits: lost time spends no credit.
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
        slowed.append(resource if isinstance(slower, float) and slower == 1.0 else resource.slowed(slower))
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
    """List the resources of input and output.

    They are EBS volumes and the EBS link, the object store, or the node's own disks.
    """
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
    """Return the line (limit) of the node's own disks.

    There is one rate for all I/O, or a read and a write rate whose times add up. With two rates, the unit of the line
    is the second, and the weight of a flow is the time that the disks need for one MB of it. With the MB as unit, write
    times would be divided by the read rate and multiplied by it again, which changes the last digits.
    """
    if written is None:
        return Line(rate, dict.fromkeys(roles, 1.0 / unit_mb))
    read_s, written_s = 1.0 / (rate * unit_mb), 1.0 / (written * unit_mb)
    return Line(1.0, {role: written_s if role in WRITES else read_s for role in roles})


def _single(name: str, rate: Quantity, *roles: Role) -> Resource:
    return Resource(name, (Line(rate, dict.fromkeys(roles, 1.0)),))


def _network(peak: Quantity, rates: Rates, roles: tuple[Role, Role, Role]) -> tuple[Line, ...]:
    """Return the lines (limits) of the network in one direction.

    Flows have three roles: traffic between nodes, with the object store, and with places outside the region.
    """
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
    """Return the two lines (limits) of an EBS link.

    The first is its maximum. The second is its baseline, with a burst credit of 30 minutes.
    """
    full = longer(maximum - baseline, 0.0) * LINK_BURST_S
    return (Line(maximum, weights), Line(baseline, weights, full * credits_left, full))


def _driven(resource: Resource, framework: Framework, channels: Quantity = 1.0) -> Resource:
    """Return disks or volumes with the rates that a framework reaches.

    Reads and writes may have different efficiencies. A framework with few concurrent requests keeps only a share of the
    ``channels`` disks or volumes busy.
    """
    if framework.read_efficiency is framework.write_efficiency is framework.streams is None:
        return resource
    read, write = value_of(framework.read_efficiency, 1.0), value_of(framework.write_efficiency, 1.0)
    busy: Quantity = 1.0 if framework.streams is None else busy_share(framework.streams.value, channels)
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
    """Return a resource behind the page cache.

    The cache acts as additional burst credit of each line (limit) that applies to output. The cache size is converted
    to the unit of each line.
    """
    return replace(
        resource,
        lines=tuple(
            replace(line, credit=line.credit + line.weights[Role.OUTPUT_WRITE] * cache_mb)
            if Role.OUTPUT_WRITE in line.weights
            else line
            for line in resource.lines
        ),
    )
