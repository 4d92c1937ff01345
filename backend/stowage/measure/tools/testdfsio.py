"""Reader of TestDFSIO's output: its result log, to which each run is appended, and its console output.

Each block of the log is a run. ``Throughput mb/sec`` is the total bytes over the sum of the tasks' times: the
throughput of one task, not of the cluster. The cluster's throughput is not printed; it is computed as the total over
``Test exec time sec``, which includes the start and end of the job. The program's MB are MiB (``0x100000``;
`TestDFSIO.java` of Hadoop 1 to 3).

Tested with: logs and consoles of Hadoop 1.2.1, 2.7.7 and 3.3.6, run for this project. They differ in indentation and in
decimals (all digits of a float in 1, two since 2.7). Not tested with: distributors' modified versions.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from stowage.measure.files.clocks import UNKNOWN_ZONE, java_date_of
from stowage.measure.files.compiled import Columns, add_metrics, figures, maker
from stowage.measure.files.figures import number_of, told
from stowage.measure.files.head import Head
from stowage.measure.files.reader import LineReader
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.files.text import Line
from stowage.measure.reading import Host, Metric, Reading, Remark, Status
from stowage.measure.tools.hadoop_log import Entry, counter_in, entry_of, failure_in, is_group, is_noise
from stowage.model.sizes import MB_PER_MIB

_TITLE = re.compile(r"-{2,} ?TestDFSIO ?-{2,} ?: (?P<test>[A-Za-z ]{1,40})\Z")
_PROGRAM = re.compile(r"TestDFSIO\.\d+(?:\.\d+){1,3}\Z")
_FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z &/]{1,40}): ?(?P<value>.*)\Z")
_SETTING = re.compile(
    r"(?P<name>nrFiles|nrBytes \(MB\)|fileSize \(MB\)|bufferSize|baseDir|compressionClass|skipSize) = (?P<value>.*)\Z"
)

_reading_of, _metric, _NO_HOST = maker(Reading), maker(Metric), Host()

_DATE = "Date & time"
_FILES = "Number of files"
_TOTAL = "Total MBytes processed"
_TASK = "Throughput mb/sec"
_MEAN = "Average IO rate mb/sec"
_SPREAD = "IO rate std deviation"
_TIME = "Test exec time sec"
_FIELDS = (_DATE, _FILES, _TOTAL, _TASK, _MEAN, _SPREAD, _TIME)
_NUMBERS = _FIELDS[1:]
_COLUMNS: Columns = tuple((_FIELDS.index(name), name, None, 1.0, 1.0) for name in _NUMBERS)
_METRICS = tuple(
    (_FIELDS.index(field), name, unit, field, factor)
    for name, field, unit, factor in (
        ("task_mb_per_s", _TASK, "mb/sec", MB_PER_MIB),
        ("task_io_rate_mb_per_s", _MEAN, "mb/sec", MB_PER_MIB),
        ("task_io_rate_mb_per_s.stddev", _SPREAD, "mb/sec", MB_PER_MIB),
        ("moved_mb", _TOTAL, "MBytes", MB_PER_MIB),
        ("time_s", _TIME, "sec", 1.0),
    )
)

_NOTE = (
    "Cluster throughput is the total over the time of the whole job, its start and end included; "
    "mb and MBytes are MiB, as the program counts them"
)


_DAY = r"(\S{1,10}(?: \S{1,10}){5})"
SHAPE = Shape(
    rf"----- TestDFSIO ----- : ([A-Za-z]{{1,40}})\n[ \t]*{_DATE}:[ \t]*{_DAY}[ \t]*\n"
    + "".join(rf"[ \t]*{name}:[ \t]*([\d.]{{1,60}})[ \t]*\n" for name in _NUMBERS)
    + r"\n"
)
"""A whole result in the usual form, and the empty line behind it."""


def recognises(head: Head) -> bool:
    """Return whether a file is output of TestDFSIO."""
    return any(
        _TITLE.match(message) or _PROGRAM.match(message)
        for message in (entry_of(line.strip()).message.strip() for line in head.text.splitlines())
    )


_Texts: TypeAlias = Sequence[str | None]
"""Texts of all fields; None for those that are missing."""
_Numbers: TypeAlias = Sequence[float | None]
"""Values of all fields but the date; None for those that are missing or no numbers."""
_Outcome: TypeAlias = tuple[Status, str | None]


class _Reader(LineReader[Reading]):
    """State of the run that is currently read."""

    shape = SHAPE

    def __init__(self) -> None:
        self._console = False
        self._started: Line | None = None
        self._version: str | None = None
        self._settings: dict[str, str] = {}
        self._failure: str | None = None
        self._title: int | None = None
        self._test = ""
        self._fields: dict[str, str] | None = None

    def take(self, line: Line) -> Iterator[Reading | Remark]:
        entry = entry_of(line.text.strip())
        message = entry.message.strip()
        self._console = self._console or bool(entry.logger)
        if entry.logger not in {"", "TestDFSIO"}:
            self._failure = self._failure or failure_in(entry)
        elif message.startswith("--") and (title := _TITLE.match(message)):
            yield from self._close()
            self._title, self._test, self._fields = line.number, title["test"].strip(), {}
        elif message.startswith("TestDFSIO.") and _PROGRAM.match(message):
            yield from self._close()
            yield from self._give_up("it ends before a result")
            self._console, self._started, self._version = True, line, message
        elif not message:
            yield from self._close()
        elif self._fields is not None and (field := _FIELD.match(message)) and field["name"] in _FIELDS:
            if field["name"] in self._fields:
                yield Remark(line.number, f"{field['name']} stands twice in one result; the first counts")
            self._fields.setdefault(field["name"], field["value"].strip())
        elif setting := _SETTING.match(message):
            self._settings[setting["name"]] = setting["value"].strip()[:200]
        else:
            yield from self._other(line, entry)

    def cut_line(self, line: Line) -> Iterator[Reading | Remark]:
        return self.take(line)

    def take_block(self, block: Block) -> Iterable[Reading | Remark]:
        """Process a whole result; line by line if a figure in it is unusual."""
        test, *texts = block.fields
        found = figures(_COLUMNS, texts)
        if test is None or found is None:
            return super().take_block(block)
        numbers = found[0]
        outcome: _Outcome = ("ok", None) if all(numbers) else _outcome(texts, numbers)
        return (*self._close(), self._result(block.line, test, texts, numbers, outcome))

    def _other(self, line: Line, entry: Entry) -> Iterator[Remark]:
        failure = failure_in(entry)
        self._failure = self._failure or failure
        placed = failure or entry.logger or (self._console and (counter_in(line.text) or is_group(line.text)))
        if not placed and not is_noise(line.text):
            yield Remark(
                line.number, f"{line.text.strip()[:80]!r} stands where a line of a TestDFSIO result was expected"
            )

    def end(self, *, cut: bool) -> Iterator[Reading]:
        if cut and self._fields:
            # The last line may lack digits.
            self._fields.popitem()
        yield from self._close()
        yield from self._give_up("the file ends before a result")

    def _close(self) -> tuple[Reading, ...]:
        if self._fields is None or self._title is None:
            return ()
        texts = [self._fields.get(name) for name in _FIELDS]
        numbers = [None if text is None else number_of(text) for text in texts[1:]]
        return (self._result(self._title, self._test, texts, numbers, _outcome(texts, numbers)),)

    def _result(self, line: int, test: str, texts: _Texts, numbers: _Numbers, outcome: _Outcome) -> Reading:
        """Return the result of the run that ends."""
        reading = _reading(line, test, texts, numbers, outcome, self._settings, self._version)
        self._fields, self._title, self._started = None, None, None
        self._settings, self._failure = {}, None
        return reading

    def _give_up(self, words: str) -> Iterator[Reading]:
        if self._started is not None:
            yield Reading(
                "testdfsio",
                self._version,
                "failed",
                self._failure or words,
                "TestDFSIO",
                self._started.number,
                (),
                settings=self._settings,
            )
        self._started, self._settings, self._failure = None, {}, None


def _reading(
    line: int,
    test: str,
    texts: _Texts,
    numbers: _Numbers,
    outcome: _Outcome,
    settings: dict[str, str],
    version: str | None,
) -> Reading:
    day, files, total_text, *_, time_text = texts
    _, total, *_, time_s = numbers
    metrics: dict[str, Metric] = {}
    if total and time_s and total > 0 and time_s > 0:
        metrics["cluster_mb_per_s"] = _metric(
            "cluster_mb_per_s",
            total * MB_PER_MIB / time_s,
            told(f"{total_text} / {time_text}", "MBytes / sec", f"{_TOTAL} / {_TIME}"),
        )
    at = 0
    while (at := add_metrics(metrics, _METRICS, texts, at)) < len(_METRICS):
        place, name, unit, field, factor = _METRICS[at]
        text, value = texts[place], numbers[place - 1]
        if text is not None and value is not None and value >= 0:
            metrics[name] = _metric(name, value * factor, told(text, unit, field))
        at += 1
    started_at, notes = _start(day, time_s)
    return _reading_of(
        "testdfsio",
        version,
        *outcome,
        test,
        line,
        tuple(metrics.values()),
        {**settings, "test": test} if files is None else {**settings, "test": test, _FILES: files[:60]},
        started_at,
        time_s if time_s and time_s > 0 else None,
        _NO_HOST,
        (),
        (_NOTE, *notes),
    )


def _outcome(texts: _Texts, numbers: _Numbers) -> _Outcome:
    wrong = [
        f"{name} is {text[:40]!r}, which is no figure"
        for name, text, value in zip(_NUMBERS, texts[1:], numbers, strict=True)
        if text is not None and (value is None or value < 0)
    ]
    if wrong:
        return "failed", "; ".join(wrong)
    _, _, total, *_, time_s = ("?" if text is None else text for text in texts)
    if numbers[1] == 0 or numbers[-1] == 0:
        return "failed", f"it moved {total} MBytes in {time_s} s"
    missing = [name for name, text in zip(_FIELDS, texts, strict=True) if text is None]
    return ("partial", f"the result ends before {', '.join(missing)}") if missing else ("ok", None)


def _start(text: str | None, time_s: float | None) -> tuple[datetime | None, tuple[str, ...]]:
    """Compute the start of a run as the date of the result minus the time of the job.

    The result also has notes on the assumptions that were made.
    """
    found = java_date_of(text) if text else None
    if found is None:
        return None, (f"{_DATE} is {text[:60]!r}, which is no date",) if text else ()
    ended_at, known = found
    notes = () if known else (UNKNOWN_ZONE,)
    try:
        return ended_at - timedelta(0, time_s or 0.0), notes
    except OverflowError:
        return ended_at, notes


read = _Reader.read
