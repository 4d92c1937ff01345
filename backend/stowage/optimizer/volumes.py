"""Design of volumes: the cheapest equal volumes of one type that meet a required capacity and a daily load.

The result is exact although not every size is tried. Every limit of a volume grows with its size, IOPS and throughput,
and so does its price. So the smallest sufficient size, IOPS and throughput cost least; bisection finds them for each
count of volumes. All counts are tried.

A resource of the model has one line for each of its limits. A strain is the share of one limit that a load uses.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Literal

from stowage.frozen import frozen
from stowage.model.cluster import Ebs, ordered
from stowage.model.hardware.catalog import VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.resource import Resource
from stowage.model.hardware.volume import Volume, check, lines, performance
from stowage.model.hardware.volume_limits import IopsAndThroughput, ProvisionedIops
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.flows import Role
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.money.price import VolumePrices, volume_io_usd, volume_usd_per_month
from stowage.model.plan import nine_digits
from stowage.model.rates import Rates, node_resources
from stowage.model.sizes import MB_PER_MIB
from stowage.model.units import HOURS_PER_MONTH, SECONDS_PER_HOUR

HOURS_PER_DAY = 24.0
MOST_COUNTED = 1_024
"""Maximum for the number of volumes in a message about too low a limit."""
_KIB_PER_MIB = 1_024.0
ROUNDING = 1e-9
"""Relative tolerance [1] for rounding errors, since loads are in MB and limits in MiB."""

_STAGES = ("peak", "baseline", "credit")

Pattern = Literal["sequential", "random"]
LimitName = Literal["IOPS", "throughput"]


@frozen
class Load:
    """Required capacity and daily load of volumes."""

    capacity_gib: float
    """Required capacity [GiB], above 0."""
    mib_per_s: float = 0.0
    """Throughput during the load, reads and writes together, at least 0 [MiB/s]."""
    io_kib: float = 16.0
    """Size of one I/O, above 0 [KiB]; for sequential I/O, the size after merging."""
    pattern: Pattern = "random"
    hours: float = HOURS_PER_DAY
    """Duration of the load per day, without a break [h]; above 0 and up to 24."""
    credits: float = 1.0
    """Fill level of burst buckets when the load first starts, from 0 to 1 [1]."""

    @property
    def role(self) -> Role:
        """Return the role of the single flow that represents the load.

        One flow is enough, since EBS counts reads and writes alike.
        """
        return Role.RANDOM_READ if self.pattern == "random" else Role.INPUT_READ

    @property
    def mb_per_s(self) -> float:
        """Return the throughput in the model's unit [MB/s]."""
        return self.mib_per_s * MB_PER_MIB

    @property
    def io_per_s(self) -> float:
        """Return the rate of I/Os that the load requests [1/s].

        EBS may merge or split these I/Os.
        """
        return self.mib_per_s * _KIB_PER_MIB / self.io_kib


@frozen
class Strain:
    """Share of one limit that a load uses."""

    limit: LimitName
    what: Literal["peak", "baseline", "credit"]
    """`peak`: the load's rate as a share of the highest rate. `baseline`: the load's mean rate over the day as a share
    of the baseline rate. `credit`: the credit that the load uses in a day as a share of the credit at its start."""
    share: float
    """Share of the limit that the load uses [1], at least 0; above 1, the volumes do not carry the load. Infinite if
    the load needs credit and there is none."""
    asked: float
    """Required rate [I/O/s or MB/s], or required credit [I/O or MB]."""
    offered: float
    """Available rate [I/O/s or MB/s], or available credit [I/O or MB]."""

    @property
    def carried(self) -> bool:
        """Return whether the load is within the limit."""
        return self.share <= 1.0 + ROUNDING


@frozen
class Cost:
    """Cost of volumes for a month of 730 hours, divided into components [USD]."""

    capacity: float
    iops: float
    throughput: float
    operations: float
    """Charges for I/O operations, for volume types that have such charges."""

    @property
    def total(self) -> float:
        """Return the sum of the components [USD a month]."""
        return self.capacity + self.iops + self.throughput + self.operations


