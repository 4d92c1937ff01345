"""Inputs of a prediction: every figure that the prediction uses.

A figure is measured, published, assumed or given by the user. The arithmetic (`forecast.evaluate`) reads numbers from
here only, and provenance lists these figures. If a figure is unknown, an instance type is infeasible at every node
count, or at every count above one.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import date
from typing import cast

from stowage.frozen import frozen
from stowage.model.cluster import StorageKind
from stowage.model.figure import Figure, Number, given
from stowage.model.hardware.catalog import Catalog, VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.processors import PROCESSOR_DOUBT, vcpu_speed
from stowage.model.hardware.profile import Metric, Profiles, ScalingCurve
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.engine import CPU_MB_PER_S_PER_VCPU
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.head import head_of
from stowage.model.jobs.task_slots import ONE_PER_VCPU, TaskSlots
from stowage.model.jobs.workload import Workload
from stowage.model.lookup import (
    DiskRates,
    LinkRates,
    NetworkRates,
    disk_rates,
    link_rates,
    network_rates,
    outside_rate,
    unknown_figure,
)
from stowage.model.loss.durability import NODE_FAILURES_PER_YEAR
from stowage.model.money.cost import BARE_METAL_LAUNCH_S, LAUNCH_S, MINIMUM_BILLED_S
from stowage.model.money.object_prices import ObjectPrices
from stowage.model.money.price import INTERRUPTIONS_PER_HOUR, emr_fee
from stowage.model.rates import OBJECT_STORE_MB_PER_S_PER_VCPU, Channel
from stowage.model.sizes import MB_PER_GIB
from stowage.model.uncertainty.doubts import CPU_DOUBT, OBJECT_STORE_DOUBT, MeasuredRate, doubts_of, network_doubts
from stowage.model.uncertainty.range import EXTRAPOLATION_PER_DOUBLING
from stowage.model.uncertainty.scale import STORAGE_SPREAD
from stowage.model.units import either

LOWEST_CPU_BASELINE_SHARE = Number("cpu_baseline_share", 0.05, "1").estimated(
    "Assumed of a burstable type whose baseline is not known: the lowest that AWS states of any, t2.nano and "
    "t3.nano (EC2 user guide, Key concepts for burstable performance instances)",
    date(2026, 11, 20),
)


@frozen
class Inputs:
    """All figures that predictions of one workload on one instance type need."""

    instance: InstanceType
    kind: StorageKind
    volume: VolumeType | None
    """None without EBS."""
    price: Figure
    """Price of the instance under the workload's purchase option [USD/h], above 0."""
    ebs_link_price: Figure | None
    """Price of a node's dedicated EBS link [USD/h]."""
    emr_fee: Figure | None
    """EMR's fee for a node [USD/h]."""
    head_instance: str | None
    """Instance type of the head node; None for a cluster without a head node."""
    head_price: Figure | None
    """Price of a head node [USD/h]."""
    head_emr_fee: Figure | None
    """EMR's fee for a head node [USD/h]."""
    storage: Figure | None
    """Rate of the node's own disks as DiskBench measures it, with simultaneous reads and writes [MB/s]; None if it was
    not measured, or if the job does not use these disks."""
    storage_read: Figure | None
    """Rate of all disks together when they only read, used if `storage` was not measured [MB/s]."""
    storage_write: Figure | None
    """Rate of all disks together when they only write, used if `storage` was not measured [MB/s]."""
    storage_spread: Figure | None
    """Node-to-node spread of the disk rates; None if the rates are given or published, or if the spread is ignored."""
    storage_iops: Figure | None
    """Random IOPS of the node's own disks, if reads and writes have the same rate [1/s]."""
    storage_read_iops: Figure | None
    """Random IOPS of the node's own disks for reads, if `storage_iops` is None [1/s]."""
    storage_write_iops: Figure | None
    """Random IOPS of the node's own disks for writes, if `storage_iops` is None [1/s]."""
    network: ScalingCurve | Figure | None
    """Network of a node: a rate or a scaling curve [MB/s]; None if it is unlimited, or unknown for the reason in
    `network_gap`."""
    network_baseline: Figure | None
    """Network rate after the network credit is used, for a network that was not measured [MB/s]."""
    network_credit: Figure | None
    """Data that passes before the network falls back to its baseline [MB]."""
    single_flow: Figure | None
    """Rate of one flow, for a network that was not measured [MB/s]."""
    outside: Figure | None
    """Bandwidth of a node to destinations outside its region, as a share of its network rate or as a rate [1 or MB/s];
    None if the job moves no data to or from such places."""
    network_gap: str | None
    """Reason why the network rate is unknown, so that only a cluster of one node can be predicted."""
    ebs_read: Figure | None
    """Measured rate of the EBS link for reads [MB/s]."""
    ebs_write: Figure | None
    """Measured rate of the EBS link for writes [MB/s]."""
    ebs_spread: Figure | None
    """Node-to-node spread of the EBS link's rates; None as for `storage_spread`."""
    ebs_maximum: Figure | None
    """Published rate of the EBS link for a limited time, used if the link was not measured [MB/s]."""
    ebs_baseline: Figure | None
    """Published sustained rate of the EBS link, used if the link was not measured [MB/s]."""
    ebs_maximum_iops: Figure | None
    """Published I/O rate of the EBS link for a limited time [1/s]."""
    ebs_baseline_iops: Figure | None
    """Published sustained I/O rate of the EBS link [1/s]."""
    object_store: Figure | None
    """Rate between a node and the object store; by default, a rate for each vCPU of the node [MB/s or MB/s per vCPU].
    """
    object_prices: ObjectPrices | None
    """Prices of the object store."""
    cpu: Figure | None
    """Rate at which a vCPU processes data [MB/s per vCPU]; None if CPUs are ignored."""
    cpu_baseline_share: Figure | None
    """Sustained share of each vCPU of a burstable type [1]; None for other types, or if CPUs are ignored."""
    launch: Figure | None
    """Time that is billed before the job starts [s]; None if it is not billed."""
    minimum_billed: Figure | None
    """Minimum billed time [s]; None if no minimum is billed."""
    framework: Framework
    node_failures: Figure
    """Failure rate of a node [1/a], at least 0."""
    doubts: tuple[tuple[Channel, str, Figure], ...]
    """Channel, reason and size of the uncertainty of a rate, as a standard deviation of its logarithm [1]."""
    extrapolation: Figure | None
    """Uncertainty of the network rate for each factor of 2 between the cluster size and the nearest measured size, as a
    standard deviation of its logarithm [1]."""
    interruptions: Figure | None
    """Interruption rate of a spot instance [1/h]."""
    between_zones: Figure | None
    """Price of traffic between availability zones, in each direction [USD/GB]; None if all nodes are in one zone."""
    fastest: Mapping[Metric, float] = field(default_factory=dict)
    """Highest rate in the profiles of the type, for each metric that has a profile [MB/s]."""
    vcpu_speed: Figure | None = None
    """Speed of a vCPU relative to that of an m5 [1], if the CPU time is the framework's; None if the user measured the
    rate of a vCPU, or if the processor is unknown."""
    tasks: TaskSlots = ONE_PER_VCPU
    """Task slots that the job asks for on a node."""

    @property
    def processed_mb_per_s(self) -> float | None:
        """Return the rate at which a node's vCPUs process data [MB/s].

        The result is None if CPUs are ignored. The rate applies to data with weight 1 in `Engine.cpu_weights`. A rate
        that the user measured covers the whole job, so it is multiplied by the mean weight of the map and the reduce
        phase. Burstable types count with their baseline rate, as a job of steady I/O outlasts their CPU credits. Each
        task keeps one vCPU busy.
        """
        if self.cpu is None:
            return None
        of_map, of_reduce = self.framework.engine.cpu_weights
        weight = (of_map + of_reduce) / 2.0 if self.cpu.kind == "given" else 1.0
        vcpus = self.instance.vcpus.value
        share = None if self.cpu_baseline_share is None else self.cpu_baseline_share.value
        busy = self.tasks.at_once(vcpus, self.instance.memory_gib.value * MB_PER_GIB)
        idle = busy < vcpus * (1.0 if share is None else share)
        processed = either(idle, busy, vcpus) * self.cpu.value * weight
        if self.vcpu_speed is not None:
            processed = processed * self.vcpu_speed.value
        return cast("float", processed if share is None else either(idle, processed, processed * share))


