"""Reader of netperf's output: tables of its classic tests, and omni output as key=value (`-k`) and CSV (`-o`).

The throughput of a stream is counted by the receiving end. UDP prints one line per end, and omni names the ends
(`REMOTE_RECV_THROUGHPUT`); the plain `THROUGHPUT` of omni over UDP is that of the sending end. Prefixes of bits are
powers of 1,000, those of bytes powers of 1,024 (`-f`). Lines of histograms are skipped. Users choose the keys of omni's
output, so a list of keys that is truncated between two lines looks like a shorter list, and is read as such.

Tested with: tables of TCP_STREAM, TCP_MAERTS, TCP_RR, UDP_RR and UDP_STREAM and omni CSV of 2.6 and 2.7, in
hand-written files after published output. No Debian package of netperf was available, so none of these files comes from
a run. Not tested with: omni's human-readable tables (without `-k`, `-o`), SCTP, tests without a banner (`-P 0`).

**Source** netperf 2.7.0, `nettest_bsd.c` (`send_tcp_stream`: bytes that the remote received), `nettest_omni.c`
(`netperf_output_source`: the names), `netlib.c` (`format_units`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from stowage.measure.files.cells import cells_of
from stowage.measure.files.figures import number_of
from stowage.measure.files.head import Head
from stowage.measure.files.printed import GIB, KIB, MIB, Printed, value_of
from stowage.measure.files.reader import LineReader
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.files.spans import Recording
from stowage.measure.files.text import Line
from stowage.measure.reading import Reading, Remark, Status
from stowage.measure.tools.network_runs import network_reading

_BANNER = re.compile(
    r"(?:MIGRATED )?(?P<test>(?:TCP|UDP|SCTP|DCCP|DLPI|AF_UNIX) ?[A-Za-z/ -]{0,40}?|OMNI[A-Za-z |]{0,20}?)"
    r" TEST(?: (?:from|to) |$)(?P<rest>.*)"
)
_TO = re.compile(r" to (?P<host>\S{1,255}) \(")
_INTERIM = re.compile(r"Interim result: +(?P<rate>[\d.]+) (?P<unit>\S{1,20}) over (?P<seconds>[\d.]+) seconds")
SHAPE = Shape(
    r"(?P<banner>(?:MIGRATED )?(?P<test>(?:TCP|UDP) (?:STREAM|MAERTS|SENDFILE)) TEST from \S[^\n]*)\n"
    r"(?:Interim result: +([\d.]+) (\S{1,20}) over ([\d.]+) seconds[^\n]*\n)*"
    r"Recv +Send +Send *\nSocket +Socket +Message +Elapsed *\nSize +Size +Size +Time +Throughput *\n"
    r"bytes +bytes +bytes +secs\. +(?P<unit>[KMG]Bytes|10\^\d+bits)/sec *\n *\n*"
    r"(?P<row>\d+ +\d+ +\d+ +[\d.]+ +[\d.]+) *\n"
)
"""A whole test of one direction."""
_GET = SHAPE.getter("banner", "test", "unit", "row")
_UNITS_OF_TABLE = re.compile(r"[Bb]ytes .*\s(?P<unit>[KMG]Bytes|10\^\d+ ?bits|per)\s*/? ?(?:sec|s)\b")
_KEY = re.compile(r"(?P<key>[A-Z][A-Z0-9_]{2,60})=(?P<value>.*)\Z")
_COLUMN = re.compile(r"\w[\w ()%]*\Z")
_NUMBERS = re.compile(r"[\d.\s+-]+\Z")
_ERROR = re.compile(
    r"netperf: |establish control: |establish_control|send_\w+: |recv_response: |shutdown_control: |"
    r"remote error |Resource temporarily|.*: (?:(?:Connection refused|no response received)\Z|error |failed)|"
    r"Sorry, |enable_enobufs failed"
)
_BEGINS_ERROR = ("establish_control", "remote error ", "Resource temporarily", "Sorry, ", "enable_enobufs failed")
"""Beginnings of errors without a colon and a space."""
_BESIDE = re.compile(
    r"Histogram of |UNIT_|TEN_|HUNDRED_|>100_SECS|HIST_TOTAL|!!! |Recv +Send|Socket |Size +|bytes +|Local +/Remote|"
    r"Send +Recv|Alignment|Starting netserver|Netperf version|netserver|[= -]{6,}|Local|Remote|Throughput\b"
)
_ONE = Decimal(1)
_UNITS: Final[Mapping[str, Decimal]] = {
    "10^3bits": Decimal("0.000125"),
    "10^6bits": Decimal("0.125"),
    "10^9bits": Decimal(125),
    "KBytes": KIB,
    "MBytes": MIB,
    "GBytes": GIB,
}
_LATENCIES: Final = {
    "MEAN": "mean", "MIN": "min", "MAX": "max", "STDDEV": "stddev", "P50": "p50", "P90": "p90", "P99": "p99",
    "MINIMUM": "min", "MAXIMUM": "max", "50TH PERCENTILE": "p50", "90TH PERCENTILE": "p90", "99TH PERCENTILE": "p99",
}  # fmt: skip
_LATENCY_KEY = re.compile(r"(?P<what>MEAN|MIN|MAX|STDDEV|P50|P90|P99)_LATENCY\Z")
_LATENCY_NAME = re.compile(
    r"(?P<what>Mean|Minimum|Maximum|Stddev|50th Percentile|90th Percentile|99th Percentile) Latency Microseconds\Z"
)
_KEYS_OF_NAMES: Final = {
    "Throughput": "THROUGHPUT",
    "Throughput Units": "THROUGHPUT_UNITS",
    "Elapsed Time (sec)": "ELAPSED_TIME",
    "Elapsed Time": "ELAPSED_TIME",
    "Protocol": "PROTOCOL",
    "Direction": "DIRECTION",
    "Local Send Throughput": "LOCAL_SEND_THROUGHPUT",
    "Remote Recv Throughput": "REMOTE_RECV_THROUGHPUT",
    "Round Trip Latency usec/tran": "RT_LATENCY",
    "Local Transport Retransmissions": "LOCAL_TRANSPORT_RETRANS",
    "Confidence Iterations Run": "CONFIDENCE_ITERATION",
    "Throughput Confidence Width (%)": "THROUGHPUT_CONFID",
}


_BEGINS_TEST = re.compile(r"^(MIGRATED )?(TCP|UDP|SCTP|OMNI)[A-Za-z/ |-]{0,40} TEST from ", re.MULTILINE)
_NO_SERVER = "\nestablish control: are you sure there is a netserver"


def recognises(head: Head) -> bool:
    """Return whether a file is output of netperf."""
    text = head.text
    return bool(
        (" TEST from " in text and _BEGINS_TEST.search(text))
        or ("THROUGHPUT_UNITS=" in text and re.search(r"^THROUGHPUT=", text, re.MULTILINE))
        or _NO_SERVER in f"\n{text}"
        or _are_columns(text.partition("\n")[0].split(","))
        or re.match(r"netperf: ", text)
    )


def _are_columns(cells: Sequence[str]) -> bool:
    """Return whether the cells of a table's first line are column names of netperf."""
    if "Throughput" not in cells:
        return False
    units = next((place for place, cell in enumerate(cells) if cell.startswith("Throughput Units")), 0)
    return cells.index("Throughput") < units and all(_COLUMN.match(cell) for cell in cells[:units])