@frozen
class Design:
    """Equal volumes of one type for a load, with their cost and strains."""

    layout: Ebs
    cost: Cost
    strains: tuple[Strain, ...]
    """Share of each limit that the load uses, in the order of the model's lines."""

    @property
    def carried(self) -> bool:
        """Return whether the load is within every limit."""
        return all(strain.carried for strain in self.strains)

    @property
    def tightest(self) -> Strain:
        """Return the limit of which the load uses the largest share.

        In a tie, it is the throughput limit, from which the IOPS limit of HDD volumes follows.
        """
        return max(self.strains, key=lambda strain: (round(strain.share, 9), strain.limit == "throughput"))


@frozen
class Designs:
    """The two best designs with one volume type."""

    cheapest: Design
    """Cheapest design; of equally cheap designs, the design with the fewest volumes."""
    fewest: Design
    """Cheapest design with the smallest sufficient number of volumes."""


def design(volume_type: VolumeType, load: Load, most: int, *, nitro: bool = True) -> Designs | Infeasible:
    """Return the best designs of equal volumes of one type for a load.

    The volumes store the data and carry the load every day.

    Parameters
    ----------
    volume_type : VolumeType
    load : Load
    most : int
        Maximum number of volumes, at least 1.
    nitro : bool
        Whether the instance is built on Nitro.

    Returns
    -------
    Designs or Infeasible
        Infeasible if ``most`` volumes of the largest size are not enough. It has the exceeded limit, and the number of
        volumes that would be enough.

    Notes
    -----
    Bursts count only if they can be repeated daily: the load of a day must not exceed what the baseline provides in 24
    hours, and what the load uses above the baseline must not exceed the bucket. The bucket is then as full at the end
    of each day as at its start.

    Volumes are equal, as in a stripe. Different volumes could be cheaper, but data would have to be placed manually.
    """
    every = (of_count(volume_type, load, count, nitro=nitro) for count in range(1, most + 1))
    found = [one for one in every if one is not None]
    if not found:
        return _refusal(volume_type, load, most, nitro=nitro)
    # If costs are equal, the first is chosen: fewer volumes.
    return Designs(min(found, key=lambda one: float(nine_digits(one.cost.total))), found[0])


def of_count(volume_type: VolumeType, load: Load, count: int, *, nitro: bool = True) -> Design | None:
    """Return the cheapest design with exactly ``count`` volumes.

    None if ``count`` volumes are not enough.
    """
    layout = _cheapest(volume_type, load, count, nitro=nitro)
    return None if layout is None else designed(volume_type, layout, load, nitro=nitro)


def designed(volume_type: VolumeType, layout: Ebs, load: Load, *, nitro: bool = True) -> Design:
    """Return the design with a given layout.

    The layout must be orderable, but its volumes need not carry the load.
    """
    volume = ordered(volume_type, layout, nitro=nitro)
    resource, names = volumes_of(volume, layout.count, load)
    return Design(layout, month(volume_type, volume, layout.count, load), strains(resource, load, names))


def month(volume_type: VolumeType, volume: Volume, count: int, load: Load) -> Cost:
    """Compute the cost of volumes for a month of 730 hours with the daily load."""
    prices = volume_type.prices()
    share = load.hours / HOURS_PER_DAY
    per_s = lines(volume, random_io_kib=load.io_kib)[0].load({load.role: load.mb_per_s})
    operations = float(per_s or 0.0) * SECONDS_PER_HOUR * HOURS_PER_MONTH * share
    return Cost(
        capacity=count * _month_usd(prices, volume.size_gib),
        iops=count * _month_usd(prices, iops=volume.iops),
        throughput=count * _month_usd(prices, throughput=volume.throughput_mib_per_s),
        operations=float(volume_io_usd(prices, operations)),
    )


def strains(resource: Resource, load: Load, names: tuple[LimitName, ...]) -> tuple[Strain, ...]:
    """Return how much of each limit of a resource a daily load uses.

    Parameters
    ----------
    resource : Resource
        Volumes or link, with the burst credit at the time when the load first starts.
    load : Load
    names : tuple of {"IOPS", "throughput"}
        Name of the limit that each line of the resource represents.
    """
    found: list[Strain] = []
    seconds = load.hours * SECONDS_PER_HOUR
    for name, line in zip(names, resource.lines, strict=True):
        asked, rate = float(line.load({load.role: load.mb_per_s}) or 0.0), float(line.rate)
        if float(line.full) == 0.0:
            found.append(Strain(name, "peak", asked / rate, asked, rate))
            continue
        mean = asked * load.hours / HOURS_PER_DAY
        found.append(Strain(name, "baseline", mean / rate, mean, rate))
        taken = (asked - rate) * seconds
        if taken > ROUNDING * rate * seconds:
            credit = float(line.credit)
            share = taken / credit if credit > 0.0 else math.inf
            found.append(Strain(name, "credit", share, taken, credit))
    return tuple(found)