@frozen
class NodePrices:
    """Prices of a node and of the cluster's head node."""

    node: Figure
    """Price of the instance [USD/h]."""
    link: Figure | None = None
    """Price of a node's dedicated EBS link [USD/h]."""
    fee: Figure | None = None
    """EMR's fee for a node [USD/h]."""
    head_instance: InstanceType | None = None
    """Instance type of the head node; None for a cluster without a head node."""
    head: Figure | None = None
    """Price of a head node [USD/h]."""
    head_fee: Figure | None = None
    """EMR's fee for a head node [USD/h]."""


def gather(
    instance: InstanceType, volume: VolumeType | None, workload: Workload, catalog: Catalog, profiles: Profiles
) -> Inputs | Infeasible:
    """Look up every figure that predictions of an instance type need.

    Parameters
    ----------
    instance : InstanceType
    volume : VolumeType or None
        With a volume type, input and output are stored on EBS.
    workload : Workload
        With durability "object-store" and no volume type, input and output are in the object store.
    catalog : Catalog
        Provides the date for the age of rates, and the prices of other types.
    profiles : Profiles

    Returns
    -------
    Inputs or Infeasible
        Infeasible if a figure is unknown that is required at every node count.
    """
    prices = _prices(instance, volume, workload, catalog)
    return (
        prices if isinstance(prices, Infeasible) else gather_at(prices, instance, volume, workload, catalog, profiles)
    )


