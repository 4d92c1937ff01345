"""Reader of the CPU and device reports of iostat.

The reports may be text, in the columns of any version, or JSON.

The first report of a run has averages since boot, so it is skipped. With ``-y`` there is no such report. The reader
detects ``-y`` by an empty line that sysstat 12 writes in place of the report, or by the totals in the plain columns. If
a file shows neither, its first report is assumed to cover the time since boot.

Tested with: text and JSON of sysstat 12.6.1, run for this project: plain, ``-x``, ``-m``, ``-k``, ``-t``, ``-y``,
``-c``, ``-d``, ``-s``, ``-z``, ``-h``, in the C, American and German locales and with ISO dates. Not tested with:
output of versions 9 to 11 and 12.0, whose columns (``rsec/s``, ``avgrq-sz``, ``Device:``, ``Blk_read/s``) are
supported. iostat of BSD and Solaris is a different program and is not supported.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from stowage.measure.files.clocks import clock_of, stamp_of
from stowage.measure.files.documents import Text
from stowage.measure.files.figures import number_of
from stowage.measure.files.head import Head
from stowage.measure.files.values import Value, text_at, value_at
from stowage.measure.monitors.sysstat import (
    CPU_COLUMNS,
    DEVICE_COLUMNS,
    Banner,
    Column,
    Row,
    Stored,
    SysstatReader,
    SysstatRun,
    banner_of,
    numbers_of,
    row_of,
    stored_column,
    stored_of,
)
from stowage.measure.reading import Reading, Remark

_DEVICE = ("Device", "Device:")
_TOTALS = (("kB_read/s", "kB_read"), ("kB_wrtn/s", "kB_wrtn"), ("MB_read/s", "MB_read"), ("MB_wrtn/s", "MB_wrtn"),
           ("Blk_read/s", "Blk_read"), ("Blk_wrtn/s", "Blk_wrtn"))  # fmt: skip
_KNOWN = re.compile(
    r"(?:(?:r|w|d|f|o)/s|(?:r|w|d)?(?:kB|MB|sec)/s|(?:r|w|d)?rqm/s|%(?:r|w|d)rqm|(?:r|w|d|f|o)?_?await"
    r"|(?:r|w|d)?areq-sz|avgrq-sz|avgqu-sz|aqu-sz|svctm|%util|tps|(?:kB|MB|Blk)_(?:read|wrtn|dscd)(?:/s)?)\Z"
)
_LONGEST_NAME = 16
"""Maximum length of a known column's name."""
_MOST_CELLS = 20_000
_CPU = "avg-cpu:"
_MOST_HEADERS = 32
_NO_INTERVAL = "No times stand in the file (iostat -t writes them): each report is counted as one second"
_ONE_SECOND = "How long the only report covers does not stand in the file: it is taken for one second"
_ONLY_BOOT = "it holds only means since the machine was booted: run iostat with an interval and a count"


def recognises(head: Head) -> bool:
    """Return whether a file is output of iostat."""
    if head.keys[:1] == ("sysstat",):
        return '"disk_device"' in head.text or '"avg-cpu"' in head.text
    return any(
        line.startswith("avg-cpu:") or _columns_of(line.split()) is not None
        for line in (line.strip() for line in head.text.splitlines())
    )


@dataclass(slots=True)
class _Report:
    """One report of iostat: the CPU and device tables of one interval."""

    at: float | None = None
    rows: list[tuple[Row, str]] = field(default_factory=list)
    """Rows, each with its device."""
    cells: int = 0
    headers: set[str] = field(default_factory=set)
    _most: float = 0.0
    seconds: float | None = None

    def totals(self, row: Mapping[str, str]) -> None:
        """Return the length of the interval, computed from totals and rates [s].

        Totals exist only in the columns that iostat prints without ``-x``.
        """
        for rate_name, total_name in _TOTALS:
            if rate_name not in row or total_name not in row:
                continue
            rate, total = number_of(row[rate_name]), number_of(row[total_name])
            if rate and total and rate > 0 and total >= 100 and total > self._most:
                self._most, self.seconds = total, total / rate


