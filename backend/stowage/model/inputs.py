"""Inputs of a prediction: every figure that it uses, measured, published, assumed or given.

The arithmetic (`forecast.evaluate`) reads numbers from here only, and provenance lists these figures. An unknown
figure makes an instance type infeasible, or all its clusters but a single node.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from stowage.model.cluster import (
    OBJECT_STORE_MB_PER_S_PER_VCPU,
    Channel,
    StorageKind,
)
from stowage.model.figure import Figure, given
from stowage.model.hardware.catalogue import Catalogue, VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.processors import PROCESSOR_DOUBT, vcpu_speed
from stowage.model.hardware.profile import Metric, Profiles, ScalingCurve
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.jobs.engine import CPU_MB_PER_S_PER_VCPU
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.head import head_of
from stowage.model.jobs.task_slots import ONE_PER_VCPU, TaskSlots
from stowage.model.jobs.workload import Workload
from stowage.model.loss.durability import NODE_FAILURES_PER_YEAR
from stowage.model.money.cost import BARE_METAL_LAUNCH_S, LAUNCH_S, MINIMUM_BILLED_S
from stowage.model.money.object_prices import S3_PRICES, ObjectPrices
from stowage.model.money.price import (
    BETWEEN_ZONES_USD_PER_GB,
    INTERRUPTIONS_PER_HOUR,
    emr_fee,
)
from stowage.model.sizes import MB_PER_GIB
from stowage.model.uncertainty.doubts import CPU_DOUBT, OBJECT_STORE_DOUBT, Found, doubts_of, network_doubts
from stowage.model.uncertainty.range import EXTRAPOLATION_PER_DOUBLING
from stowage.model.uncertainty.scale import STORAGE_SPREAD

SINGLE_FLOW_MB_PER_S = Figure(
    quantity="single_flow_mb_per_s",
    value=625.0,
    unit="MB/s",
    source="EC2 user guide, instance network bandwidth: 5 Gbit/s for a single flow outside a cluster placement group",
    kind="published",
    as_of=date(2026, 11, 20),
)
SINGLE_FLOW_IN_GROUP_MB_PER_S = replace(
    SINGLE_FLOW_MB_PER_S,
    value=1_250.0,
    source="EC2 user guide, instance network bandwidth: 10 Gbit/s for a single flow in a cluster placement group",
)

_OUTSIDE = (
    "EC2 user guide, instance network bandwidth: to other regions, an internet gateway or Direct Connect, types with "
    "32 vCPUs or more use up to half of their network bandwidth, smaller ones at most 5 Gbit/s"
)
OUTSIDE_SHARE = Figure("outside_share", 0.5, "1", _OUTSIDE, "published", date(2026, 11, 23))
"""Share of its network bandwidth that a large type reaches to destinations outside its region [1]."""
OUTSIDE_MB_PER_S = Figure("outside_mb_per_s", 625.0, "MB/s", _OUTSIDE, "published", date(2026, 11, 23))
"""Bandwidth to such destinations for a type with fewer vCPUs than `LARGE_VCPUS` [MB/s]."""
LARGE_VCPUS = 32.0

LOWEST_CPU_BASELINE_SHARE = Figure(
    quantity="cpu_baseline_share",
    value=0.05,
    unit="1",
    source=(
        "Assumed of a burstable type whose baseline is not known: the lowest that AWS states of any, t2.nano and "
        "t3.nano (EC2 user guide, Key concepts for burstable performance instances)"
    ),
    kind="estimated",
    as_of=date(2026, 11, 20),
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Every figure that predictions of one instance type and storage kind use for one workload.

    Parameters
    ----------
    instance : InstanceType
    kind : StorageKind
    volume : VolumeType or None
        None without EBS.
    price : Figure
        [USD/h].
    head_instance : str or None
        Instance type of the head node; None without one.
    ebs_link_price, emr_fee, head_price, head_emr_fee : Figure or None
        [USD/h]; the last two are for a head node, which holds no data.
    storage : Figure or None
        DiskBench's rate [MB/s]; None if the job does not use the node's own disks, or if simultaneous reads and
        writes were not measured.
    storage_read, storage_write : Figure or None
        Rates of all disks when they only read, or only write, in the second case [MB/s].
    storage_spread, ebs_spread : Figure or None
        None if the rate is given or published, or if spread is ignored.
    storage_iops : Figure or None
        The same rate for reads and writes [1/s].
    storage_read_iops, storage_write_iops : Figure or None
        Separate rates, if there is no rate for both [1/s].
    network : ScalingCurve, Figure or None
        [MB/s]; None if it is unlimited, or unknown for the reason in `network_gap`.
    network_baseline, network_credit, single_flow : Figure or None
        For a network without measurements: the rate that it falls back to [MB/s], the credit before that [MB], and the
        rate of one flow [MB/s].
    outside : Figure or None
        Bandwidth of a node to destinations outside its region: share of its network [1] or limit [MB/s]; None if the
        job has no such data.
    network_gap : str or None
        Why only a single node can be predicted.
    ebs_read, ebs_write : Figure or None
        Measured rates of the EBS link [MB/s].
    ebs_maximum, ebs_baseline, ebs_maximum_iops, ebs_baseline_iops : Figure or None
        Published rates of the EBS link, used without a measurement [MB/s], [1/s].
    object_store : Figure or None
        [MB/s], or [MB/s per vCPU] for the default.
    object_prices : ObjectPrices or None
    between_zones : Figure or None
        Traffic between availability zones, in each direction [USD/GB]; None within one zone.
    cpu : Figure or None
        [MB/s per vCPU]; None if CPUs are ignored.
    vcpu_speed : Figure or None
        Speed of a vCPU relative to that of an m5 [1], if the CPU time is the framework's; None if the user measured the
        rate of a vCPU, or if the processor is unknown.
    cpu_baseline_share : Figure or None
        Share of a vCPU that it sustains [1]; None if it sustains all of it, or if CPUs are ignored.
    launch, minimum_billed : Figure or None
        [s]; None if not billed.
    framework : Framework
    node_failures : Figure
        [1/a].
    doubts : tuple of (Channel, str, Figure)
        Channel, reason and size of the uncertainty of a rate, as a standard deviation of its logarithm [1].
    extrapolation : Figure or None
        The same for a network at cluster sizes without measurements, for each factor of 2 [1].
    interruptions : Figure or None
        Of a spot instance [1/h].
    tasks : TaskSlots
        Task slots that the job asks for on a node.
    fastest : Mapping[Metric, float]
        Highest rate in the profiles of the type, by metric [MB/s]; without metrics that have no profile.
    """

    instance: InstanceType
    kind: StorageKind
    volume: VolumeType | None
    price: Figure
    ebs_link_price: Figure | None
    emr_fee: Figure | None
    head_instance: str | None
    head_price: Figure | None
    head_emr_fee: Figure | None
    storage: Figure | None
    storage_read: Figure | None
    storage_write: Figure | None
    storage_spread: Figure | None
    storage_iops: Figure | None
    storage_read_iops: Figure | None
    storage_write_iops: Figure | None
    network: ScalingCurve | Figure | None
    network_baseline: Figure | None
    network_credit: Figure | None
    single_flow: Figure | None
    outside: Figure | None
    network_gap: str | None
    ebs_read: Figure | None
    ebs_write: Figure | None
    ebs_spread: Figure | None
    ebs_maximum: Figure | None
    ebs_baseline: Figure | None
    ebs_maximum_iops: Figure | None
    ebs_baseline_iops: Figure | None
    object_store: Figure | None
    object_prices: ObjectPrices | None
    cpu: Figure | None
    cpu_baseline_share: Figure | None
    launch: Figure | None
    minimum_billed: Figure | None
    framework: Framework
    node_failures: Figure
    doubts: tuple[tuple[Channel, str, Figure], ...]
    extrapolation: Figure | None
    interruptions: Figure | None
    between_zones: Figure | None
    fastest: Mapping[Metric, float] = field(default_factory=dict)
    vcpu_speed: Figure | None = None
    tasks: TaskSlots = ONE_PER_VCPU

    @property
    def processed_mb_per_s(self) -> float | None:
        """Return the processing rate of a node's vCPUs, in data of the default rate [MB/s]; None if CPUs are ignored.

        A rate that the user measured covers the whole job: it holds for the mean of its phases. A job of steady I/O
        outlasts the CPU credits of burstable types. A task keeps one vCPU busy, regardless of the number of vCPUs.
        """
        if self.cpu is None:
            return None
        of_map, of_reduce = self.framework.engine.cpu_weights
        weight = (of_map + of_reduce) / 2.0 if self.cpu.kind == "given" else 1.0
        vcpus = self.instance.vcpus.value
        share = None if self.cpu_baseline_share is None else self.cpu_baseline_share.value
        busy = float(self.tasks.at_once(vcpus, self.instance.memory_gib.value * MB_PER_GIB))
        idle = busy < vcpus * (1.0 if share is None else share)
        processed = (busy if idle else vcpus) * self.cpu.value * weight
        if self.vcpu_speed is not None:
            processed = processed * self.vcpu_speed.value
        return processed if share is None or idle else processed * share


