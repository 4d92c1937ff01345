"""Reader of the CSV template, for measurements by tools that are not supported and for published measurements.

The first line names the columns, and each further line is a measurement. Lines that begin with `#` are skipped. Cells
are separated by commas, semicolons or tabs. ::

    name,instance,region,storage,measured_at,source,read_mb_per_s [MiB/s],read_latency_us.p99.9 [ms]
    randread,i4i.4xlarge,us-east-1,1 own disk,2026-11-20T14:30:00Z,"our wiki, page 3",2671,1.35

===================  =================================================================================
`name`               name of the run
`instance`           EC2 instance type
`region`, `zone`
`nodes`              number of machines; 1 by default
`placement_group`    yes or no
`storage`            `2 own disks`, or `gp3 500 GiB 6,000 IOPS 250 MiB/s x 4`
`measured_at`        `2026-11-20T14:30:00Z`, or a date; without a zone it is UTC
`duration_s`         measured time [s]
`source`             source of the figures
`tool_version`       version of the tool that measured them
`status`             `ok` (the default), `partial` or `failed`; the last two need a `failure`
`failure`            reason for a status other than `ok`
`setting:NAME`       setting of the tool: `setting:bs`
any metric           of `stowage.measure.metrics`, with a statistic after a dot: `write_latency_us.p99`
===================  =================================================================================

The unit of a column may follow the metric's name in brackets; the default is the metric's own unit. A cell that cannot
be parsed is reported by line and column, and its measurement counts as partial. If the last line has no newline, the
file may be truncated, and the measurement in this line counts as partial, too.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from operator import itemgetter
from types import MappingProxyType
from typing import Any, BinaryIO, Final, TypeAlias

from stowage.frozen import frozen
from stowage.measure.errors import Unreadable
from stowage.measure.files.cells import cells_of
from stowage.measure.files.clocks import date_of, iso_of
from stowage.measure.files.compiled import Plan, add_metrics, maker
from stowage.measure.files.figures import number_of
from stowage.measure.files.head import Head
from stowage.measure.files.printed import GIB, KIB, MIB, TIB, Printed
from stowage.measure.files.strict import BadValue
from stowage.measure.files.text import Line
from stowage.measure.files.whole import Lines
from stowage.measure.metrics import kind_of
from stowage.measure.reading import Host, Reading, Remark, Status
from stowage.measure.target import (
    INSTANCE,
    INSTANCE_ACCEPTED,
    MOST_NODES,
    REGION,
    REGION_ACCEPTED,
    ZONE_ACCEPTED,
    Storage,
    VolumeTarget,
    parse_storage,
)

UNITS: Final[Mapping[str, Mapping[str, Decimal]]] = MappingProxyType(
    {
        "MB/s": {
            "B/s": Decimal("0.000001"), "kB/s": Decimal("0.001"), "KB/s": Decimal("0.001"), "KiB/s": KIB,
            "MB/s": Decimal(1), "MiB/s": MIB, "GB/s": Decimal(1_000), "GiB/s": GIB,
            "bit/s": Decimal("0.000000125"), "Mbit/s": Decimal("0.125"), "Gbit/s": Decimal(125),
        },
        "1/s": {"1/s": Decimal(1), "IOPS": Decimal(1), "ops/s": Decimal(1), "k/s": Decimal(1_000)},
        "us": {"ns": Decimal("0.001"), "us": Decimal(1), "ms": Decimal(1_000), "s": Decimal(1_000_000)},
        "s": {"ms": Decimal("0.001"), "s": Decimal(1), "min": Decimal(60), "h": Decimal(3_600)},
        "MB": {
            "MB": Decimal(1), "MiB": MIB, "GB": Decimal(1_000), "GiB": GIB, "TB": Decimal(1_000_000), "TiB": TIB,
        },
        "1": {"1": Decimal(1), "%": Decimal("0.01")},
    }
)  # fmt: skip
"""Conversion factors to each of our units, by other unit."""

_METRIC = re.compile(r"(?P<name>[a-z][a-z0-9_]*(?:\.[a-z0-9.]+)?) ?(?:\[(?P<unit>[^\]]{1,20})\])?\Z")
_MOST_COLUMNS: Final = 400
_LONGEST_CACHED: Final = 100
_reading_of, _new_host = maker(Reading), maker(Host)
_setting = itemgetter(slice(500))
_LONGEST_CELL: Final = 2_000
_SKIPPED: Final = frozenset({"", "#"})
"""First characters of empty lines and comments."""


def _matched(column: str, pattern: re.Pattern[str], accepted: str) -> Callable[[str], str]:
    # Most rows have the cells of rows before; a cell has at most `_LONGEST_CELL` characters.
    @lru_cache(maxsize=1_000)
    def convert(cell: str) -> str:
        if not pattern.fullmatch(cell):
            raise BadValue(column, cell, accepted)
        return cell

    return convert


def _storage(cell: str) -> tuple[Storage, str]:
    """Parse the disks of a node; the result has them, and a description."""
    return (_cached_storage if len(cell) <= _LONGEST_CACHED else _cached_storage.__wrapped__)(cell)


@lru_cache(maxsize=1_000)
def _cached_storage(cell: str) -> tuple[Storage, str]:
    storage = parse_storage(cell)
    return storage, storage.words()


@lru_cache(maxsize=1_000)
def _nodes(cell: str) -> int:
    if not re.match(r"[0-9]{1,9}\Z", cell) or not 1 <= int(cell) <= MOST_NODES:
        raise BadValue("nodes", cell, f"a whole number from 1 to {MOST_NODES:,}")
    return int(cell)


def _placement_group(cell: str) -> str:
    if cell.lower() not in {"yes", "no", "true", "false"}:
        raise BadValue("placement_group", cell, "yes or no")
    return "yes" if cell.lower() in {"yes", "true"} else "no"


def _measured_at(cell: str) -> tuple[datetime, bool]:
    """Parse the time of a measurement; the result is the time, and whether its zone is known or need not be."""
    day = date_of(cell) if re.match(r"\d{4}-", cell) else None
    if day is not None:
        return datetime(day[0].year, day[0].month, day[0].day, tzinfo=UTC), True
    found = iso_of(cell)
    if found is None:
        raise BadValue("measured_at", cell, "a time as in 2026-11-20T14:30:00Z, or a date as in 2026-11-20")
    return found


def _duration(cell: str) -> float:
    seconds = number_of(cell)
    if seconds is None or not 0 < seconds <= 1e9:
        raise BadValue("duration_s", cell, "a number of seconds above 0")
    return seconds


_CELLS: Final[Mapping[str, Callable[[str], Any]]] = {
    "name": itemgetter(slice(200)),
    "instance": _matched("instance", INSTANCE, INSTANCE_ACCEPTED),
    "region": _matched("region", REGION, REGION_ACCEPTED),
    "zone": _matched("zone", re.compile(r"(?=.{1,60}\Z)[a-z]{2,8}-[a-z0-9-]+"), ZONE_ACCEPTED),
    "nodes": _nodes,
    "placement_group": _placement_group,
    "storage": _storage,
    "measured_at": _measured_at,
    "duration_s": _duration,
    "source": str,
    "tool_version": itemgetter(slice(60)),
    "status": _matched("status", re.compile("ok|partial|failed"), "ok, partial or failed"),
    "failure": _setting,
}
"""Parser of each column that is not a metric; it raises `BadValue`."""
_STORED: Final = frozenset({"source", "placement_group", "storage"})
"""Columns that are stored as settings of the tool."""
_COLUMNS_ACCEPTED: Final = f"{', '.join(_CELLS)}, setting:NAME or a metric such as read_mb_per_s [MiB/s]"


@frozen
class _Column:
    """One column of figures: its metric, its unit, and the factor to the metric's own unit."""

    metric: str
    unit: str
    factor: Decimal


