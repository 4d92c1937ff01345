"""Lookup of the rates of an instance type: disks, EBS link and network.

A rate is given by the user, measured (in a profile) or published by AWS.
"""

from collections.abc import Iterable
from dataclasses import field, replace
from datetime import date

from stowage.frozen import frozen
from stowage.model.cluster import StorageKind
from stowage.model.figure import Figure, Number, given
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Metric, Profiles, ScalingCurve
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.jobs.workload import Workload
from stowage.model.uncertainty.doubts import MeasuredRate, doubts_of

SINGLE_FLOW_MB_PER_S = Number("single_flow_mb_per_s", 625.0, "MB/s").published(
    "EC2 user guide, instance network bandwidth: 5 Gbit/s for a single flow outside a cluster placement group",
    date(2026, 11, 20),
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
"""vCPUs of a type from which `OUTSIDE_SHARE` applies [1]."""

LIKE_DISKS = 2.0
"""Disks of one family whose sizes differ by more than this factor do not count as similar."""


@frozen
class NetworkRates:
    """Rates of a node's network.

    A measured network has one rate. A published network has a baseline, a credit and a limit for each flow.
    """

    rate: ScalingCurve | Figure | None = None
    """Network rate, as a single figure or as a curve over cluster sizes [MB/s]; None if it is unlimited, or if it is
    unknown for the reason in `gap`."""
    baseline: Figure | None = None
    """Network rate after the credit is used [MB/s]."""
    credit: Figure | None = None
    """Data that passes before the rate falls to the baseline [MB], at least 0."""
    single_flow: Figure | None = None
    """Rate of one flow [MB/s], above 0."""
    gap: str | None = None


@frozen
class ReadWriteRates:
    """Rates of disks, for reads and writes.

    There is one rate for both, or a read rate and a write rate. If no rate is known, all fields are None.
    """

    both: MeasuredRate | None = None
    read: MeasuredRate | None = None
    write: MeasuredRate | None = None

    @classmethod
    def of(cls, found: tuple[MeasuredRate, ...]) -> "ReadWriteRates":
        """Build an instance from a tuple of rates.

        A single rate is for both reads and writes. Two rates are the read rate and the write rate, in this order.
        """
        return cls(read=found[0], write=found[1]) if len(found) > 1 else cls(*found)

    @property
    def rates(self) -> tuple[MeasuredRate, ...]:
        """The rates that are known."""
        return tuple(found for found in (self.both, self.read, self.write) if found is not None)


@frozen
class DiskRates:
    """Rates of a node's own disks: bandwidth [MB/s] and random IOPS [1/s]."""

    bandwidth: ReadWriteRates = field(default_factory=ReadWriteRates)
    iops: ReadWriteRates = field(default_factory=ReadWriteRates)

    def averaged(self, on: date) -> MeasuredRate | None:
        """Return the measured rate with the largest uncertainty.

        This uncertainty is used for all rates of the node's own disks. The result is None if no rate was measured.
        """
        measured = [found for found in (*self.bandwidth.rates, *self.iops.rates) if found.profile is not None]
        return max(measured, key=lambda found: sum(doubt.value**2 for _, doubt in doubts_of(found, on)), default=None)


@frozen
class LinkRates:
    """Rates of the EBS link, measured or published."""

    read: MeasuredRate | None = None
    """Measured rate of reads [MB/s]."""
    write: MeasuredRate | None = None
    """Measured rate of writes [MB/s]."""
    maximum: Figure | None = None
    """Published rate for a limited time [MB/s]."""
    baseline: Figure | None = None
    """Published sustained rate [MB/s]."""

    @property
    def averaged(self) -> MeasuredRate | None:
        """Return a rate of the link that comes from a profile, and so is an average over nodes.

        If both the read and the write rate come from profiles, it is the read rate. The result is None if neither does:
        a measured rate without a profile was given by the user.
        """
        return next((found for found in (self.read, self.write) if found is not None and found.profile), None)


def like_disks(instance: InstanceType, others: Iterable[InstanceType]) -> list[InstanceType]:
    """List the types with disks of the same medium and about the same size as those of ``instance``.

    The type with the closest disk size is first. If disk sizes are equally close, the type with the most disks is
    first.
    """
    size = instance.disk_size_gb
    alike: list[tuple[float, float, str, InstanceType]] = []
    for other in others:
        of_other = other.disk_size_gb
        if size is not None and of_other is not None and other.disk_media == instance.disk_media:
            ratio = max(size.value, of_other.value) / min(size.value, of_other.value)
            if ratio <= LIKE_DISKS:
                alike.append((ratio, -other.disk_count.value, other.name, other))
    return [other for *_, other in sorted(alike, key=lambda found: found[:3])]


def _one_rate(
    instance: InstanceType, metric: Metric, measured: float | None, profiles: Profiles
) -> MeasuredRate | None:
    """Return the rate of an instance type in one metric.

    It is the rate that the user measured, or else the average in the profile with the most measurements. The result is
    None if there is neither.
    """
    if measured is not None:
        return MeasuredRate(given(f"measured.{metric}", measured, "MB/s"))
    best = profiles.average(instance.name, metric)
    return None if best is None else MeasuredRate(best.figure(), best)


def disk_rates(
    instance: InstanceType, kind: StorageKind, workload: Workload, catalog: Catalog, profiles: Profiles
) -> DiskRates | Infeasible:
    """Find the rates of the node's own disks.

    The result has no rates if the job does not use these disks. It is Infeasible if a required rate is unknown.
    """
    if kind == "object-store" and workload.job.random_io_kib is not None:
        why = "an object store takes whole objects, no random I/O"
        return Infeasible("storage IOPS unknown", why, "the nodes' own disks, or EBS volumes")
    if kind != "instance-store" and workload.job.intermediate_mb == 0.0:
        return DiskRates()
    if instance.disk_count.value < 1:
        return Infeasible("no disks", f"{instance.name} has no disks of its own", "a type with local disks")
    measured = workload.measured_of(instance.name)
    bandwidth: tuple[MeasuredRate, ...]
    if measured.storage_mb_per_s is not None:
        bandwidth = (MeasuredRate(given("measured.storage_mb_per_s", measured.storage_mb_per_s, "MB/s")),)
    else:
        # A job reads and writes at once: that measurement fits best; separate ones are an approximation.
        bandwidth = _of_disks(instance, (("storage_mb_per_s",), _EACH_WAY), catalog, profiles)
    if not bandwidth:
        return unknown_figure("storage bandwidth unknown", instance, "storage_mb_per_s")
    if kind != "instance-store" or workload.job.random_io_kib is None:
        return DiskRates(ReadWriteRates.of(bandwidth))
    iops: tuple[MeasuredRate, ...]
    if measured.storage_iops is not None:
        iops = (MeasuredRate(given("measured.storage_iops", measured.storage_iops, "1/s")),)
    else:
        iops = _of_disks(instance, (_IOPS_EACH_WAY,), catalog, profiles)
    if not iops:
        why = f"how many random I/Os the disks of {instance.name} do is not known"
        return Infeasible("storage IOPS unknown", why, "measured.storage_iops")
    return DiskRates(ReadWriteRates.of(bandwidth), ReadWriteRates.of(iops))


_EACH_WAY: tuple[Metric, ...] = ("storage_read_mb_per_s", "storage_write_mb_per_s")
_IOPS_EACH_WAY: tuple[Metric, ...] = ("storage_read_iops", "storage_write_iops")


def _of_disks(
    instance: InstanceType, choices: tuple[tuple[Metric, ...], ...], catalog: Catalog, profiles: Profiles
) -> tuple[MeasuredRate, ...]:
    """Return the measured rates of a type's disks.

    ``choices`` are tuples of metrics, in order of preference. The rates are those of the first choice that was measured
    on the type itself or, if there is none, on a type of its family. If no choice was measured on either, the result is
    empty.
    """
    own = (_averages(instance, metrics, profiles) for metrics in choices)
    if found := next(filter(None, own), None):
        return found
    relatives = like_disks(instance, catalog.family(instance.family))
    estimated = (_by_family(instance, metrics, relatives, profiles) for metrics in choices)
    return next(filter(None, estimated), ())


def _averages(instance: InstanceType, metrics: tuple[Metric, ...], profiles: Profiles) -> tuple[MeasuredRate, ...]:
    """Return the measured averages of an instance type in several metrics.

    The result is empty if any of these metrics was not measured.
    """
    found = tuple(_one_rate(instance, metric, None, profiles) for metric in metrics)
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(metrics) else ()


def link_rates(instance: InstanceType, workload: Workload, profiles: Profiles) -> LinkRates | Infeasible:
    """Find the rates of the EBS link.

    Measured rates are preferred to published rates. The result is Infeasible if no rates are known.
    """
    measured = workload.measured_of(instance.name)
    read = _one_rate(instance, "ebs_read_mb_per_s", measured.ebs_read_mb_per_s, profiles)
    write = _one_rate(instance, "ebs_write_mb_per_s", measured.ebs_write_mb_per_s, profiles)
    if read is not None and write is not None:
        return LinkRates(read, write)
    if read is not None or write is not None:
        missing = "ebs_read_mb_per_s" if read is None else "ebs_write_mb_per_s"
        why = f"of the EBS bandwidth of {instance.name} one direction is given and the other is not known"
        return Infeasible("EBS bandwidth unknown", why, f"measured.{missing} too")
    maximum, baseline = instance.ebs_maximum_mb_per_s, instance.ebs_baseline_mb_per_s
    if maximum is None or baseline is None:
        return unknown_figure("EBS bandwidth unknown", instance, "ebs_mb_per_s")
    return LinkRates(maximum=maximum, baseline=baseline)


def _by_family(
    instance: InstanceType, metrics: tuple[Metric, ...], relatives: Iterable[InstanceType], profiles: Profiles
) -> tuple[MeasuredRate, ...]:
    """Estimate the disk rates of a type from the first measured one of its relatives.

    The relatives are types of the same family with similar disks. The rates are proportional to the number of disks.
    """
    found_of = ((other, _averages(other, metrics, profiles)) for other in relatives)
    nearest, measured = next(((other, found) for other, found in found_of if found), (instance, ()))
    if not measured:
        return ()
    disks = instance.disk_count.value / nearest.disk_count.value
    return tuple(
        MeasuredRate(
            Number(f"{instance.name}.{metric}", found.figure.value * disks, found.figure.unit).estimated(
                f"Not measured: {nearest.name} of the same family, disk by disk ({found.figure.source})",
                found.figure.as_of,
            ),
            found.profile,
            by_family=True,
        )
        for metric, found in zip(metrics, measured, strict=True)
    )


def network_rates(instance: InstanceType, workload: Workload, profiles: Profiles) -> NetworkRates:
    """Find the rates of a node's network.

    Rates that the user gave come first, then measured rates, then published rates.
    """
    assume, measured = workload.assume, workload.measured_of(instance.name)
    if assume.network == "unlimited":
        return NetworkRates()
    if measured.network_mb_per_s is not None:
        return NetworkRates(given("measured.network_mb_per_s", measured.network_mb_per_s, "MB/s"))
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
        return NetworkRates(curve.points[0].figure())
    return NetworkRates(curve)


def _published_network(instance: InstanceType, workload: Workload) -> NetworkRates:
    """Return the network rates that AWS publishes.

    They are the peak rate while credit lasts, the baseline rate after that, and the limit of one flow.
    """
    grouped = workload.place.placement_group
    peak, baseline = instance.network_peak_mb_per_s, instance.network_baseline_mb_per_s
    if peak is None or baseline is None:
        where = "in a placement group" if grouped else "outside a placement group"
        gap = instance.gaps.get("network_mb_per_s", "it has not been measured")
        return NetworkRates(gap=f"the network bandwidth of {instance.name} {where} is not known: {gap}")
    single_flow = SINGLE_FLOW_IN_GROUP_MB_PER_S if grouped else SINGLE_FLOW_MB_PER_S
    credit_mb = workload.measured_of(instance.name).network_credit_mb
    if workload.assume.network == "baseline" or credit_mb is None or peak.value <= baseline.value:
        # AWS does not say how long a peak lasts: without a figure, the model uses the baseline.
        return NetworkRates(baseline, single_flow=single_flow)
    credit = given("measured.network_credit", credit_mb, "MB")
    return NetworkRates(peak, baseline, credit, single_flow)


def outside_rate(instance: InstanceType) -> Figure:
    """Return the limit on a node's traffic out of its region.

    The limit is a share of the node's network rate [1] for large types, and a rate [MB/s] for other types.
    """
    return OUTSIDE_SHARE if instance.vcpus.value >= LARGE_VCPUS else OUTSIDE_MB_PER_S


def unknown_figure(limit: Limit, instance: InstanceType, quantity: str) -> Infeasible:
    """Build the infeasible result for an unknown figure.

    The reason comes from the ``gaps`` of the instance type.
    """
    name = limit.removesuffix(" unknown")
    why = instance.gaps.get(quantity, "no price list has it" if name == "price" else "it has not been measured")
    return Infeasible(limit, f"the {name} of {instance.name} is not known: {why}", f"the {name} of {instance.name}")