LIKE_DISKS = 2.0
"""Disks of one family whose sizes differ by more than this factor do not count as similar."""


@dataclass(frozen=True, slots=True)
class _Network:
    rate: ScalingCurve | Figure | None = None
    baseline: Figure | None = None
    credit: Figure | None = None
    single_flow: Figure | None = None
    gap: str | None = None


@dataclass(frozen=True, slots=True)
class _Speed:
    """Rates of disks: one for reads and writes, or one for each, or none."""

    both: Found | None = None
    read: Found | None = None
    write: Found | None = None

    @classmethod
    def of(cls, found: tuple[Found, ...]) -> "_Speed":
        """Build from one rate for both, or from the rates of reads and writes in this order."""
        return cls(read=found[0], write=found[1]) if len(found) > 1 else cls(*found)

    @property
    def rates(self) -> tuple[Found, ...]:
        return tuple(found for found in (self.both, self.read, self.write) if found is not None)


@dataclass(frozen=True, slots=True)
class _Disks:
    bandwidth: _Speed = field(default_factory=_Speed)
    iops: _Speed = field(default_factory=_Speed)

    def averaged(self, on: date) -> Found | None:
        """Return the least certain measured rate, which sets the uncertainty of the storage channel."""
        measured = [found for found in (*self.bandwidth.rates, *self.iops.rates) if found.profile is not None]
        return max(measured, key=lambda found: sum(doubt.value**2 for _, doubt in doubts_of(found, on)), default=None)


