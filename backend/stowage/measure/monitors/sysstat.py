"""Common parts of the readers of sar and iostat, the programs of sysstat: banner, columns, JSON documents."""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import ClassVar, Generic, TypeAlias, TypeVar

from stowage.frozen import frozen
from stowage.measure.files.clocks import date_of
from stowage.measure.files.compiled import Columns, Targets, figures, maker, record, record_row
from stowage.measure.files.documents import Ended, Piece
from stowage.measure.files.figures import number_of
from stowage.measure.files.values import Number, Value, written
from stowage.measure.monitors.watched import Watched, WatchReader, extreme_of, labelled
from stowage.measure.reading import Host, Reading, Remark

_BANNER = re.compile(
    r"(?P<system>Linux) (?P<kernel>\S{1,200}) \((?P<host>[^)]{0,253})\)\s+(?P<date>\S{6,20})"
    r"(?:\s+_?(?P<machine>\w+?)_?(?:\s+\((?P<cpus>\d{1,5}) CPUs?\))?)?\s*\Z"
)
_KIB, _MIB, _SECTOR = 1024.0 / 1e6, 1024.0**2 / 1e6, 512.0 / 1e6
"""MB in the units of columns."""
_OF_HOST = frozenset({"nodename", "release", "number-of-cpus", "date"})
"""Members of a host in JSON that are stored; a hostile file can have any number of others."""
_MOST_TARGETS = 64
_HUMAN = re.compile(r"(?P<number>[0-9]+(?:[.,][0-9]+)?)(?P<suffix>[skBMGTP%])\Z")


@frozen
class Banner:
    """Banner line, which sysstat prints above the reports of a machine."""

    host: Host
    day: date | None
    notes: tuple[str, ...]


_banner, _host = maker(Banner), maker(Host)


def banner_of(text: str) -> Banner | None:
    r"""Parse a banner line; return None for another line.

    Examples
    --------
    >>> banner_of("Linux 6.1.0 (vm) \t11/21/26 \t_x86_64_\t(2 CPU)").host.cpus
    2
    """
    text = text.strip()
    found = _BANNER.match(text) if text.startswith("Linux ") else None
    if not found:
        return None
    cpus = int(found["cpus"]) if found["cpus"] else None
    day, notes = _day_of(found["date"])
    if day is None:
        notes = (f"The date {found['date']!r} is in no form that is known",)
    host = _host(found["host"] or None, found["kernel"], None, None, None, None, None, None, cpus, None)
    return _banner(host, day, notes)


@lru_cache(maxsize=100)
def _day_of(text: str) -> tuple[date | None, tuple[str, ...]]:
    found = date_of(text)
    assumed = (f"The date {text!r} is taken for {found[0].isoformat()}, the month first",) if found and found[1] else ()
    return found[0] if found else None, assumed


def _banner_of_json(members: Mapping[str, str]) -> Banner:
    cpus = members.get("number-of-cpus", "")
    host = Host(
        name=members.get("nodename", "")[:253] or None,
        kernel=members.get("release", "")[:200] or None,
        cpus=int(cpus) if cpus.isdecimal() and len(cpus) <= 5 else None,
    )
    # A hostile file has long texts: they are not cached.
    return Banner(host, *_day_of.__wrapped__(members.get("date", "")))


@frozen
class Column:
    """Meaning of one column of sysstat's output."""

    metric: str
    factor: float
    """Factor from the column's unit to the metric's unit."""
    unit: str
    """Name of the column's unit."""


def _columns(metric: str, factor: float, unit: str, names: str) -> dict[str, Column]:
    return dict.fromkeys(names.split(), Column(metric, factor, unit))