class _Run(SysstatRun):
    """One run of iostat: all reports below one banner line."""

    def __init__(self, line: int, banner: Banner | None) -> None:
        super().__init__(line, banner, zone_known=True)
        if banner is None:
            self.notes.append("No first line names the machine")
        self.since_boot: bool | None = None
        self._first: _Report | None = None
        self._waiting: _Report | None = None
        self._reports = 0
        self._clocked = False
        self._counted = False
        self._guessed = False
        self._dropped = 0
        self._days = 0
        self._clock: float | None = None

    def at(self, seconds: float) -> float:
        """Convert the time of day of a report to a time that increases over days [s].

        Reports have no date. A time before the previous one is assumed to be on the next day.
        """
        seconds += self._days * 86_400.0
        if self._clock is not None and seconds < self._clock:
            self._days += 1
            seconds += 86_400.0
        self._clock = seconds
        return seconds

    def add(self, report: _Report) -> None:
        """Process a complete report."""
        if not report.rows:
            return
        self._reports += 1
        if self._reports == 1 and self.since_boot is not False:
            self._first = report
            return
        if self._first is not None:
            self._settle(self._first, report)
            self._first = None
        self._keep(report)

    def _settle(self, first: _Report, second: _Report) -> None:
        """Determine whether the first report covers the time since boot.

        The first report is compared with the second one.
        """
        spans = first.seconds, second.seconds
        if self.since_boot is None and spans[0] and spans[1]:
            self.since_boot = spans[0] > 3 * spans[1]
        if self.since_boot is False:
            self._keep(first)
        else:
            self.start = first.at
            self.notes.append(
                "The first report, which tells means since the machine was booted, is left out"
                if self.since_boot
                else "The first report is left out: iostat begins with means since boot unless it is told not to (-y)"
            )

    def _keep(self, report: _Report) -> None:
        if self._waiting is not None:
            self._put(self._waiting, report.at)
            self._waiting = None
        if report.at is not None and self.end is None and self.start is None:
            # Its start is known only when the next report shows the length of an interval.
            self._waiting = report
            return
        self._put(report, None)

    def _put(self, report: _Report, following: float | None) -> None:
        spanned = report.seconds
        if report.at is not None:
            end = report.at
            start = self.end if self.end is not None else self.start
            if start is None:
                length = following - end if following is not None and following > end else spanned
                start = end - (length or 1.0)
                self._guessed = length is None
            self._clocked = True
        else:
            start = self.end if self.end is not None else 0.0
            end = start + (round(spanned, 1) if spanned else 1.0)
            self._counted = self._counted or not spanned
        if self.start is None:
            self.start = start
        if end <= start:
            self._dropped += 1
            return
        for row, of in report.rows:
            self.put(row, of, start, end)
        self.end = end

    def reading(self, problem: str | None) -> Reading:
        """Return the result of the run."""
        if self._first is not None:
            spanned = self._first.seconds
            if self.since_boot is False:
                self._keep(self._first)
            elif spanned is None or spanned > 3600:
                self.notes.append("A single report is taken for the one since boot")
        if self._waiting is not None:
            self._put(self._waiting, None)
        if not self.figures:
            problem = problem or (_ONLY_BOOT if self._first is not None else "no report stands in it")
        return self.made(
            "iostat",
            self.host.name and f"iostat on {self.host.name}",
            problem,
            dated=self._clocked,
            assumed=(
                _NO_INTERVAL if self._counted else None,
                _ONE_SECOND if self._guessed else None,
                f"{self._dropped} reports are left out: their times are not later than those before them"
                if self._dropped
                else None,
                f"{self.recording.left_out} values are left out: there are too many quantities"
                if self.recording.left_out
                else None,
            ),
            settings={"reports": str(self._reports)},
        )