@dataclass(frozen=True, slots=True)
class _Link:
    read: Found | None = None
    write: Found | None = None
    maximum: Figure | None = None
    baseline: Figure | None = None

    @property
    def averaged(self) -> Found | None:
        """Return a direction that was measured as an average, or None; the other is given, or measured likewise."""
        return next((found for found in (self.read, self.write) if found is not None and found.profile), None)


def gather(
    instance: InstanceType, volume: VolumeType | None, workload: Workload, catalogue: Catalogue, profiles: Profiles
) -> Inputs | Infeasible:
    """Look up every figure that predictions of an instance type need.

    Parameters
    ----------
    instance : InstanceType
    volume : VolumeType or None
        With a volume type, input and output are stored on EBS.
    workload : Workload
        With durability "object-store" and no volume type, they are in the object store.
    catalogue : Catalogue
        Provides the date for the age of rates, and the prices of other types.
    profiles : Profiles

    Returns
    -------
    Inputs or Infeasible
        Infeasible if a figure is unknown that every node count needs.
    """
    assume, measured = workload.assume, workload.measured_of(instance.name)
    kind = kind_of(volume, workload)
    price = workload.tasks.obstacle(instance) or _price(instance, workload)
    if isinstance(price, Infeasible):
        return price
    head_instance = head_of(workload, instance, catalogue.instance_types) if workload.head_nodes else None
    head = None if head_instance is None else _head_price(head_instance, workload)
    if isinstance(head, Infeasible):
        return head
    fee = _emr_fee(instance, workload)
    if isinstance(fee, Infeasible):
        return fee
    link_price = _link_price(instance, volume)
    if isinstance(link_price, Infeasible):
        return link_price
    disks = _disks(instance, kind, workload, catalogue, profiles)
    if isinstance(disks, Infeasible):
        return disks
    link = _link(instance, workload, profiles) if kind == "ebs" else _Link()
    if isinstance(link, Infeasible):
        return link
    network = _network(instance, workload, profiles)
    modelled = assume.spread == "modelled"
    speed = _vcpu_speed(instance, workload) if assume.cpu == "modelled" else None
    averaged = disks.averaged(catalogue.as_of)
    doubts: list[tuple[Channel, str, Figure]] = []
    if modelled:
        doubts += [("network", *doubt) for doubt in network_doubts(network.rate, catalogue.as_of)]
        doubts += [("storage", *doubt) for doubt in doubts_of(averaged, catalogue.as_of)]
        doubts += [("EBS link", *doubt) for doubt in doubts_of(link.averaged, catalogue.as_of)]
        if assume.cpu == "modelled":
            doubts.append(("CPU", "default", CPU_DOUBT) if speed is None else ("CPU", "processor", PROCESSOR_DOUBT))
        if workload.uses_object_store and measured.object_store_mb_per_s is None:
            doubts.append(("object store", "default", OBJECT_STORE_DOUBT))
    return Inputs(
        instance=instance,
        kind=kind,
        volume=volume,
        price=price,
        ebs_link_price=link_price,
        emr_fee=fee,
        head_instance=None if head_instance is None else head_instance.name,
        head_price=head,
        head_emr_fee=None if fee is None or head is None else replace(emr_fee(head.value), quantity=_HEAD_EMR_FEE),
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
        outside=_outside(instance) if workload.talks_elsewhere else None,
        network_gap=network.gap,
        ebs_read=_figure(link.read),
        ebs_write=_figure(link.write),
        ebs_spread=_ebs_spread(link.averaged) if modelled and link.averaged is not None else None,
        ebs_maximum=link.maximum,
        ebs_baseline=link.baseline,
        ebs_maximum_iops=instance.ebs_maximum_iops if link.maximum is not None else None,
        ebs_baseline_iops=instance.ebs_baseline_iops if link.maximum is not None else None,
        object_store=_object_store(measured.object_store_mb_per_s) if workload.uses_object_store else None,
        object_prices=S3_PRICES if workload.uses_object_store else None,
        cpu=_cpu(measured.cpu_mb_per_s_per_vcpu) if assume.cpu == "modelled" else None,
        cpu_baseline_share=_cpu_baseline_share(instance) if assume.cpu == "modelled" else None,
        launch=None if assume.launch == "ignored" else _launch(instance),
        minimum_billed=MINIMUM_BILLED_S if assume.billing == "by-second" else None,
        framework=workload.reached,
        node_failures=NODE_FAILURES_PER_YEAR,
        doubts=tuple(doubts),
        extrapolation=EXTRAPOLATION_PER_DOUBLING if modelled and isinstance(network.rate, ScalingCurve) else None,
        interruptions=INTERRUPTIONS_PER_HOUR if workload.place.purchase == "spot" else None,
        between_zones=BETWEEN_ZONES_USD_PER_GB if workload.place.zones > 1 else None,
        fastest=_fastest(instance, profiles),
        vcpu_speed=speed,
        tasks=workload.tasks,
    )


