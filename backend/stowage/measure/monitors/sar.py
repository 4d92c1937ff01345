"""Reader of the output of sar and sadf, which record the activity of a machine.

The formats are text, JSON (``sadf -j``) and lists (``sadf -d``, ``sadf -p``). The reader covers CPUs (all together),
devices, interfaces and memory; other activities get one remark each. It rejects the binary file of sadc, which only the
same version of sysstat can read.

Tested with: sysstat 12.6.1, run for this project: ``-u``, ``-u ALL``, ``-P ALL``, ``-d``, ``-d -p``, ``-n DEV``,
``-r``, ``-A``, live and from a file, in the C, American (12-hour clock) and German locales; ``sadf -j``, ``-d``,
``-dh``, ``-p``. Not tested with: output of versions 9 to 11, whose columns (``rd_sec/s``, ``avgqu-sz``) are supported.
sar of Solaris is a different program and is not supported.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count

from stowage.measure.errors import Unreadable
from stowage.measure.files.clocks import moment, stamp_of
from stowage.measure.files.compiled import words_at
from stowage.measure.files.documents import Text
from stowage.measure.files.figures import number_of
from stowage.measure.files.head import Head
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.files.values import Number, Value, float_at, text_at, value_at
from stowage.measure.monitors.sar_run import KEYS, Run, Section
from stowage.measure.monitors.sysstat import MEMORY_COLUMNS, Banner, SysstatReader, banner_of, numbers_of
from stowage.measure.reading import Host, Reading, Remark

# Columns of supported activities that are not stored.
_BESIDES = frozenset(
    (
        *("%nice", "%irq", "%soft", "%guest", "%gnice", "dkB/s", "areq-sz", "avgrq-sz", "svctm", "rxpck/s", "txpck/s"),
        *("rxcmp/s", "txcmp/s", "rxmcst/s", "%ifutil", "kbmemfree", "kbavail", "kbmemused", "kbbuffers", "kbcached"),
        *("kbcommit", "%commit", "kbactive", "kbinact", "kbdirty"),
    )
)
_TWICE = {"rkB": "rd_sec", "wkB": "wr_sec", "aqu-sz": "avgqu-sz"}
_MOST_REMARKED = 64
_LONGEST_HEADER = 300
"""Maximum length of a header line that is cached: a hostile file has long lines."""
_LAST_OF_HEAD = 20
"""Last line in which the XML of sadf can begin."""
_MAGIC = (b"\x96\xd5", b"\xd5\x96")
SHAPE = Shape(
    r"(?:(?P<clock>\d\d?:\d\d:\d\d(?: ?[AP]M)?|Average:) +(?P<header>[A-Za-z%][\w%/.-]*(?: +[A-Za-z%][\w%/.-]*)+)\n)?"
    r"(?:(\d\d?:\d\d:\d\d(?: ?[AP]M)?|Average:) +([a-z0-9][\w.-]*(?: +\d[\d.]*)+)\n)+"
)
"""A header, if there is one, and the clock and the words of each row behind it."""
_TIMED = re.compile(r"(?P<clock>\d{1,2}:\d\d:\d\d(?: ?[AP]M)?)\s+(?P<rest>\S.*)\Z")
_AVERAGE = re.compile(r"[^\W\d][\w.]{0,30} ?:\s+(?P<rest>\S.*)\Z")  # Average:, Durchschn.:, Moyenne :
_RESTART = re.compile(r"LINUX[ -]RESTART\b")
_HEADER_WORD = re.compile(r"(?:[A-Za-z%][\w%/.-]*|\d+-\w+)\Z")
_MEAN = "Average:"
_BINARY = (
    "this is sar's binary file, which only sysstat of its own version reads: make text of it by `sar -A -t -f FILE`, or"
    " JSON by `sadf -j FILE -- -u -d -n DEV -r`"
)


def recognises(head: Head) -> bool:
    """Return whether a file is output of sar or sadf, or a binary file of sadc.

    Binary files are recognized only to reject them with a clear error.
    """
    if head.start[:2] in _MAGIC:
        return True
    if head.keys[:1] == ("sysstat",):
        return True
    if head.text.lstrip().startswith(("<?xml", "<sysstat")) and "<sysstat" in head.text:
        return True
    machine = False
    for line in head.text.splitlines():
        text = line.strip()
        machine = machine or banner_of(text) is not None
        if text.startswith("# hostname;interval;timestamp") or _pattern_of(text) is not None:
            return True
        timed = _TIMED.match(text)
        section = _section(timed["rest"], timed["rest"].split()) if timed else None
        if section is not None and (machine or section.stored.columns):
            return True
    return False


class _Reader(SysstatReader[Run]):
    """State of the reader of output of sar or sadf."""

    contents = "statistics of sadf"
    shape = SHAPE

    def __init__(self) -> None:
        super().__init__()
        self._section: Section | None = None
        self._remarked: set[tuple[str, ...]] = set()

    def _refuse(self, line: Text) -> None:
        """Raise `Unreadable` for sadc's binary format and for XML."""
        if line.line == 1 and self.lines.first[:2] in _MAGIC:
            raise Unreadable(_BINARY)
        if line.line <= _LAST_OF_HEAD and line.text.lstrip().startswith("<sysstat"):
            raise Unreadable("this is the XML of sadf -x: write JSON by `sadf -j` instead", line.line)

    def cut_line(self, line: Text) -> tuple[()]:
        """Remember that the file ends in the middle of a line."""
        self._refuse(line)
        return super().cut_line(line)

    def text(self, line: Text) -> Iterable[Reading | Remark]:
        """Process a line of text that is not empty."""
        number, text = line.line, line.text.strip()
        if number <= _LAST_OF_HEAD:
            self._refuse(line)
        if "0" <= text[:1] <= "9" and "\t" not in text and ";" not in text:
            return self._timed(number, text)
        if text.startswith("Linux ") and (banner := banner_of(text)):
            return self._begin_run(number, banner)
        if text.startswith("# hostname;interval;timestamp"):
            return self._list_header(number, text)
        if "\t" in text and (row := _pattern_of(text)) is not None:
            return self._pattern(number, row)
        if ";" in text:
            return self._list_row(number, text)
        if average := _AVERAGE.match(text):
            return self._average(number, average["rest"])
        return self._timed(number, text)

    def _begin_run(self, line: int, banner: Banner) -> Iterator[Reading]:
        yield from self.close(None)
        self.run = Run(line, banner)

    # Text of sar

    def block(self, block: Block) -> Iterable[Reading | Remark]:
        """Process the header and the rows of a table."""
        begun, header = block.fields
        section, run = self._section if header is None else _named(header), self.run
        rows = block.rows[1::2]
        devices = None if section is None else words_at(rows, len(section.columns), section.place)
        if section is None or run is None or devices is None:
            return super().block(block)
        line = block.line
        remarks: list[Remark] = []
        if begun is not None:
            remarks += self._header(line, run, None if begun == _MEAN else begun, section)
            line += 1
        for number, clock, row, device in zip(count(line), block.rows[::2], rows, devices, strict=False):
            remarks += _take(number, run, None if clock == _MEAN else clock, section, row, device)
        return remarks

    def _timed(self, line: int, text: str) -> Iterable[Remark]:
        found = _TIMED.match(text)
        if found is None:
            return (Remark(line, f"{text[:80]!r} stands where a row of sar was expected"),)
        run = self.run = self.run or Run(line, None)
        clock, rest = found.groups()
        words = rest.split()
        section = self._section
        if rest.startswith("LINUX") and _RESTART.match(rest):
            run.restarts += 1
        elif (begun := _section(rest, words)) is not None:
            return self._header(line, run, clock, begun)
        elif section is None or len(words) != len(section.columns):
            if section is None or section.stored.columns:
                return (Remark(line, f"{text[:80]!r} stands where a row of sar was expected"),)
        else:
            return _take(line, run, clock, section, rest, words[section.place])
        return ()

    def _header(self, line: int, run: Run, clock: str | None, section: Section) -> tuple[Remark, ...]:
        """Process a header with a time, or without one if means follow."""
        began = None if clock is None else run.at(clock, section)
        if began is not None and run.start is None:
            run.start = began
        return self._begin(line, section)

    def _begin(self, line: int, section: Section) -> tuple[Remark, ...]:
        self._section = section
        if section.stored.columns or section.columns in self._remarked or len(self._remarked) == _MOST_REMARKED:
            return ()
        self._remarked.add(section.columns)
        shown = " ".join(section.columns)
        return (
            Remark(line, f"the activity {shown[:80]!r} is not among those that are taken: CPU, DEV, IFACE, memory"),
        )

    def _average(self, line: int, text: str) -> Iterable[Remark]:
        words, current = text.split(), self._section
        if (section := _section(text, words)) is not None:
            return self._begin(line, section)
        if self.run is not None and current is not None and len(words) == len(current.columns):
            return _take(line, self.run, None, current, text, words[current.place])
        if current is None or current.stored.columns:
            return (Remark(line, "an average stands where none was expected"),)
        return ()

    # Lists of sadf

    def _list_header(self, line: int, text: str) -> Iterator[Remark]:
        columns = tuple(text.removeprefix("# ").removesuffix("[...]").split(";")[3:])
        self._section = None
        if any(name.endswith("[...]") for name in columns) or not columns:
            yield Remark(line, "sadf -h with several activities in a line is not read: write it without -h")
        else:
            yield from self._begin(line, Section(columns))

    def _list_row(self, line: int, text: str) -> Iterator[Remark]:
        parts = text.split(";")
        host, length, at, words = parts[0], *[*parts, "", ""][1:3], parts[3:]
        found = _time_of(at)
        if found is None:
            yield Remark(line, f"{text[:80]!r} stands where a row of sadf was expected")
            return
        run = self._run_of(line, host, known=found[1])
        if words and _RESTART.match(words[0]):
            run.restarts += 1
        elif words and words[0].startswith("COM"):
            return
        elif self._section is None or not words or len(words) % len(self._section.columns):
            if self._section is not None:
                yield Remark(line, f"{len(words)} columns stand where {len(self._section.columns)} were expected")
        else:
            width = len(self._section.columns)
            for first in range(0, len(words), width):
                yield from _row(line, run, self._section, words[first : first + width], found[0], number_of(length))

    def _pattern(self, line: int, row: tuple[str, str, str, str, str, str]) -> Iterator[Remark]:
        host, length, at, of, name, text = row
        found = _time_of(at)
        if found is None:
            yield Remark(line, f"{at[:40]!r} is no time")
            return
        run = self._run_of(line, host, known=found[1])
        for key, columns in {**KEYS, "": MEMORY_COLUMNS}.items():
            if name in columns:
                section = Section((key, name) if key else (name,))
                words = [of, text] if key else [text]
                yield from _row(line, run, section, words, found[0], number_of(length))
                return
        if name not in _BESIDES:
            yield from self._begin(line, Section((name,)))

    def _run_of(self, line: int, host: str, *, known: bool) -> Run:
        if self.run is None:
            self.run = Run(line, Banner(Host(name=host.strip()[:253] or None), None, ()), dated=True)
        self.run.zone_known = self.run.zone_known and known
        return self.run

    # JSON of sadf

    def begin(self, line: int, banner: Banner) -> Run:
        """Begin the run of a machine that a JSON document describes."""
        return Run(line, banner, dated=True)

    def statistics(self, run: Run, line: int, value: Value) -> Iterator[Remark]:
        """Process one element of the list ``statistics``."""
        day, clock = text_at(value, "timestamp", "date"), text_at(value, "timestamp", "time")
        utc = value_at(value, "timestamp", "utc")
        found = _time_of(f"{day} {clock}")
        if found is None:
            yield Remark(line, f"timestamp is {day!r} {clock!r}, which is no time")
            return
        run.zone_known = run.zone_known and utc == Number("1")
        for key, name_of, rows in (
            ("CPU", "cpu", value_at(value, "cpu-load")),
            ("CPU", "cpu", value_at(value, "cpu-load-all")),
            ("DEV", "disk-device", value_at(value, "disk")),
            ("IFACE", "iface", value_at(value, "network", "net-dev")),
            ("", "", [value_at(value, "memory")]),
        ):
            for row in rows if isinstance(rows, list) else []:
                cells = _numbers(row)
                if cells:
                    section = Section((key, *cells) if key else tuple(cells))
                    words = [text_at(row, name_of) or "", *cells.values()] if key else list(cells.values())
                    yield from _row(line, run, section, words, found[0], float_at(value, "timestamp", "interval"))

    def close(self, problem: str | None) -> Iterator[Reading]:
        """Yield the result of the run that has ended."""
        yield from super().close(problem)
        self._section = None


