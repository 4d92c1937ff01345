"""Reader of the output of sysbench fileio. Other tests (cpu, memory, threads) are skipped with a remark.

Latencies cover reads, writes and fsyncs together, so they are stored as latencies of an operation. Version 1.0 prints
separate rates of reads and writes. Versions 0.4 and 0.5 print one rate for both, which is the read or the write rate if
the test did only reads or only writes. Their ``Mb`` and ``Mb/sec`` are MiB: only then does the number of operations
times the block size equal the printed amount.

Tested with: 1.0.20, run for this project in every mode, with interim reports, histogram and errors; hand-written files
after published output of 0.4.12, 0.5 and 1.1. Not tested with: cluster tests driven by scripts.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from stowage.measure.files.compiled import add_metrics, make_metric, maker
from stowage.measure.files.figures import number_of, told
from stowage.measure.files.head import Head
from stowage.measure.files.printed import BYTES, GIB, KIB, MIB, MILLISECONDS, TIB
from stowage.measure.files.reader import LineReader
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.files.spans import Recording
from stowage.measure.files.text import Line
from stowage.measure.reading import Host, Metric, Reading, Remark

_ONE = Decimal(1)
_reading, _NO_HOST = maker(Reading), Host()
_MB_PER = {"b": BYTES, "Kb": KIB, "Mb": MIB, "Gb": GIB, "Tb": TIB}
_BANNER = re.compile(r"sysbench (?P<version>\d[\w.\-]{0,30})(?::\s++multi-threaded|\s++\(using |\Z)")
_START = re.compile(r"Running the test with following options:\s*+\Z")
_SETTINGS = (
    (re.compile(r"Number of threads: (?P<value>\d{1,9})\Z"), "threads"),
    (re.compile(r"Extra file open flags: (?P<value>.{1,60})\Z"), "file-extra-flags"),
    (re.compile(r"(?P<value>\d{1,9} files, [\d.]+ ?[KMGT]?i?[Bb] each)\Z"), "files"),
    (re.compile(r"(?P<value>[\d.]+ ?[KMGT]?i?[Bb]) total file size\Z"), "file-total-size"),
    (re.compile(r"Block size (?P<value>[\d.]+ ?[KMGT]?i?[Bb])\Z"), "file-block-size"),
    (re.compile(r"Using (?P<value>\w{1,40}) (?:memory mapped )?I/O mode\Z"), "file-io-mode"),
    (re.compile(r"Doing (?P<value>.{1,60}) test\Z"), "file-test-mode"),
    (re.compile(r"Read/Write ratio for combined random IO test: (?P<value>[\d.]+)\Z"), "file-rw-ratio"),
    (re.compile(r"Periodic FSYNC enabled, calling fsync\(\) each (?P<value>\d+) requests\.\Z"), "file-fsync-freq"),
    (re.compile(r"Calling fsync\(\) at the end of test, (?P<value>\w+)\.\Z"), "file-fsync-end"),
    (re.compile(r"(?:Number of IO requests|Number of random requests for random IO): (?P<value>\d+)\Z"), "events"),
)
_FIGURES = (
    (re.compile(r"\s*+reads/s:\s++(?P<told>\S+)\s*+\Z"), "read_iops", "1/s", "reads/s", _ONE),
    (re.compile(r"\s*+writes/s:\s++(?P<told>\S+)\s*+\Z"), "write_iops", "1/s", "writes/s", _ONE),
    (re.compile(r"\s*+fsyncs/s:\s++(?P<told>\S+)\s*+\Z"), "fsync_per_s", "1/s", "fsyncs/s", _ONE),
    (re.compile(r"\s*+read, MiB/s:\s++(?P<told>\S+)\s*+\Z"), "read_mb_per_s", "MiB/s", "read", MIB),
    (re.compile(r"\s*+written, MiB/s:\s++(?P<told>\S+)\s*+\Z"), "write_mb_per_s", "MiB/s", "written", MIB),
    (re.compile(r"\s*+fsync:\s++IOPS=(?P<told>\S+)\s*+\Z"), "fsync_per_s", "1/s", "fsync IOPS", _ONE),
)
_BOTH = re.compile(r"\s*+(?P<what>read|write):\s++IOPS=(?P<iops>\S+) \S+ MiB/s \((?P<rate>\S+) MB/s\)\s*+\Z")
_OLD_COUNTS = re.compile(r"Operations performed:\s++(?P<read>\d{1,15}) [Rr]eads?, (?P<write>\d{1,15}) [Ww]rites?, ")
_OLD_MOVED = re.compile(
    r"Read (?P<read>[\d.]+)(?P<read_unit>[KMGT]?b)\s++Written (?P<write>[\d.]+)(?P<write_unit>[KMGT]?b)\s++"
    r"Total transferred [\d.]+[KMGT]?b\s++\((?P<rate>[\d.]+)(?P<rate_unit>[KMGT]?b)/sec\)\s*+\Z"
)
_OLD_RATE = re.compile(r"\s*+(?P<told>[\d.]+) Requests/sec executed\s*+\Z")
_LATENCY = re.compile(
    r"\s++(?P<what>min|avg|max|(?:approx\.\s++)?(?P<share>\d{1,2}|100)(?:st|nd|rd|th)? percentile):\s++"
    r"(?P<told>[\d.]+)(?:ms)?\s*+\Z"
)
_TIME = re.compile(r"\s++total time:\s++(?P<told>[\d.]+)s\s*+\Z")
# Figures after it are not stored; in 1.1 the last line is the sum.
_LAST = re.compile(r"\s++(?:execution time \(avg/stddev\):\s++[\d.]+/[\d.]+|sum:\s++[\d.]+)\s*+\Z")
_INTERIM = re.compile(
    r"\[ ?(?P<second>[\d.]+)s ?\] reads: (?P<read>[\d.]+) MiB/s writes: (?P<write>[\d.]+) MiB/s fsyncs: [\d.]+/s"
)
_FATAL = re.compile(r"(?:FATAL|ALERT): (?P<words>.*)|invalid option: .*")
_OTHER = re.compile(
    r"Prime numbers limit|Maximum prime number checked|Doing CPU performance|Running memory speed test|"
    r"Running (?:memory|OLTP|mixed|read)|Doing (?:memory|thread|mutex|OLTP)|SQL statistics:|CPU speed:|"
    r"Total operations: \d"
)
_KNOWN = re.compile(
    r"\s*+\Z|Report intermediate results|Initializing|Random number generator seed|Threads started!|Done\.|"
    r"Time limit exceeded|Maximum request number|File operations:|Throughput:|General statistics:|Latency \(ms\):|"
    r"Threads fairness:|Test execution summary:|\s++(?:total number of events|events \(avg|total time taken|"
    r"per-request statistics|response time:|percentile stats:)|"
    r"Latency histogram|\s++value\s++-+|\s++[\d.]+ \||WARNING: |\d+ files, |"
    r"Creating file|Removing test files|Periodic FSYNC|Calling fsync|Additional request|Using (?:memory|sync|async)|"
    r"Debug mode enabled|fileio options:|\s++--file-|\d+ bytes written in |DEBUG: |Target transaction rate|\s++events/s"
)
_FIGURE, _DECIMAL = r"[0-9.]{1,20}", r"[0-9]{1,9}(?:\.[0-9]{1,6})?"
_SIZE = r"[\d.]{1,20}\ ?[KMGT]?i?[Bb]"
SHAPE = Shape(
    rf"""sysbench\ (?P<version>1\.0[\w.\-]{{0,28}})\ \(using\ .*\n\n
Running\ the\ test\ with\ following\ options:\n
Number\ of\ threads:\ (?P<threads>\d{{1,9}})\n
(?:Report\ intermediate\ results\ every\ \d+\ second\(s\)\n)?
(?:Initializing\ random\ number\ generator\ from\ current\ time\n)?\n{{0,3}}
Extra\ file\ open\ flags:\ (?P<flags>[\w()]{{1,60}})\n
(?P<files>\d{{1,9}}\ files,\ {_SIZE}\ each)\n
(?P<total>{_SIZE})\ total\ file\ size\n
Block\ size\ (?P<size>{_SIZE})\n
(?:Number\ of\ IO\ requests:\ (?P<events>\d+)\n)?
(?:Read/Write\ ratio\ for\ combined\ random\ IO\ test:\ (?P<ratio>[\d.]+)\n)?
(?:Periodic\ FSYNC\ enabled,\ calling\ fsync\(\)\ each\ (?P<frequency>\d+)\ requests\.\n)?
(?:Calling\ fsync\(\)\ at\ the\ end\ of\ test,\ (?P<end>\w+)\.\n)?
Using\ (?P<mode>synchronous|asynchronous)\ I/O\ mode\n
Doing\ (?P<test>(?:sequential|random)\ (?:read|rewrite|write(?:\ \(creation\))?|r/w))\ test\n
Initializing\ worker\ threads\.\.\.\n\nThreads\ started!\n\n
(?:\[\ ({_DECIMAL})s\ \]\ reads:\ ({_DECIMAL})\ MiB/s\ writes:\ ({_DECIMAL})\ MiB/s
\ fsyncs:\ {_DECIMAL}/s[^\[\n]*\n)*\n*+
File\ operations:\n
\ +reads/s:\ +(?P<reads>{_FIGURE})\n
\ +writes/s:\ +(?P<writes>{_FIGURE})\n
\ +fsyncs/s:\ +(?P<fsyncs>{_FIGURE})\n\n
Throughput:\n
\ +read,\ MiB/s:\ +(?P<read>{_FIGURE})\n
\ +written,\ MiB/s:\ +(?P<written>{_FIGURE})\n\n
General\ statistics:\n
\ +total\ time:\ +(?P<time>{_FIGURE})s\n
\ +total\ number\ of\ events:\ +\d+\n\n
Latency\ \(ms\):\n
\ +min:\ +(?P<min>{_FIGURE})\n
\ +avg:\ +(?P<avg>{_FIGURE})\n
\ +max:\ +(?P<max>{_FIGURE})\n
\ +(?P<share>\d{{1,2}})th\ percentile:\ +(?P<percentile>{_FIGURE})\n
\ +sum:\ +[\d.]+\n\n
Threads\ fairness:\n
\ +events\ \(avg/stddev\):\ +[\d.]+/[\d.]+\n
\ +execution\ time\ \(avg/stddev\):\ +[\d.]+/[\d.]+\n\n*+""".replace("\n", "")
)
"""A whole test of version 1.0."""
_GET = SHAPE.getter("version", "share", "percentile", "time")
_SETTINGS_OF_BLOCK = {
    "threads": "threads", "flags": "file-extra-flags", "files": "files", "total": "file-total-size",
    "size": "file-block-size", "events": "events", "ratio": "file-rw-ratio", "frequency": "file-fsync-freq",
    "end": "file-fsync-end", "mode": "file-io-mode", "test": "file-test-mode",
}  # fmt: skip
_GET_SETTINGS = SHAPE.getter(*_SETTINGS_OF_BLOCK)
_FIGURES_OF_BLOCK = tuple(
    (SHAPE.places[group], name, unit, told_name, factor)
    for group, name, unit, told_name, factor in (
        ("reads", "read_iops", "1/s", "reads/s", _ONE),
        ("writes", "write_iops", "1/s", "writes/s", _ONE),
        ("fsyncs", "fsync_per_s", "1/s", "fsyncs/s", _ONE),
        ("read", "read_mb_per_s", "MiB/s", "read", MIB),
        ("written", "write_mb_per_s", "MiB/s", "written", MIB),
        ("min", "operation_latency_us.min", "ms", "min", MILLISECONDS),
        ("avg", "operation_latency_us.mean", "ms", "avg", MILLISECONDS),
        ("max", "operation_latency_us.max", "ms", "max", MILLISECONDS),
    )
)


def recognises(head: Head) -> bool:
    """Return whether a file is output of sysbench."""
    return any(_BANNER.match(line.rstrip()) or _START.match(line) for line in head.text.splitlines()[:2000])


@dataclass(slots=True)
class _Test:
    """State of the test that is currently read."""

    line: int
    version: str | None
    metrics: dict[str, Metric] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    recording: Recording = field(default_factory=Recording)
    interim: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    duration_s: float | None = None
    fatal: str | None = None
    other: bool = False
    whole: bool = False
    begun: bool = False

    def add(self, name: str, text: str, unit: str, told_name: str, factor: Decimal) -> bool:
        if made := make_metric(name, text, text, unit, told_name, factor):
            self.metrics[name] = made
            return True
        # sysbench prints decimal points, never commas.
        if number_of(text) is None or "," in text or not math.isfinite(value := float(Decimal(text) * factor)):
            return False
        self.metrics[name] = Metric(name, value, told(text, unit, told_name))
        return True


class _Reader(LineReader[Reading]):
    """State of the reader of sysbench output."""

    shape = SHAPE

    def __init__(self) -> None:
        self._version: str | None = None
        self._test: _Test | None = None

    def take(self, line: Line) -> Iterator[Reading | Remark]:
        """Process the next line."""
        text = line.text.rstrip()
        if banner := _BANNER.match(text):
            yield from self.end()
            self._version = banner["version"]
            self._test = _Test(line.number, f"sysbench {self._version}")
        elif _START.match(text):
            if self._test is None or self._test.begun:
                yield from self.end()
                self._test = _Test(line.number, f"sysbench {self._version}" if self._version else None)
            self._test.begun = True
        elif self._test is None:
            if _FATAL.match(text):
                self._test = _Test(line.number, None, fatal=text[:300])
            elif text.strip() and not _KNOWN.match(text):
                yield Remark(line.number, f"{text[:80]!r} stands before a test of sysbench begins")
        else:
            yield from self._take_in_test(self._test, line.number, text)

    def cut_line(self, line: Line) -> Iterator[Reading | Remark]:
        return self.take(line)

    def take_block(self, block: Block) -> Iterator[Reading | Remark]:
        """Process a whole test; line by line if a figure in it is unusual."""
        version, share, percentile, seconds = _GET(block.fields)
        test = _Test(block.line, f"sysbench {version}", begun=True, whole=True)
        usual = add_metrics(test.metrics, _FIGURES_OF_BLOCK, block.fields, 0) == len(_FIGURES_OF_BLOCK)
        name = f"operation_latency_us.p{int(share)}"
        if not (usual and test.add(name, percentile, "ms", f"{share}th percentile", MILLISECONDS)):
            yield from super().take_block(block)
            return
        yield from self.end()
        self._version, self._test = version, test
        settings = zip(_SETTINGS_OF_BLOCK.values(), _GET_SETTINGS(block.fields), strict=True)
        test.settings.update({name: value for name, value in settings if value is not None})
        test.duration_s = number_of(seconds)
        rows = block.rows
        for end, read_rate, write_rate in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
            _take_interim(test, end, read_rate, write_rate)

    def end(self, *, cut: bool = False) -> Iterator[Reading | Remark]:  # noqa: ARG002 - the last line tells more
        """Yield the result of the test in progress."""
        test, self._test = self._test, None
        if test is None:
            return
        if test.other:
            yield Remark(test.line, "A test of sysbench other than fileio: only fileio is read")
        elif test.begun or test.fatal:
            yield _reading_of(test)
        else:
            yield Remark(test.line, "Files of sysbench are made or removed here, nothing is measured")

    def _take_in_test(self, test: _Test, line: int, text: str) -> Iterator[Remark]:
        if _OTHER.match(text):
            test.other = True
        if test.other:
            return
        if fatal := _FATAL.match(text):
            test.fatal = test.fatal or (fatal["words"] or text)[:300]
        elif _LAST.match(text):
            test.whole = True
        elif not (_take_setting(test, text) or _take_figure(test, text) or _KNOWN.match(text)):
            yield Remark(line, f"{text[:80]!r} is no line that sysbench fileio prints")


def _take_setting(test: _Test, text: str) -> bool:
    for pattern, name in _SETTINGS:
        if found := pattern.match(text):
            test.settings[name] = found["value"]
            return True
    return False


def _take_figure(test: _Test, text: str) -> bool:
    for pattern, name, unit, told_name, factor in _FIGURES:
        if found := pattern.match(text):
            return test.add(name, found["told"], unit, told_name, factor)
    if found := _LATENCY.match(text):
        statistic = {"min": "min", "avg": "mean", "max": "max"}.get(found["what"], f"p{int(found['share'] or 0)}")
        return test.add(f"operation_latency_us.{statistic}", found["told"], "ms", found["what"], MILLISECONDS)
    if found := _BOTH.match(text):
        return test.add(f"{found['what']}_iops", found["iops"], "1/s", f"{found['what']} IOPS", _ONE) and test.add(
            f"{found['what']}_mb_per_s", found["rate"], "MB/s", found["what"], _ONE
        )
    if found := _TIME.match(text):
        test.duration_s = number_of(found["told"])
        return True
    if found := _INTERIM.match(text):
        return _take_interim(test, found["second"], found["read"], found["write"])
    return _take_old(test, text)


def _take_interim(test: _Test, second: str, *rate_texts: str) -> bool:
    end, *rates = map(number_of, (second, *rate_texts))
    if end is None:
        return False
    for what, rate in zip(("read", "write"), rates, strict=True):
        value = math.inf if rate is None else rate * float(MIB)
        if not math.isfinite(value):
            return False
        test.recording.add(f"{what}_mb_per_s", "", (test.interim, end), value)
    test.interim = end
    return True


def _take_old(test: _Test, text: str) -> bool:
    """Process a line of versions 0.4 and 0.5.

    The result is whether the line was understood.
    """
    if found := _OLD_COUNTS.match(text):
        test.counts = {"read": int(found["read"]), "write": int(found["write"])}
        return True
    done = [what for what, count in test.counts.items() if count]
    of = done[0] if len(done) == 1 else "operations"
    if found := _OLD_MOVED.match(text):
        for what in done:
            test.add(f"{what}_mb", found[what], found[f"{what}_unit"], what.title(), _MB_PER[found[f"{what}_unit"]])
        unit = found["rate_unit"]
        return not done or test.add(f"{of}_mb_per_s", found["rate"], f"{unit}/sec", "Total transferred", _MB_PER[unit])
    if found := _OLD_RATE.match(text):
        name = "operations_per_s" if of == "operations" else f"{of}_iops"
        return not done or test.add(name, found["told"], "Requests/sec", "Requests/sec executed", _ONE)
    return False


def _reading_of(test: _Test) -> Reading:
    # Operations that did not run have a rate of 0.00.
    metrics = [metric for name, metric in test.metrics.items() if metric.value or "latency" in name]
    rates = [metric for metric in metrics if not metric.name.startswith(("operation_latency", "fsync"))]
    failure = None
    if test.fatal:
        failure = f"sysbench says: {test.fatal}"
    elif not test.whole:
        failure = "It ends before the end of a test"
    elif not rates:
        failure = "No I/O was done"
    failed = test.fatal or not rates
    return _reading(
        "sysbench",
        test.version,
        "failed" if failed else "partial" if failure else "ok",
        failure,
        test.settings.get("file-test-mode", "fileio"),
        test.line,
        tuple(metrics),
        test.settings,
        None,
        test.duration_s,
        _NO_HOST,
        test.recording.series(None, 0.0),
        ("Latencies are of reads, writes and fsyncs together, to a hundredth of a millisecond",),
    )


read = _Reader.read