def first_missed(found: Iterable[Strain]) -> Strain | None:
    """Return the exceeded limit to report.

    Peak rates come first, then limits that are exceeded over time. None if no limit is exceeded.
    """
    missed = [strain for strain in found if not strain.carried]
    return max(missed, key=lambda strain: (-_STAGES.index(strain.what), strain.share), default=None)


def volumes_of(volume: Volume, count: int, load: Load) -> tuple[Resource, tuple[LimitName, ...]]:
    """Convert equal volumes to one resource of the model.

    Returns
    -------
    Resource
    tuple of {"IOPS", "throughput"}
        Name of the limit that each line of the resource represents.
    """
    reached = performance(volume)
    names: tuple[LimitName, ...] = ("IOPS",) if reached.io_credits is None else ("IOPS", "IOPS")
    names += ("throughput",) if reached.credit_mib is None else ("throughput", "throughput")
    found = lines(volume, float(count), credit_level=load.credits, random_io_kib=load.io_kib)
    return Resource("EBS volumes", found), names


def link_of(instance: InstanceType, load: Load) -> tuple[Resource, tuple[LimitName, ...]] | None:
    """Convert the EBS link of an instance type to a resource of the model.

    Returns
    -------
    tuple of (Resource, tuple of {"IOPS", "throughput"}) or None
        The resource, and the name of the limit that each of its lines represents. None if the rates of the link are
        unknown.
    """
    maximum, baseline = instance.ebs_maximum_mb_per_s, instance.ebs_baseline_mb_per_s
    if maximum is None or baseline is None:
        return None
    iops, steady_iops = instance.ebs_maximum_iops, instance.ebs_baseline_iops
    known = iops is not None and steady_iops is not None
    rates = Rates(
        ebs_maximum=maximum.value,
        ebs_baseline=baseline.value,
        ebs_maximum_iops=iops.value if known and iops is not None else None,
        ebs_baseline_iops=steady_iops.value if known and steady_iops is not None else None,
        random_io_mb=load.io_kib / _KIB_PER_MIB * MB_PER_MIB,
        credits=load.credits,
    )
    [link] = (resource for resource in node_resources(rates, IDEAL) if resource.name == "EBS link")
    names: tuple[LimitName, ...] = ("throughput", "throughput")
    return link, (*names, "IOPS", "IOPS") if known else names


def _cheapest(volume_type: VolumeType, load: Load, count: int, *, nitro: bool) -> Ebs | None:
    """Return the cheapest layout with ``count`` equal volumes.

    Together, the volumes store the data and carry the load. None if no volume is enough.
    """
    limits = volume_type.limits
    largest = math.floor(limits.largest_gib.value)
    smallest = max(math.ceil(limits.smallest_gib.value), math.ceil(load.capacity_gib / count * (1.0 - ROUNDING)))
    if smallest > largest:
        return None

    def carries(size_gib: int, iops: int | None = None, throughput: int | None = None) -> bool:
        volume = _volume(volume_type, size_gib, iops, throughput, nitro=nitro)
        if check(volume) is not None:
            return False
        resource, names = volumes_of(volume, count, load)
        return all(strain.carried for strain in strains(resource, load, names))

    rules = limits.performance
    iops: int | None = None
    throughput: int | None = None
    if isinstance(rules, IopsAndThroughput):
        most_iops, ratio = int(rules.largest_iops.value), rules.largest_mib_per_s_per_iops.value
        most_throughput = min(int(rules.largest_mib_per_s.value), math.floor(most_iops * ratio))
        least = int(rules.included_mib_per_s.value)
        throughput = _least(least, most_throughput, lambda mib_per_s: carries(largest, most_iops, mib_per_s))
        if throughput is None:
            return None
        enough = throughput
        iops = _least(int(rules.included_iops.value), most_iops, lambda wanted: carries(largest, wanted, enough))
    elif isinstance(rules, ProvisionedIops):
        least = int(rules.smallest_iops.value)
        most_iops = min(int(rules.largest_iops.value), math.floor(largest * rules.largest_iops_per_gib.value))
        iops = _least(least, most_iops, lambda wanted: carries(largest, wanted))
        if iops is None:
            return None
    size_gib = _least(smallest, largest, lambda size: carries(size, iops, throughput))
    return None if size_gib is None else Ebs(volume_type.name, size_gib, count, iops, throughput)