_RATES: tuple[Metric, ...] = (
    *("storage_mb_per_s", "storage_read_mb_per_s", "storage_write_mb_per_s"),
    *("network_mb_per_s", "ebs_read_mb_per_s", "ebs_write_mb_per_s"),
)


def _fastest(instance: InstanceType, profiles: Profiles) -> dict[Metric, float]:
    means = {metric: [row.mean for row in profiles.of(instance.name, metric)] for metric in _RATES}
    return {metric: max(of_metric) for metric, of_metric in means.items() if of_metric}


def like_disks(instance: InstanceType, others: Iterable[InstanceType]) -> list[InstanceType]:
    """List the types with similar disks; ordered by similarity of one disk, then by most disks."""
    size = instance.disk_size_gb
    alike: list[tuple[float, float, str, InstanceType]] = []
    for other in others:
        of_other = other.disk_size_gb
        if size is not None and of_other is not None and other.disk_media == instance.disk_media:
            ratio = max(size.value, of_other.value) / min(size.value, of_other.value)
            if ratio <= LIKE_DISKS:
                alike.append((ratio, -other.disk_count.value, other.name, other))
    return [other for *_, other in sorted(alike, key=lambda found: found[:3])]


def kind_of(volume: VolumeType | None, workload: Workload) -> StorageKind:
    """Return the kind of storage for input and output."""
    if volume is not None:
        return "ebs"
    return "object-store" if workload.job.durability.model == "object-store" else "instance-store"


