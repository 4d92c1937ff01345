"""AWS limits of EBS volume types by date.

Each limit is a figure with its source.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from types import MappingProxyType
from typing import ClassVar, Literal

from stowage.frozen import frozen
from stowage.model.figure import Figure, Kind, figures_of
from stowage.model.infeasible import Infeasible

Provisioned = Literal["iops", "throughput"]


@frozen
class IopsBySize:
    """Limits of gp2, whose IOPS grow with the size of the volume.

    A bucket of I/O credits raises smaller volumes to ``burst_iops``.
    """

    provisions: ClassVar[tuple[Provisioned, ...]] = ()
    credit: ClassVar[str | None] = "I/Os"
    iops_per_gib: Figure
    """Baseline IOPS for each GiB of the volume [IOPS/GiB]."""
    smallest_iops: Figure
    """Lower bound of the baseline [IOPS]."""
    largest_iops: Figure
    """Upper bound of the baseline [IOPS]."""
    burst_iops: Figure
    """IOPS while credits last [IOPS], above 0."""
    io_credits: Figure
    """Capacity of the bucket [I/O]."""
    small_volume_gib: Figure
    """Largest size for which throughput has a lower cap [GiB]."""
    small_volume_mib_per_s: Figure
    """Lower cap of small volumes [MiB/s]."""
    largest_mib_per_s: Figure
    """Cap of larger volumes [MiB/s], above 0."""


@frozen
class IopsAndThroughput:
    """Limits of gp3, which includes some IOPS and throughput.

    More of each can be provisioned.
    """

    provisions: ClassVar[tuple[Provisioned, ...]] = ("iops", "throughput")
    credit: ClassVar[str | None] = None
    included_iops: Figure
    """Included IOPS [IOPS]."""
    largest_iops: Figure
    """Most IOPS [IOPS]."""
    largest_iops_per_gib: Figure
    """Most IOPS for each GiB [IOPS/GiB]; it limits only volumes with more than the included IOPS."""
    included_mib_per_s: Figure
    """Included throughput [MiB/s]."""
    largest_mib_per_s: Figure
    """Most throughput [MiB/s]."""
    largest_mib_per_s_per_iops: Figure
    """Most throughput for each IOPS [MiB/s per IOPS]."""


@frozen
class ProvisionedIops:
    """Limits of io1 and io2, whose IOPS are provisioned.

    Throughput follows from the IOPS.
    """

    provisions: ClassVar[tuple[Provisioned, ...]] = ("iops",)
    credit: ClassVar[str | None] = None
    smallest_iops: Figure
    """Fewest IOPS that can be provisioned [IOPS], above 0."""
    largest_iops: Figure
    """Most IOPS that can be provisioned [IOPS], above 0."""
    largest_iops_per_gib: Figure
    """Most IOPS for each GiB of the volume [IOPS/GiB], above 0."""
    largest_mib_per_s: Figure
    """Most throughput of a volume [MiB/s], above 0."""
    mib_per_s_per_iops: Figure
    """Throughput that follows from IOPS [MiB/s per IOPS], above 0."""
    plateau_mib_per_s: Figure | None = None
    """Plateau up to which `mib_per_s_per_iops` applies [MiB/s]."""
    plateau_mib_per_s_per_iops: Figure | None = None
    """Throughput for each provisioned IOPS of a volume whose throughput exceeds the plateau [MiB/s per IOPS]."""
    largest_iops_without_nitro: Figure | None = None
    """Most IOPS of a volume on an instance that is not built on Nitro [IOPS]."""


@frozen
class ThroughputBySize:
    """Limits of st1 and sc1, whose throughput grows with the size of the volume.

    A bucket of throughput credits adds more.
    """

    provisions: ClassVar[tuple[Provisioned, ...]] = ()
    credit: ClassVar[str | None] = "bytes"
    baseline_mib_per_s_per_tib: Figure
    """Baseline for each TiB of the volume [MiB/s per TiB], above 0."""
    largest_baseline_mib_per_s: Figure
    """Cap of the baseline [MiB/s], above 0."""
    burst_mib_per_s_per_tib: Figure
    """Burst rate for each TiB of the volume [MiB/s per TiB], above 0."""
    largest_burst_mib_per_s: Figure
    """Cap of the burst rate [MiB/s], above 0."""
    credit_tib_per_tib: Figure
    """Capacity of the bucket for each TiB of the volume [TiB/TiB]."""
    largest_iops: Figure
    """Limit of I/Os of `largest_io_kib` each [IOPS]."""


@frozen
class Typical:
    """Limits of standard volumes, for which AWS states typical values only."""

    provisions: ClassVar[tuple[Provisioned, ...]] = ()
    credit: ClassVar[str | None] = None
    typical_iops: Figure
    """Typical value according to AWS [IOPS], above 0."""
    lowest_mib_per_s: Figure
    """Lower end of the range of a volume's maximum throughput [MiB/s]; the model uses this value."""
    highest_mib_per_s: Figure
    """Upper end of the range of a volume's maximum throughput [MiB/s]; the model uses `lowest_mib_per_s` instead."""