DEVICE_COLUMNS: Mapping[str, Column] = {
    **_columns("device_read_mb_per_s", _KIB, "KiB/s", "rkB/s kB_read/s rkB"),
    **_columns("device_read_mb_per_s", _MIB, "MiB/s", "rMB/s MB_read/s"),
    **_columns("device_read_mb_per_s", _SECTOR, "sectors/s", "rsec/s Blk_read/s rd_sec/s rd_sec"),
    **_columns("device_write_mb_per_s", _KIB, "KiB/s", "wkB/s kB_wrtn/s wkB"),
    **_columns("device_write_mb_per_s", _MIB, "MiB/s", "wMB/s MB_wrtn/s"),
    **_columns("device_write_mb_per_s", _SECTOR, "sectors/s", "wsec/s Blk_wrtn/s wr_sec/s wr_sec"),
    **_columns("device_mb_per_s", _KIB, "KiB/s", "kB/s"),
    **_columns("device_mb_per_s", _MIB, "MiB/s", "MB/s"),
    **_columns("device_mb_per_s", _SECTOR, "sectors/s", "sec/s"),
    **_columns("device_iops", 1.0, "1/s", "tps"),
    **_columns("device_read_iops", 1.0, "1/s", "r/s"),
    **_columns("device_write_iops", 1.0, "1/s", "w/s"),
    **_columns("device_latency_us", 1_000.0, "ms", "await"),
    **_columns("device_read_latency_us", 1_000.0, "ms", "r_await"),
    **_columns("device_write_latency_us", 1_000.0, "ms", "w_await"),
    **_columns("device_queue", 1.0, "1", "aqu-sz avgqu-sz"),
    **_columns("device_busy_share", 0.01, "%", "%util util util-percent"),
}
CPU_COLUMNS: Mapping[str, Column] = {
    **_columns("cpu_user_share", 0.01, "%", "%user %usr user usr"),
    **_columns("cpu_system_share", 0.01, "%", "%system %sys system sys"),
    **_columns("cpu_wait_share", 0.01, "%", "%iowait iowait"),
    **_columns("cpu_steal_share", 0.01, "%", "%steal steal"),
    **_columns("cpu_idle_share", 0.01, "%", "%idle idle"),
}
INTERFACE_COLUMNS: Mapping[str, Column] = {
    **_columns("interface_received_mb_per_s", _KIB, "KiB/s", "rxkB/s rxkB"),
    **_columns("interface_sent_mb_per_s", _KIB, "KiB/s", "txkB/s txkB"),
    **_columns("interface_received_mb_per_s", 1e-6, "B/s", "rxbyt/s rxbyt"),
    **_columns("interface_sent_mb_per_s", 1e-6, "B/s", "txbyt/s txbyt"),
}
MEMORY_COLUMNS: Mapping[str, Column] = _columns("memory_used_share", 0.01, "%", "%memused memused-percent")
_SUFFIXES = {"s": 512.0, "B": 1.0, "k": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4, "P": 1024.0**5}


def figure_of(text: str, column: Column) -> float | None:
    """Convert a cell of a table to the metric's unit.

    The cell may have a suffix of the options ``-h`` or ``--human``. The result is None if the cell is not a number.

    Examples
    --------
    >>> figure_of("1.4M", DEVICE_COLUMNS["rkB/s"]), figure_of("49.6%", CPU_COLUMNS["%user"])
    (1.4680064, 0.496)
    """
    number = number_of(text)
    if number is None:
        found = _HUMAN.match(text) if len(text) <= 60 else None
        number = number_of(found["number"]) if found else None
        if found is None or number is None:
            return None
        if found["suffix"] != "%":
            return number * _SUFFIXES[found["suffix"]] / 1e6 if column.metric.endswith("_mb_per_s") else None
    return number / 100 if column.unit == "%" else number * column.factor


def stored_column(key: int | str, name: str, column: Column) -> tuple[int | str, str, Column, float, float]:
    """Return a column that is stored, with how its figures are converted."""
    return key, name, column, *((1.0, 100.0) if column.unit == "%" else (column.factor, 1.0))


