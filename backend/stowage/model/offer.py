"""Offers: rates, prices and uncertainty of the nodes of a configuration, as plain numbers.

An offer is what the nodes of a configuration offer to a job. Offers are built from `inputs` (figures with sources) and
used by `forecast.evaluate` (arithmetic). Each number is a float for a single configuration, or an array where node
counts, volume sizes or types differ.
"""

from collections.abc import Mapping
from dataclasses import field, replace

from stowage.frozen import frozen
from stowage.model.bought_volumes import Bought, volumes_of
from stowage.model.cluster import Ebs, InstanceStore, Layout
from stowage.model.figure import Figure, value_of
from stowage.model.hardware.profile import ScalingCurve
from stowage.model.hardware.resource import Line, Resource
from stowage.model.inputs import Inputs
from stowage.model.jobs.flows import Nodes, Phase, Role
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Workload
from stowage.model.money.cost import NO_CHARGES, Charges, Prices
from stowage.model.money.price import (
    SECONDS_PER_MONTH,
    absent,
    requests_usd,
    stored_usd,
    traffic_usd,
    volume_io_usd,
)
from stowage.model.money.spot import Spot
from stowage.model.money.terms import SCREENING
from stowage.model.rates import Channel, Rates
from stowage.model.sizes import MB_PER_GIB, MB_PER_MIB
from stowage.model.uncertainty.range import Source, extrapolation_doubt
from stowage.model.uncertainty.scale import slowdown, slowest_deviation
from stowage.model.uncertainty.straggler import NO_STRAGGLERS, SCREENING_S, Stragglers, slowest, slowest_log_deviation
from stowage.model.units import Quantity, is_zero, longer, quantity_of, smaller

COURSES = 20
"""Number of equally likely courses that represent clusters with slow nodes: a chance is exact to 1/40."""

OBJECT_MB = 128 * MB_PER_MIB
"""Data of one request to the object store, as HDFS clients divide objects (128 MiB) [MB]."""


@frozen
class Offer:
    """One offer: rates, prices and uncertainty of the nodes of a configuration.

    It may stand for an array of configurations; fields that differ between them are then arrays.
    """

    rates: Rates
    prices: Prices
    charges: Charges = field(default_factory=Charges)
    """Charges of one run."""
    framework: Framework = IDEAL
    start_s: Quantity = 0.0
    """Time of launch and set-up [s] if it counts as time of the run; else 0, and `prices` include that time."""
    memory_mb: Quantity = 0.0
    """Memory of one node [MB]."""
    vcpus: Quantity = 1.0
    """vCPUs of one node [1]."""
    spot: Spot | None = None
    spreads: Mapping[Channel, Quantity] = field(default_factory=dict)
    """Node-to-node standard deviation of the logarithm of each channel's rate [1]; 0 for a channel that is not a key.
    """
    doubts: Mapping[Channel, tuple[Source, ...]] = field(default_factory=dict)
    repair_mb_per_s: Quantity = 1.0
    """Rate at which a surviving node re-replicates lost copies [MB/s]."""
    courses: tuple["Offer", ...] = ()
    """For workloads with slow nodes: equally likely offers, with the slowest node at different quantiles. The time of
    many nodes, a few of which are slow, has a distribution with two peaks, which a standard deviation cannot describe.
    """