def gather_at(
    prices: NodePrices,
    instance: InstanceType,
    volume: VolumeType | None,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
) -> Inputs | Infeasible:
    """Look up every figure but the prices, which are given, as `gather` does.

    The other figures are equal in all regions of a catalog version.
    """
    kind = kind_of(volume, workload)
    disks = disk_rates(instance, kind, workload, catalog, profiles)
    if isinstance(disks, Infeasible):
        return disks
    link = link_rates(instance, workload, profiles) if kind == "ebs" else LinkRates()
    if isinstance(link, Infeasible):
        return link
    speed = _vcpu_speed(instance, workload) if workload.assume.cpu == "modelled" else None
    rates = _Rates(disks, link, network_rates(instance, workload, profiles), speed)
    return _combined(instance, volume, workload, catalog, profiles, prices, rates)


def _prices(
    instance: InstanceType, volume: VolumeType | None, workload: Workload, catalog: Catalog
) -> NodePrices | Infeasible:
    """Find the prices of a node and of the head node.

    The result is Infeasible if a price is unknown, or if the memory of a node is too small for one task.
    """
    price = workload.tasks.obstacle(instance) or _price(instance, workload)
    if isinstance(price, Infeasible):
        return price
    head_instance = head_of(workload, instance, catalog.instance_types) if workload.head_nodes else None
    head = None if head_instance is None else head_price(head_instance, workload)
    if isinstance(head, Infeasible):
        return head
    fee = _emr_fee(instance, workload, catalog)
    if isinstance(fee, Infeasible):
        return fee
    link = _link_price(instance, volume)
    if isinstance(link, Infeasible):
        return link
    head_fee = None
    if fee is not None and head_instance is not None and head is not None:
        of_head = catalog.emr_fees.get(head_instance.name, emr_fee(head.value))
        head_fee = replace(of_head, quantity="head_emr_usd_per_hour")
    return NodePrices(price, link, fee, head_instance, head, head_fee)


@frozen
class _Rates:
    disks: DiskRates
    link: LinkRates
    network: NetworkRates
    vcpu_speed: Figure | None


