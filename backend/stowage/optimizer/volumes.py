"""The cheapest equal volumes of one type that hold some data and carry a load, day after day.

Exact without looking at every size: with the count given, every limit of a volume grows with its size, its
IOPS and its throughput, and so does its price. So the least of each that will do, found by bisection on the
model's own lines, is the cheapest; the counts are all tried.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

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
"""Up to here it is said how many volumes would do, where as many as are allowed do not."""
_KIB_PER_MIB = 1_024.0
ROUNDING = 1e-9
"""What is asked in MB and limited in MiB may miss by a rounding; a billionth of a limit does not matter."""

_STAGES = ("peak", "baseline", "credit")

Pattern = Literal["sequential", "random"]
LimitName = Literal["IOPS", "throughput"]


@dataclass(frozen=True, slots=True)
class Load:
    """Capacity and load that volumes must meet.

    Parameters
    ----------
    capacity_gib : float
        Above 0 [GiB].
    mib_per_s : float
        Moved while the load lasts, reads and writes together, at least 0 [MiB/s].
    io_kib : float
        Size of one I/O, above 0 [KiB]; of sequential I/O only the merged ones count.
    pattern : {"sequential", "random"}
    hours : float
        How long a day it lasts, in one stretch, above 0 and up to 24 [h].
    credits : float
        How full burst buckets are when it first begins, from 0 to 1 [1].
    """

    capacity_gib: float
    mib_per_s: float = 0.0
    io_kib: float = 16.0
    pattern: Pattern = "random"
    hours: float = HOURS_PER_DAY
    credits: float = 1.0

    @property
    def role(self) -> Role:
        """Return the flow that stands for it: EBS counts reads and writes alike."""
        return Role.RANDOM_READ if self.pattern == "random" else Role.INPUT_READ

    @property
    def mb_per_s(self) -> float:
        """Return what is moved in the model's unit [MB/s]."""
        return self.mib_per_s * MB_PER_MIB

    @property
    def io_per_s(self) -> float:
        """Return the I/Os as they are asked for, before any is merged or split [1/s]."""
        return self.mib_per_s * _KIB_PER_MIB / self.io_kib


@dataclass(frozen=True, slots=True)
class Strain:
    """How much of one limit a load takes.

    Parameters
    ----------
    limit : {"IOPS", "throughput"}
    what : {"peak", "baseline", "credit"}
        The rate while the load lasts; the baseline against the mean of the day; the credit against what the
        load takes of it in one go.
    share : float
        Of the limit, at least 0 [1]; above 1 it is not carried. Infinite where there is no credit to take.
    asked, offered : float
        [I/O/s or MB/s; of a credit I/O or MB].
    """

    limit: LimitName
    what: Literal["peak", "baseline", "credit"]
    share: float
    asked: float
    offered: float

    @property
    def carried(self) -> bool:
        """Return whether the limit is kept."""
        return self.share <= 1.0 + ROUNDING


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of volumes for a month of 730 hours, by part [USD].

    Parameters
    ----------
    capacity, iops, throughput : float
    operations : float
        I/Os, where they are charged for.
    """

    capacity: float
    iops: float
    throughput: float
    operations: float

    @property
    def total(self) -> float:
        """Add the parts up [USD a month]."""
        return self.capacity + self.iops + self.throughput + self.operations


@dataclass(frozen=True, slots=True)
class Design:
    """Equal volumes that carry a load.

    Parameters
    ----------
    layout : Ebs
    cost : Cost
    strains : tuple of Strain
        Of every limit, in the order of the model's lines.
    """

    layout: Ebs
    cost: Cost
    strains: tuple[Strain, ...]

    @property
    def carried(self) -> bool:
        """Return whether every limit is kept."""
        return all(strain.carried for strain in self.strains)

    @property
    def tightest(self) -> Strain:
        """Return the limit that the load comes closest to; of equals throughput, since it bounds IOPS of HDDs."""
        return max(self.strains, key=lambda strain: (round(strain.share, 9), strain.limit == "throughput"))


@dataclass(frozen=True, slots=True)
class Designs:
    """Offer of one volume type.

    Parameters
    ----------
    cheapest : Design
        Of equal costs the one of fewer volumes.
    fewest : Design
        The cheapest of the fewest volumes that will do.
    """

    cheapest: Design
    fewest: Design


def design(volume_type: VolumeType, load: Load, most: int, *, nitro: bool = True) -> Designs | Infeasible:
    """Find the cheapest equal volumes of a type that hold and carry a load, day after day.

    Parameters
    ----------
    volume_type : VolumeType
    load : Load
    most : int
        Volumes that may be taken, at least 1.
    nitro : bool
        Whether they hang on an instance that is built on Nitro.

    Returns
    -------
    Designs or Infeasible
        Infeasible names the limit that even ``most`` volumes of the largest kind do not keep, and how many would.

    Notes
    -----
    A burst may be counted on where it comes back: the load of a day must not be more than what the baseline
    gives in 24 hours, and what it takes beyond the baseline in one stretch not more than the bucket holds.
    Then the bucket is as full at the end of each day as at its beginning.

    Volumes are equal, as those of a stripe are. A mixture could be cheaper and would need its data placed by hand.
    """
    every = (of_count(volume_type, load, count, nitro=nitro) for count in range(1, most + 1))
    found = [one for one in every if one is not None]
    if not found:
        return _refusal(volume_type, load, most, nitro=nitro)
    # Of equals the first stays: fewer volumes.
    return Designs(min(found, key=lambda one: float(nine_digits(one.cost.total))), found[0])


def of_count(volume_type: VolumeType, load: Load, count: int, *, nitro: bool = True) -> Design | None:
    """Find the cheapest design of exactly so many volumes; None where none does."""
    volume = _cheapest(volume_type, load, count, nitro=nitro)
    return None if volume is None else _designed(volume_type, volume, load, count)


def designed(volume_type: VolumeType, layout: Ebs, load: Load, *, nitro: bool = True) -> Design:
    """Judge a layout that can be ordered, whether it carries the load or not."""
    volume = ordered(volume_type, layout, nitro=nitro)
    resource, names = volumes_of(volume, layout.count, load)
    return Design(layout, month(volume_type, volume, layout.count, load), strains(resource, load, names))


def month(volume_type: VolumeType, volume: Volume, count: int, load: Load) -> Cost:
    """Price volumes for a month of 730 hours, with the load on them every day."""
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
    """Return how much of each limit of a resource a load takes, day after day.

    Parameters
    ----------
    resource : Resource
        With its credit at the level at which the load first begins.
    load : Load
    names : tuple of {"IOPS", "throughput"}
        What each of its lines limits.
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
    """Return the limit that says most of what is not carried: what cannot be reached before what cannot be kept up."""
    missed = [strain for strain in found if not strain.carried]
    return max(missed, key=lambda strain: (-_STAGES.index(strain.what), strain.share), default=None)


