"""Bandwidth of instance-store disks: measured with iotune, else published by AWS."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from importlib import resources
from typing import Literal

from stowage.catalog.tables import TableError, above_0, rows_of
from stowage.frozen import frozen
from stowage.model.figure import Kind
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Metric, Profile
from stowage.model.lookup import like_disks

SOURCE = "iotune, ScyllaDB machine image, common/aws_io_params.yaml"

COLUMNS = ("instance_type", "read_bytes_per_s", "write_bytes_per_s", "read_iops", "write_iops", "measured_over")
"""Columns of the CSV table; `measured_over` is "one disk" or "all disks"."""

PUBLISHED_COLUMNS = ("instance_type", "read_mb_per_s", "write_mb_per_s", "read_iops", "write_iops", "page", "edition")
"""Columns of the CSV table of published rates, after lines that begin with #; rates of all disks of a type."""

_EVERY_SIZE = "ALL"
_BYTES_PER_MB = 1e6
_METRICS: tuple[tuple[Metric, str, float], ...] = (
    ("storage_read_mb_per_s", "read_bytes_per_s", _BYTES_PER_MB),
    ("storage_write_mb_per_s", "write_bytes_per_s", _BYTES_PER_MB),
    ("storage_read_iops", "read_iops", 1.0),
    ("storage_write_iops", "write_iops", 1.0),
)


_SEQUENTIAL: tuple[tuple[Metric, str], ...] = (
    ("storage_read_mb_per_s", "read_mb_per_s"),
    ("storage_write_mb_per_s", "write_mb_per_s"),
)
_RANDOM: tuple[tuple[Metric, str], ...] = (("storage_read_iops", "read_iops"), ("storage_write_iops", "write_iops"))
_PAGES = {
    "gp": "General purpose instances",
    "co": "Compute optimized instances",
    "mo": "Memory optimized instances",
    "so": "Storage optimized instances",
    "ac": "Accelerated computing instances",
    "hpc": "High-performance computing instances",
    "pg": "Previous generation instances",
}


@frozen
class _Line:
    """One line of a table: rates by metric [MB/s, 1/s], of one disk or in total for all disks of the type.

    ``as_of`` is None if the line has no date of its own.
    """

    rates: Mapping[Metric, float]
    source: str
    as_of: date | None = None
    of_one_disk: bool = False

    def of(self, disks: float, own_disks: float) -> dict[Metric, float]:
        """Return the total rates of a number of disks.

        Parameters
        ----------
        disks : float
            Number of disks.
        own_disks : float
            Number of disks of the instance type of the line.
        """
        factor = disks if self.of_one_disk else disks / own_disks
        return {metric: rate * factor for metric, rate in self.rates.items()}


def disk_profiles(text: str, types: Mapping[str, InstanceType], as_of: date) -> tuple[Profile, ...]:
    """Return disk profiles of all instance types for which the table has rates.

    A type gets measured profiles if the table has a line for the type, or a line ``FAMILY.ALL`` for its family. Another
    type gets estimated profiles if other sizes of its family were measured and have similar disks: capacities that
    differ by a factor of at most 2. The estimates are the rates per disk of the size with the most similar disks.

    Parameters
    ----------
    text : str
        CSV with the columns `COLUMNS`.
    types : Mapping[str, InstanceType]
        Types that get profiles.
    as_of : date
        Date of the table.

    Raises
    ------
    TableError
        The table is invalid.
    """
    return tuple(_found(_read(rows_of(text.splitlines(), COLUMNS), _row), types, "measured", as_of))


def packaged_published() -> str:
    """Return the packaged table of published disk rates."""
    return (resources.files("stowage.catalog") / "facts" / "published_disks.csv").read_text()


def published_profiles(
    text: str, types: Mapping[str, InstanceType], measured: Iterable[Profile], read_on: date
) -> tuple[Profile, ...]:
    """Return profiles of published rates for disks without measurements.

    If AWS publishes a bandwidth for only some sizes of a family, other sizes with similar disks get the bandwidth per
    disk, marked as estimated.

    Parameters
    ----------
    text : str
        CSV with the columns `PUBLISHED_COLUMNS`.
    types : Mapping[str, InstanceType]
        Types that get profiles.
    measured : iterable of Profile
        Existing profiles; metrics that a type already has in these profiles are skipped.
    read_on : date
        Date for lines whose page has no date.

    Raises
    ------
    TableError
        The table is invalid.
    """
    known = {(profile.target, profile.metric) for profile in measured}
    found = _found(_published(text), types, "published", read_on)
    return tuple(profile for profile in found if (profile.target, profile.metric) not in known)