_Others: TypeAlias = tuple[tuple[int, str, int, str | None, Callable[[str], Any]], ...]
"""Columns that are no figures: place and name of each, the place of its value in `_Said`, the name of the setting that
it is, and its parser."""
_Said: TypeAlias = list[Any]
"""Values of the columns in `_CELLS`, and one more for settings; None for those that a row does not state."""
_PLACES: Final = {name: place for place, name in enumerate(_CELLS)}
_STATUS, _FAILURE, _STORAGE = (_PLACES[name] for name in ("status", "failure", "storage"))


class _Header:
    """Columns of a table; None for those that are left out."""

    def __init__(self, columns: Sequence[str | _Column | None]) -> None:
        self.columns = columns
        placed = list(enumerate(columns))
        self.plan: Plan = tuple(
            (place, column.metric, column.unit, column.metric, column.factor)
            for place, column in placed
            if isinstance(column, _Column)
        )
        self.others: _Others = tuple(
            (
                place,
                column,
                _PLACES.get(column, len(_PLACES)),
                column.removeprefix("setting:") if column not in _CELLS or column in _STORED else None,
                _CELLS.get(column, _setting),
            )
            for place, column in placed
            if isinstance(column, str)
        )


def recognises(head: Head) -> bool:
    """Return whether a file is a table in this template.

    Its header must have a metric, and more than half of its columns must belong to the template.
    """
    for text in head.text.splitlines()[:200]:
        if text.strip() and not text.startswith("#"):
            cells = cells_of(text.lstrip("\ufeff"), _delimiter(text))
            columns = [_column(cell) for cell in cells[:_MOST_COLUMNS]]
            known = sum(not isinstance(column, BadValue) for column in columns)
            return any(isinstance(column, _Column) for column in columns) and 2 * known > len(columns)
    return False