def _take(line: int, run: Run, clock: str | None, section: Section, row: str, device: str) -> Iterable[Remark]:
    """Process a row with a time, or a row of means."""
    of = section.device_of(device)
    if clock is None:
        if of is not None:
            run.average(section, row, of)
    elif (end := run.at(clock, section)) is None:
        return (Remark(line, f"{clock!r} is no time of day"),)
    elif of is not None:
        return _remarks(line, run.row(section, row, of, end, None))
    return ()


def _row(line: int, run: Run, section: Section, words: list[str], end: float, length: float | None) -> Iterable[Remark]:
    """Process a row whose cells are one by one."""
    of = section.device_of(words[section.place])
    return () if of is None else _remarks(line, run.row(section, words, of, end, length))


def _remarks(line: int, wrong: Iterable[tuple[str, str]]) -> Iterable[Remark]:
    return [Remark(line, f"{name} is {text[:40]!r}, which is no figure") for name, text in wrong] if wrong else ()


def _numbers(row: Value) -> dict[str, str]:
    """Return the figures of a JSON row.

    If a row has a figure in both an old and a new unit, only the new one is returned.
    """
    cells = numbers_of(row)
    old = {_TWICE[new] for new in _TWICE.keys() & cells}
    return {name: text for name, text in cells.items() if name not in old}


