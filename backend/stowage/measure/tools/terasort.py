"""Reader of the client's console output of TeraGen, TeraSort and other MapReduce jobs.

The job's time runs from ``Running job`` to its completion, by the clock of the log. If the log has no times, it is the
shell's ``real`` time of the whole command. Bytes are the job's counters. The output of other jobs, including
TeraValidate, does not name the program, and only their time is read.

Tested with: consoles of Hadoop 1.2.1, 2.7.7 and 3.3.6, run for this project with single-process jobs, including failed
jobs. Not tested with: jobs on a cluster (whose ``Job Counters`` have the same form), Tez, and Spark's TeraSort, whose
output differs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from stowage.measure.files.clocks import UNKNOWN_ZONE
from stowage.measure.files.figures import number_of, told
from stowage.measure.files.head import Head
from stowage.measure.files.reader import LineReader
from stowage.measure.files.text import Line
from stowage.measure.reading import Metric, Reading, Remark, Status
from stowage.measure.tools.hadoop_log import (
    COMPLETED,
    RUNNING,
    Entry,
    counter_in,
    entry_of,
    failure_in,
    is_group,
    is_noise,
)

_COUNTERS = re.compile(r"Counters: (?P<count>\d{1,6})\Z")
_PROGRESS = re.compile(r"\s*map\s+\d+% reduce \d+%\Z")
_GENERATING = re.compile(r"Generating (?P<rows>\d{1,20}) using (?P<maps>\d{1,9})\b.*\Z")
_REAL = re.compile(r"real\s+(?:(?P<minutes>\d{1,7})m)?(?P<seconds>\d{1,7}[.,]\d{1,3})s?\Z")
_PRINTED = re.compile(
    r"(?:Spent \d+ms computing .*|Computing \w+(?: splits)? took \d+ms|Sampling \d+ splits of \d+"
    r"|Making \d+ from \d+ (?:sampled )?records|Step size is \S+|(?:user|sys)\s.*s|Generating \d+ using .*)\Z"
)
_PROGRAMS = {"TeraSort", "TeraGen", "TeraValidate", "TeraChecksum"}
_MOST_COUNTERS = 1_000
_WRITTEN = ("Bytes Written", "HDFS: Number of bytes written", "HDFS_BYTES_WRITTEN")


_WRITERS = {"TeraSort", "TeraGen"}


def recognises(head: Head) -> bool:
    """Return whether a file is the console output of a MapReduce job."""
    for line in head.text.splitlines():
        entry = entry_of(line.rstrip())
        if entry.logger in _PROGRAMS or (entry.logger in {"Job", "JobClient"} and RUNNING.match(entry.message)):
            return True
    return False


@dataclass(slots=True)
class _Job:
    """State of the job that is currently read.

    It may also be a program that has not started its job yet.
    """

    program: str
    line: int
    first: Entry
    name: str = ""
    started: tuple[datetime, str] | None = None
    ended: tuple[datetime, str] | None = None
    completed: bool = False
    expected: int = 0
    counted: int = 0
    counters: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    failure: str | None = None
    sure: bool = False
    real: tuple[str, float] | None = None


class _Reader(LineReader[Reading]):
    def __init__(self) -> None:
        self._job: _Job | None = None

    def take(self, line: Line) -> Iterator[Reading | Remark]:
        number, text = line.number, line.text
        entry = entry_of(text.rstrip())
        message = entry.message
        generating = _GENERATING.match(message.strip())
        if entry.logger in _PROGRAMS or generating:
            # TeraGen uses TeraSort's logger in Hadoop 2, and none in Hadoop 1.
            yield from self._program_speaks(number, entry, generating)
        elif running := RUNNING.match(message.strip()):
            yield from self._begin(number, entry, running["job"], text)
        elif self._job is None:
            if message.strip() and not entry.logger and not self._is_placed(text, message):
                yield Remark(number, f"{text.strip()[:80]!r} stands where the log of a MapReduce job was expected")
        else:
            yield from self._go_on(self._job, number, entry, text)

    def cut_line(self, line: Line) -> Iterator[Reading | Remark]:
        return self.take(line)

    def _program_speaks(self, number: int, entry: Entry, generating: re.Match[str] | None) -> Iterator[Reading]:
        program = "TeraGen" if generating else entry.logger
        if entry.message.strip() == "done" and self._job is not None:
            return
        yield from self._close()
        self._job = _Job(program, number, entry)
        if generating:
            self._job.settings.update(rows=generating["rows"], maps=generating["maps"])

    def _begin(self, number: int, entry: Entry, name: str, text: str) -> Iterator[Reading]:
        if self._job is None or self._job.name:
            yield from self._close()
            self._job = _Job("MapReduce job", number, entry)
        self._job.name = name
        self._job.started = _moment(entry, text)

    def _go_on(self, job: _Job, number: int, entry: Entry, text: str) -> Iterator[Remark]:
        message = entry.message.strip()
        if COMPLETED.match(message):
            job.completed, job.ended = True, _moment(entry, text)
        elif found := _COUNTERS.match(message):
            # Tasks of a local job print their counters before the job does.
            job.expected, job.counted = int(found["count"]), 0
            job.counters.clear()
        elif counter := counter_in(entry.message):
            job.counted += 1
            if job.completed and counter[0] not in job.counters and len(job.counters) < _MOST_COUNTERS:
                job.counters[counter[0]] = counter[1]
        elif real := _REAL.match(message):
            minutes, seconds = number_of(real["minutes"] or "0"), number_of(real["seconds"])
            job.real = (message, minutes * 60 + seconds) if minutes is not None and seconds is not None else None
        elif failure := failure_in(entry):
            words_of_the_job = entry.logger in {"Job", "JobClient"} or message.startswith("Exception in thread")
            if words_of_the_job and not job.sure:
                job.failure, job.sure = failure, True
            job.failure = job.failure or failure
        elif not entry.logger and message and not self._is_placed(text, message):
            yield Remark(number, f"{text.strip()[:80]!r} stands where the log of a MapReduce job was expected")

    @staticmethod
    def _is_placed(text: str, message: str) -> bool:
        return bool(is_noise(text) or is_group(text) or _PRINTED.match(message.strip()) or _PROGRESS.match(message))

    def end(self, *, cut: bool) -> Iterator[Reading]:
        if cut and self._job is not None and self._job.counters:
            # The last counter may lack digits.
            self._job.counters.popitem()
            self._job.counted -= 1
        yield from self._close()

    def _close(self) -> Iterator[Reading]:
        if self._job is not None:
            yield _reading(self._job)
        self._job = None


def _moment(entry: Entry, text: str) -> tuple[datetime, str] | None:
    """Return the time of a log entry, both parsed and as printed.

    The result is None if the entry has no time.
    """
    if entry.at is None:
        return None
    found = re.match(r"\S+[ T]\S+", text.strip())
    return (entry.at, found[0][:27]) if found else None


def _reading(job: _Job) -> Reading:
    status, failure = _status(job)
    time = _time(job)
    metrics: list[Metric] = []
    if status == "ok" and time:
        metrics.append(time)
    moved = _first(job.counters, _WRITTEN) if job.program in _WRITERS else None
    if status == "ok" and moved:
        name, text, value = moved
        metrics.append(Metric("moved_mb", value / 1e6, told(text, "bytes", name)))
        if time and time.value > 0:
            printed = told(f"{text} / ({time.told.text})", "bytes / s", f"{name} / {time.told.name}")
            metrics.insert(0, Metric("cluster_mb_per_s", value / 1e6 / time.value, printed))
    notes: list[str] = []
    if job.started or job.first.at:
        notes.append(UNKNOWN_ZONE)
    if time and time.value < 100 and time.told.unit == "clock" and time.value.is_integer():
        notes.append("The log tells whole seconds, so that the time may be off by one")
    killed = {kind: job.counters.get(f"Failed {kind} tasks", "0") for kind in ("map", "reduce")}
    notes += [f"{count} {kind} tasks failed and were run again" for kind, count in killed.items() if count != "0"]
    start = job.started[0] if job.started else job.first.at
    return Reading(
        "terasort",
        None,
        status,
        failure,
        job.program,
        job.line,
        tuple(metrics),
        settings={**({"job": job.name} if job.name else {}), **job.settings, **_records(job.counters)},
        started_at=start,
        duration_s=time.value if status == "ok" and time and time.value > 0 else None,
        notes=tuple(notes),
    )


def _status(job: _Job) -> tuple[Status, str | None]:
    if job.failure and (job.sure or not job.completed):
        return "failed", job.failure
    if not job.name:
        return "failed", "it ends before a job runs"
    if not job.completed:
        return "partial", "it ends before the job does"
    if job.counted < job.expected or not job.expected:
        return (
            "partial",
            f"it ends before all counters of the job: {job.counted} of {job.expected or 'an unknown number'}",
        )
    if _time(job) is None:
        return "partial", "it does not say how long the job took: the log has no times"
    return "ok", None


def _time(job: _Job) -> Metric | None:
    if job.started and job.ended and job.ended[0] > job.started[0]:
        seconds = (job.ended[0] - job.started[0]).total_seconds()
        same_day = job.started[0].date() == job.ended[0].date()
        texts = (text.split()[-1] if same_day else text for _, text in (job.ended, job.started))
        printed = " - ".join(texts)
        return Metric("time_s", seconds, told(printed, "clock", "completion - Running job"))
    if job.real is not None:
        text, seconds_of = job.real
        return Metric("time_s", seconds_of, told(text, "min, s", "real"))
    return None


def _first(counters: dict[str, str], names: tuple[str, ...]) -> tuple[str, str, float] | None:
    for name in names:
        value = number_of(counters[name]) if name in counters else None
        if value is not None and value > 0:
            return name, counters[name], value
    return None


def _records(counters: dict[str, str]) -> dict[str, str]:
    wanted = ("Map input records", "Reduce output records", "Launched map tasks", "Launched reduce tasks")
    return {name: counters[name] for name in wanted if name in counters}


read = _Reader.read
