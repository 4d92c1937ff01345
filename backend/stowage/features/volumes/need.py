"""Request of the volume designer, and parsers of the quantities in it, which users write with a unit."""

import re
from typing import Annotated

from pydantic import Field

from stowage.fields import Key
from stowage.model.cluster import ordered
from stowage.model.hardware.volume import check
from stowage.model.infeasible import Infeasible
from stowage.model.sizes import MB_PER_GIB, MB_PER_MIB
from stowage.model.units import SECONDS_PER_HOUR, parse_duration, parse_size
from stowage.optimizer.volumes import HOURS_PER_DAY, Load, Pattern
from stowage.platform.errors import BadInput, Problem
from stowage.platform.written import Credits, Section, Size, Written, credit_level
from stowage.workloads.cluster_section import VolumesSection
from stowage.workloads.knowledge import Knowledge
from stowage.workloads.workload_file import NamesCatalog

MOST_VOLUMES = 128
"""Maximum number of volumes of an instance: the limit of the largest types of 2026."""
USUAL_MOST = 16
"""Default maximum number of volumes, if neither the user nor an instance type sets one."""
USUAL_IO_KIB = 16.0
_SMALLEST_IO_KIB, _LARGEST_IO_KIB = 0.5, 16.0 * 1024.0
_LARGEST_IOPS = 1e8
_LARGEST_MIB_PER_S = 1e7
_KIB_PER_MIB = 1024.0
_KIB_PER_GIB = 1024.0**2
_IOPS = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(k?)")
_SHORTEST_H = 1.0 / 60.0


def iops(text: str) -> float:
    """Parse a number of I/Os per second, with or without the unit ``IOPS``.

    Raises
    ------
    ValueError
        The text is not a number from 1 to 100 million.

    Examples
    --------
    >>> iops("4,000"), iops("16k IOPS")
    (4000.0, 16000.0)
    """
    bare = text.strip().lower().removesuffix("iops").strip().replace(",", "")
    found = _IOPS.fullmatch(bare)
    number = 0.0 if found is None else float(found[1]) * (1000.0 if found[2] else 1.0)
    if not 1.0 <= number <= _LARGEST_IOPS:
        raise ValueError(f"{text!a} is not a number of IOPS from 1 to 100,000,000; write 4,000 or 4k")
    return number


def throughput_mib_per_s(text: str) -> float:
    """Parse a throughput [MiB/s]: a size followed by ``/s``.

    Raises
    ------
    ValueError
        The text is not a throughput, or out of range.

    Examples
    --------
    >>> throughput_mib_per_s("250 MiB/s")
    250.0
    >>> round(throughput_mib_per_s("250 MB/s"), 3)
    238.419
    """
    size, slash, unit = text.strip().rpartition("/")
    if not slash or unit.strip().lower() not in {"s", "sec", "second"}:
        raise ValueError(f"{text!a} is not a throughput; write it like 250 MB/s or 250 MiB/s")
    found = _without_noise(parse_size(size) / MB_PER_MIB, 1.0)
    if found > _LARGEST_MIB_PER_S:
        raise ValueError(f"{text!a} is more than the 10 TiB/s that are accepted")
    return found


def io_kib(text: str) -> float:
    """Parse the size of one I/O [KiB].

    Raises
    ------
    ValueError
        The text is not a size from 512 B to 16 MiB.
    """
    found = parse_size(text) / MB_PER_MIB * _KIB_PER_MIB
    found = float(round(found)) if abs(found - round(found)) < 1e-6 else found
    if not _SMALLEST_IO_KIB <= found <= _LARGEST_IO_KIB:
        raise ValueError(f"{text!a} is not a size of one I/O; accepted: 512 B to 16 MiB")
    return found


def hours_a_day(text: str) -> float:
    """Parse the time per day for which a load lasts [h].

    Raises
    ------
    ValueError
        The text is not a duration from a minute to a day.
    """
    found = parse_duration(text) / SECONDS_PER_HOUR
    if not _SHORTEST_H <= found <= HOURS_PER_DAY:
        raise ValueError(f"{text!a} a day is not possible; accepted: 1 min to 24 h")
    return found


Iops = Annotated[str, Written(iops, "I/Os per second.", ("4,000", "16k"))]
Throughput = Annotated[str, Written(throughput_mib_per_s, "Megabytes per second.", ("250 MB/s", "250 MiB/s"))]
IoSize = Annotated[str, Written(io_kib, "Size of one I/O.", ("16 KiB",))]
Lasting = Annotated[str, Written(hours_a_day, "How long a day, in one stretch.", ("4 h", "24 h"))]


class CurrentVolumesSection(VolumesSection):
    """The volumes that the user has now."""

    count: Annotated[int, Field(ge=1, le=MOST_VOLUMES, strict=True)] = 1


class VolumePlace(NamesCatalog):
    """Region and catalog version whose prices apply."""

    region: Key = "us-east-1"
    catalog: Key = "latest"
    """`latest`, or a version of the catalog."""