def read(stream: BinaryIO) -> Iterator[Reading | Remark]:
    """Yield one measurement for each row of the table."""
    lines = Lines(stream)
    written = (line for line in lines if line.text[:1] not in _SKIPPED and not line.text.isspace())
    first = next(written, None)
    if first is None:
        raise Unreadable(f"The table is empty; its first line names columns: {_COLUMNS_ACCEPTED}")
    delimiter = _delimiter(first.text)
    header, remarks = _header(first, delimiter)
    yield from remarks
    held = next(written, None)
    for line in written:
        if held is not None:
            yield from _row(held, header, delimiter, cut=False)
        held = line
    if held is not None:
        yield from _row(held, header, delimiter, cut=lines.cut)


def _delimiter(text: str) -> str:
    return max(",;\t", key=text.count)


def _column(cell: str) -> str | _Column | BadValue:
    if cell in _CELLS or re.match(r"setting:[\w .:/-]{1,60}\Z", cell):
        return cell
    found = _METRIC.match(cell)
    try:
        kind = kind_of(found["name"]) if found else None
    except KeyError:
        kind = None
    if found is None or kind is None:
        return BadValue("column", cell[:80], _COLUMNS_ACCEPTED)
    unit = found["unit"] or kind.unit
    factor = UNITS[kind.unit].get(unit)
    if factor is None:
        return BadValue(f"unit of {found['name']}", unit, f"one of {', '.join(UNITS[kind.unit])}")
    return _Column(found["name"], unit, factor)


def _header(line: Line, delimiter: str) -> tuple[_Header, list[Remark]]:
    cells = cells_of(line.text, delimiter)
    if len(cells) > _MOST_COLUMNS:
        raise Unreadable(f"The table has {len(cells):,} columns; at most {_MOST_COLUMNS} are accepted", line.number)
    columns: list[str | _Column | None] = []
    remarks: list[Remark] = []
    for place, cell in enumerate(cells, start=1):
        column = _column(cell)
        twice = column in columns or (
            isinstance(column, _Column) and any(isinstance(c, _Column) and c.metric == column.metric for c in columns)
        )
        if isinstance(column, BadValue) or twice:
            words = f"{cell[:60]!r} stands twice" if twice else str(column)
            remarks.append(Remark(line.number, f"Column {place}: {words}; it is left out"))
            columns.append(None)
        else:
            columns.append(column)
    if not any(isinstance(column, _Column) for column in columns):
        raise Unreadable(f"No column of the table is a metric; accepted are {_COLUMNS_ACCEPTED}", line.number)
    return _Header(columns), remarks


