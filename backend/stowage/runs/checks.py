"""Checks of a benchmark run's specification against the catalog, and of its fields against each other.

The ranges of single fields are checked where the specification is parsed (`stowage.runs.spec`). Each check reports the
path of the field that is wrong.
"""

import re

from stowage.frozen import frozen
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.volume import Volume, check
from stowage.model.infeasible import Infeasible
from stowage.runs.orders import needed_s
from stowage.runs.pace import Pace
from stowage.runs.quote import prices_of
from stowage.runs.spec import MOST_BLOCK_BYTES, MOST_NODES, OwnDisks, RunSpec, Volumes

MOST_VOLUMES = 24
USUAL_BOOT_S = 90.0
"""Assumed time from a node's launch to its first orders [s]; an estimate, not a measurement."""

_FEWEST_NODES = {"diskbench": 1, "netbench": 2, "screening": 2, "redis": 1, "testdfsio": 3}
# Local and Wavelength Zones (us-east-1-bos-1a) cost more than their region, and their prices are unknown.
_ZONE_ENDING = re.compile(r"[a-z]")
_BLOCK_STEP = 512
_SIZES = {
    "volume size": "storage.size_gib",
    "volume IOPS": "storage.iops",
    "volume throughput": "storage.throughput_mib_per_s",
}


@frozen
class Problem:
    """One problem with a field of the specification."""

    path: str
    """Path of the field, such as `storage.iops`; empty for the whole specification."""
    message: str
    """Message that names the rejected value and the accepted values."""


def problems(spec: RunSpec, catalog: Catalog, pace: Pace | None = None) -> tuple[Problem, ...]:
    """Return all problems of a specification.

    If there are none, a quote can be made for it.

    Parameters
    ----------
    spec : RunSpec
    catalog : Catalog
        Catalog of the region.
    pace : Pace, optional
        Timeouts. They include the time that is reserved for teardown.
    """
    found: list[Problem] = []
    least = _FEWEST_NODES[spec.benchmark]
    if not least <= spec.nodes <= MOST_NODES:
        found.append(Problem("nodes", f"{spec.nodes:,} is not from {least} to {MOST_NODES}, as {spec.benchmark} takes"))
    instance = catalog.instance_types.get(spec.instance)
    if instance is None:
        return (*found, Problem("instance", f"{spec.region} does not sell {spec.instance[:40]!r}, as far as is known"))
    if spec.zone is not None and not _is_zone(spec.zone, spec.region):
        found.append(Problem("zone", f"{spec.zone[:40]!r} is no zone of {spec.region}, as in {spec.region}a"))
    if spec.placement_group and not instance.placement_group:
        found.append(Problem("placement_group", f"{spec.instance} cannot be launched into a cluster placement group"))
    if spec.market == "spot" and spec.benchmark == "testdfsio":
        found.append(Problem("market", "clusters of EMR are launched on demand here"))
    found += _storage(spec, instance, catalog)
    found += _plans(spec)
    found += _time(spec, pace or Pace())
    if not found:
        prices = prices_of(spec, catalog)
        if isinstance(prices, Infeasible):
            found.append(Problem("instance", f"{prices.reason}: a run needs an upper bound of its cost"))
    return tuple(found)


def spec_words(spec: RunSpec) -> str:
    """Describe a specification in one line.

    Examples
    --------
    >>> spec_words(RunSpec("netbench", "c5n.18xlarge", 8, "us-east-1", placement_group=True, market="spot"))
    'NetBench on 8 × c5n.18xlarge, us-east-1, in a placement group, spot'
    """
    names = {
        "diskbench": "DiskBench",
        "netbench": "NetBench",
        "screening": "screening",
        "redis": "Redis",
        "testdfsio": "TestDFSIO",
    }
    nodes = spec.instance if spec.nodes == 1 else f"{spec.nodes:,} × {spec.instance}"
    parts = [f"{names[spec.benchmark]} on {nodes}"]
    if isinstance(spec.storage, OwnDisks):
        parts.append("own disks")
    elif isinstance(spec.storage, Volumes):
        parts.append(_volume_words(spec.storage))
    parts.append(spec.zone or spec.region)
    if spec.placement_group:
        parts.append("in a placement group")
    if spec.market == "spot":
        parts.append("spot")
    return ", ".join(parts)