class VolumeNeed(Section):
    """Required capacity of the volumes, and the load that they must carry.

    EBS counts reads and writes alike. The request therefore has no separate rates for them.
    """

    capacity: Size
    iops: Iops | None = None
    """I/Os per second during the load, reads and writes together."""
    throughput: Throughput | None = None
    """Bytes per second during the load. With `iops`, it determines the size of an I/O."""
    io_size: IoSize | None = None
    """Size of an I/O; unless given, from `iops` and `throughput`, else 16 KiB."""
    pattern: Pattern = "random"
    """Sequential I/Os are merged before they are counted; random ones are not."""
    lasts: Lasting = "24 h"
    """Duration of the load in one stretch per day; it recurs every day."""
    credits: Credits = "full"
    """Fill level of burst buckets when the load first starts."""
    place: VolumePlace = Field(default_factory=VolumePlace)
    instance: Key | None = None
    """Instance type that the volumes are attached to: its EBS link may throttle them."""
    most_volumes: Annotated[int, Field(ge=1, le=MOST_VOLUMES, strict=True)] | None = None
    """Maximum number of volumes. By default the limit of the instance type; without an instance type, 16."""
    present: CurrentVolumesSection | None = None
    """Present volumes, for advice."""


def load_of(need: VolumeNeed) -> Load:
    """Convert a request to the load for which the search finds volumes.

    Raises
    ------
    BadInput
        IOPS, throughput and I/O size contradict each other, or imply an impossible I/O size.
    """
    capacity_gib = _without_noise(parse_size(need.capacity) / MB_PER_GIB, _KIB_PER_GIB)
    asked_iops = None if need.iops is None else iops(need.iops)
    asked_mib = None if need.throughput is None else throughput_mib_per_s(need.throughput)
    size_kib = None if need.io_size is None else io_kib(need.io_size)
    if asked_iops is not None and asked_mib is not None:
        made_kib = asked_mib * _KIB_PER_MIB / asked_iops
        if not _SMALLEST_IO_KIB <= made_kib <= _LARGEST_IO_KIB:
            message = (
                f"{asked_iops:,.0f} IOPS and {asked_mib:,.4g} MiB/s make I/Os of {made_kib:,.4g} KiB; accepted: "
                "0.5 KiB to 16 MiB"
            )
            raise BadInput([Problem("throughput", message)])
        if size_kib is not None and abs(size_kib / made_kib - 1.0) > 0.05:
            message = (
                f"{asked_iops:,.0f} IOPS and {asked_mib:,.4g} MiB/s make I/Os of {made_kib:,.4g} KiB; leave out the "
                "size, the IOPS or the throughput"
            )
            raise BadInput([Problem("io_size", message)])
        size_kib = made_kib
    size_kib = USUAL_IO_KIB if size_kib is None else size_kib
    if asked_mib is None:
        asked_mib = 0.0 if asked_iops is None else asked_iops * size_kib / _KIB_PER_MIB
    return Load(capacity_gib, asked_mib, size_kib, need.pattern, hours_a_day(need.lasts), credit_level(need.credits))


def _without_noise(quantity: float, parts: float) -> float:
    """Remove the floating-point error of a unit conversion.

    A quantity is rounded to the next multiple of ``1 / parts`` if it is almost equal to this multiple. Sizes are stored
    in MB, and 250 MiB must be 250 MiB again when they are converted back.
    """
    near = round(quantity * parts) / parts
    return near if abs(near - quantity) <= 1e-12 * quantity else quantity


def check_need(need: VolumeNeed, knowledge: Knowledge) -> None:
    """Check a request against the catalog.

    Raises
    ------
    BadInput
        The catalog does not have EBS prices, the instance type or the volume type of the present volumes; or the
        present volumes are impossible.
    """
    catalog = knowledge.catalog
    problems: list[Problem] = []
    if not catalog.volume_types:
        with_prices = ", ".join(knowledge.regions_with_volumes()) or "none in this catalog"
        message = f"no prices of EBS are known in {catalog.region!a}; accepted: {with_prices}"
        raise BadInput([Problem("place.region", message)])
    if need.instance is not None and need.instance not in catalog.instance_types:
        message = f"{need.instance!a} is not an instance type of {catalog.region} in catalog {catalog.version}"
        problems.append(Problem("instance", message))
    if need.present is not None:
        kind = catalog.volume_types.get(need.present.type)
        if kind is None:
            accepted = ", ".join(catalog.volume_types)
            message = f"{need.present.type!a} has no price in {catalog.region}; accepted: {accepted}"
            problems.append(Problem("present.type", message))
        else:
            instance = None if need.instance is None else catalog.instance_types.get(need.instance)
            refused = check(ordered(kind, need.present.layout(), nitro=instance is None or instance.on_nitro))
            if refused is not None:
                problems.append(_about_present(refused))
    if problems:
        raise BadInput(problems)


def _about_present(refused: Infeasible) -> Problem:
    fields = {"volume size": "size", "volume IOPS": "iops", "volume throughput": "throughput_mib_per_s"}
    message = refused.reason if refused.nearest is None else f"{refused.reason}; accepted: {refused.nearest}"
    return Problem(f"present.{fields.get(refused.limit, 'size')}", message)
