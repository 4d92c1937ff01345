"""Reader of redis-benchmark's output: text, quiet text (`-q`) and CSV, of old and new versions.

SET and GET have separate metrics; the rate of any other test is `operations_per_s`, and the setting `test` names the
test. Percentiles are those of the summary. Versions before 6.2 print none, only a distribution in whole
milliseconds, which is skipped.

Tested with: text, `-q` and `--csv` of 7.0.15, run for this project; output before 6.2 in the shapes that its
documentation and published runs show. Not tested with: cluster mode, Valkey's additions.

**Source** Redis 7.0, `redis-benchmark.c`, `showLatencyReport`; https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/benchmarks/
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from stowage.measure.files.cells import cells_of
from stowage.measure.files.head import Head
from stowage.measure.files.printed import MILLISECONDS, Printed
from stowage.measure.files.reader import LineReader
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.files.text import Line
from stowage.measure.reading import Reading, Remark

_TITLE = re.compile(r"====== (?P<test>.{1,200}) ======\s*\Z")
_REQUESTS = re.compile(
    r"\s+(?P<requests>\d{1,18}) requests completed in (?P<seconds>\d{1,9}(?:\.\d{1,6})?) seconds\s*\Z"
)
_SETTING = re.compile(
    r"\s+(?:(?:(?P<clients>\d+) parallel clients|(?P<payload>\d+) bytes payload|keep alive: (?P<keep_alive>\d+)"
    r"|multi-thread: (?P<multi_thread>\w+)|threads: (?P<threads>\d+)|pipeline: (?P<pipeline>\d+))\s*\Z"
    r"|host configuration \"(?P<key>\w+)\": ?(?P<value>.*)|cluster mode: |node \[\d+\])"
)
_OLD_RATE = re.compile(r"(?P<rate>\S{1,60}) requests per second\s*\Z")
_RATE = re.compile(r"\s+throughput summary: (?P<rate>\S{1,60}) requests per second\s*\Z")
_QUIET = re.compile(
    r"(?P<test>[^\"].{0,200}?): (?P<rate>[^\s:]{1,60}) requests per second(?:, p50=(?P<p50>[^\s]{1,60}) msec)?\s*\Z"
)
_PROGRESS = re.compile(r".{0,200}: rps=.* \(overall: ")
_COLUMNS = re.compile(r"\s+avg +min +p50 +p95 +p99 +max\s*\Z")
_BESIDE = re.compile(
    r"\s*(?:\d+\.\d+% <= |Latency by percentile distribution:|Cumulative distribution of latencies:|Summary:|"
    r"latency summary \(msec\):|Cluster has |Master |Node |WARNING: |\[?\d+ cluster|-{3,})"
)
_ERROR = re.compile(
    r"(?P<words>Could not connect to |Error from server|Error: |ERROR: |Unexpected error|All clients disconnected|"
    r"Writing to socket|Server closed|read error).{0,300}"
)
_CSV_HEADER: Final = ("test", "rps", "avg_latency_ms", "min_latency_ms", "p50_latency_ms", "p95_latency_ms",
                      "p99_latency_ms", "max_latency_ms")  # fmt: skip
_STATISTICS: Final = ("mean", "min", "p50", "p95", "p99", "max")
_DISTRIBUTION = r"(?:\d+\.\d+% <= [\d.]+ milliseconds(?: \(cumulative count \d+\))?\n)+"
SHAPE = Shape(
    r"====== (?P<test>[^\s=]{1,20}(?: [^\s=]{1,20}){0,8}) ======\n"
    r" +(?P<requests>\d{1,18}) requests completed in (?P<seconds>\d{1,9}(?:\.\d{1,6})?) seconds\n"
    r" +(?P<clients>\d{1,18}) parallel clients\n +(?P<payload>\d{1,18}) bytes payload\n"
    r" +keep alive: (?P<keep_alive>\d{1,18})\n(?: +host configuration \"(\w{1,60})\": ?([^\n=]{0,150})\n){0,9}"
    r" +multi-thread: (?P<multi_thread>\w{1,20})\n(?: +threads: (?P<threads>\d{1,18})\n)?"
    rf"\nLatency by percentile distribution:\n{_DISTRIBUTION}"
    rf"\nCumulative distribution of latencies:\n{_DISTRIBUTION}"
    r"\nSummary:\n +throughput summary: (?P<rate>\S{1,60}) requests per second\n"
    r" +latency summary \(msec\):\n +avg +min +p50 +p95 +p99 +max\n"
    + "".join(rf" +(?P<{statistic}>[\d.]{{1,60}})" for statistic in _STATISTICS)
    + rf"\n|{_DISTRIBUTION}"
)
"""A whole test since 6.2; or lines of a distribution, which are skipped."""
_GET = SHAPE.getter("test", "seconds", "rate", *_STATISTICS)
_BEFORE, _BEHIND = ("requests", "clients", "payload", "keep_alive"), ("multi_thread", "threads")
"""Settings before and behind those of the server."""
_GET_BEFORE, _GET_BEHIND = SHAPE.getter(*_BEFORE), SHAPE.getter(*_BEHIND)
_CSV_ROW = re.compile(r'"(?P<test>(?:[^"]|""){1,200})"(?:,"[^"]{0,60}")+\s*\Z')


def recognises(head: Head) -> bool:
    """Return whether a file is output of redis-benchmark."""
    text = head.text
    return bool(
        re.search(r"^====== .+ ======[ \t]*+\n\s++\d+ requests completed in ", text, re.MULTILINE)
        or (
            " requests per second" in text
            and re.search(r"^.{1,200}: \S+ requests per second(, p50=\S+ msec)?\s*$", text, re.MULTILINE)
        )
        or re.search(r'^"test","rps"', text, re.MULTILINE)
        or re.match(r'\s*(?:"[A-Z_0-9]+(?: \([^"]*\))?","[\d.]+"\s*\n){1,}', text)
        or re.match(r"\s*Could not connect to Redis at ", text)
    )


def _is_blank(text: str) -> bool:
    """Return whether a line says nothing: it is empty, or shows progress."""
    return not text.strip() or ("rps=" in text and bool(_PROGRESS.match(text)))


class _Test:
    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line
        self.printed = Printed()
        self.settings: dict[str, str] = {"test": name}
        self.duration_s: float | None = None
        self.summary = False
        self.whole = False
        self.old = False

    def base(self) -> str:
        return {"SET": "set", "GET": "get"}.get(self.name, "operation")

    def rate(self, text: str) -> None:
        base = self.base()
        name = "operations_per_s" if base == "operation" else f"{base}_per_s"
        self.printed.add(name, text, "requests per second", "throughput summary")

    def latency(self, statistic: str, text: str, unit: str, name: str) -> None:
        self.printed.add(f"{self.base()}_latency_us.{statistic}", text, unit, name, MILLISECONDS)

    def latencies(self, cells: Sequence[str]) -> None:
        for statistic, cell in zip(_STATISTICS, cells, strict=True):
            self.latency(statistic, cell, "msec", "avg" if statistic == "mean" else statistic)

    def reading(self, failure: str | None) -> Reading:
        values = {metric.name: metric.value for metric in self.printed.metrics()}
        problems = failure or "; ".join(self.printed.problems)[:500]
        lack = None
        if not any(values.get(rate) for rate in ("set_per_s", "get_per_s", "operations_per_s")):
            lack = problems or "It reports no rate above 0"
        elif not self.whole:
            problems = problems or "It ends before its summary does"
        return self.printed.reading(
            "redis-benchmark",
            self.name,
            self.line,
            self.printed.outcome(problems, lack),
            settings=self.settings,
            duration_s=self.duration_s,
            notes=("Latency is told in whole milliseconds only, and left out",) if self.old else (),
        )


class _Tests(LineReader[Reading]):
    """Reader of the tests in a file, line by line."""

    shape = SHAPE

    def __init__(self) -> None:
        self._test: _Test | None = None
        self._columns: tuple[str, ...] | None = None

    def take(self, line: Line) -> Iterable[Reading | Remark]:
        """Process the next line."""
        return () if _is_blank(line.text) else self._take(line, line.text)

    def cut_line(self, line: Line) -> Iterable[Reading | Remark]:
        """Process a last line without its newline: it is ignored, with a remark."""
        return () if _is_blank(line.text) else super().cut_line(line)

    def take_block(self, block: Block) -> Iterable[Reading]:
        """Process a whole test; skip lines of a distribution."""
        name, seconds, rate, *cells = _GET(block.fields)
        if name is None:
            return ()
        test, rows = _Test(name, block.line), block.rows
        test.duration_s = float(seconds)
        test.settings.update(zip(_BEFORE, _GET_BEFORE(block.fields), strict=True))
        test.settings.update(zip(rows[::2], map(str.strip, rows[1::2]), strict=True))
        behind = zip(_BEHIND, _GET_BEHIND(block.fields), strict=True)
        test.settings.update({name: value for name, value in behind if value is not None})
        test.rate(rate)
        test.latencies(cells)
        test.whole = True
        return (*self.end(), test.reading(None))

    def _take(self, line: Line, text: str) -> Iterator[Reading | Remark]:
        if found := _TITLE.match(text):
            yield from self.end()
            self._test = _Test(found["test"], line.number)
        elif found := _ERROR.match(text.strip()):
            yield from self._failed(line, found[0])
        elif self._test is not None and self._of_test(self._test, text):
            if self._test.whole:
                yield from self.end()
        elif found := _QUIET.match(text.strip()):
            yield from self.end()
            yield self._quiet(line, found)
        elif text.lstrip().startswith('"'):
            yield from self._csv(line)
        elif not _BESIDE.match(text):
            yield Remark(line.number, f"{text.strip()[:80]!r} stands where a line of redis-benchmark was expected")

    def end(self, *, cut: bool = False) -> Iterator[Reading]:  # noqa: ARG002 - a cut test lacks its summary
        """Yield the result of the test in progress."""
        test, self._test = self._test, None
        if test is not None:
            yield test.reading(None)

    def _of_test(self, test: _Test, text: str) -> bool:
        if found := _REQUESTS.match(text):
            test.settings["requests"] = found["requests"]
            test.duration_s = float(found["seconds"])
        elif found := _SETTING.match(text):
            for name, value in found.groupdict().items():
                if value is not None and name not in {"key", "value"}:
                    test.settings[name] = value[:100]
            if found["key"]:
                test.settings[found["key"]] = (found["value"] or "").strip()[:200]
        elif found := _RATE.match(text):
            test.rate(found["rate"])
        elif _COLUMNS.match(text):
            test.summary = True
        elif test.summary and len(text.split()) == len(_STATISTICS):
            test.latencies(text.split())
            test.whole = True
        elif found := _OLD_RATE.match(text):
            test.rate(found["rate"])
            test.whole = test.old = True
        else:
            return False
        return True

    def _failed(self, line: Line, words: str) -> Iterator[Reading]:
        test, self._test = self._test, None
        if test is None:
            yield Reading("redis-benchmark", None, "failed", words, "redis-benchmark", line.number, ())
        else:
            test.printed = Printed()
            yield test.reading(words)

    def _quiet(self, line: Line, found: re.Match[str]) -> Reading:
        test = _Test(found["test"], line.number)
        test.whole = True
        test.rate(found["rate"])
        if found["p50"]:
            test.latency("p50", found["p50"], "msec", "p50")
        return test.reading(None)

    def _csv(self, line: Line) -> Iterator[Reading | Remark]:
        text = line.text.strip()
        row = _CSV_ROW.match(text)
        cells = tuple(cells_of(text)) if row else ()
        if cells[:2] == ("test", "rps"):
            self._columns = cells
            if cells != _CSV_HEADER:
                yield Remark(line.number, f"The columns are {', '.join(cells)[:200]}; those that are known are read")
            return
        expected = len(self._columns) if self._columns else 2
        if len(cells) != expected:
            yield Remark(line.number, f"{text[:80]!r} stands where {expected} cells in quotes were expected")
            return
        test = _Test(cells[0], line.number)
        test.whole = True
        test.rate(cells[1])
        for column, statistic in zip(_CSV_HEADER[2:], _STATISTICS, strict=True):
            if self._columns and column in self._columns:
                test.latency(statistic, cells[self._columns.index(column)], "ms", column)
        yield test.reading(None)


read = _Tests.read
