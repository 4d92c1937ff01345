"""Targets of measurements.

A target is an instance type with its disks or volumes, its region and zone, and the number of nodes.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from stowage.frozen import frozen
from stowage.measure.files.strict import BadValue, Parser, count_of, joined, number_of, object_of, text_of

if TYPE_CHECKING:
    # At run time, the readers in the sandbox load nothing of the model.
    from stowage.model.hardware.catalog import Catalog
    from stowage.model.hardware.instance import InstanceType

Parsed = TypeVar("Parsed")

MOST_NODES = 100_000
MOST_DISKS = 64
MOST_VOLUMES = 128
_MOST = 1e9

INSTANCE = re.compile(r"[a-z][a-z0-9-]{0,30}\.[a-z0-9-]{1,30}")
REGION = re.compile(r"[a-z]{2,8}(-[a-z]{2,12}){1,4}-[0-9]{1,2}")
# The names of availability zones, local zones and Wavelength zones begin with their region.
ZONE_ENDING = re.compile(r"[a-z]|-[a-z0-9-]{1,30}")
VOLUME_TYPE = re.compile(r"[a-z][a-z0-9]{1,15}")

INSTANCE_ACCEPTED = "an EC2 instance type, as in i4i.4xlarge"
REGION_ACCEPTED = "an AWS region, as in us-east-1"
ZONE_ACCEPTED = "an availability zone of the region, as in us-east-1a"


@frozen
class DiskTarget:
    """Instance-store disks of a node, as the storage that was measured."""

    disks: int
    """Number of disks under test, at least 1."""
    kind: Literal["instance-store"] = "instance-store"

    def words(self) -> str:
        """Describe the disks, as in ``2 own disks``."""
        return "1 own disk" if self.disks == 1 else f"{self.disks} own disks"


@frozen
class VolumeTarget:
    """Identical EBS volumes of each node, as the storage that was measured."""

    type: str
    """Volume type, such as `gp3`."""
    size_gib: float | None = None
    """Size of one volume [GiB]."""
    iops: float | None = None
    """Provisioned IOPS of one volume [IOPS]; None for the default of the volume type."""
    throughput_mib_per_s: float | None = None
    """Provisioned throughput of one volume [MiB/s]; None for the default of the volume type."""
    count: int = 1
    """Number of volumes per node, at least 1."""
    kind: Literal["ebs"] = "ebs"

    def words(self) -> str:
        """Describe the volumes, as in ``gp3 500 GiB 6,000 IOPS x 4``."""
        parts = [self.type]
        if self.size_gib is not None:
            parts.append(f"{self.size_gib:,.10g} GiB")
        if self.iops is not None:
            parts.append(f"{self.iops:,.10g} IOPS")
        if self.throughput_mib_per_s is not None:
            parts.append(f"{self.throughput_mib_per_s:,.10g} MiB/s")
        if self.count > 1:
            parts.append(f"x {self.count}")
        return " ".join(parts)


Storage = DiskTarget | VolumeTarget


@frozen
class Target:
    """Target of a measurement."""

    instance: str | None = None
    """EC2 instance type. None only if the tool does not require an instance type."""
    region: str | None = None
    zone: str | None = None
    storage: Storage | None = None
    """Storage that was measured; None if no storage was measured."""
    nodes: int = 1
    """Number of nodes, at least 1."""
    placement_group: bool | None = None
    """Whether the nodes are in a cluster placement group; None if this does not matter, or is not stated."""

    def words(self) -> str:
        """Describe the target.

        Examples
        --------
        >>> volumes = VolumeTarget("gp3", 500.0, 6_000.0, None, 4)
        >>> Target("i4i.4xlarge", "us-east-1", None, volumes).words()
        'i4i.4xlarge, gp3 500 GiB 6,000 IOPS x 4, us-east-1'
        >>> Target("c5n.18xlarge", "us-east-1", "us-east-1a", nodes=2, placement_group=True).words()
        '2 × c5n.18xlarge, us-east-1a, in a placement group'
        """
        instance = self.instance or ""
        if self.nodes > 1:
            instance = f"{self.nodes:,} × {instance}" if instance else f"{self.nodes:,} nodes"
        storage = "" if self.storage is None else self.storage.words()
        grouped = {True: "in a placement group", False: "outside placement groups", None: ""}[self.placement_group]
        parts = (instance, storage, self.zone or self.region or "", grouped)
        return ", ".join(part for part in parts if part) or "nothing said"

    def type_in(self, catalog: "Catalog | None") -> "InstanceType | None":
        """Return the target's instance type; None if the target or the catalog does not have it."""
        return None if catalog is None or self.instance is None else catalog.instance_types.get(self.instance)

    def to_dict(self) -> dict[str, Any]:
        """Convert the target to JSON with all fields; inverse of `from_dict`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: object, where: str = "") -> "Target":
        """Build a target from JSON.

        Parameters
        ----------
        value : object
            JSON of the target. Missing fields become None, except for ``nodes``, which becomes 1.
        where : str
            Path of the value, for error messages.

        Raises
        ------
        BadValue
            States the field, its value and the accepted values.
        """
        said = object_of(value, where, (), tuple(field.name for field in fields(cls)))
        region = _REGION(said.get("region"), joined(where, "region"))
        if said.get("zone") is not None:
            _check_zone(said["zone"], region, joined(where, "zone"))
        grouped = said.get("placement_group")
        if grouped is not None and not isinstance(grouped, bool):
            raise BadValue(joined(where, "placement_group"), grouped, "true, false or null")
        parsed = {name: parse(said[name], joined(where, name)) for name, parse in _OF_TARGET.items() if name in said}
        return cls(region=region, zone=said.get("zone"), placement_group=grouped, **parsed)


def _matching(pattern: re.Pattern[str], accepted: str) -> Callable[[object, str], str]:
    def parse(value: object, where: str) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise BadValue(where, value, accepted)
        return value

    return parse


def _optional(parse: Callable[[object, str], Parsed]) -> Callable[[object, str], Parsed | None]:
    return lambda value, where: None if value is None else parse(value, where)


def _check_zone(value: object, region: str | None, where: str) -> None:
    said = text_of(value, where, accepted=ZONE_ACCEPTED, longest=60)
    if region is None:
        raise BadValue(where, said, "taken without the region: say the region too")
    if not said.startswith(region) or not ZONE_ENDING.fullmatch(said[len(region) :]):
        raise BadValue(where, said, f"a zone of {region}, as in {region}a")


def _storage_of(value: object, where: str) -> Storage:
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if kind == "instance-store":
        said = object_of(value, where, ("kind", "disks"))
        return DiskTarget(count_of(said["disks"], joined(where, "disks"), least=1, most=MOST_DISKS))
    if kind != "ebs":
        raise BadValue(joined(where, "kind"), kind, "instance-store or ebs")
    said = object_of(value, where, ("kind", "type"), (*_SIZES, "count"))
    return VolumeTarget(
        **{name: parse(said[name], joined(where, name)) for name, parse in _OF_VOLUMES.items() if name in said}
    )


_REGION = _optional(_matching(REGION, REGION_ACCEPTED))
_OF_TARGET: Mapping[str, Parser] = {
    "instance": _optional(_matching(INSTANCE, INSTANCE_ACCEPTED)),
    "storage": _optional(_storage_of),
    "nodes": partial(count_of, least=1, most=MOST_NODES),
}
_SIZES = ("size_gib", "iops", "throughput_mib_per_s")
_SIZE = partial(number_of, least=1e-3, most=_MOST, accepted=f"a number above 0, at most {_MOST:,.0f}")
_OF_VOLUMES: Mapping[str, Parser] = {
    "type": _matching(VOLUME_TYPE, "an EBS volume type, as in gp3"),
    **dict.fromkeys(_SIZES, _optional(_SIZE)),
    "count": partial(count_of, least=1, most=MOST_VOLUMES),
}

_PART = re.compile(
    r"(?<![0-9])(?P<number>[0-9][0-9,]{0,20}(?:\.[0-9]{1,9})?)\s{0,9}(?P<unit>GiB|TiB|IOPS|MiB/s)"
    r"|x\s{0,9}(?P<count>[0-9]{1,9})(?![0-9])",
    re.IGNORECASE,
)
_OWN_DISKS = re.compile(r"(?:(?P<disks>[0-9]{1,4})\s+)?(?:own\s+disks?|instance-store)", re.IGNORECASE)
STORAGE_ACCEPTED = "own disks as in '2 own disks', or volumes as in 'gp3 500 GiB 6,000 IOPS 250 MiB/s x 4'"


def parse_storage(text: str, where: str = "storage") -> Storage:
    """Parse a description of storage.

    It has the form that `DiskTarget.words` and `VolumeTarget.words` return.

    Raises
    ------
    BadValue

    Examples
    --------
    >>> parse_storage("gp3 500 GiB 6,000 IOPS x 4").words()
    'gp3 500 GiB 6,000 IOPS x 4'
    >>> parse_storage("2 own disks")
    DiskTarget(disks=2, kind='instance-store')
    """
    text = text.strip()
    own = _OWN_DISKS.fullmatch(text)
    if own is not None:
        return DiskTarget(count_of(int(own["disks"] or 1), where, least=1, most=MOST_DISKS))
    name, _, rest = text.partition(" ")
    said: dict[str, Any] = {"kind": "ebs", "type": name}
    at = 0
    for part in _PART.finditer(rest):
        if rest[at : part.start()].strip(" ,"):
            break
        at = part.end()
        field, value = _said(part)
        if field in said:
            raise BadValue(where, text, f"clear: it says {field} twice; {STORAGE_ACCEPTED}")
        said[field] = value
    if rest[at:].strip(" ,") or not VOLUME_TYPE.fullmatch(name):
        raise BadValue(where, text, STORAGE_ACCEPTED)
    return _storage_of(said, where)


def _said(part: re.Match[str]) -> tuple[str, float]:
    if part["count"] is not None:
        return "count", int(part["count"][:12])
    number, unit = float(part["number"].replace(",", "")), part["unit"].lower()
    if unit == "tib":
        return "size_gib", number * 1024.0
    return {"gib": "size_gib", "iops": "iops", "mib/s": "throughput_mib_per_s"}[unit], number