def _least(lowest: int, highest: int, enough: Callable[[int], bool]) -> int | None:
    """Return the smallest integer of a range for which ``enough`` is true.

    The range includes ``lowest`` and ``highest``. If ``enough`` is true for an integer, it must be true for all larger
    integers, too. The result is None if ``enough`` is true for none.
    """
    if highest < lowest or not enough(highest):
        return None
    return lowest + bisect_left(range(lowest, highest), x=True, key=enough)


def _volume(volume_type: VolumeType, size: int, iops: int | None, throughput: int | None, *, nitro: bool) -> Volume:
    return ordered(volume_type, Ebs(volume_type.name, size, 1, iops, throughput), nitro=nitro)


def _month_usd(
    prices: VolumePrices, size_gib: object = 0.0, *, iops: object = None, throughput: object = None
) -> float:
    amounts = (0.0 if amount is None else float(amount) for amount in (size_gib, iops, throughput))  # type: ignore[arg-type]  # scalars here
    return float(volume_usd_per_month(prices, *amounts))


def _refusal(volume_type: VolumeType, load: Load, most: int, *, nitro: bool) -> Infeasible:
    """Return the reason why ``most`` volumes are not enough.

    It has the limit that is exceeded even with the largest volumes, and the number of volumes that would be enough.
    """
    limits, name = volume_type.limits, volume_type.name
    some = f"{most:,} {name} volume{'s' if most > 1 else ''}"
    counts = range(most + 1, MOST_COUNTED + 1)

    def enough(count: int) -> bool:
        return _cheapest(volume_type, load, count, nitro=nitro) is not None

    more = bisect_left(counts, x=True, key=enough)
    nearest = f"{counts[more]:,} volumes" if more < len(counts) else None
    held_gib = most * limits.largest_gib.value
    if held_gib < load.capacity_gib:
        reason = f"{some} hold{'' if most > 1 else 's'} {held_gib:,.0f} GiB at most; {load.capacity_gib:,.0f} are asked"
        return Infeasible("volume size", reason, nearest)
    best = _largest(volume_type, nitro=nitro)
    resource, names = volumes_of(best, most, load)
    worst = first_missed(strains(resource, load, names))
    if worst is None:
        raise ValueError(f"{most} {name} volumes carry the load")
    return Infeasible(
        "volume IOPS" if worst.limit == "IOPS" else "volume throughput", _why(some, worst, load, most), nearest
    )


def _largest(volume_type: VolumeType, *, nitro: bool) -> Volume:
    limits = volume_type.limits
    rules, size_gib = limits.performance, math.floor(limits.largest_gib.value)
    iops = throughput = None
    if isinstance(rules, IopsAndThroughput | ProvisionedIops):
        iops = min(int(rules.largest_iops.value), math.floor(size_gib * rules.largest_iops_per_gib.value))
    if isinstance(rules, IopsAndThroughput):
        throughput = int(rules.largest_mib_per_s.value)
    return _volume(volume_type, size_gib, iops, throughput, nitro=nitro)


def _why(some: str, worst: Strain, load: Load, most: int) -> str:
    verb = "" if most > 1 else "s"
    if worst.limit == "IOPS":
        offered, asked = f"{worst.offered:,.0f} IOPS", f"{worst.asked:,.0f}"
    else:
        offered, asked = f"{worst.offered / MB_PER_MIB:,.0f} MiB/s", f"{worst.asked / MB_PER_MIB:,.0f}"
        if load.pattern == "random" and worst.asked > load.mb_per_s * (1.0 + ROUNDING):
            asked += f" (every I/O of {load.io_kib:,g} KiB counts as a full one)"
    if worst.what == "peak":
        return f"{some} reach{'' if most > 1 else 'es'} {offered} at most; {asked} are asked"
    if worst.what == "baseline":
        return f"{some} sustain{verb} {offered} at most; the load is {asked} on the mean of a day"
    if worst.share == math.inf:
        return f"{some} of the largest size need{verb} burst credit for this load, and begin{verb} without any"
    hours = load.hours / worst.share
    return f"{some} keep{verb} up this load for {hours:,.1f} h of burst; {load.hours:g} h a day are asked"