def _volume_words(volumes: Volumes) -> str:
    words = f"{volumes.type} {volumes.size_gib:,} GiB"
    if volumes.iops is not None:
        words += f" {volumes.iops:,} IOPS"
    if volumes.throughput_mib_per_s is not None:
        words += f" {volumes.throughput_mib_per_s:,} MiB/s"
    return words if volumes.count == 1 else f"{words} x {volumes.count}"


def _is_zone(zone: str, region: str) -> bool:
    return zone.startswith(region) and _ZONE_ENDING.fullmatch(zone[len(region) :]) is not None


def _storage(spec: RunSpec, instance: InstanceType, catalog: Catalog) -> list[Problem]:
    if spec.storage is None:
        if spec.benchmark in {"diskbench", "redis"}:
            return [Problem("storage", f"{spec.benchmark} needs storage: the type's own disks, or volumes")]
        if spec.benchmark == "testdfsio":
            return [Problem("storage", "testdfsio needs volumes: those that EMR would add by itself are in no quote")]
        return []
    if spec.benchmark == "netbench":
        return [Problem("storage", "takes no part in a measurement of the network; leave it out, or screen")]
    own_disks = instance.disk_count.value >= 1
    if spec.benchmark == "testdfsio" and (own_disks or isinstance(spec.storage, OwnDisks)):
        words = (
            "testdfsio takes a type without disks of its own, and volumes: HDFS would lie on both, and say of neither"
        )
        return [Problem("storage", words)]
    if isinstance(spec.storage, OwnDisks):
        if not own_disks:
            return [Problem("storage", f"{spec.instance} has no disks of its own")]
        return []
    return _volumes(spec.storage, instance, catalog)


def _volumes(volumes: Volumes, instance: InstanceType, catalog: Catalog) -> list[Problem]:
    found = []
    sort = catalog.volume_types.get(volumes.type)
    if sort is None:
        known = ", ".join(catalog.volume_types)
        return [Problem("storage.type", f"{volumes.type[:40]!r} is none of {known}")]
    # The root volume is attached as well.
    room = MOST_VOLUMES if instance.most_volumes is None else min(MOST_VOLUMES, int(instance.most_volumes.value) - 1)
    if not 1 <= volumes.count <= room:
        found.append(Problem("storage.count", f"{volumes.count} is not from 1 to {room}, beside the start volume"))
    refused = check(
        Volume(
            sort.limits,
            float(volumes.size_gib),
            None if volumes.iops is None else float(volumes.iops),
            None if volumes.throughput_mib_per_s is None else float(volumes.throughput_mib_per_s),
            instance.on_nitro,
        )
    )
    if refused is not None:
        nearest = "" if refused.nearest is None else f" (nearest: {refused.nearest})"
        found.append(Problem(_SIZES[refused.limit], f"{refused.reason}{nearest}"))
    return found


def _plans(spec: RunSpec) -> list[Problem]:
    found = []
    if spec.benchmark in {"diskbench", "screening"} and spec.storage is not None:
        plan = spec.disk
        if len(set(plan.modes)) < len(plan.modes):
            found.append(
                Problem("disk.modes", "each of read-write, read and write once at most, and one of them at least")
            )
        if plan.block_bytes % _BLOCK_STEP:
            message = f"{plan.block_bytes:,} is no multiple of {_BLOCK_STEP} up to {MOST_BLOCK_BYTES:,}"
            found.append(Problem("disk.block_bytes", message))
    if spec.benchmark == "redis" and len(set(spec.redis.syncs)) < len(spec.redis.syncs):
        found.append(Problem("redis.syncs", "everysec and always once at most, and one of them at least"))
    return found


def _time(spec: RunSpec, pace: Pace) -> list[Problem]:
    limit_s = spec.time_limit_s
    least_s = USUAL_BOOT_S + needed_s(spec) + pace.ending_s
    if limit_s < least_s:
        message = f"{limit_s:,.0f} s are too short: this takes {least_s:,.0f} s, with launch and end"
        return [Problem("time_limit_s", message)]
    return []
