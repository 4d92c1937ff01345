"""Reader of memtier_benchmark's output: a table or JSON (`--json-out-file`), of one run or several.

KB are 1,024 bytes (`run_stats.cpp`: bytes / 1024). If the file has the average of several runs, only the average is
read. The best and the worst run are part of the average, and are skipped.

Tested with: table and JSON of version 2 (made for this project); tables of 1.2 and 1.3 (`Latency`, `Avg. Latency`,
other percentiles) from published runs. Not tested with: memcached, arbitrary commands (`--command`), whose rows are
skipped with a remark.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from stowage.measure.files.clocks import time_of_number
from stowage.measure.files.documents import Doubled, Ended, Piece, Started, Text
from stowage.measure.files.head import Head
from stowage.measure.files.printed import KIB, MILLISECONDS, Printed
from stowage.measure.files.reader import DocumentReader, stands_twice, within_a_document
from stowage.measure.files.spans import Recording
from stowage.measure.files.values import Number, Value, float_at, number_at, text_at, value_at, written
from stowage.measure.reading import Reading, Remark, Series, Status

_TABLE: Final = re.compile(
    r"(?P<title>ALL STATS|BEST RUN RESULTS|WORST RUN RESULTS|AGGREGATED AVERAGE RESULTS \(\d+ runs\)|RUN #\d+ RESULTS)"
    r"\s*\Z"
)
_SELECTED: Final = ("BEST RUN RESULTS", "WORST RUN RESULTS")
_ROWS: Final = {"Sets": "set", "Gets": "get", "Totals": "operation"}
_SETTING = re.compile(r"(?P<value>\d{1,12}) +(?P<name>Threads|Connections per thread|Seconds|Requests per client)\s*\Z")
_LATENCIES: Final = {
    "Latency": "mean", "Avg. Latency": "mean", "Average Latency": "mean", "Min Latency": "min", "Max Latency": "max",
}  # fmt: skip
_PERCENTILE = re.compile(r"p(?P<share>100(?:\.0{1,6})?|\d{1,2}(?:\.\d{1,6})?)(?: Latency)?\Z")
_BESIDE = re.compile(
    r"={5,}|-{3,}\s*\Z|\[RUN #\d+|Writing results to|Request Latency Distribution|Type +<= msec|"
    r"(SET|GET|WAIT|[A-Z]+) +[\d.]+ +[\d.]+\s*\Z|Json file |client: |WARNING"
)
_ERROR = re.compile(
    r"connection error: |error: |memtier_benchmark: |Error: |ERROR: |connection dropped|handle error response"
)
_CONFIGURATION: Final = (
    "server", "clients", "threads", "test_time", "requests", "ratio", "pipeline", "data_size", "key_pattern",
    "key_minimum", "key_maximum", "run_count", "protocol",
)  # fmt: skip


def recognises(head: Head) -> bool:
    """Return whether a file is output of memtier_benchmark."""
    if "ALL STATS" in head.keys or any(key.startswith("AGGREGATED AVERAGE RESULTS") for key in head.keys):
        return True
    if {"configuration", "run information"} <= {*head.keys}:
        return True
    return bool(
        re.search(r"^Type +Ops/sec +Hits/sec", head.text, re.MULTILINE)
        or re.search(r"^\d+ +Threads\s*\n\d+ +Connections per thread", head.text, re.MULTILINE)
        or re.search(r"\[RUN #\d+(\]| +\d+%, +\d+ secs\])", head.text)
    )


class _Reader(DocumentReader[Reading]):
    """Reader of JSON documents, and of the tables around them."""

    opened = frozenset({()})

    def __init__(self) -> None:
        self._tables = _Tables()
        self._document: dict[str, Value] | None = None

    def text(self, line: Text) -> Iterator[Reading | Remark]:
        """Process a line of text."""
        if self._document is not None:
            yield within_a_document(line)
        else:
            yield from self._tables.take(line)

    def started(self, _started: Started) -> tuple[()]:
        """Process the beginning of a document."""
        self._document = {}
        return ()

    def piece(self, piece: Piece) -> tuple[()]:
        """Process one value of a document."""
        if self._document is not None and piece.path and isinstance(piece.path[0], str):
            self._document[piece.path[0]] = piece.value
        return ()

    def doubled(self, doubled: Doubled) -> Iterator[Remark]:
        """Process a key that stands twice in an object."""
        if doubled.key != "Time-Serie":
            yield stands_twice(doubled)

    def ended(self, ended: Ended) -> Iterator[Reading | Remark]:
        """Process the end of a document."""
        document, self._document = self._document or {}, None
        return _of_document(document, ended)

    def end(self, *, cut: bool) -> Iterator[Reading]:
        """Process the end of the file."""
        return self._tables.end(cut=cut)


def _of_document(document: Mapping[str, Value], ended: Ended) -> Iterator[Reading | Remark]:
    results = {key: value for key, value in document.items() if _TABLE.match(key)}
    if any(key.startswith("AGGREGATED") for key in results):
        results = {key: value for key, value in results.items() if key not in _SELECTED}
    problem = f"The JSON is invalid: {ended.problem}" if ended.problem else None
    if not results:
        words = problem or "It holds no results, such as ALL STATS"
        yield Reading("memtier_benchmark", None, "failed", words, "memtier_benchmark", ended.first_line, ())
    for title, result in results.items():
        yield _of_result(title, result, document, ended.first_line, problem)


def _of_result(title: str, result: Value, document: Mapping[str, Value], line: int, problem: str | None) -> Reading:
    printed = Printed()
    for row, base in _ROWS.items():
        kind = value_at(result, row)
        if not isinstance(kind, dict) or (rate := number_at(kind, "Ops/sec")) is None or rate.value == 0:
            continue
        told = kind.get("Percentile Latencies")
        percentiles = told if isinstance(told, dict) else {}
        figures = {**kind, **percentiles}
        figures.setdefault("Average Latency", kind.get("Latency"))
        columns = ("Ops/sec", "Average Latency", "Min Latency", "Max Latency", *percentiles, "KB/sec")
        for column in dict.fromkeys(columns):
            _add(printed, base, row, column, number_at(figures, column))
    if text_at(result, "Runtime", "Interrupted") == "true":
        problem = problem or "It was interrupted"
    started_at = time_of_number(number_at(result, "Runtime", "Start time"), per_s=1000)
    milliseconds = float_at(result, "Runtime", "Total duration")
    settings = _settings(document)
    return printed.reading(
        "memtier_benchmark",
        _name(title, settings),
        line,
        _outcome(printed, problem),
        settings=settings,
        started_at=started_at,
        duration_s=milliseconds / 1000 if milliseconds else None,
        series=_series(result, started_at),
    )


def _add(printed: Printed, base: str, row: str, column: str, figure: str | Number | None) -> None:
    """Add the figure of one column of a table, or of one key of a document."""
    share = _PERCENTILE.match(column)
    statistic = _statistic(share["share"]) if share else _LATENCIES.get(column)
    if column == "Ops/sec":
        name = f"{base}s_per_s" if base == "operation" else f"{base}_per_s"
        printed.add(name, figure, "Ops/sec", f"{row} {column}")
    elif statistic:
        printed.add(f"{base}_latency_us.{statistic}", figure, "msec", f"{row} {column}", MILLISECONDS)
    elif column == "KB/sec" and base == "operation":
        printed.add("operations_mb_per_s", figure, "KB/sec", f"{row} {column}", KIB)


def _settings(document: Mapping[str, Value]) -> dict[str, str]:
    said = {name: written(document.get("configuration"), name) for name in _CONFIGURATION}
    return {name: text[:200] for name, text in said.items() if text is not None}


def _series(result: Value, started_at: datetime | None) -> tuple[Series, ...]:
    """Return time series of the sets and gets per second.

    The last second is left out, since it is usually incomplete.
    """
    recording = Recording()
    for row, name in (("Sets", "set_per_s"), ("Gets", "get_per_s")):
        seconds = value_at(result, row, "Time-Serie")
        if not isinstance(seconds, dict) or not (number_at(result, row, "Count") or Number("1")).value:
            continue
        counts = [
            (int(key), count.value)
            for key, value in seconds.items()
            if re.match(r"\d{1,7}\Z", key)
            and (count := number_at(value, "Count"))
            and count.value is not None
            and 0 <= count.value < 1e15
        ]
        for second, count_of in sorted(counts)[:-1]:
            recording.add(name, "", (float(second), second + 1.0), count_of)
    return recording.series(started_at, 0.0)


def _statistic(share: str) -> str:
    """Convert a percentile to the name of a statistic.

    Trailing zeros are removed: `99.90` becomes `p99.9`.
    """
    digits = share.rstrip("0").rstrip(".") if "." in share else share
    return "max" if digits == "100" else f"p{digits or '0'}"


def _name(title: str, settings: Mapping[str, str]) -> str:
    ratio = f", SET:GET {settings['ratio']}" if "ratio" in settings else ""
    return (title if title != "ALL STATS" else "memtier_benchmark") + ratio


def _outcome(printed: Printed, problem: str | None) -> tuple[Status, str | None]:
    return printed.outcome(problem, None if "operations_per_s" in printed else "It reports no operations")


class _Tables:
    """Reader of the tables in a text, line by line."""

    def __init__(self) -> None:
        self._settings: dict[str, str] = {}
        self._title = "ALL STATS"
        self._started: int | None = None
        self._columns: list[str] | None = None
        self._printed = Printed()
        self._error: str | None = None
        self._aggregated = False
        self._selected: list[Reading] = []
        self._given = False
        self._whole = False

    def take(self, line: Text) -> Iterator[Reading | Remark]:
        """Process the next line."""
        text = line.text.strip()
        if self._whole:
            yield from self._close(None)
        if found := _SETTING.match(text):
            self._settings[found["name"]] = found["value"]
            self._started = self._started or line.line
        elif found := _TABLE.match(text):
            self._title, self._started = found["title"], line.line
        elif text.startswith("Type ") and "Ops/sec" in text:
            self._columns, self._printed = re.split(r" {2,}", text), Printed()
            self._started = self._started or line.line
        elif self._columns is not None and text.split(" ")[0] in {*_ROWS, "Waits"}:
            yield from self._row(line, text)
        elif _ERROR.match(text):
            self._error = text[:300]
            self._started = self._started or line.line
        elif text.startswith("[RUN #"):
            self._started = self._started or line.line
        elif text and not _BESIDE.match(text):
            yield Remark(line.line, f"{text[:80]!r} stands where a line of memtier_benchmark was expected")

    def _row(self, line: Text, text: str) -> Iterator[Remark]:
        cells, columns = text.split(), self._columns or []
        if len(cells) != len(columns):
            yield Remark(line.line, f"{len(cells)} cells stand where {len(columns)} were expected: {text[:60]!r}")
            return
        base = _ROWS.get(cells[0])
        if base is not None and cells[1] not in {"0.00", "---"}:
            for column, cell in zip(columns[1:], cells[1:], strict=True):
                if cell != "---":
                    _add(self._printed, base, cells[0], column, cell)
        self._whole = cells[0] == "Totals"

    def _close(self, problem: str | None) -> Iterator[Reading]:
        seconds = self._settings.get("Seconds")
        reading = self._printed.reading(
            "memtier_benchmark",
            _name(self._title, {}),
            self._started or 1,
            _outcome(self._printed, self._error or problem),
            settings=dict(self._settings),
            duration_s=float(seconds) if seconds else None,
        )
        self._columns, self._started, self._error, self._printed = None, None, None, Printed()
        self._given, self._whole = True, False
        if self._title in _SELECTED:
            self._selected.append(reading)
            return
        self._aggregated = self._aggregated or self._title.startswith("AGGREGATED")
        yield reading

    def end(self, *, cut: bool) -> Iterator[Reading]:
        """Yield the result of the run in progress.

        If there is no average of several runs, the results of the best and the worst run are yielded, too.
        """
        words = "The file ends before its totals"
        if self._whole and not cut:
            yield from self._close(None)
        elif self._started is not None and (self._columns is not None or not self._given or self._error):
            yield from self._close(words + (", in the middle of a line" if cut else ""))
        if not self._aggregated:
            yield from self._selected


read = _Reader.read
