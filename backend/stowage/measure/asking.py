"""Targets of measurements: required fields, and guesses from the uploaded file.

The target of a measurement is the instance type, the storage and the region that were measured.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar

from stowage.frozen import frozen
from stowage.measure.files.strict import BadValue
from stowage.measure.metrics import METRICS
from stowage.measure.profiling.facts import limits_of
from stowage.measure.reading import Reading
from stowage.measure.target import (
    INSTANCE,
    INSTANCE_ACCEPTED,
    MOST_NODES,
    REGION,
    REGION_ACCEPTED,
    STORAGE_ACCEPTED,
    VOLUME_TYPE,
    ZONE_ENDING,
    DiskTarget,
    Storage,
    Target,
    VolumeTarget,
    parse_storage,
)
from stowage.measure.tool import PAIRS, TOOLS, Family
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.volume import Volume, check
from stowage.model.infeasible import Infeasible

Field = Literal["instance", "region", "zone", "storage", "nodes", "placement_group"]
FIELDS: tuple[Field, ...] = ("instance", "region", "zone", "storage", "nodes", "placement_group")


@frozen
class Need:
    """One field of the target that a measurement requires."""

    field: Field
    words: str
    """Reason why the field is required, for people."""
    accepted: str


_INSTANCE_NEED = Need("instance", "figures are compared with what is published of this type", INSTANCE_ACCEPTED)
_REGION_NEED = Need("region", "rates differ between regions; plans prefer results of their own region", REGION_ACCEPTED)
_STORAGE_NEED = Need("storage", "figures are compared with what these disks or volumes can do", STORAGE_ACCEPTED)
_NODES_NEED = Need(
    "nodes", "a network gets slower as more nodes talk at once", f"a whole number from 1 to {MOST_NODES:,}"
)
_JOB_NODES_NEED = Need("nodes", "a job's time is that of all its nodes", f"a whole number from 1 to {MOST_NODES:,}")
_GROUP_NEED = Need("placement_group", "one flow gets twice as much in a cluster placement group", "yes or no")

_OF_STORAGE = (_INSTANCE_NEED, _REGION_NEED, _STORAGE_NEED)
_OF_NETWORK = (_INSTANCE_NEED, _REGION_NEED, _NODES_NEED, _GROUP_NEED)
_OF_JOBS = (_INSTANCE_NEED, _REGION_NEED, _STORAGE_NEED, _JOB_NODES_NEED)
_OF_HOSTS = (_INSTANCE_NEED, _REGION_NEED)
_NEEDS: Mapping[Family, tuple[Need, ...]] = {
    "storage": _OF_STORAGE,
    "network": _OF_NETWORK,
    "jobs": _OF_JOBS,
    "store": _OF_HOSTS,
    "monitor": _OF_HOSTS,
}


def needs_of(reading: Reading) -> tuple[Need, ...]:
    """Return the required fields of a measurement's target.

    They depend on the tool or, for a CSV table, on its metrics.
    """
    # A response of CloudWatch names its volumes.
    if reading.tool == "cloudwatch":
        return ()
    fixed = _NEEDS.get(TOOLS[reading.tool].family)
    if fixed is not None:
        return fixed
    names = {metric.name.partition(".")[0] for metric in reading.metrics} | {one.name for one in reading.series}
    if any(name.startswith("network_") for name in names):
        return _OF_NETWORK
    if names & {"time_s", "cluster_mb_per_s", "task_mb_per_s", "task_io_rate_mb_per_s"}:
        return _OF_JOBS
    if any(name.startswith(("read_", "write_", "mixed_", "trim_", "storage_", "fsync_")) for name in names):
        return _OF_STORAGE
    return _OF_HOSTS if names & METRICS.keys() else ()


def missing(target: Target, needs: Sequence[Need]) -> tuple[Need, ...]:
    """Return the required fields that a target lacks.

    The field `nodes` is left out, since it has a default of 1.
    """
    return tuple(need for need in needs if need.field != "nodes" and getattr(target, need.field) is None)


Value = TypeVar("Value")


@frozen
class Guessed(Generic[Value]):
    """One guessed value of a field of the target."""

    value: Value | None
    """Guessed value; None if there is no guess."""
    why: str | None
    """Reason for the guess, for people; None if there is no guess."""


NOT_KNOWN: Guessed[Any] = Guessed(None, None)


@frozen
class Guess:
    """Guessed target of a measurement, with a reason for each field."""

    instance: Guessed[str] = NOT_KNOWN
    region: Guessed[str] = NOT_KNOWN
    zone: Guessed[str] = NOT_KNOWN
    storage: Guessed[Storage] = NOT_KNOWN
    nodes: Guessed[int] = NOT_KNOWN
    placement_group: Guessed[bool] = NOT_KNOWN

    def target(self) -> Target:
        """Return the guess as a target.

        Unknown fields are None, except for `nodes`, which is 1. The zone is None if the region is unknown.
        """
        said = {name: getattr(self, name).value for name in FIELDS}
        if said["region"] is None:
            said["zone"] = None
        return Target(**{name: value for name, value in said.items() if value is not None})


def guess(reading: Reading, remembered: Mapping[str, Target], catalog: Catalog | None = None) -> Guess:
    """Guess the target of a measurement.

    The guess is based on what the file states about its machines, and on earlier entries of users.

    Parameters
    ----------
    reading : Reading
    remembered : Mapping[str, Target]
        Targets that users entered earlier, by host name.
    catalog : Catalog, optional
        Source of the instance-store disks of each type.

    Notes
    -----
    What the file states takes precedence over earlier entries for its host. Only properties of the machine are taken
    from earlier entries. The number of nodes is not taken, since it belongs to the run.
    """
    found = _said_before(reading, remembered) | _said_by_file(reading)
    needed = {need.field for need in needs_of(reading)}
    if "storage" in needed and "storage" not in found:
        storage = _guessed_storage(reading, found.get("instance", NOT_KNOWN).value, catalog)
        if storage is not None:
            found["storage"] = storage
    if "nodes" not in found:
        if reading.tool in PAIRS:
            found["nodes"] = Guessed(2, f"{reading.tool} measures between two machines")
        elif "nodes" not in needed:
            found["nodes"] = Guessed(1, "the tool measures one machine")
    return Guess(**found)


def _said_by_file(reading: Reading) -> dict[str, Guessed[Any]]:
    host, region = reading.host, _plain(reading.host.region, REGION)
    if region is None and host.zone is not None:
        # us-east-1a: the region is the zone without its letter.
        region = _plain(host.zone[:-1], REGION)
    zone = host.zone
    if zone is None or region is None or not zone.startswith(region) or not ZONE_ENDING.fullmatch(zone[len(region) :]):
        zone = None
    grouped = {"yes": True, "true": True, "no": False, "false": False}
    of_machine, of_run = "the file says so of its machine", "the file says so"
    found: dict[str, Guessed[Any]] = {
        "instance": Guessed(_plain(host.instance_type, INSTANCE), of_machine),
        "region": Guessed(region, of_machine),
        "zone": Guessed(zone, of_machine),
        "nodes": Guessed(
            host.nodes if 1 <= (host.nodes or 0) <= MOST_NODES else None, "the file says how many machines took part"
        ),
        "placement_group": Guessed(grouped.get(reading.settings.get("placement_group", "").lower()), of_run),
        "storage": Guessed(_said_storage(reading), of_run),
    }
    return {name: guessed for name, guessed in found.items() if guessed.value is not None}


def _said_storage(reading: Reading) -> Storage | None:
    said = reading.settings.get("storage") if reading.tool == "csv" else None
    on_volumes = reading.host.volume_type is not None or reading.settings.get("storage", "").upper() == "EBS"
    if reading.tool == "diskbench" and not on_volumes:
        disks = reading.settings.get("disks", "")
        said = f"{disks} own disks" if disks.isdecimal() else None
    if said is None:
        return None
    try:
        return parse_storage(said)
    except BadValue:
        return None


def _said_before(reading: Reading, remembered: Mapping[str, Target]) -> dict[str, Guessed[Any]]:
    host = reading.host
    before = None if host.name is None else remembered.get(host.name)
    if before is None or host.instance_type not in {None, before.instance} or host.region not in {None, before.region}:
        return {}
    names = ("instance", "region", "zone", "storage", "placement_group")
    values = {name: getattr(before, name) for name in names}
    return {
        name: Guessed(value, f"as you said of {host.name} before")
        for name, value in values.items()
        if value is not None
    }


def _guessed_storage(reading: Reading, instance: object, catalog: Catalog | None) -> Guessed[Storage] | None:
    host = reading.host
    if host.volume_type is not None and VOLUME_TYPE.fullmatch(host.volume_type):
        return Guessed(VolumeTarget(host.volume_type), "the file names the volume's type, not its size")
    known = None if catalog is None else catalog.instance_types.get(str(instance))
    if known is None or known.disk_count.value != 1.0:
        return None
    if reading.tool == "diskbench":
        return Guessed(DiskTarget(1), f"{known.name} has one disk of its own")
    return None


def _plain(value: str | None, pattern: re.Pattern[str]) -> str | None:
    return value if value is not None and pattern.fullmatch(value) else None


@frozen
class Wrong:
    """One field of a target with a value that no AWS instance or volume can have."""

    field: str
    """Path of the field, such as `storage.iops`."""
    message: str
    """Message that states the value and the accepted values."""


_OF_LIMIT = {"volume IOPS": "storage.iops", "volume throughput": "storage.throughput_mib_per_s"}


def wrong_with(target: Target, catalog: Catalog) -> tuple[Wrong, ...]:
    """Return the invalid fields of a target.

    A field is invalid if AWS does not sell the instance type, disks, region or volume that it names.

    Parameters
    ----------
    target : Target
    catalog : Catalog
        Catalog of one region, or of hardware only. Instance types missing from the catalog count as invalid, so pass
        the region that offers the most types.
    """
    found: list[Wrong] = []
    instance = target.type_in(catalog)
    if target.instance is not None and instance is None:
        family = target.instance.partition(".")[0]
        near = ", ".join(one.name for one in catalog.family(family)[:6])
        known = f"of {family} there are {near}" if near else f"accepted: {INSTANCE_ACCEPTED}"
        found.append(Wrong("instance", f"{target.instance} is no type of the catalog; {known}"))
    storage = target.storage
    if isinstance(storage, DiskTarget) and instance is not None and storage.disks > instance.disk_count.value:
        most = int(instance.disk_count.value)
        has = f"has {most} of its own" if most else "has no disks of its own: say which EBS volumes"
        found.append(Wrong("storage.disks", f"{storage.disks} disks are too many: {instance.name} {has}"))
    if isinstance(storage, VolumeTarget):
        found += _wrong_volume(storage, catalog)
    return tuple(found)


def _wrong_volume(storage: VolumeTarget, catalog: Catalog) -> list[Wrong]:
    limits = limits_of(storage.type, catalog)
    if isinstance(limits, Infeasible):
        return [Wrong("storage.type", f"{limits.reason}; accepted: {limits.nearest}")]
    if storage.size_gib is None:
        return []
    refused = check(Volume(limits, storage.size_gib, storage.iops, storage.throughput_mib_per_s))
    if not isinstance(refused, Infeasible):
        return []
    return [Wrong(_OF_LIMIT.get(refused.limit, "storage.size_gib"), f"{refused.reason}; accepted: {refused.nearest}")]