def _figure(found: Found | None) -> Figure | None:
    return None if found is None else found.figure


def _one_rate(instance: InstanceType, metric: Metric, measured: float | None, profiles: Profiles) -> Found | None:
    """Return the rate that the user measured, else the average with the most measurements behind it."""
    if measured is not None:
        return Found(given(f"measured.{metric}", measured, "MB/s"))
    rows = [row for row in profiles.of(instance.name, metric) if row.statistic == "average"]
    if not rows:
        return None
    best = max(rows, key=lambda row: row.count or 0)
    return Found(best.figure(), best)


def _disks(
    instance: InstanceType, kind: StorageKind, workload: Workload, catalogue: Catalogue, profiles: Profiles
) -> _Disks | Infeasible:
    """Find the rates of the node's own disks, if the job uses them."""
    if kind == "object-store" and workload.job.random_io_kib is not None:
        why = "an object store takes whole objects, no random I/O"
        return Infeasible("storage IOPS unknown", why, "the nodes' own disks, or EBS volumes")
    if kind != "instance-store" and workload.job.intermediate_mb == 0.0:
        return _Disks()
    if instance.disk_count.value < 1:
        return Infeasible("no disks", f"{instance.name} has no disks of its own", "a type with local disks")
    measured = workload.measured_of(instance.name)
    bandwidth: tuple[Found, ...]
    if measured.storage_mb_per_s is not None:
        bandwidth = (Found(given("measured.storage_mb_per_s", measured.storage_mb_per_s, "MB/s")),)
    else:
        # A job reads and writes at once: that measurement fits best; separate ones are an approximation.
        bandwidth = _of_disks(instance, (("storage_mb_per_s",), _EACH_WAY), catalogue, profiles)
    if not bandwidth:
        return _unknown("storage bandwidth unknown", instance, "storage_mb_per_s")
    if kind != "instance-store" or workload.job.random_io_kib is None:
        return _Disks(_Speed.of(bandwidth))
    iops: tuple[Found, ...]
    if measured.storage_iops is not None:
        iops = (Found(given("measured.storage_iops", measured.storage_iops, "1/s")),)
    else:
        iops = _of_disks(instance, (_IOPS_EACH_WAY,), catalogue, profiles)
    if not iops:
        why = f"how many random I/Os the disks of {instance.name} do is not known"
        return Infeasible("storage IOPS unknown", why, "measured.storage_iops")
    return _Disks(_Speed.of(bandwidth), _Speed.of(iops))


_EACH_WAY: tuple[Metric, ...] = ("storage_read_mb_per_s", "storage_write_mb_per_s")
_IOPS_EACH_WAY: tuple[Metric, ...] = ("storage_read_iops", "storage_write_iops")


def _of_disks(
    instance: InstanceType, choices: tuple[tuple[Metric, ...], ...], catalogue: Catalogue, profiles: Profiles
) -> tuple[Found, ...]:
    """Return the first choice of metrics that was measured on the type itself, else on its family; () if none was."""
    own = (_averages(instance, metrics, profiles) for metrics in choices)
    relatives = (_by_family(instance, metrics, catalogue, profiles) for metrics in choices)
    return next((found for found in (*own, *relatives) if found), ())