def volumes_of(volume: Volume, count: int, load: Load) -> tuple[Resource, tuple[LimitName, ...]]:
    """Return equal volumes as one resource, and what each of its lines limits."""
    reached = performance(volume)
    names: list[LimitName] = ["IOPS"]
    if reached.io_credits is not None:
        names.append("IOPS")
    names.append("throughput")
    if reached.credit_mib is not None:
        names.append("throughput")
    found = lines(volume, float(count), credit_level=load.credits, random_io_kib=load.io_kib)
    return Resource("EBS volumes", found), tuple(names)


def link_of(instance: InstanceType, load: Load) -> tuple[Resource, tuple[LimitName, ...]] | None:
    """Return an instance's link to EBS as the model has it; None where its rates are not known."""
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


def _cheapest(volume_type: VolumeType, load: Load, count: int, *, nitro: bool) -> Volume | None:
    """Find the cheapest volume of which so many hold and carry a load; None where none does."""
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
    return None if size_gib is None else _volume(volume_type, size_gib, iops, throughput, nitro=nitro)


def _least(lowest: int, highest: int, enough: Callable[[int], bool]) -> int | None:
    """Find the least whole number that is enough, where every larger one is so too."""
    if highest < lowest or not enough(highest):
        return None
    return lowest + bisect_left(range(lowest, highest), x=True, key=enough)


def _volume(volume_type: VolumeType, size: int, iops: int | None, throughput: int | None, *, nitro: bool) -> Volume:
    return ordered(volume_type, Ebs(volume_type.name, size, 1, iops, throughput), nitro=nitro)


def _designed(volume_type: VolumeType, volume: Volume, load: Load, count: int) -> Design:
    layout = Ebs(
        volume_type.name,
        int(volume.size_gib),
        count,
        None if volume.iops is None else int(volume.iops),
        None if volume.throughput_mib_per_s is None else int(volume.throughput_mib_per_s),
    )
    return designed(volume_type, layout, load, nitro=volume.nitro)


def _month_usd(
    prices: VolumePrices, size_gib: object = 0.0, *, iops: object = None, throughput: object = None
) -> float:
    amounts = (0.0 if amount is None else float(amount) for amount in (size_gib, iops, throughput))  # type: ignore[arg-type]  # scalars here
    return float(volume_usd_per_month(prices, *amounts))


def _refusal(volume_type: VolumeType, load: Load, most: int, *, nitro: bool) -> Infeasible:
    """Return which limit even the largest volumes do not keep, and how many of them would."""
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
