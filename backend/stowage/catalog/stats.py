"""Completeness of a catalog, region by region."""

from collections import Counter
from collections.abc import Mapping

from stowage.frozen import frozen
from stowage.model.figure import Figure, Kind
from stowage.model.hardware.catalog import CatalogVersion
from stowage.model.hardware.instance import InstanceType

_BANDWIDTHS = ("storage_mb_per_s", "storage_read_mb_per_s", "storage_write_mb_per_s")
_RANDOM_IOS = ("storage_read_iops", "storage_write_iops")
_CERTAIN_FIRST: tuple[Kind, ...] = ("measured", "published", "estimated")


@frozen
class Known:
    """Number of a region's types with known figures."""

    types: int
    """Types sold in the region."""
    priced: int
    """Types with an on-demand price."""
    with_ebs: int
    """Types with a known baseline of the link to EBS."""
    with_network: int
    """Types with a known baseline of the network."""
    with_disks: int
    """Types whose disks are known (number, size and medium), or that are known to have no disks."""
    complete: int
    """Types with all four: price, EBS link, network and disks."""
    estimated: int
    """Complete types with at least one estimate among these four figures."""


@frozen
class DiskProfiles:
    """Number of types with instance-store disks in a version, by the kind of their disk profile."""

    types: int
    """Types with disks, sold in any region."""
    measured: int
    """Types with a measured bandwidth."""
    published: int
    """Types without a measured bandwidth, but with one published by AWS."""
    estimated: int
    """Types with neither a measured nor a published bandwidth, but with one estimated from a type of the same family.
    """
    random_io: int
    """Types with measured or published random IOPS."""


def known_by_region(version: CatalogVersion) -> dict[str, Known]:
    """Count the known figures of each region's types, sorted by region name."""
    return {name: _known(version.instance_types, region.prices) for name, region in sorted(version.regions.items())}


def disk_profiles(version: CatalogVersion) -> DiskProfiles:
    """Count the profiles of local disks."""
    kinds: dict[str, set[Kind]] = {}
    random_io = set()
    for row in version.profiles.rows:
        if row.metric in _BANDWIDTHS:
            kinds.setdefault(row.target, set()).add(row.kind)
        elif row.metric in _RANDOM_IOS and row.kind != "estimated":
            random_io.add(row.target)
    sold = {name for region in version.regions.values() for name in region.prices}
    with_disks = {name for name in sold if version.instance_types[name].disk_count.value > 0}
    best = Counter(min(kinds[name], key=_CERTAIN_FIRST.index) for name in with_disks if name in kinds)
    return DiskProfiles(
        len(with_disks), best["measured"], best["published"], best["estimated"], len(random_io & with_disks)
    )


def _known(hardware: Mapping[str, InstanceType], prices: Mapping[str, Mapping[str, Figure]]) -> Known:
    counts = dict.fromkeys(Known.__dataclass_fields__, 0)
    for name, told in prices.items():
        instance = hardware[name]
        price, link, network = (
            told.get("usd_per_hour"),
            instance.ebs_baseline_mb_per_s,
            instance.network_baseline_mb_per_s,
        )
        disks = _disks(instance)
        counts["types"] += 1
        counts["priced"] += price is not None
        counts["with_ebs"] += link is not None
        counts["with_network"] += network is not None
        counts["with_disks"] += disks is not None
        if price is not None and link is not None and network is not None and disks is not None:
            counts["complete"] += 1
            counts["estimated"] += any(figure.kind == "estimated" for figure in (price, link, network, *disks))
    return Known(**counts)


def _disks(instance: InstanceType) -> tuple[Figure, ...] | None:
    """Return the figures of an instance type's disks; None if they are unknown."""
    if instance.disk_count.value == 0:
        return (instance.disk_count,)
    if instance.disk_size_gb is None or instance.disk_media is None:
        return None
    return (instance.disk_count, instance.disk_size_gb)