def _combined(
    instance: InstanceType,
    volume: VolumeType | None,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    prices: NodePrices,
    rates: _Rates,
) -> Inputs:
    """Combine prices, rates and the figures that are always known into the inputs of a prediction."""
    assume, measured = workload.assume, workload.measured_of(instance.name)
    disks, link, network = rates.disks, rates.link, rates.network
    modelled, on = assume.spread == "modelled", catalog.as_of
    averaged = disks.averaged(on)
    return Inputs(
        instance=instance,
        kind=kind_of(volume, workload),
        volume=volume,
        price=prices.node,
        ebs_link_price=prices.link,
        emr_fee=prices.fee,
        head_instance=None if prices.head_instance is None else prices.head_instance.name,
        head_price=prices.head,
        head_emr_fee=prices.head_fee,
        storage=_figure(disks.bandwidth.both),
        storage_read=_figure(disks.bandwidth.read),
        storage_write=_figure(disks.bandwidth.write),
        storage_spread=_spread(instance, averaged, profiles) if modelled and averaged is not None else None,
        storage_iops=_figure(disks.iops.both),
        storage_read_iops=_figure(disks.iops.read),
        storage_write_iops=_figure(disks.iops.write),
        network=network.rate,
        network_baseline=network.baseline,
        network_credit=network.credit,
        single_flow=network.single_flow,
        outside=outside_rate(instance) if workload.talks_elsewhere else None,
        network_gap=network.gap,
        ebs_read=_figure(link.read),
        ebs_write=_figure(link.write),
        ebs_spread=_ebs_spread(link.averaged) if modelled and link.averaged is not None else None,
        ebs_maximum=link.maximum,
        ebs_baseline=link.baseline,
        ebs_maximum_iops=instance.ebs_maximum_iops if link.maximum is not None else None,
        ebs_baseline_iops=instance.ebs_baseline_iops if link.maximum is not None else None,
        object_store=_object_store(measured.object_store_mb_per_s) if workload.uses_object_store else None,
        object_prices=catalog.object_prices if workload.uses_object_store else None,
        cpu=_cpu(measured.cpu_mb_per_s_per_vcpu) if assume.cpu == "modelled" else None,
        cpu_baseline_share=_cpu_baseline_share(instance) if assume.cpu == "modelled" else None,
        launch=None if assume.launch == "ignored" else _launch(instance),
        minimum_billed=MINIMUM_BILLED_S if assume.billing == "by-second" else None,
        framework=workload.reached,
        node_failures=NODE_FAILURES_PER_YEAR,
        doubts=_doubts(instance, workload, rates, averaged, on) if modelled else (),
        extrapolation=EXTRAPOLATION_PER_DOUBLING if modelled and isinstance(network.rate, ScalingCurve) else None,
        interruptions=INTERRUPTIONS_PER_HOUR if workload.place.purchase == "spot" else None,
        between_zones=catalog.between_zones if workload.place.zones > 1 else None,
        fastest=_fastest(instance, profiles),
        vcpu_speed=rates.vcpu_speed,
        tasks=workload.tasks,
    )


_Reason = tuple[Channel, str, Figure]


def _doubts(
    instance: InstanceType, workload: Workload, rates: _Rates, averaged: MeasuredRate | None, on: date
) -> tuple[_Reason, ...]:
    """List the doubts of all rates.

    A doubt is one reason why a rate is uncertain. Each has the channel of the rate (such as the network), the reason,
    and its size.
    """
    doubts: list[_Reason] = []
    doubts += [("network", *doubt) for doubt in network_doubts(rates.network.rate, on)]
    doubts += [("storage", *doubt) for doubt in doubts_of(averaged, on)]
    doubts += [("EBS link", *doubt) for doubt in doubts_of(rates.link.averaged, on)]
    if workload.assume.cpu == "modelled":
        known = rates.vcpu_speed is not None
        doubts.append(("CPU", "processor", PROCESSOR_DOUBT) if known else ("CPU", "default", CPU_DOUBT))
    if workload.uses_object_store and workload.measured_of(instance.name).object_store_mb_per_s is None:
        doubts.append(("object store", "default", OBJECT_STORE_DOUBT))
    return tuple(doubts)


_RATES: tuple[Metric, ...] = (
    *("storage_mb_per_s", "storage_read_mb_per_s", "storage_write_mb_per_s"),
    *("network_mb_per_s", "ebs_read_mb_per_s", "ebs_write_mb_per_s"),
)


def _fastest(instance: InstanceType, profiles: Profiles) -> dict[Metric, float]:
    means = {metric: [row.mean for row in profiles.of(instance.name, metric)] for metric in _RATES}
    return {metric: max(of_metric) for metric, of_metric in means.items() if of_metric}


def kind_of(volume: VolumeType | None, workload: Workload) -> StorageKind:
    """Return the kind of storage for input and output."""
    if volume is not None:
        return "ebs"
    return "object-store" if workload.job.durability.model == "object-store" else "instance-store"


def _figure(found: MeasuredRate | None) -> Figure | None:
    return None if found is None else found.figure


def _spread(instance: InstanceType, averaged: MeasuredRate, profiles: Profiles) -> Figure:
    for row in () if averaged.profile is None else profiles.of(instance.name, averaged.profile.metric):
        if row.spread is not None:
            return Figure(f"{instance.name}.storage_spread", row.spread, "1", row.source, row.kind, row.as_of)
    return STORAGE_SPREAD