class _Table:
    """Columns of a device table.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns; that of the device's name is ``Device``.
    device : int
        Place of the column with the device's name.
    has_totals : bool
        Whether it has totals, from which the length of the interval follows.
    """

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns
        self.header = " ".join(columns)
        self.stored = stored_of(columns, DEVICE_COLUMNS)
        self.device = len(columns) - 1 - columns[::-1].index("Device")
        self.has_totals = any(total in columns for _, total in _TOTALS)


class _Reader(SysstatReader[_Run]):
    """State of the reader of iostat output."""

    contents = "reports of iostat"

    def __init__(self) -> None:
        super().__init__()
        self._report = _Report()
        self._table: _Table | None = None
        self._cpu_row_follows = False
        self._cpu: tuple[str | None, list[str], Stored] = (None, [], Stored(()))
        self._last_header: tuple[str, _Table | None] = ("", None)
        self._banner_line: int | None = None

    def text(self, line: Text) -> Iterable[Reading | Remark]:
        """Process a line of text that is not empty."""
        text = line.text.strip()
        if text.startswith("Linux ") and (banner := banner_of(text)):
            return self._begin_run(line.line, banner)
        if self._banner_line is None and self._is_header_again(text):
            return ()
        words = text.split()
        if self.run is None:
            if not (text.startswith("avg-cpu:") or _columns_of(words) or _stamp(text, None)):
                return (Remark(line.line, f"{text[:80]!r} stands where a report of iostat was expected"),)
            self.run = _Run(line.line, None)
        if self._banner_line is not None:
            # sysstat 12 leaves a further empty line where the report since boot would have been.
            self.run.since_boot = False if line.line - self._banner_line > 2 else None
            self._banner_line = None
        return self._place(self.run, line, text, words)

    def _is_header_again(self, text: str) -> bool:
        """Return whether a line is the last header of its kind again; if so, begin its table."""
        if self.run is None:
            return False
        if text == self._cpu[0]:
            self._next_report(self.run, _CPU)
            self._cpu_row_follows, self._table = True, None
            return True
        header, table = self._last_header
        if text != header or table is None or self._cpu_row_follows:
            return False
        self._next_report(self.run, table.header)
        self._table = table
        return True

    def _begin_run(self, line: int, banner: Banner) -> Iterator[Reading]:
        yield from self.close(None)
        self.run = _Run(line, banner)
        self._banner_line = line

    def _place(self, run: _Run, line: Text, text: str, words: list[str]) -> Iterable[Remark]:
        if self._cpu_row_follows:
            self._cpu_row_follows = False
            if len(words) == len(self._cpu[1]) - 1:
                return self._cells(line.line, self._cpu[2], words, "")
        if (
            (table := self._table) is not None
            and len(words) == len(table.columns)
            # Neither a header nor a time.
            and ":" not in text
            and "Device" not in text
        ):
            return self._row(line.line, table, words)
        if words[:1] == [_CPU]:
            self._next_report(run, _CPU)
            stored = self._cpu[2] if words == self._cpu[1] else stored_of(words[1:], CPU_COLUMNS)
            self._cpu = text, words, stored
            self._cpu_row_follows, self._table = True, None
        elif (header := self._table_of(text, words)) is not None:
            self._next_report(run, header.header)
            self._table = header
        elif (stamp := _stamp(text, run.day)) is not None:
            self._finish_report(run)
            at, known = stamp
            self._report.at = run.at(at) if clock_of(text.removeprefix("Time: ")) else at
            run.zone_known = run.zone_known and known
        elif table is not None and len(words) == len(table.columns):
            return self._row(line.line, table, words)
        else:
            return (Remark(line.line, f"{text[:80]!r} stands where a row of iostat was expected"),)
        return ()

    def _row(self, line: int, table: "_Table", words: list[str]) -> Iterable[Remark]:
        if table.has_totals:
            self._report.totals(dict(zip(table.columns, words, strict=True)))
        return self._cells(line, table.stored, words, words[table.device][:128])

    def _table_of(self, text: str, words: list[str]) -> "_Table | None":
        """Return the device table whose header a line is; None for another line."""
        if text != self._last_header[0]:
            columns = _columns_of(words)
            if columns is None:
                return None
            self._last_header = text, _Table(columns)
        return self._last_header[1]

    def _cells(
        self, line: int, stored: Stored, row: Sequence[str] | Mapping[str, str], device: str
    ) -> Iterable[Remark]:
        report = self._report
        found, wrong = row_of(stored, row)
        room = _MOST_CELLS - report.cells
        if len(found[1]) > room:
            found = Stored(found[0].columns[:room]), found[1][:room], found[2][:room]
        if found[1]:
            report.cells += len(found[1])
            report.rows.append((found, device))
        return [Remark(line, f"{name} is {text[:40]!r}, which is no figure") for name, text in wrong] if wrong else ()

    def _next_report(self, run: _Run, header: str) -> None:
        """Begin another report if the current report already has this header."""
        if header in self._report.headers or len(self._report.headers) == _MOST_HEADERS:
            self._finish_report(run)
        self._report.headers.add(header)

    def _finish_report(self, run: _Run) -> None:
        run.add(self._report)
        self._report, self._table, self._cpu_row_follows = _Report(), None, False

    def begin(self, line: int, banner: Banner) -> _Run:
        """Begin the run of a machine that a JSON document describes."""
        return _Run(line, banner)

    def statistics(self, run: _Run, line: int, value: Value) -> Iterator[Remark]:
        """Process one element of the list ``statistics``."""
        if (text := text_at(value, "timestamp")) is not None:
            stamp = _stamp(text, run.day)
            if stamp is None:
                yield Remark(line, f"timestamp is {text[:40]!r}, which is no time")
            else:
                self._report.at = stamp[0]
                run.zone_known = run.zone_known and stamp[1]
        row = numbers_of(value_at(value, "avg-cpu"))
        yield from self._cells(line, _stored_in(row, CPU_COLUMNS), row, "")
        disks = value_at(value, "disk")
        for disk in disks if isinstance(disks, list) else []:
            device = (text_at(disk, "disk_device") or "")[:128]
            row = numbers_of(disk)
            self._report.totals(row)
            yield from self._cells(line, _stored_in(row, DEVICE_COLUMNS), row, device)
        self._finish_report(run)

    def close(self, problem: str | None) -> Iterator[Reading]:
        """Yield the result of the run that has ended."""
        if self.run is not None:
            self._finish_report(self.run)
        yield from super().close(problem)
        self._report, self._table, self._banner_line = _Report(), None, None


def _stored_in(row: Mapping[str, str], columns: Mapping[str, Column]) -> Stored:
    """Return the columns of a JSON row that are stored."""
    return Stored(tuple(stored_column(name, name, columns[name]) for name in row if name in columns))


def _is_known(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and _is_known_column(name)


@lru_cache(maxsize=1_000)
def _is_known_column(name: str) -> bool:
    return bool(_KNOWN.match(name))


def _columns_of(words: list[str]) -> tuple[str, ...] | None:
    """Return the columns of a device table from the words of its header.

    The column with the device's name is ``Device``. The result is None if the words are not such a header.
    """
    for place in (0, -1):
        if len(words) >= 3 and words[place] in _DEVICE:
            others = words[1:] if place == 0 else words[:-1]
            if sum(map(_is_known, others)) >= 2:
                return ("Device", *others) if place == 0 else (*others, "Device")
    return None


def _stamp(text: str, day: date | None) -> tuple[float, bool] | None:
    """Parse the time above a report."""
    return stamp_of(text.removeprefix("Time: ").strip(), day)


read = _Reader.read