def offer_of(
    inputs: Inputs,
    layout: Layout,
    workload: Workload,
    nodes: Quantity,
    volume_gib: Quantity | None = None,
    *,
    quantile: float | None = None,
) -> Offer:
    """Build an offer from figures.

    The offer is for one configuration, or for an array of configurations.

    Parameters
    ----------
    inputs : Inputs
    layout : Layout
        Layout, which must fit the instance type.
    workload : Workload
    nodes : float or array, shape (n,)
    volume_gib : float or array, shape (n,), optional
        Size of each volume [GiB], if it depends on the node count; None for the size in the layout.
    quantile : float, optional
        Quantile of the slowest node, in (0, 1). None for the median; if the workload has slow nodes, the offer then
        also has `courses`: equally likely offers at different quantiles.
    """
    bought = volumes_of(inputs, layout, workload, volume_gib)
    rates = _rates(inputs, layout, workload, nodes, bought, 0.5 if quantile is None else quantile)
    courses: tuple[Offer, ...] = ()
    if quantile is None and workload.stragglers is not None:
        places = ((place + 0.5) / COURSES for place in range(COURSES))
        courses = tuple(offer_of(inputs, layout, workload, nodes, volume_gib, quantile=place) for place in places)
    return Offer(
        rates=rates,
        prices=_prices(inputs, workload, bought),
        charges=_charges(inputs, workload, nodes, rates),
        framework=inputs.framework,
        start_s=value_of(inputs.launch) if workload.assume.launch == "counted" else 0.0,
        memory_mb=inputs.instance.memory_gib.value * MB_PER_GIB,
        vcpus=inputs.instance.vcpus.value,
        spot=None
        if inputs.interruptions is None
        else Spot(inputs.interruptions.value, inputs.framework.recovery, value_of(inputs.launch)),
        spreads=_spreads(inputs, workload, nodes),
        doubts=_doubts(inputs, nodes),
        repair_mb_per_s=repair_mb_per_s(rates),
        courses=courses,
    )


def timed_offer(inputs: Inputs, layout: Layout, workload: Workload, nodes: Quantity) -> Offer:
    """Build an offer for times only: without prices, charges and uncertainty.

    The parameters are those of `offer_of`. Its rates are those of `offer_of` with the quantile 0.5.
    """
    return Offer(
        rates=_rates(inputs, layout, workload, nodes, volumes_of(inputs, layout, workload), 0.5),
        prices=_FREE,
        framework=inputs.framework,
        memory_mb=inputs.instance.memory_gib.value * MB_PER_GIB,
        vcpus=inputs.instance.vcpus.value,
    )


_FREE = Prices(0.0, 0.0, launch_s=0.0, minimum_billed_s=0.0)


def emptied(offered: Offer) -> Offer:
    """Return the offer with empty burst buckets.

    The result equals that of `offer_of` for a workload with credits of 0, but has no `courses`.
    """
    rates = offered.rates
    volumes = tuple(Line(line.rate, line.weights, 0.0, line.full) for line in rates.volumes)
    return replace(offered, rates=replace(rates, credits=0.0, volumes=volumes), courses=())


def _spreads(inputs: Inputs, workload: Workload, nodes: Quantity) -> dict[Channel, Quantity]:
    """Return the node-to-node spread of the rates of each channel."""
    # If the workload has slow nodes, the courses contain all differences between nodes.
    if workload.stragglers is not None:
        return {}
    late = _Late.of(workload)
    return {
        "storage": late.spread(inputs.storage_spread, nodes),
        "EBS link": late.spread(inputs.ebs_spread, nodes),
    }


def _doubts(inputs: Inputs, nodes: Quantity) -> dict[Channel, tuple[Source, ...]]:
    """Return the doubts of the rates of each channel.

    A doubt is one reason why a rate is uncertain. The network has a further doubt if the cluster size was not measured.
    """
    doubts: dict[Channel, tuple[Source, ...]] = {}
    for name, reason, figure in inputs.doubts:
        doubts[name] = (*doubts.get(name, ()), Source(reason, figure.value))
    if inputs.extrapolation is not None and isinstance(inputs.network, ScalingCurve):
        measured = tuple(point.cluster_nodes for point in inputs.network.points if point.cluster_nodes is not None)
        doubt = extrapolation_doubt(nodes, measured, inputs.extrapolation.value)
        doubts["network"] = (*doubts.get("network", ()), Source("cluster size not measured", doubt))
    return doubts