def _section(text: str, words: list[str]) -> Section | None:
    """Return the columns that a header line names.

    The result is None if the words are values instead.
    """
    # Most lines are rows, whose last word is a number.
    return _named(text) if len(words) > 1 and _HEADER_WORD.match(words[-1]) else None


def _named(header: str) -> Section | None:
    return (_cached_section if len(header) <= _LONGEST_HEADER else _cached_section.__wrapped__)(header)


@lru_cache(maxsize=100)
def _cached_section(header: str) -> Section | None:
    words = header.split()
    return Section(tuple(words)) if all(map(_HEADER_WORD.match, words)) else None


def _time_of(text: str) -> tuple[float, bool] | None:
    """Parse a time as sadf prints it.

    It is a date and time, with or without UTC, or a number of seconds since 1970.
    """
    seconds = number_of(text) if len(text) <= 40 else None
    return (seconds, True) if seconds is not None and moment(seconds) is not None else stamp_of(text)


def _pattern_of(text: str) -> tuple[str, str, str, str, str, str] | None:
    """Split a row of ``sadf -p`` into its fields.

    The fields are host, interval, time, device, column and figure. The result is None for other text.
    """
    words = text.split("\t")
    if len(words) != 6 or _time_of(words[2]) is None:
        return None
    return words[0], words[1], words[2], words[3], words[4], words[5]


read = _Reader.read