class Stored:
    """Columns of a table whose figures are stored, and where those of each device are stored."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._targets: dict[str, Targets] = {}
        self._means: dict[str, Targets] = {}

    def targets(self, of: str) -> Targets:
        """Return where the figures of a device are stored."""
        if (known := self._targets.get(of)) is None:
            if len(self._targets) == _MOST_TARGETS:
                self._targets.clear()
            known = self._targets[of] = tuple(
                ((column.metric, of), *extreme_of(column.metric, column.unit, name, of))
                for _, name, column, *_ in self.columns
            )
        return known

    def means(self, of: str) -> Targets:
        """Return where the means of a device are stored; the highest one of all devices is."""
        if (known := self._means.get(of)) is None:
            if len(self._means) == _MOST_TARGETS:
                self._means.clear()
            known = self._means[of] = tuple(
                ((column.metric, of), f"{column.metric}.mean", column.unit, labelled(f"Average {name}", of), False)
                for _, name, column, *_ in self.columns
            )
        return known


def stored_of(names: Iterable[str], columns: Mapping[str, Column]) -> Stored:
    """Return the columns that are stored, by the place of each; of two with one name, the last counts.

    Examples
    --------
    >>> [(place, name) for place, name, *_ in stored_of(("%user", "%nice", "%idle"), CPU_COLUMNS).columns]
    [(0, '%user'), (2, '%idle')]
    """
    places = {name: place for place, name in enumerate(names)}
    return Stored(tuple(stored_column(place, name, columns[name]) for name, place in places.items() if name in columns))


Row: TypeAlias = tuple[Stored, tuple[float, ...], tuple[str, ...]]
"""The columns of a row that are stored, their figures in our units, and the figures as printed."""


def row_of(stored: Stored, cells: Sequence[str] | Mapping[str, str]) -> tuple[Row, list[tuple[str, str]]]:
    """Return the figures of a row, and the names and texts of cells that are no figures."""
    if (found := figures(stored.columns, cells)) is not None:
        return (stored, *found), []
    texts = [cells[key] for key, *_ in stored.columns]
    values = [figure_of(text, column) for text, (_, _, column, *_) in zip(texts, stored.columns, strict=True)]
    wrong = [(stored.columns[at][1], texts[at]) for at, value in enumerate(values) if value is None]
    if wrong:
        stored = Stored(
            tuple(column for column, value in zip(stored.columns, values, strict=True) if value is not None)
        )
    shown = tuple(text[:60] for text, value in zip(texts, values, strict=True) if value is not None)
    return (stored, tuple(value for value in values if value is not None), shown), wrong


class SysstatRun(Watched):
    """Reports on one machine.

    Parameters
    ----------
    line : int
        Number of the first line of the reports.
    banner : Banner or None
        Banner above the reports; None if there is none.
    zone_known : bool
        Whether all times so far had a time zone.
    """

    def __init__(self, line: int, banner: Banner | None, *, zone_known: bool) -> None:
        super().__init__(line, banner.host if banner else None, banner.notes if banner else (), zone_known=zone_known)
        self.day = banner.day if banner else None

    def put(self, row: Row, of: str, start: float, end: float) -> None:
        """Store the figures of a row for an interval [s] in time series, and update their extremes."""
        stored, values, texts = row
        recording = self.recording
        recording.left_out += record(recording.lanes, self.figures, stored.targets(of), values, texts, start, end)

    def put_text(self, stored: Stored, text: str, of: str, start: float, end: float) -> Sequence[tuple[str, str]]:
        """Store the figures of the words of a row, as `put` does; return what `row_of` returns for wrong cells."""
        recording = self.recording
        left_out = record_row(recording.lanes, self.figures, stored.targets(of), stored.columns, text, start, end)
        if left_out is not None:
            recording.left_out += left_out
            return ()
        row, wrong = row_of(stored, text.split())
        self.put(row, of, start, end)
        return wrong

    @abstractmethod
    def reading(self, problem: str | None) -> Reading:
        """Return the result of the run."""


Run = TypeVar("Run", bound=SysstatRun)


class SysstatReader(WatchReader, Generic[Run]):
    """Reader of the text and the JSON documents of a program of sysstat.

    Parameters
    ----------
    contents : str
        Contents of the program's documents, as in ``reports of iostat``.
    """

    opened = frozenset({("sysstat", "hosts", "*", "statistics")})
    contents: ClassVar[str]

    def __init__(self) -> None:
        self.run: Run | None = None
        self._host: dict[str, str] = {}

    def piece(self, piece: Piece) -> Iterator[Reading | Remark]:
        """Process one JSON value of a document."""
        match piece.path:
            case ("sysstat", "hosts", _, str(name)) if name in _OF_HOST and (told := written(piece.value)) is not None:
                if name == "nodename":
                    yield from self.close(None)
                    self._host = {}
                self._host[name] = told
            case (_, _, _, "statistics", _):
                if self.run is None:
                    self.run = self.begin(piece.line, _banner_of_json(self._host))
                yield from self.statistics(self.run, piece.line, piece.value)

    def ended(self, ended: Ended) -> Iterator[Reading | Remark]:
        """Process the end of a JSON document."""
        if self.run is None and not ended.problem:
            yield Remark(ended.first_line, f"a JSON document without {self.contents}")
        yield from self.close(ended.problem)
        self._host = {}

    def close(self, problem: str | None) -> Iterator[Reading]:
        """Yield the result of the run that has ended."""
        if self.run is not None:
            yield self.run.reading(problem)
        self.run = None

    @abstractmethod
    def begin(self, line: int, banner: Banner) -> Run:
        """Begin the run of a machine that a JSON document describes."""

    @abstractmethod
    def statistics(self, run: Run, line: int, value: Value) -> Iterator[Remark]:
        """Process one element of the list ``statistics``."""


def numbers_of(row: Value) -> dict[str, str]:
    """Return the numbers of a JSON object, as printed."""
    return {name: cell.text for name, cell in row.items() if isinstance(cell, Number)} if isinstance(row, dict) else {}