def _rates(
    inputs: Inputs, layout: Layout, workload: Workload, nodes: Quantity, bought: Bought | None, quantile: float
) -> Rates:
    job, instance, late = workload.job, inputs.instance, _Late.of(workload, quantile)
    disks = _disks(inputs, layout, workload, nodes, late)
    network, credit = _network(inputs, nodes)
    random_io_kib = 16.0 if job.random_io_kib is None else job.random_io_kib
    volumes = () if bought is None else _Late.of_volumes(workload, layout, quantile).slowed(bought.lines, nodes)
    object_store = None
    if inputs.object_store is not None:
        per_vcpu = instance.vcpus.value if inputs.object_store.unit == "MB/s per vCPU" else 1.0
        object_store = inputs.object_store.value * per_vcpu
    return Rates(
        network=network,
        network_baseline=None if inputs.network_baseline is None else inputs.network_baseline.value,
        network_credit=credit,
        # One flow to each of the other nodes; a single node has one flow to its client.
        flows_between_nodes=None if inputs.single_flow is None else longer(nodes - 1.0, 1.0) * inputs.single_flow.value,
        input_output_disks=disks.outer.rate,
        intermediate_disks=disks.inner.rate,
        shares_disks=disks.shared,
        disk_iops=disks.iops.rate,
        input_output_writes=disks.outer.written,
        intermediate_writes=disks.inner.written,
        disk_write_iops=disks.iops.written,
        ebs_read=_slowest(inputs.ebs_read, inputs.ebs_spread, nodes, late),
        ebs_write=_slowest(inputs.ebs_write, inputs.ebs_spread, nodes, late),
        # A limit that AWS enforces has no spread; stragglers of the workload still slow it.
        ebs_maximum=_slowest(inputs.ebs_maximum, None, nodes, late),
        ebs_baseline=_slowest(inputs.ebs_baseline, None, nodes, late),
        ebs_maximum_iops=None if inputs.ebs_maximum_iops is None else inputs.ebs_maximum_iops.value,
        ebs_baseline_iops=None if inputs.ebs_baseline_iops is None else inputs.ebs_baseline_iops.value,
        volumes=volumes,
        volume_count=quantity_of(layout.count) if isinstance(layout, Ebs) else 1.0,
        object_store=object_store,
        outside=_outside(inputs, network),
        link_in=workload.link_in_mb_per_s,
        link_out=workload.link_out_mb_per_s,
        copies_objects=inputs.kind != "object-store",
        cpu=inputs.processed_mb_per_s,
        random_io_mb=random_io_kib * MB_PER_MIB / 1024.0,
        credits=workload.credits,
    )


@frozen
class _Speed:
    """Rates of disks: a single rate for all operations, or a read rate and a write rate."""

    rate: Quantity | None = None
    written: Quantity | None = None

    def of(self, part: Quantity) -> "_Speed":
        """Return the rates of ``part`` times as many disks.

        Both rates are None if ``part`` is 0.
        """
        if is_zero(part) or self.rate is None:
            return _Speed()
        return _Speed(part * self.rate, None if self.written is None else part * self.written)


@frozen
class _Disks:
    outer: _Speed
    inner: _Speed
    iops: _Speed
    shared: bool = False


def _disks(inputs: Inputs, layout: Layout, workload: Workload, nodes: Quantity, late: "_Late") -> _Disks:
    """Return the rates of the disks for input/output data and of the disks for intermediate data."""
    count = inputs.instance.disk_count.value

    def slowest(rate: Figure | None, disks: float) -> Quantity | None:
        found = _slowest(rate, inputs.storage_spread, nodes, late)
        return None if found is None else found / disks

    # DiskBench: half the disks read while the others write, so one disk moves storage / (disks / 2).
    disk = _Speed(slowest(inputs.storage, count / 2.0))
    if inputs.storage is None:
        disk = _Speed(slowest(inputs.storage_read, count), slowest(inputs.storage_write, count))
    if not isinstance(layout, InstanceStore):
        return _Disks(_Speed(), disk.of(count), _Speed())
    iops = _Speed(slowest(inputs.storage_iops, 1.0))
    if inputs.storage_iops is None:
        iops = _Speed(slowest(inputs.storage_read_iops, 1.0), slowest(inputs.storage_write_iops, 1.0))
    return _Disks(
        disk.of(quantity_of(layout.input_output_disks)),
        disk.of(quantity_of(layout.intermediate_disks)),
        iops.of(layout.input_output_disks / count),
        shared=workload.job.intermediate_mb > 0.0 and is_zero(layout.intermediate_disks),
    )