PerformanceLimits = IopsBySize | IopsAndThroughput | ProvisionedIops | ThroughputBySize | Typical
"""``provisions``: quantities provisioned in addition to the size; ``credit``: unit of the burst bucket, or None."""


@frozen
class VolumeKind:
    """Properties of an EBS volume type other than its limits.

    `VOLUME_KINDS` is the only list of volume types.
    """

    announced: date
    """Day on which AWS announced the type. Only the day of gp2 and the month of gp3 are verified."""
    elastic: bool = True
    """Whether its volumes can be changed while in use: EC2 API reference, ModifyVolume, 2026-11-20."""
    on_emr: bool = True
    """Whether EMR accepts it: EMR API reference, VolumeSpecification, as in botocore 1.44."""


@frozen
class VolumeLimits:
    """Limits of an EBS volume type, as known from one date on."""

    name: str
    """`gp2`."""
    media: Literal["ssd", "hdd"]
    since: date
    """First day on which the figures are known to hold."""
    smallest_gib: Figure
    """Smallest size [GiB]."""
    largest_gib: Figure
    """Largest size [GiB]."""
    largest_io_kib: Figure
    """Largest I/O that counts as a single I/O; sequential I/Os are merged up to this size [KiB]."""
    lowest_annual_failure_rate: Figure
    """Lower end of the range of the chance that a volume is lost within a year [1/a]."""
    highest_annual_failure_rate: Figure
    """Upper end of the range of the chance that a volume is lost within a year [1/a]."""
    performance: PerformanceLimits
    """Limits of IOPS and throughput."""
    promised_share: Figure | None = None
    """AWS design target: at least this share of the performance [1] for the share `promised_time` of the time; None if
    AWS states none, or none is known for that date."""
    promised_time: Figure | None = None
    """AWS design target: share of the time for which `promised_share` holds [1]; None as for `promised_share`."""

    def figures(self) -> tuple[Figure, ...]:
        """List every figure of the volume type.

        The name of a figure begins with the type: ``gp2.iops_per_gib``.
        """
        return tuple(figure.of(self.name) for part in (self, self.performance) for figure in figures_of(part).values())


def volume_limits(name: str, on: date) -> VolumeLimits | Infeasible:
    """Return the limits of a volume type on a date.

    Parameters
    ----------
    name : str
        ``gp2``, ``gp3``, ``io1``, ``io2``, ``st1``, ``sc1`` or ``standard``.
    on : date

    Returns
    -------
    VolumeLimits or Infeasible
        Infeasible if there is no such type, if AWS introduced it later, or if its limits at that
        date are unknown.

    Examples
    --------
    >>> gp2 = volume_limits("gp2", date(2014, 10, 1))
    >>> gp2.largest_gib.value
    1024.0
    >>> volume_limits("gp3", date(2019, 1, 1)).reason
    'gp3 did not exist on 2019-01-01: it came on 2020-12-01'
    """
    editions = [edition for edition in _EDITIONS if edition.name == name]
    if not editions:
        return Infeasible("volume type", f"{name[:40]!r} is not an EBS volume type", alternatives(tuple(VOLUME_KINDS)))
    known = [edition for edition in editions if edition.since <= on]
    if known:
        return known[-1]
    came, first = VOLUME_KINDS[name].announced, editions[0].since
    if on < came:
        present = (other for other in _EDITIONS if other.since <= on)
        nearest = ", ".join(dict.fromkeys(other.name for other in present))
        return Infeasible(
            "volume type", f"{name} did not exist on {on}: it came on {came}", nearest or f"a date from {first} on"
        )
    return Infeasible("volume type", f"the limits of {name} on {on} are not known", f"a date from {first} on")


@frozen
class _Origin:
    source: str
    as_of: date
    kind: Kind = "published"