def _averages(instance: InstanceType, metrics: tuple[Metric, ...], profiles: Profiles) -> tuple[Found, ...]:
    """Return the measured averages of some metrics; () if one of them was not measured."""
    found = tuple(_one_rate(instance, metric, None, profiles) for metric in metrics)
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(metrics) else ()


def _link(instance: InstanceType, workload: Workload, profiles: Profiles) -> _Link | Infeasible:
    """Find the rates of the EBS link: measured, else published."""
    measured = workload.measured_of(instance.name)
    read = _one_rate(instance, "ebs_read_mb_per_s", measured.ebs_read_mb_per_s, profiles)
    write = _one_rate(instance, "ebs_write_mb_per_s", measured.ebs_write_mb_per_s, profiles)
    if read is not None and write is not None:
        return _Link(read, write)
    if read is not None or write is not None:
        missing = "ebs_read_mb_per_s" if read is None else "ebs_write_mb_per_s"
        why = f"of the EBS bandwidth of {instance.name} one direction is given and the other is not known"
        return Infeasible("EBS bandwidth unknown", why, f"measured.{missing} too")
    maximum, baseline = instance.ebs_maximum_mb_per_s, instance.ebs_baseline_mb_per_s
    if maximum is None or baseline is None:
        return _unknown("EBS bandwidth unknown", instance, "ebs_mb_per_s")
    return _Link(maximum=maximum, baseline=baseline)


def _by_family(
    instance: InstanceType, metrics: tuple[Metric, ...], catalogue: Catalogue, profiles: Profiles
) -> tuple[Found, ...]:
    """Estimate a type's disks from a measured type of its family with similar disks, in proportion to their number."""
    relatives = like_disks(instance, catalogue.family(instance.family))
    found_of = ((other, _averages(other, metrics, profiles)) for other in relatives)
    nearest, measured = next(((other, found) for other, found in found_of if found), (instance, ()))
    if not measured:
        return ()
    disks = instance.disk_count.value / nearest.disk_count.value
    return tuple(
        Found(
            Figure(
                f"{instance.name}.{metric}",
                found.figure.value * disks,
                found.figure.unit,
                f"Not measured: {nearest.name} of the same family, disk by disk ({found.figure.source})",
                "estimated",
                found.figure.as_of,
            ),
            found.profile,
            by_family=True,
        )
        for metric, found in zip(metrics, measured, strict=True)
    )


def _spread(instance: InstanceType, averaged: Found, profiles: Profiles) -> Figure:
    for row in () if averaged.profile is None else profiles.of(instance.name, averaged.profile.metric):
        if row.spread is not None:
            return Figure(f"{instance.name}.storage_spread", row.spread, "1", row.source, row.kind, row.as_of)
    return STORAGE_SPREAD


def _ebs_spread(averaged: Found) -> Figure:
    """Return the spread of a measured link: its rate is physical, so the slowest of many nodes is below the average."""
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


def _head_price(primary: InstanceType, workload: Workload) -> Figure | Infeasible:
    if workload.place.purchase == "spot" or isinstance(_price(primary, workload), Infeasible):
        # An interrupted primary node ends the whole cluster: it is never a spot instance.
        workload = replace(workload, place=replace(workload.place, purchase="on-demand"))
    price = _price(primary, workload)
    return price if isinstance(price, Infeasible) else replace(price, quantity="head_usd_per_hour")


def _price(instance: InstanceType, workload: Workload) -> Figure | Infeasible:
    purchase = workload.place.paid_by
    if purchase == "on-demand":
        price = instance.usd_per_hour
        return _unknown("price unknown", instance, "usd_per_hour") if price is None else price
    found = instance.offers().under(purchase)
    if isinstance(found, Infeasible):
        return replace(found, reason=f"{instance.name}: {found.reason}")
    return found