@frozen
class _Late:
    """Assumptions about slow nodes of a cluster.

    ``stragglers`` are slow beyond the usual spread between nodes. ``spares`` is the number of spare nodes. ``quantile``
    is the quantile of the slowest node's time.
    """

    stragglers: Stragglers
    spares: int
    quantile: float

    @classmethod
    def of(cls, workload: Workload, quantile: float = 0.5) -> "_Late":
        """Build the assumptions about slow nodes for the disks and links of a node."""
        nodes = workload.stragglers if workload.straggling == "nodes" else None
        return cls(NO_STRAGGLERS if nodes is None else nodes, workload.spares, quantile)

    @classmethod
    def of_volumes(cls, workload: Workload, layout: Layout, quantile: float = 0.5) -> "_Late":
        """Build the assumptions about slow nodes for EBS volumes.

        If some volumes are slow, a node waits for the slowest of its own volumes.
        """
        stragglers = workload.stragglers
        if stragglers is not None and workload.straggling == "volumes" and isinstance(layout, Ebs):
            stragglers = Stragglers.of_volumes(stragglers.share, stragglers.factor, layout.count)
        return cls(NO_STRAGGLERS if stragglers is None else stragglers, workload.spares, quantile)

    @property
    def plain(self) -> bool:
        return self.spares == 0 and self.stragglers == NO_STRAGGLERS and self.quantile == 0.5

    def slowed(self, volumes: tuple[Line, ...], nodes: Quantity) -> tuple[Line, ...]:
        """Return the lines (limits) of volumes, slowed by stragglers.

        The usual spread does not slow them, since limits that AWS enforces have no spread.
        """
        if self.plain:
            return volumes
        factor = slowest(0.0, nodes, self.quantile, stragglers=self.stragglers, spares=self.spares)
        return Resource("EBS volumes", volumes).slowed(factor).lines

    def spread(self, spread: Figure | None, nodes: Quantity) -> Quantity:
        """Return the node-to-node spread for `range.Ruling`.

        Spare nodes reduce the spread. The slowest of n nodes with the reduced spread varies as much as the slowest of
        the n nodes that remain after the slowest nodes were released.
        """
        if self.spares == 0:
            return value_of(spread)
        return slowest_log_deviation(value_of(spread), nodes, spares=self.spares) / slowest_deviation(nodes)


def _slowest(rate: Figure | None, spread: Figure | None, nodes: Quantity, late: _Late) -> Quantity | None:
    """Return the rate of the slowest node of a cluster.

    All other nodes wait for the slowest node. ``rate`` is the rate of a typical node, and ``spread`` the node-to-node
    spread of a rate that is an average over nodes. A rate that the user gave has no spread. The result is None if the
    rate is unknown.
    """
    if rate is None:
        return None
    if rate.kind == "given":
        spread = None
    if late.plain:
        return rate.value if spread is None else rate.value / slowdown(spread.value, nodes)
    return rate.value / slowest(value_of(spread), nodes, late.quantile, stragglers=late.stragglers, spares=late.spares)


def _network(inputs: Inputs, nodes: Quantity) -> tuple[Quantity | None, Quantity]:
    if inputs.network is None:
        return None, 0.0
    if isinstance(inputs.network, ScalingCurve):
        return inputs.network.rate_mb_per_s(nodes), 0.0
    return inputs.network.value, value_of(inputs.network_credit)


def _outside(inputs: Inputs, network: Quantity | None) -> Quantity | None:
    """Return a node's bandwidth to destinations outside its region [MB/s].

    The result is None if this bandwidth is not a limit.
    """
    if inputs.outside is None or network is None:
        return None
    return inputs.outside.value * network if inputs.outside.unit == "1" else inputs.outside.value


def _prices(inputs: Inputs, workload: Workload, bought: Bought | None) -> Prices:
    return Prices(
        usd_per_hour=inputs.price.value,
        ebs_link_usd_per_hour=value_of(inputs.ebs_link_price),
        launch_s=0.0 if workload.assume.launch == "counted" else value_of(inputs.launch),
        minimum_billed_s=value_of(inputs.minimum_billed),
        volumes_usd_per_month=0.0 if bought is None else bought.usd_per_month,
        emr_usd_per_hour=value_of(inputs.emr_fee),
        head_nodes=0.0 if inputs.head_price is None else 1.0,
        head_usd_per_hour=value_of(inputs.head_price),
        head_emr_usd_per_hour=value_of(inputs.head_emr_fee),
        committed_s=SECONDS_PER_MONTH / workload.runs_per_month if workload.bears_commitment else 0.0,
    )