def _ebs_spread(averaged: MeasuredRate) -> Figure:
    """Return the node-to-node spread of a measured EBS link's rate.

    The spread is that of the profile, or else the spread that is assumed for local disks. A measured link rate comes
    from hardware, not from an enforced limit. The slowest of many nodes is therefore below average.
    """
    row = averaged.profile
    if row is not None and row.spread is not None:
        return Figure(f"{row.target}.ebs_spread", row.spread, "1", row.source, row.kind, row.as_of)
    return replace(
        STORAGE_SPREAD,
        quantity="ebs_spread",
        source=f"{STORAGE_SPREAD.source} Taken for the link to EBS as well, of which no spread was published.",
    )


def _object_store(measured: float | None) -> Figure:
    if measured is not None:
        return given("measured.object_store_mb_per_s", measured, "MB/s")
    return OBJECT_STORE_MB_PER_S_PER_VCPU


def _launch(instance: InstanceType) -> Figure:
    return BARE_METAL_LAUNCH_S if "bare metal" in instance.traits else LAUNCH_S


def head_price(primary: InstanceType, workload: Workload) -> Figure | Infeasible:
    """Return the price of a head node of an instance type [USD/h]; `Infeasible` if it is unknown."""
    if workload.place.purchase == "spot" or isinstance(_price(primary, workload), Infeasible):
        # An interrupted primary node ends the whole cluster: it is never a spot instance.
        workload = replace(workload, place=replace(workload.place, purchase="on-demand"))
    price = _price(primary, workload)
    return price if isinstance(price, Infeasible) else replace(price, quantity="head_usd_per_hour")


def _price(instance: InstanceType, workload: Workload) -> Figure | Infeasible:
    purchase = workload.place.paid_by
    if purchase == "on-demand":
        price = instance.usd_per_hour
        return unknown_figure("price unknown", instance, "usd_per_hour") if price is None else price
    found = instance.price(purchase)
    if isinstance(found, Infeasible):
        return replace(found, reason=f"{instance.name}: {found.reason}")
    return found


def _link_price(instance: InstanceType, volume: VolumeType | None) -> Figure | Infeasible | None:
    """Return the surcharge for the EBS link.

    The result is None if there are no EBS volumes. It is also None if the catalog lists no surcharge, as in old
    catalogs. It is Infeasible if the catalog states that the surcharge is unknown.
    """
    if volume is None or instance.ebs_usd_per_hour is not None:
        return None if volume is None else instance.ebs_usd_per_hour
    gap = instance.gaps.get("ebs_usd_per_hour")
    if gap is None:
        return None
    why = f"what the link of {instance.name} to EBS costs is not known: {gap}"
    return Infeasible("price unknown", why, "a type whose price includes its link, or the nodes' own disks")


def _cpu(measured: float | None) -> Figure:
    """Return the processing rate of one vCPU.

    The rate is ``measured``, or the default rate if ``measured`` is None.
    """
    if measured is None:
        return CPU_MB_PER_S_PER_VCPU
    return given("measured.cpu_mb_per_s_per_vcpu", measured, "MB/s per vCPU")


def _vcpu_speed(instance: InstanceType, workload: Workload) -> Figure | None:
    """Return the relative speed of a vCPU.

    The speed has an effect if the framework states its CPU time and the user has not measured the CPU rate. The result
    is None if the speed has no effect or is unknown.
    """
    if workload.measured_of(instance.name).cpu_mb_per_s_per_vcpu is not None:
        return None
    return vcpu_speed(instance.name) if workload.reached.engine.knows_cpu_time else None


def _cpu_baseline_share(instance: InstanceType) -> Figure | None:
    if instance.cpu_baseline_share is None and "burstable" in instance.traits:
        return LOWEST_CPU_BASELINE_SHARE
    return instance.cpu_baseline_share


def _emr_fee(instance: InstanceType, workload: Workload, catalog: Catalog) -> Figure | Infeasible | None:
    if workload.place.service != "emr":
        return None
    if instance.name in catalog.emr_fees:
        return catalog.emr_fees[instance.name]
    if instance.usd_per_hour is None:
        return unknown_figure("price unknown", instance, "usd_per_hour")
    return emr_fee(instance.usd_per_hour.value)