_UNITS = (
    ("mib_per_s_per_iops", "MiB/s per IOPS"),
    ("mib_per_s_per_tib", "MiB/s per TiB"),
    ("tib_per_tib", "TiB/TiB"),
    ("iops_per_gib", "IOPS/GiB"),
    ("mib_per_s", "MiB/s"),
    ("failure_rate", "1/a"),
    ("io_credits", "I/O"),
    ("_gib", "GiB"),
    ("_kib", "KiB"),
    ("", "IOPS"),
)
"""Units by the ending of a quantity's name; the first ending that matches applies."""


def _from(origin: _Origin, **values: float) -> dict[str, Figure]:
    return {
        quantity: Figure(
            quantity,
            value,
            next(unit for ending, unit in _UNITS if quantity.endswith(ending)),
            origin.source,
            origin.kind,
            origin.as_of,
        )
        for quantity, value in values.items()
    }


def _shape(origin: _Origin, smallest_gib: float, largest_gib: float, io_kib: float = 256.0) -> dict[str, Figure]:
    return _from(origin, smallest_gib=smallest_gib, largest_gib=largest_gib, largest_io_kib=io_kib)


def _failures(origin: _Origin, lowest: float = 0.001, highest: float = 0.002) -> dict[str, Figure]:
    return _from(origin, lowest_annual_failure_rate=lowest, highest_annual_failure_rate=highest)


def _promise(time: float) -> dict[str, Figure]:
    origin = _PROMISE
    share = Figure("promised_share", 0.9, "1", origin.source, origin.kind, origin.as_of)
    return {"promised_share": share, "promised_time": replace(share, quantity="promised_time", value=time)}


_IN_2014, _IN_2018, _IN_2021, _IN_2026 = date(2014, 6, 17), date(2018, 1, 1), date(2021, 1, 1), date(2026, 1, 1)

_GENERAL = _Origin("EBS user guide, General Purpose SSD volumes, 2026", _IN_2026)
_PROVISIONED = _Origin("EBS user guide, Provisioned IOPS SSD volumes, and CreateVolume reference, 2026", _IN_2026)
_HDD = _Origin("EBS user guide, Throughput Optimized HDD and Cold HDD volumes, 2026", _IN_2026)
_MAGNETIC = _Origin("EBS user guide, Previous generation Magnetic volumes, 2026", _IN_2026)
_DURABILITY = _Origin("EBS user guide, volume types, durability, 2026", _IN_2026)
_PROMISE = _Origin("EBS user guide, Amazon EBS optimization, 2026", _IN_2026)
_GUIDE_2021 = _Origin("EC2 user guide, EBS volume types, edition of early 2021", _IN_2021)
_GUIDE_2018 = _Origin("EC2 user guide, EBS volume types, edition of early 2018", _IN_2018)
_IO1_2017 = _Origin("AWS on io1, December 2017: from 20,000 IOPS and 320 MB/s to 32,000 and 500", date(2017, 12, 6))
_API_2015 = _Origin("EC2 API reference, CreateVolume, edition of 2015", date(2015, 4, 15))
_GUIDE_2014 = _Origin("EC2 user guide (API version 2014-05-01), EBS volume types", _IN_2014)
_STANDARD_DURABILITY = _Origin("AWS states no rate for standard: that of gp2, st1 and sc1", _IN_2026, "estimated")
_DURABILITY_BEFORE = _Origin("Not verified for this date: the rate stated in 2021", _IN_2021, "estimated")
_BUCKET_2014 = _Origin("The bucket of the guide of 2021; AWS' RDS user guide had it in 2014 too", _IN_2014, "estimated")
_CAP_2014 = _Origin("Not verified for 2014: what gp2 up to 170 GiB has kept since", _IN_2014, "estimated")
_RATIO_2014 = _Origin("Not verified for 2014: the CreateVolume reference of 2015", _IN_2014, "estimated")
_NO_MINIMUM = _Origin(
    "Worked back: AWS printed a burst of 1,802 s for 1 GiB = 5.4 million / (3,000 - 3), so no minimum of 100 IOPS",
    _IN_2014,
    "estimated",
)

_GP2 = _from(_GENERAL, iops_per_gib=3.0, smallest_iops=100.0, burst_iops=3000.0, io_credits=5.4e6)
_GP2 |= _from(_GENERAL, largest_iops=16000.0, small_volume_gib=170.0, small_volume_mib_per_s=128.0)
_GP2 |= _from(_GENERAL, largest_mib_per_s=250.0)
_GP2_2015 = _GP2 | _from(_GUIDE_2018, largest_iops=10000.0, largest_mib_per_s=160.0)
_GP2_2014 = _from(_GUIDE_2014, iops_per_gib=3.0, largest_iops=3000.0, burst_iops=3000.0)
_GP2_2014 |= _from(_CAP_2014, small_volume_gib=170.0, small_volume_mib_per_s=128.0, largest_mib_per_s=128.0)
_GP2_2014 |= _from(_NO_MINIMUM, smallest_iops=3.0) | _from(_BUCKET_2014, io_credits=5.4e6)