def _found(
    lines: Mapping[str, _Line], types: Mapping[str, InstanceType], kind: Literal["measured", "published"], on: date
) -> Iterator[Profile]:
    """Yield the profiles of each type's own line, and estimates for types whose bandwidth is in no line.

    ``on`` is the date of lines that have none.
    """
    bandwidths = {name: line for name, line in lines.items() if set(dict(_SEQUENTIAL)) <= set(line.rates)}
    for name, hardware in sorted(types.items()):
        disks = hardware.disk_count.value
        if not disks:
            continue
        of_family = f"{hardware.family}.{_EVERY_SIZE}"
        line = lines.get(name) or lines.get(of_family)
        if line is not None:
            yield from _profiles(name, line.of(disks, disks), line.source, kind, line.as_of or on)
        if not {name, of_family} & bandwidths.keys():
            like = _most_alike(hardware, bandwidths, types)
            if like is not None:
                line = bandwidths[like.name]
                rates = line.of(disks, like.disk_count.value)
                if kind == "published":
                    rates = {metric: rates[metric] for metric, _ in _SEQUENTIAL}
                words = f"Not {kind}: {like.name} of the same family, disk by disk ({line.source})"
                yield from _profiles(name, rates, words, "estimated", line.as_of or on)


def _published(text: str) -> dict[str, _Line]:
    lines = text.splitlines()
    notes = next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return _read(rows_of(lines[notes:], PUBLISHED_COLUMNS, headings=notes + 1, accepted="accepted:"), _line)


def _read(
    rows: Iterable[tuple[int, Mapping[str, str]]], parse: Callable[[Mapping[str, str], int], _Line]
) -> dict[str, _Line]:
    """Return the lines of a table by instance type."""
    found: dict[str, _Line] = {}
    for number, row in rows:
        name = row["instance_type"]
        line = parse(row, number)
        # Otherwise the last of two rows would silently win.
        if name in found:
            raise TableError(f"line {number}: {name!a} stands there twice")
        found[name] = line
    return found


def _line(row: Mapping[str, str], number: int) -> _Line:
    page, edition = row["page"], row["edition"]
    if row["instance_type"].endswith(f".{_EVERY_SIZE}"):
        raise TableError(f"line {number}: {row['instance_type']} is no instance type; a published rate is of one type")
    try:
        as_of = date.fromisoformat(edition) if edition else None
    except ValueError:
        raise TableError(f"line {number}: edition {edition!a} is no date as 2026-08-31") from None
    guide = _PAGES.get(page.rpartition("/")[2].removesuffix(".html"))
    where = page if guide is None else f"Amazon EC2 Instance Types Guide, {guide} (4 KiB blocks)"
    source = f"AWS publishes, at most: {where}"
    source += f", edition of {as_of}" if as_of else ", copy without a date"
    rates = {metric: above_0(row, column, number, "rate") for metric, column in (*_SEQUENTIAL, *_RANDOM) if row[column]}
    return _Line(rates, source, as_of)


def _profiles(name: str, rates: Mapping[Metric, float], source: str, kind: Kind, as_of: date) -> Iterator[Profile]:
    for metric, rate in rates.items():
        yield Profile(name, metric, rate, None, None, None, "average", None, source, kind, as_of)


def _most_alike(
    hardware: InstanceType, rows: Collection[str], types: Mapping[str, InstanceType]
) -> InstanceType | None:
    of_family = (types[name] for name in rows if name in types and types[name].family == hardware.family)
    return next(iter(like_disks(hardware, of_family)), None)


def _row(row: Mapping[str, str], line: int) -> _Line:
    over = row["measured_over"]
    if over not in {"one disk", "all disks"}:
        raise TableError(f"line {line}: measured_over {over!a}; accepted: one disk, all disks")
    if over == "all disks" and row["instance_type"].endswith(f".{_EVERY_SIZE}"):
        raise TableError(f"line {line}: what holds for every size must be of one disk")
    rates = {metric: above_0(row, column, line, "rate") / unit for metric, column, unit in _METRICS}
    return _Line(rates, SOURCE, of_one_disk=over == "one disk")