@dataclass(slots=True)
class _Test:
    line: int
    test: str = ""
    banner: str = ""
    unit: str | None = None
    rows: list[list[str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    interim: Recording = field(default_factory=Recording)
    clock: float = 0.0
    error: str | None = None
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class _Tests(LineReader[Reading]):
    """Reader of the tests in a file, line by line."""

    shape = SHAPE

    def __init__(self) -> None:
        self._test: _Test | None = None

    def take(self, line: Line) -> Iterable[Reading | Remark]:
        """Process the next line."""
        text = line.text.strip()
        if " TEST" in text and (found := _BANNER.match(text)):
            ended = self.end()
            self._test = _Test(line.number, found["test"], text)
            return ended
        if "=" in text and (found := _KEY.match(text)):
            return self._key(line, found)
        test = self._test
        if (": " in text or text.startswith(_BEGINS_ERROR)) and _ERROR.match(text):
            test = self._test = test or _Test(line.number, "netperf")
            test.error = test.error or text[:300]
        elif not text or (test is not None and _of_test(test, text)):
            return ()
        elif "," in text or (test is not None and test.names and not test.values and not text[0].isdigit()):
            return self._omni(line, text)
        elif not _BESIDE.match(text):
            return (Remark(line.number, f"{text[:80]!r} stands where a line of netperf was expected"),)
        return ()

    def take_block(self, block: Block) -> Iterable[Reading | Remark]:
        """Process a whole test."""
        banner, name, unit, row = _GET(block.fields)
        ended = self.end()
        test = self._test = _Test(block.line, name, banner.strip(), unit, rows=[row.split()])
        for rate, unit_of_rate, seconds in zip(block.rows[::3], block.rows[1::3], block.rows[2::3], strict=True):
            _interim(test, rate, unit_of_rate, seconds)
        return ended

    def _key(self, line: Line, found: re.Match[str]) -> Iterator[Reading | Remark]:
        key, value = found["key"], found["value"].strip().strip('"')
        if self._test is None or (key in self._test.values and key in {"THROUGHPUT", "THROUGHPUT_UNITS"}):
            yield from self.end()
            self._test = _Test(line.number, "OMNI")
        if key in self._test.values:
            yield Remark(line.number, f"{key} stands twice in one result; the first counts")
        elif len(self._test.values) < 1_000:
            self._test.values[key] = value[:200]

    def _omni(self, line: Line, text: str) -> Iterator[Reading | Remark]:
        cells = cells_of(text)
        test = self._test
        if test is None or (test.values and not _is_row(cells)):
            yield from self.end()
            test = self._test = _Test(line.number, "OMNI")
        if not _is_row(cells):
            # Some users wrap the line of names: a name may continue on the next line.
            if len(test.names) == 200:
                yield Remark(line.number, f"{text[:80]!r} stands where values were expected")
            else:
                test.names.append(text[:4_000])
            return
        names = [name.strip() for name in " ".join(test.names).split(",")]
        if test.values:
            yield from self.end()
            test = self._test = _Test(line.number, test.test, test.banner, names=test.names)
        if len(names) != len(cells):
            test.problems.append(f"{len(cells)} values stand where {len(names)} were expected")
            yield Remark(line.number, test.problems[-1])
        else:
            for name, cell in zip(names, cells, strict=True):
                latency = _LATENCY_NAME.match(name)
                key = f"{latency['what'].upper()} LATENCY" if latency else _KEYS_OF_NAMES.get(name, name)
                test.values.setdefault(key, cell[:200])

    def end(self, *, cut: bool = False) -> Iterable[Reading]:
        """Return the result of the test in progress."""
        test, self._test = self._test, None
        if test is None:
            return ()
        if cut:
            test.problems.append("The file ends in the middle of a line")
        return (_reading(test),)


def _of_test(test: _Test, text: str) -> bool:
    """Process a line of a classic test; return whether it belongs to such a test."""
    if text.startswith("Interim") and (found := _INTERIM.match(text)):
        _interim(test, found["rate"], found["unit"], found["seconds"])
    elif text.startswith("!!! "):
        if "WARNING" not in text and len(test.notes) < 10:
            test.notes.append(text[4:200].strip())
    elif _NUMBERS.match(text):
        test.rows = [*test.rows, text.split()][:8]
    elif found := _UNITS_OF_TABLE.match(text):
        test.unit = found["unit"].replace(" ", "")
    elif not test.unit and not test.rows and not test.names and " port " in f" {text}" and len(test.banner) < 1_000:
        test.banner += f" {text}"
    else:
        return False
    return True


def _is_row(cells: list[str]) -> bool:
    numbers = sum(number_of(cell) is not None for cell in cells)
    return numbers > 0 and numbers * 3 >= len(cells)


def _interim(test: _Test, rate_text: str, unit: str, seconds_text: str) -> None:
    factor = _UNITS.get(unit.partition("/")[0])
    seconds, rate = value_of(seconds_text), value_of(rate_text, factor or _ONE)
    if seconds is None or rate is None or seconds <= 0:
        return
    name = "network_mb_per_s" if factor is not None else "transactions_per_s"
    test.interim.add(name, "", (test.clock, test.clock + seconds), rate)
    test.clock += seconds


def _reading(test: _Test) -> Reading:
    printed = Printed()
    problem = test.error or "; ".join(test.problems) or None
    if test.values:
        duration, missing = _of_keys(test, printed)
    else:
        duration, missing = _of_table(test, printed)
    problem = problem or missing
    to = _TO.search(test.banner)
    host = to["host"] if to else ""
    settings = {"test": test.test, **test.values}
    settings.pop("COMMAND_LINE", None)
    if host:
        settings["host"] = host
    return network_reading(
        "netperf",
        printed,
        test.test,
        test.line,
        _outcome(printed, problem, test.error),
        peer=host,
        notes=test.notes,
        settings=settings if len(settings) <= 100 else dict(list(settings.items())[:100]),
        duration_s=duration,
        series=test.interim.series(None, 0.0),
    )


def _outcome(printed: Printed, problem: str | None, error: str | None) -> tuple[Status, str | None]:
    rates = ("network_mb_per_s", "network_sent_mb_per_s", "transactions_per_s")
    moved = any(name in printed and printed[name].value for name in rates)
    return printed.outcome(problem, error or (None if moved else "It reports no rate above 0"))


def _of_table(test: _Test, printed: Printed) -> tuple[float | None, str | None]:
    """Read the table that a classic netperf test prints.

    Its metrics are added to ``printed``. The result is the measured time [s], and the reason why the table is
    incomplete, if it is.
    """
    name = test.test.upper()
    rows = test.rows
    if not rows:
        return None, "It ends before its result"
    if "REQUEST" in name:
        # Local sizes, request, response, time, rate; a second row has the remote's sizes.
        if len(rows[0]) < 6 or len(rows) < 2 or test.unit != "per":
            return None, "It ends before its result is whole"
        printed.add("transactions_per_s", rows[0][5], "per sec", "Trans. Rate")
        return value_of(rows[0][4]), None
    factor = _UNITS.get(test.unit or "")
    if factor is None:
        return None, f"Its unit is {test.unit!r}; accepted are {', '.join(_UNITS)}"
    unit = f"{test.unit}/s"
    if name.startswith("UDP"):
        if len(rows) < 2 or len(rows[0]) < 6 or len(rows[1]) < 4:
            return None, "It ends before the row of the receiving end"
        printed.add("network_sent_mb_per_s", rows[0][5], unit, "Throughput, sent", factor)
        printed.add("network_mb_per_s", rows[1][3], unit, "Throughput, received", factor)
        return value_of(rows[0][2]), None
    if len(rows[0]) < 5:
        return None, "It ends before its result is whole"
    printed.add("network_mb_per_s", rows[0][4], unit, "Throughput", factor)
    return value_of(rows[0][3]), None


def _of_keys(test: _Test, printed: Printed) -> tuple[float | None, str | None]:
    """Add the metrics of omni output.

    The result is the measured time [s], and a description of what is missing, if anything is.
    """
    values = test.values
    unit = values.get("THROUGHPUT_UNITS")
    amount = (unit or "").partition("/")[0]
    if unit is None:
        return None, "It says no unit of its throughput; ask for THROUGHPUT_UNITS too"
    if amount == "Trans":
        printed.add("transactions_per_s", values.get("THROUGHPUT"), unit, "THROUGHPUT")
    elif amount in _UNITS:
        factor = _UNITS[amount]
        udp = values.get("PROTOCOL", "").upper() == "UDP" or "UDP" in test.test.upper()
        for key, name in (
            ("REMOTE_RECV_THROUGHPUT", "network_mb_per_s"),
            ("LOCAL_SEND_THROUGHPUT", "network_sent_mb_per_s"),
            ("THROUGHPUT", "network_sent_mb_per_s" if udp else "network_mb_per_s"),
        ):
            printed.add(name, values.get(key), unit, key, factor)
    else:
        return None, f"Its unit is {unit[:40]!r}; accepted are Trans/s and {', '.join(_UNITS)}, each a second"
    for key, value in values.items():
        latency = _LATENCY_KEY.match(key)
        what = latency["what"] if latency else key.removesuffix(" LATENCY") if key.endswith(" LATENCY") else ""
        if what in _LATENCIES and not value.startswith("-"):
            printed.add(f"network_latency_us.{_LATENCIES[what]}", value, "us", key)
    retransmits = values.get("LOCAL_TRANSPORT_RETRANS", "-")
    if not retransmits.startswith("-"):
        printed.add("network_retransmits", retransmits, "", "LOCAL_TRANSPORT_RETRANS")
    return value_of(values.get("ELAPSED_TIME", "")), None


read = _Tests.read