def _row(line: Line, header: _Header, delimiter: str, *, cut: bool) -> Sequence[Reading | Remark]:
    cells = cells_of(line.text, delimiter)
    if len(cells) != len(header.columns):
        words = (
            f"{len(cells):,} cells stand where {len(header.columns):,} were expected, as many as the table has columns"
        )
        return (Remark(line.number, words + ("; the file ends in the middle of the line" if cut else "")),)
    printed = Printed()
    wrong = _take_figures(header.plan, cells, printed)
    said, settings = _take_others(header.others, cells, wrong)
    if not (wrong or cut):
        return (_reading(line, said, settings, printed, ()),)
    bad = [f"Column {place + 1} ({name}): {problem}" for place, name, problem in sorted(wrong)]
    remarks = [Remark(line.number, words) for words in bad]
    if cut:
        bad.append("the last line has no newline: the file may be truncated")
    return (*remarks, _reading(line, said, settings, printed, bad))


def _take_figures(plan: Plan, cells: list[str], printed: Printed) -> list[tuple[int, str, str]]:
    """Store the figures of a row; return the place and the name of each cell that is no figure, and its problem."""
    wrong = []
    at = 0
    while (at := add_metrics(printed, plan, cells, at)) < len(plan):
        place, name, unit, _, factor = plan[at]
        cell = cells[place]
        if len(cell) > _LONGEST_CELL:
            wrong.append((place, name, _too_long(cell)))
        elif cell:
            before = len(printed.problems)
            printed.add(name, cell, unit, name, factor)
            if len(printed.problems) > before:
                wrong.append((place, name, f"{cell[:40]!r} is not a number from 0 on"))
        at += 1
    return wrong


def _take_others(columns: _Others, cells: list[str], wrong: list[tuple[int, str, str]]) -> tuple[_Said, dict[str, str]]:
    """Return the values of the cells that are no figures, and the settings.

    Cells that are invalid are added to ``wrong``.
    """
    said: _Said = [None] * (len(_PLACES) + 1)
    settings: dict[str, str] = {}
    for place, column, told, setting, parse in columns:
        if not (cell := cells[place]):
            continue
        if len(cell) > _LONGEST_CELL:
            wrong.append((place, column, _too_long(cell)))
            continue
        try:
            value = said[told] = parse(cell)
        except BadValue as error:
            if told == _STATUS:
                # The measurement counts as partial.
                said[_STATUS], said[_FAILURE] = "partial", said[_FAILURE] or f"Its status is {cell[:40]!r}"
            wrong.append((place, column, str(error)))
        else:
            if setting is not None:
                settings[setting] = value
    if storage := said[_STORAGE]:
        settings["storage"] = storage[1]
    return said, settings


def _too_long(cell: str) -> str:
    return f"{len(cell):,} characters; at most {_LONGEST_CELL:,} are accepted"


def _reading(line: Line, said: _Said, settings: dict[str, str], printed: Printed, bad: Sequence[str]) -> Reading:
    name, instance, region, zone, nodes, _, storage, measured_at, duration_s, _, version, status, failure, _ = said
    status, failure = _judged(status or "ok", failure, printed, bad)
    if zone and region and not zone.startswith(region):
        status, failure = "partial", f"zone: {zone!r} is not in {region}; accepted is a zone of the region"
    at, known = measured_at or (None, True)
    volume_type = storage[0].type if storage and isinstance(storage[0], VolumeTarget) else None
    return _reading_of(
        "csv",
        version,
        status,
        failure,
        name or f"line {line.number}",
        line.number,
        printed.metrics() if status != "failed" else (),
        settings,
        at,
        duration_s,
        _host_of(instance, region, zone, nodes, volume_type),
        (),
        () if known else ("measured_at has no time zone: taken as UTC",),
    )


def _judged(status: Status, failure: str | None, printed: Printed, bad: Sequence[str]) -> tuple[Status, str | None]:
    """Return the status and the failure of a measurement, from those of its row."""
    if status != "ok" or failure:
        return "failed" if status == "ok" else status, failure or "The row states no reason"
    if not len(printed):
        return "failed", "; ".join(bad)[:500] or "The row has no figure"
    return ("partial", "; ".join(bad)[:500]) if bad else ("ok", None)


@lru_cache(maxsize=100)
def _host_of(
    instance: str | None, region: str | None, zone: str | None, nodes: int | None, volume_type: str | None
) -> Host:
    return _new_host(None, None, instance, region, zone, nodes, volume_type, None, None, None)
