"""EBS volumes: validation, performance, and limits.

The limits of a node's volumes are lines (`resource.Line`). AWS counts in GiB, MiB/s and I/Os; the lines are in MB and
I/Os.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.hardware.resource import Line
from stowage.model.hardware.volume_limits import (
    IopsAndThroughput,
    IopsBySize,
    ProvisionedIops,
    ThroughputBySize,
    VolumeLimits,
    alternatives,
    provisioning,
)
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.jobs.flows import Role
from stowage.model.sizes import MB_PER_MIB
from stowage.model.units import Condition, Quantity, either, longer, smaller, whole

_GIB_PER_TIB = 1_024.0
_MIB_PER_GIB = 1_024.0
_MIB_PER_TIB = _MIB_PER_GIB * _GIB_PER_TIB
_KIB_PER_MIB = 1_024.0

_SEQUENTIAL = (Role.INPUT_READ, Role.OUTPUT_WRITE, Role.INTERMEDIATE_READ, Role.INTERMEDIATE_WRITE)
_RANDOM = (Role.RANDOM_READ, Role.RANDOM_WRITE)
_FIRST_READS = (Role.INPUT_READ, Role.RANDOM_READ)


@frozen
class Volume:
    """Size and provisioned performance of one EBS volume.

    A field is an array if it differs between configurations.
    """

    limits: VolumeLimits
    size_gib: Quantity
    """Size [GiB], above 0."""
    iops: Quantity | None = None
    """Provisioned IOPS [IOPS]; None for the included IOPS, and for a type that provisions none."""
    throughput_mib_per_s: Quantity | None = None
    """Provisioned throughput [MiB/s]; None for the included throughput, and for a type that provisions none."""
    nitro: bool = True
    """Whether the instance is built on Nitro; io1 and io2 reach their highest IOPS only there."""


@frozen
class Performance:
    """Performance of one volume.

    If the volume has no bucket of burst credits, baseline and burst are the same.
    """

    baseline_iops: Quantity
    """Sustained IOPS with I/Os small enough to count as one [IOPS]."""
    burst_iops: Quantity
    """IOPS with I/Os small enough to count as one, while credits last [IOPS]."""
    baseline_mib_per_s: Quantity
    """Sustained throughput with the largest I/Os [MiB/s]."""
    burst_mib_per_s: Quantity
    """Throughput with the largest I/Os while credits last [MiB/s]."""
    io_credits: Quantity | None = None
    """Capacity of the bucket of I/O credits (gp2) [I/O]."""
    credit_mib: Quantity | None = None
    """Capacity of the bucket of throughput credits (st1, sc1) [MiB]."""


def check(volume: Volume) -> Infeasible | None:
    """Check whether a volume can be ordered.

    The result is the obstacle, or None if there is no obstacle.

    Parameters
    ----------
    volume : Volume
        Volume whose fields are floats, not arrays.

    Returns
    -------
    Infeasible or None
        Infeasible has the limit ``volume size``, ``volume IOPS`` or ``volume throughput``.

    Examples
    --------
    >>> from stowage.model.hardware.volume_limits import newest
    >>> refused = check(Volume(newest("gp2"), 20_000.0))
    >>> refused.reason, refused.nearest
    ('a gp2 volume cannot have 20,000 GiB: 16,384 GiB at most', '2 volumes of 10,000 GiB')
    """
    return next((obstacle() for is_broken, obstacle in _rules(volume) if is_broken), None)


def orderable(volume: Volume) -> NDArray[np.bool_]:
    """Return whether `check` accepts volumes, element by element, for limits or sizes that are arrays."""
    broken = np.zeros((), np.bool_)
    for is_broken, _ in _rules(volume):
        broken = broken | is_broken
    return ~broken


def performance(volume: Volume) -> Performance:
    """Return the performance of one volume.

    Parameters
    ----------
    volume : Volume
        A volume that `check` accepts.

    Returns
    -------
    Performance
        Floats if the fields of ``volume`` are floats, arrays if they are arrays; the elements of the arrays equal the
        floats bit for bit. A value that is the same for all volumes is a float.

    Raises
    ------
    ValueError
        The volume is of type io1 or io2, but has no provisioned IOPS.

    Notes
    -----
    **Source**: EBS user guide, General Purpose SSD volumes (gp2: max(100, min(3 x GiB, 16,000)) IOPS,
    throughput = IOPS x I/O size up to the cap of the size), Provisioned IOPS SSD volumes (io1: 256 KiB
    per IOPS up to 500 MiB/s, 16 KiB per IOPS beyond 32,000 IOPS; io2: 0.256 MiB/s per IOPS), Throughput
    Optimized HDD and Cold HDD volumes (st1 and sc1: MiB/s and credits per TiB).

    For io2, 0.256 MiB/s per IOPS is more than 256 KiB per I/O. The I/O size is then the limit:
    4,000 MiB/s need the 16,000 IOPS that the guide states.

    Examples
    --------
    >>> from stowage.model.hardware.volume_limits import newest
    >>> reached = performance(Volume(newest("st1"), 1024.0))
    >>> reached.baseline_mib_per_s, reached.burst_mib_per_s
    (40.0, 250.0)
    """
    size_gib, limits = volume.size_gib, volume.limits.performance
    io_mib = volume.limits.largest_io_kib.value / _KIB_PER_MIB
    if isinstance(limits, IopsBySize):
        return _iops_by_size(limits, size_gib, io_mib)
    if isinstance(limits, IopsAndThroughput):
        iops = limits.included_iops.value if volume.iops is None else volume.iops
        asked = volume.throughput_mib_per_s
        return _steady(iops, limits.included_mib_per_s.value if asked is None else asked, io_mib)
    if isinstance(limits, ProvisionedIops):
        iops = _provisioned_iops(volume, limits)
        return _steady(iops, _throughput_of_iops_mib_per_s(limits, iops), io_mib)
    if isinstance(limits, ThroughputBySize):
        return _throughput_by_size(limits, size_gib, io_mib)
    return _steady(limits.typical_iops.value, limits.lowest_mib_per_s.value, io_mib)


def _iops_by_size(limits: IopsBySize, size_gib: Quantity, io_mib: float) -> Performance:
    baseline = smaller(
        longer(limits.iops_per_gib.value * size_gib, limits.smallest_iops.value), limits.largest_iops.value
    )
    burst = longer(baseline, limits.burst_iops.value)
    cap = _throughput_cap_mib_per_s(limits, size_gib)
    return Performance(
        baseline_iops=baseline,
        burst_iops=burst,
        baseline_mib_per_s=smaller(cap, baseline * io_mib),
        burst_mib_per_s=smaller(cap, burst * io_mib),
        io_credits=limits.io_credits.value,
    )


def _throughput_by_size(limits: ThroughputBySize, size_gib: Quantity, io_mib: float) -> Performance:
    size_tib = size_gib / _GIB_PER_TIB
    steady = smaller(limits.baseline_mib_per_s_per_tib.value * size_tib, limits.largest_baseline_mib_per_s.value)
    peak = smaller(limits.burst_mib_per_s_per_tib.value * size_tib, limits.largest_burst_mib_per_s.value)
    peak = longer(steady, peak)
    return Performance(
        baseline_iops=smaller(limits.largest_iops.value, steady / io_mib),
        burst_iops=smaller(limits.largest_iops.value, peak / io_mib),
        baseline_mib_per_s=steady,
        burst_mib_per_s=peak,
        credit_mib=limits.credit_tib_per_tib.value * size_tib * _MIB_PER_TIB,
    )


def lines(
    volume: Volume,
    count: Quantity = 1.0,
    *,
    credit_level: Quantity = 1.0,
    random_io_kib: float = 16.0,
    first_read_mib_per_s: Quantity | None = None,
) -> tuple[Line, ...]:
    """Return the limits of all volumes of a node as lines.

    Parameters
    ----------
    volume : Volume
        A volume that `check` accepts. All volumes of the node are like it, and the node uses them evenly.
    count : float or array
        Number of volumes of the node [1], at least 1.
    credit_level : float or array
        Fill level of burst buckets at the start [1], from 0 to 1.
    random_io_kib : float
        Size of one I/O of the random flows [KiB], above 0; AWS states IOPS for 16 KiB.
    first_read_mib_per_s : float, array or None
        Rate of first reads of a volume restored from a snapshot [MiB/s], above 0. AWS
        publishes no figure; None if the volume is new, initialized, or was read before.

    Returns
    -------
    tuple of Line
        The burst rate in I/Os; the bucket of I/O credits, if there is one; the burst rate in bytes; the bucket of
        throughput credits, if there is one; and the rate of first reads, if it is given.

    Notes
    -----
    **Source**: EBS user guide, I/O characteristics and monitoring: sequential I/Os are merged up to 256 KiB on SSD and
    1 MiB on HDD, larger I/Os are split; an I/O of st1 and sc1 costs credit for a full MiB unless it is merged. First
    reads are those of input and random reads: intermediate data and output are written before they are read.

    Between 170 and 334 GiB, gp2 needs no separate line for its 250 MiB/s. The byte line is 250 MiB/s, and the burst
    line is 3,000 I/Os of 256 KiB. With an empty bucket, 3 IOPS per GiB x 256 KiB is less than 250 MiB/s.

    Examples
    --------
    >>> from stowage.model.hardware.volume_limits import newest
    >>> two = lines(Volume(newest("gp2"), 100.0), 2.0, credit_level=0.5)
    >>> [(line.rate, line.credit, line.full) for line in two[:2]]
    [(6000.0, 0.0, 0.0), (600.0, 5400000.0, 10800000.0)]
    """
    reached = performance(volume)
    ios, megabytes = _weights(volume.limits, random_io_kib, counts_full_ios=reached.credit_mib is not None)
    found = [Line(reached.burst_iops * count, ios)]
    if reached.io_credits is not None:
        full = reached.io_credits * count
        found.append(Line(reached.baseline_iops * count, ios, full * credit_level, full))
    found.append(Line(_mb(reached.burst_mib_per_s) * count, megabytes))
    if reached.credit_mib is not None:
        full = _mb(reached.credit_mib) * count
        found.append(Line(_mb(reached.baseline_mib_per_s) * count, megabytes, full * credit_level, full))
    if first_read_mib_per_s is not None:
        found.append(Line(_mb(first_read_mib_per_s) * count, dict.fromkeys(_FIRST_READS, 1.0)))
    return tuple(found)


def _weights(
    limits: VolumeLimits, random_io_kib: float, *, counts_full_ios: bool
) -> tuple[dict[Role, Quantity], dict[Role, Quantity]]:
    """Return the I/Os and the MB that one MB of a flow consumes, by the flow's role.

    The first mapping has the I/Os, the second the MB. With ``counts_full_ios``, every I/O counts as an I/O of the
    largest size, as for st1 and sc1.
    """
    largest_io_kib = limits.largest_io_kib.value
    merged_mb = largest_io_kib / _KIB_PER_MIB * MB_PER_MIB
    random_mb = random_io_kib / _KIB_PER_MIB * MB_PER_MIB
    ios_of_random = whole(random_io_kib / largest_io_kib)
    ios = dict.fromkeys(_SEQUENTIAL, 1.0 / merged_mb) | dict.fromkeys(_RANDOM, ios_of_random / random_mb)
    random_bytes = ios_of_random * (merged_mb / random_mb) if counts_full_ios else 1.0
    return ios, dict.fromkeys(_SEQUENTIAL, 1.0) | dict.fromkeys(_RANDOM, random_bytes)


def burst_s(volume: Volume) -> float:
    """Return the time for which a full bucket lasts at the burst rate.

    Returns
    -------
    float
        Credits / (burst - baseline) [s]; infinite if the burst rate uses no credits.

    Notes
    -----
    **Source**: EBS user guide, General Purpose SSD volumes, burst duration.

    Examples
    --------
    >>> from stowage.model.hardware.volume_limits import newest
    >>> burst_s(Volume(newest("gp2"), 100.0))
    2000.0
    """
    credit, burst, baseline = _bucket(performance(volume))
    return credit / (burst - baseline) if burst > baseline else math.inf


def refill_s(volume: Volume) -> float:
    """Return the time in which an empty bucket fills while the volume is idle.

    Returns
    -------
    float
        Credits / baseline [s]; 0 if the burst rate uses no credits.

    Examples
    --------
    >>> from stowage.model.hardware.volume_limits import newest
    >>> refill_s(Volume(newest("gp2"), 100.0))
    18000.0
    """
    credit, burst, baseline = _bucket(performance(volume))
    return credit / baseline if burst > baseline else 0.0


def _bucket(reached: Performance) -> tuple[float, float, float]:
    """Return the full credits, the burst rate and the baseline rate of a volume.

    They are in I/Os for gp2, and in MiB for other types.
    """
    if reached.io_credits is not None:
        return float(reached.io_credits), float(reached.burst_iops), float(reached.baseline_iops)
    credit_mib = 0.0 if reached.credit_mib is None else float(reached.credit_mib)
    return credit_mib, float(reached.burst_mib_per_s), float(reached.baseline_mib_per_s)


def _steady(iops: Quantity, throughput_mib_per_s: Quantity, io_mib: float) -> Performance:
    throughput_mib_per_s = smaller(throughput_mib_per_s, iops * io_mib)
    return Performance(iops, iops, throughput_mib_per_s, throughput_mib_per_s)


def _mb(mib: Quantity) -> Quantity:
    return mib * MB_PER_MIB


def _throughput_cap_mib_per_s(limits: IopsBySize, size_gib: Quantity) -> Quantity:
    up_to_gib, small, large = limits.small_volume_gib, limits.small_volume_mib_per_s, limits.largest_mib_per_s
    return either(size_gib <= up_to_gib.value, small.value, large.value)


def _provisioned_iops(volume: Volume, limits: ProvisionedIops) -> Quantity:
    if volume.iops is None:
        raise ValueError(f"{volume.limits.name} needs IOPS: check the volume first")
    reachable = limits.largest_iops_without_nitro
    return volume.iops if volume.nitro or reachable is None else smaller(volume.iops, reachable.value)


def _throughput_of_iops_mib_per_s(limits: ProvisionedIops, iops: Quantity) -> Quantity:
    carried = iops * limits.mib_per_s_per_iops.value
    plateau, rising = limits.plateau_mib_per_s, limits.plateau_mib_per_s_per_iops
    if plateau is not None and rising is not None:
        carried = longer(smaller(carried, plateau.value), iops * rising.value)
    return smaller(carried, limits.largest_mib_per_s.value)


_Rules = Iterator[tuple[Condition, Callable[[], Infeasible]]]
"""For each rule by which volumes are ordered, whether a volume breaks it, and the obstacle."""


def _rules(volume: Volume) -> _Rules:
    yield from _rules_of_size(volume)
    yield from _rules_of_iops(volume)
    yield from _rules_of_throughput(volume)


def _rules_of_size(volume: Volume) -> _Rules:
    size_gib, smallest, largest = volume.size_gib, volume.limits.smallest_gib.value, volume.limits.largest_gib.value

    def refused(form: str, why: str, nearest: str) -> Infeasible:
        reason = f"{_spoken(volume.limits.name)} volume cannot have {float(size_gib):{form}} GiB: {why}"
        return Infeasible("volume size", reason, nearest)

    def too_large() -> Infeasible:
        count = math.ceil(size_gib / largest)
        nearest = f"{count:,} volumes of {math.ceil(size_gib / count):,} GiB"
        return refused(",.0f", f"{largest:,.0f} GiB at most", nearest)

    yield (
        (size_gib % 1.0 != 0.0) | (size_gib <= 0.0),
        lambda: refused(",g", "sizes are whole GiB", f"{smallest:,.0f} to {largest:,.0f} GiB"),
    )
    yield size_gib < smallest, lambda: refused(",.0f", f"{smallest:,.0f} GiB at least", f"{smallest:,.0f} GiB")
    yield size_gib > largest, too_large


def _rules_of_iops(volume: Volume) -> _Rules:
    name, limits, iops, size_gib = volume.limits.name, volume.limits.performance, volume.iops, volume.size_gib
    if not isinstance(limits, IopsAndThroughput | ProvisionedIops):
        others = f"no iops, or {alternatives(provisioning('iops'))}"
        yield iops is not None, lambda: Infeasible("volume IOPS", f"{name} takes no provisioned IOPS", others)
        return
    smallest, largest, per_gib = _least_iops(limits), limits.largest_iops.value, limits.largest_iops_per_gib.value
    if iops is None:
        included = isinstance(limits, IopsAndThroughput)
        needed = f"{name} needs provisioned IOPS"
        yield not included, lambda: Infeasible("volume IOPS", needed, f"iops from {smallest:g} on")
        return
    # Every size has at least the smallest IOPS of its type, even above the ratio.
    allowed = longer(smallest, per_gib * size_gib)

    def too_many() -> Infeasible:
        return Infeasible(
            "volume IOPS",
            f"{iops:,.0f} IOPS are too many for {size_gib:,.0f} GiB of {name}: {per_gib:,g} IOPS per GiB at most",
            f"{math.ceil(iops / per_gib):,} GiB, or {allowed:,.0f} IOPS",
        )

    yield _outside(iops, smallest, largest), lambda: _refused_of("volume IOPS", name, iops, "IOPS", smallest, largest)
    yield iops > allowed, too_many


def _rules_of_throughput(volume: Volume) -> _Rules:
    name, limits, asked = volume.limits.name, volume.limits.performance, volume.throughput_mib_per_s
    if asked is None:
        return
    if not isinstance(limits, IopsAndThroughput):
        reason = f"{name} takes no provisioned throughput"
        others = f"no throughput, or {alternatives(provisioning('throughput'))}"
        yield True, lambda: Infeasible("volume throughput", reason, others)
        return
    smallest, largest = limits.included_mib_per_s.value, limits.largest_mib_per_s.value
    iops = limits.included_iops.value if volume.iops is None else volume.iops
    per_iops = limits.largest_mib_per_s_per_iops.value

    def too_much() -> Infeasible:
        return Infeasible(
            "volume throughput",
            f"{asked:,.0f} MiB/s are too many for {iops:,.0f} IOPS of {name}: {per_iops:g} MiB/s per IOPS at most",
            f"{math.ceil(asked / per_iops):,} IOPS, or {math.floor(iops * per_iops):,} MiB/s",
        )

    yield (
        _outside(asked, smallest, largest),
        lambda: _refused_of("volume throughput", name, asked, "MiB/s", smallest, largest),
    )
    yield asked > iops * per_iops, too_much


def _least_iops(limits: IopsAndThroughput | ProvisionedIops) -> float:
    return (limits.included_iops if isinstance(limits, IopsAndThroughput) else limits.smallest_iops).value


def _outside(value: Quantity, smallest: float, largest: float) -> Condition:
    return (value % 1.0 != 0.0) | (value < smallest) | (value > largest)


def _refused_of(limit: Limit, name: str, value: Quantity, unit: str, smallest: float, largest: float) -> Infeasible:
    accepted = f"a whole number from {smallest:,.0f} to {largest:,.0f} {unit}"
    return Infeasible(limit, f"{_spoken(name)} volume cannot have {float(value):,g} {unit}", accepted)


def _spoken(name: str) -> str:
    """Return the name of a volume type with its article, such as "an st1" or "a gp3"."""
    vowels = "aefhilmnorsx" if name[-1].isdigit() else "aeiou"
    return f"{'an' if name[0] in vowels else 'a'} {name}"