def _link_price(instance: InstanceType, volume: VolumeType | None) -> Figure | Infeasible | None:
    """Return the surcharge for the EBS link; None in old catalogs, which do not list it; infeasible for a known gap."""
    if volume is None or instance.ebs_usd_per_hour is not None:
        return None if volume is None else instance.ebs_usd_per_hour
    gap = instance.gaps.get("ebs_usd_per_hour")
    if gap is None:
        return None
    why = f"what the link of {instance.name} to EBS costs is not known: {gap}"
    return Infeasible("price unknown", why, "a type whose price includes its link, or the nodes' own disks")


def _cpu(measured: float | None) -> Figure:
    """Return the processing rate of one vCPU: measured, else the default."""
    if measured is None:
        return CPU_MB_PER_S_PER_VCPU
    return given("measured.cpu_mb_per_s_per_vcpu", measured, "MB/s per vCPU")


def _vcpu_speed(instance: InstanceType, workload: Workload) -> Figure | None:
    """Return the speed of a vCPU, if the CPU time is a framework's; None for a rate that the user measured."""
    if workload.measured_of(instance.name).cpu_mb_per_s_per_vcpu is not None:
        return None
    return vcpu_speed(instance.name) if workload.reached.engine.knows_cpu_time else None


def _cpu_baseline_share(instance: InstanceType) -> Figure | None:
    if instance.cpu_baseline_share is None and "burstable" in instance.traits:
        return LOWEST_CPU_BASELINE_SHARE
    return instance.cpu_baseline_share


_HEAD_EMR_FEE = "head_emr_usd_per_hour"


def _emr_fee(instance: InstanceType, workload: Workload) -> Figure | Infeasible | None:
    if workload.place.service != "emr":
        return None
    if instance.usd_per_hour is None:
        return _unknown("price unknown", instance, "usd_per_hour")
    return emr_fee(instance.usd_per_hour.value)


def _network(instance: InstanceType, workload: Workload, profiles: Profiles) -> _Network:
    assume, measured = workload.assume, workload.measured_of(instance.name)
    if assume.network == "unlimited":
        return _Network()
    if measured.network_mb_per_s is not None:
        return _Network(given("measured.network_mb_per_s", measured.network_mb_per_s, "MB/s"))
    grouped = workload.place.placement_group
    rows = tuple(
        row
        for row in profiles.of(instance.name, "network_mb_per_s")
        if row.placement_group is None or row.placement_group == grouped
    )
    curve = ScalingCurve.through(rows)
    if curve is None:
        return _published_network(instance, workload)
    if assume.network == "baseline" or assume.spread == "ignored":
        return _Network(curve.points[0].figure())
    return _Network(curve)


def _published_network(instance: InstanceType, workload: Workload) -> _Network:
    """Return the network that AWS publishes: peak while credit lasts, then baseline, and a limit for each flow."""
    grouped = workload.place.placement_group
    peak, baseline = instance.network_peak_mb_per_s, instance.network_baseline_mb_per_s
    if peak is None or baseline is None:
        where = "in a placement group" if grouped else "outside a placement group"
        gap = instance.gaps.get("network_mb_per_s", "it has not been measured")
        return _Network(gap=f"the network bandwidth of {instance.name} {where} is not known: {gap}")
    single_flow = SINGLE_FLOW_IN_GROUP_MB_PER_S if grouped else SINGLE_FLOW_MB_PER_S
    credit_mb = workload.measured_of(instance.name).network_credit_mb
    if workload.assume.network == "baseline" or credit_mb is None or peak.value <= baseline.value:
        # AWS does not say how long a peak lasts: without a figure, the model uses the baseline.
        return _Network(baseline, single_flow=single_flow)
    credit = given("measured.network_credit", credit_mb, "MB")
    return _Network(peak, baseline, credit, single_flow)


def _outside(instance: InstanceType) -> Figure:
    return OUTSIDE_SHARE if instance.vcpus.value >= LARGE_VCPUS else OUTSIDE_MB_PER_S


def _unknown(limit: Limit, instance: InstanceType, quantity: str) -> Infeasible:
    name = limit.removesuffix(" unknown")
    why = instance.gaps.get(quantity, "no price list has it" if name == "price" else "it has not been measured")
    return Infeasible(limit, f"the {name} of {instance.name} is not known: {why}", f"the {name} of {instance.name}")