_GP3_2021 = _from(_GUIDE_2021, included_iops=3000.0, largest_iops=16000.0, largest_iops_per_gib=500.0)
_GP3_2021 |= _from(_GUIDE_2021, included_mib_per_s=125.0, largest_mib_per_s=1000.0, largest_mib_per_s_per_iops=0.25)
_GP3 = _from(_GENERAL, included_iops=3000.0, largest_iops=80000.0, largest_iops_per_gib=500.0)
_GP3 |= _from(_GENERAL, included_mib_per_s=125.0, largest_mib_per_s=2000.0, largest_mib_per_s_per_iops=0.25)

_IO_64000 = {"smallest_iops": 100.0, "largest_iops": 64000.0, "largest_iops_without_nitro": 32000.0}
_IO_1000 = {"mib_per_s_per_iops": 256 / 1024, "plateau_mib_per_s": 500.0, "largest_mib_per_s": 1000.0}
_IO_1000["plateau_mib_per_s_per_iops"] = 16 / 1024
_IO1_2014 = _from(_GUIDE_2014, largest_iops=4000.0) | _from(_CAP_2014, largest_mib_per_s=128.0)
_IO1_2014 |= _from(_RATIO_2014, smallest_iops=100.0, largest_iops_per_gib=30.0, mib_per_s_per_iops=256 / 1024)
_IO1_2015 = _from(_API_2015, smallest_iops=100.0, largest_iops=20000.0, largest_iops_per_gib=30.0)
_IO1_2015 |= _from(_IO1_2017, largest_mib_per_s=320.0) | _from(_GUIDE_2018, mib_per_s_per_iops=256 / 1024)
_IO1_2018 = _from(_GUIDE_2018, smallest_iops=100.0, largest_iops=32000.0, largest_iops_per_gib=50.0)
_IO1_2018 |= _from(_GUIDE_2018, largest_mib_per_s=500.0, mib_per_s_per_iops=256 / 1024)
_IO1 = _from(_PROVISIONED, **_IO_64000, **_IO_1000, largest_iops_per_gib=50.0)
_IO2_2020 = _from(_GUIDE_2021, **_IO_64000, **_IO_1000, largest_iops_per_gib=500.0)
_IO2 = _from(_PROVISIONED, smallest_iops=100.0, largest_iops=256000.0, largest_iops_per_gib=1000.0)
_IO2 |= _from(_PROVISIONED, largest_mib_per_s=4000.0, mib_per_s_per_iops=0.256, largest_iops_without_nitro=32000.0)

_ST1 = _from(_HDD, baseline_mib_per_s_per_tib=40.0, largest_baseline_mib_per_s=500.0, credit_tib_per_tib=1.0)
_ST1 |= _from(_HDD, burst_mib_per_s_per_tib=250.0, largest_burst_mib_per_s=500.0, largest_iops=500.0)
_SC1 = _from(_HDD, baseline_mib_per_s_per_tib=12.0, largest_baseline_mib_per_s=192.0, credit_tib_per_tib=1.0)
_SC1 |= _from(_HDD, burst_mib_per_s_per_tib=80.0, largest_burst_mib_per_s=250.0, largest_iops=250.0)
_STANDARD = _from(_MAGNETIC, typical_iops=100.0, lowest_mib_per_s=40.0, highest_mib_per_s=90.0)

_MARCH_2015, _LATE_2018, _LATE_2020 = date(2015, 3, 19), date(2018, 12, 3), date(2020, 12, 1)
_SAFE = _failures(_DURABILITY, 0.00001, 0.00001)
_USUAL, _USUAL_BEFORE = _failures(_DURABILITY), _failures(_DURABILITY_BEFORE)
_MIB = 1024.0


def _edition(
    name: str, since: date, performance: PerformanceLimits, shape: dict[str, Figure], durability: dict[str, Figure]
) -> VolumeLimits:
    hdd = isinstance(performance, ThroughputBySize | Typical)
    return VolumeLimits(name, "hdd" if hdd else "ssd", since, performance=performance, **shape, **durability)