def _charges(inputs: Inputs, workload: Workload, nodes: Quantity, rates: Rates) -> Charges:
    """Compute the charges of one run.

    These are the charges for requests, storage, traffic, volume I/O, and the screening of spare nodes.
    """
    volume_prices = None if inputs.volume is None else inputs.volume.prices()
    by_io = volume_prices is not None and not absent(volume_prices.usd_per_million_io)
    screened_usd: Quantity = 0.0
    if workload.spares > 0:
        screened_usd = SCREENING.value(
            {
                "spares": float(workload.spares),
                "launch_s": value_of(inputs.launch),
                "screening_s": SCREENING_S.value,
                "nodes": nodes,
                "usd_per_hour": inputs.price.value,
            }
        )
    if inputs.object_prices is None and inputs.between_zones is None and not by_io:
        return NO_CHARGES if workload.spares == 0 else Charges(screening=screened_usd)
    cluster = Nodes(
        nodes,
        inputs.instance.memory_gib.value * MB_PER_GIB,
        inputs.instance.vcpus.value,
        whole_shuffle=workload.assume.shuffle == "whole",
        engine=inputs.framework.engine.even,
    )
    job = workload.job
    # Skew does not change the total of all nodes; n times the flows of the busiest node would be too much.
    flat = replace(workload, job=replace(job, skew=1.0)) if isinstance(job, MapReduce) else workload
    phases = flat.phases(cluster)
    object_store: Quantity = 0.0
    if inputs.object_prices is not None:
        prices = inputs.object_prices.prices()
        read_mb, written_mb = (_moved(phases, role, nodes) for role in workload.object_roles)
        object_store = requests_usd(prices, written_mb, read_mb, OBJECT_MB)
        if workload.kept_s is not None:
            object_store = object_store + stored_usd(prices, written_mb, workload.kept_s, workload.runs_per_month)
    traffic: Quantity = 0.0
    if inputs.between_zones is not None:
        zones = float(workload.place.zones)
        sent_mb = _moved(phases, Role.NETWORK_OUT, nodes)
        traffic = traffic_usd(sent_mb, (zones - 1.0) / zones, inputs.between_zones.value)
    volume_io: Quantity = 0.0
    if volume_prices is not None and by_io:
        # The first line of a volume counts I/Os.
        loads = (rates.volumes[0].load(phase.flows_mb) for phase in phases)
        volume_io = volume_io_usd(volume_prices, sum((load * nodes for load in loads if load is not None), 0.0))
    return Charges(object_store=object_store, traffic=traffic, volume_io=volume_io, screening=screened_usd)


def _moved(phases: tuple[Phase, ...], role: Role, nodes: Quantity) -> Quantity:
    """Compute the total data that all nodes move in flows of one role [MB]."""
    flows = (phase.flows_mb[role] for phase in phases if role in phase.flows_mb)
    return sum((flow_mb * nodes for flow_mb in flows), 0.0)


def repair_mb_per_s(rates: Rates) -> Quantity:
    """Return the sustained rate at which a surviving node re-replicates data [MB/s].

    It is the lowest of the rates of the network, the disks and the volumes.
    """
    moved: Quantity | None = None
    # A surviving node reads the data that it sends, and writes the data that it receives.
    disks = (rates.input_output_disks, rates.input_output_writes)
    for rate in (rates.network, rates.network_baseline, *disks, rates.ebs_write, rates.ebs_baseline):
        if rate is not None:
            moved = rate if moved is None else smaller(moved, rate)
    for line in rates.volumes:
        # Repairs outlast a burst: the line with the credit bucket has the sustained rate of the volumes.
        weight = line.weights.get(Role.OUTPUT_WRITE, 0.0)
        if not isinstance(weight, float) or weight > 0.0:
            moved = line.rate / weight if moved is None else smaller(moved, line.rate / weight)
    return 1.0 if moved is None else moved