_EDITIONS = (
    _edition("gp2", _IN_2014, IopsBySize(**_GP2_2014), _shape(_GUIDE_2014, 1.0, 1024.0), _USUAL_BEFORE),
    _edition("gp2", _MARCH_2015, IopsBySize(**_GP2_2015), _shape(_GUIDE_2018, 1.0, 16384.0), _USUAL_BEFORE),
    _edition("gp2", _LATE_2018, IopsBySize(**_GP2), _shape(_GENERAL, 1.0, 16384.0), _USUAL | _promise(0.99)),
    _edition(
        "gp3", _LATE_2020, IopsAndThroughput(**_GP3_2021), _shape(_GUIDE_2021, 1.0, 16384.0), _USUAL | _promise(0.99)
    ),
    _edition(
        "gp3", date(2025, 9, 30), IopsAndThroughput(**_GP3), _shape(_GENERAL, 1.0, 65536.0), _USUAL | _promise(0.99)
    ),
    _edition("io1", _IN_2014, ProvisionedIops(**_IO1_2014), _shape(_GUIDE_2014, 10.0, 1024.0), _USUAL_BEFORE),
    _edition("io1", _MARCH_2015, ProvisionedIops(**_IO1_2015), _shape(_GUIDE_2018, 4.0, 16384.0), _USUAL_BEFORE),
    _edition("io1", date(2017, 12, 6), ProvisionedIops(**_IO1_2018), _shape(_GUIDE_2018, 4.0, 16384.0), _USUAL_BEFORE),
    _edition("io1", _LATE_2018, ProvisionedIops(**_IO1), _shape(_PROVISIONED, 4.0, 16384.0), _USUAL | _promise(0.999)),
    _edition(
        "io2",
        date(2020, 8, 24),
        ProvisionedIops(**_IO2_2020),
        _shape(_GUIDE_2021, 4.0, 16384.0),
        _SAFE | _promise(0.999),
    ),
    _edition(
        "io2", date(2025, 4, 30), ProvisionedIops(**_IO2), _shape(_PROVISIONED, 4.0, 65536.0), _SAFE | _promise(0.999)
    ),
    _edition(
        "st1", date(2016, 4, 19), ThroughputBySize(**_ST1), _shape(_GUIDE_2018, 500.0, 16384.0, _MIB), _USUAL_BEFORE
    ),
    _edition("st1", _LATE_2020, ThroughputBySize(**_ST1), _shape(_HDD, 125.0, 16384.0, _MIB), _USUAL | _promise(0.99)),
    _edition(
        "sc1", date(2016, 4, 19), ThroughputBySize(**_SC1), _shape(_GUIDE_2018, 500.0, 16384.0, _MIB), _USUAL_BEFORE
    ),
    _edition("sc1", _LATE_2020, ThroughputBySize(**_SC1), _shape(_HDD, 125.0, 16384.0, _MIB), _USUAL | _promise(0.99)),
    _edition(
        "standard",
        _IN_2014,
        Typical(**_STANDARD),
        _shape(_MAGNETIC, 1.0, 1024.0, _MIB),
        _failures(_STANDARD_DURABILITY),
    ),
)
"""Limits by type and date. io2 Block Express was limited to some instance types until April 2025; until then the
figures are those of other io2 volumes."""

VOLUME_KINDS: Mapping[str, VolumeKind] = MappingProxyType(
    {
        "gp3": VolumeKind(_LATE_2020),
        "gp2": VolumeKind(_IN_2014),
        "io2": VolumeKind(date(2020, 8, 24), on_emr=False),
        "io1": VolumeKind(date(2012, 7, 31)),
        "st1": VolumeKind(date(2016, 4, 19)),
        "sc1": VolumeKind(date(2016, 4, 19)),
        "standard": VolumeKind(date(2008, 8, 20), elastic=False),
    }
)
"""All volume types, in the order in which forms offer them."""


def newest(name: str) -> VolumeLimits | None:
    """Return the newest limits of a volume type.

    The result is None if there is no such type.
    """
    return next((edition for edition in reversed(_EDITIONS) if edition.name == name), None)


def alternatives(names: Sequence[str]) -> str:
    """Format names as a choice: ``gp3, io1 or io2``."""
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def provisioning(quantity: Provisioned) -> tuple[str, ...]:
    """Return the names of the volume types for which users can provision a quantity.

    ``quantity`` is IOPS or throughput.
    """
    return tuple(
        name for name in VOLUME_KINDS if (limits := newest(name)) and quantity in limits.performance.provisions
    )
