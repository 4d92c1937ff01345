"""Reader of Spark event logs, which have jobs with the times and bytes of their stages.

A log has one JSON object per line (`spark.eventLog.enabled`; the History Server reads the same files). Sizes are those
of Spark's task metrics; shuffle data is counted after compression. A rolled log consists of several files, which are
one log when concatenated in order; only the first file has the beginning of the log.

Tested with: logs of Spark 3.5.7 and 4.0.1, standalone. Not tested with: logs of EMR and Databricks.
"""

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, BinaryIO

from stowage.frozen import frozen
from stowage.measure.errors import Unreadable
from stowage.measure.files.head import Head
from stowage.measure.files.text import lines_of
from stowage.measure.logs.logged_jobs import (
    LEAST_MB,
    PHASES,
    LoggedJob,
    LoggedKind,
    cpu_mb_per_s,
    kind_of,
    longest,
    printable,
    refuse_more,
    region_of,
    to_seconds,
)
from stowage.measure.reading import Remark

MOST_STAGES = 20_000
MOST_JOBS = 10_000
MOST_HOSTS = 10_000
_ACCEPTED = "a log as Spark 3 and 4 write it with spark.eventLog.enabled"
_LOOKED_AT = 20
"""Number of first lines, one of which must begin an application."""
_KINDS = {
    f"SparkListener{kind}"
    for kind in (
        "LogStart", "ApplicationStart", "ApplicationEnd", "EnvironmentUpdate", "ExecutorAdded", "JobStart", "JobEnd",
        "StageCompleted", "TaskEnd",
    )
}  # fmt: skip
_FIRST = {"SparkListenerLogStart", "SparkListenerEnvironmentUpdate", "SparkListenerApplicationStart"}
"""Events that may precede the beginning of an application."""


@frozen
class Stage:
    """One stage that ended, with sums over its successful tasks."""

    number: int
    name: str
    """Spark's name for the stage: the call in the program that created the stage."""
    began_s: float
    """Start of the stage, since 1970 [s]."""
    ended_s: float
    """End of the stage, since 1970 [s]."""
    cpu_s: float = 0.0
    """CPU time of the executors [s]."""
    input_mb: float = 0.0
    """Data read from storage [MB]."""
    output_mb: float = 0.0
    """Data written to storage [MB]."""
    written_mb: float = 0.0
    """Shuffle data that the stage wrote [MB]."""
    fetched_mb: float = 0.0
    """Shuffle data that its tasks read [MB]."""
    hosts: frozenset[str] = frozenset()
    """Hosts that ran its tasks."""
    attempts: int = 1
    """More than 1 if shuffle data was lost and recomputed: times and sums are those of all attempts."""

    @property
    def time_s(self) -> float:
        """Return the time from the stage's submission to its end [s]."""
        return self.ended_s - self.began_s


@frozen
class SparkJob:
    """One job of an application, or all jobs of one query of Spark SQL.

    Adaptive execution, the default since Spark 3.2, runs the stages of a query as separate jobs.
    """

    number: int
    """Number of the first job."""
    name: str
    """Description or group of the job; if it has neither, Spark's name of its last stage."""
    began_s: float
    """Start of the job, since 1970 [s]."""
    ended_s: float
    """End of the job, since 1970 [s]."""
    succeeded: bool
    stages: tuple[Stage, ...]
    """Stages that ran, by start time, without skipped ones."""
    line: int
    """Line of the log where the job ends, from 1."""


@frozen
class Application:
    """One application: the content of an event log."""

    version: str
    nodes: int
    """Hosts that ran executors."""
    jobs: tuple[SparkJob, ...]
    cut: bool
    """Whether the log ends before the application did."""
    region: str | None
    """Region from the host names; None if the names do not show a region."""
    lines: int


def read_events(stream: BinaryIO) -> Application:
    """Read an event log.

    Parameters
    ----------
    stream : BinaryIO
        Uncompressed.

    Raises
    ------
    Unreadable
        The file is not a Spark event log, or exceeds the limits of stages, jobs or hosts.
    """
    reader, lines = _Reader(), 1
    for line in lines_of(stream):
        event, lines = _event(line.text), line.number
        if event is not None and (reader.begun or event["Event"] in _FIRST):
            try:
                reader.take(event, line.number)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                message = f"not as Spark writes its events: {str(error)[:80]}; accepted: {_ACCEPTED}"
                raise Unreadable(message, line.number) from None
        if not reader.begun and line.number >= _LOOKED_AT:
            break
    if not reader.begun:
        message = "no event log of Spark, or a later part of one: SparkListenerApplicationStart is not at its beginning"
        raise Unreadable(f"{message}; accepted: {_ACCEPTED}, the parts of a rolled log concatenated in their order", 1)
    return reader.application(lines)


def recognises(head: Head) -> bool:
    """Return whether a file is an event log of Spark."""
    return head.text[:200].replace(" ", "").startswith('{"Event":"SparkListener')


def read(stream: BinaryIO) -> Iterator[LoggedJob | Remark]:
    """Read the successful jobs of an event log that moved data.

    Raises
    ------
    Unreadable
        As `read_events`.
    """
    application = read_events(stream)
    found = 0
    for job in jobs_of(application):
        found += 1
        yield job
    if not found:
        yield Remark(application.lines, f"no job of this log succeeded and moved {LEAST_MB:g} MB or more")
    if application.cut:
        yield Remark(application.lines, "the log ends before the application did: jobs that had not ended are missing")


def jobs_of(application: Application) -> Iterator[LoggedJob]:
    """Yield the successful jobs of an application that moved data."""
    for job in application.jobs:
        stages = job.stages
        input_mb, output_mb = sum(one.input_mb for one in stages), sum(one.output_mb for one in stages)
        shuffled_mb = sum(one.written_mb for one in stages)
        fetched_mb = sum(one.fetched_mb for one in stages)
        kind = kind_of(input_mb, shuffled_mb, output_mb)
        if not job.succeeded or max(input_mb, output_mb) < LEAST_MB or job.ended_s <= job.began_s:
            continue
        yield LoggedJob(
            source="spark",
            version=application.version,
            name=job.name,
            line=job.line,
            kind=kind,
            started_at=datetime.fromtimestamp(job.began_s, UTC),
            time_s=max(1e-3, round(job.ended_s - job.began_s, 3)),
            nodes=len({host for one in stages for host in one.hosts}) or application.nodes,
            input_mb=input_mb,
            shuffled_mb=shuffled_mb,
            output_mb=output_mb,
            cpu_mb_per_s=cpu_mb_per_s(kind, input_mb, fetched_mb, output_mb, sum(one.cpu_s for one in stages)),
            phases_s=longest([*_phases(stages, kind)]),
            region=application.region,
        )


def _phases(stages: Sequence[Stage], kind: LoggedKind) -> Iterator[tuple[str, float]]:
    """Yield the name and time of each phase [s]. They are the stages, or the model's phases if these match."""
    names = PHASES[kind] if all(one.attempts == 1 for one in stages) else ()
    if len(stages) == len(names) == 2 and stages[0].written_mb > 0.0 and stages[1].written_mb == 0.0:
        yield names[0], round(stages[1].began_s - stages[0].began_s, 3)
        yield names[1], round(stages[1].time_s, 3)
    elif len(stages) == len(names) == 1:
        yield names[0], round(stages[0].time_s, 3)
    else:
        for stage in stages:
            yield printable(f"stage {stage.number}: {stage.name}"), round(stage.time_s, 3)


def _event(text: str) -> Mapping[str, Any] | None:
    """Parse the event in a line; return None if it is not needed or is truncated."""
    # Search the text before parsing: most events are large and not needed.
    if not text.startswith("{") or not any(f'"{kind}"' in text[:80] for kind in _KINDS):
        return None
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        return None
    kind = event.get("Event") if isinstance(event, dict) else None
    return event if isinstance(kind, str) and kind in _KINDS else None


@dataclass(slots=True)
class _Job:
    """One job that has begun, with the query of Spark SQL to which it belongs; ``line`` is where it ends."""

    number: int
    name: str
    began_s: float
    stages: Collection[int]
    query: str
    ended_s: float = 0.0
    succeeded: bool = False
    line: int = 0


class _Reader:
    """Reader of a log, which keeps only sums per stage since the log may be larger than memory."""

    def __init__(self) -> None:
        self.begun = False
        self._version, self._ended = "", False
        self._hosts: set[str] = set()
        self._jobs: dict[int, _Job] = {}
        self._ended_jobs: list[_Job] = []
        self._sums: dict[int, dict[str, float]] = {}
        self._by_host: dict[int, set[str]] = {}
        self._stages: dict[int, Stage] = {}

    def take(self, event: Mapping[str, Any], line: int) -> None:
        """Process the event in one line of the log."""
        match event["Event"].removeprefix("SparkListener"):
            case "LogStart":
                self._version = _text(event["Spark Version"])
            case "ApplicationStart":
                self.begun = True
            case "ApplicationEnd":
                self._ended = True
            case "EnvironmentUpdate":
                pass
            case "ExecutorAdded":
                self._hosts.add(_text(event["Executor Info"]["Host"]))
                refuse_more(len(self._hosts), MOST_HOSTS, "hosts")
            case "JobStart":
                self._begin(event)
            case "JobEnd":
                job = self._jobs.pop(int(_number(event["Job ID"])), None)
                if job is not None:
                    job.succeeded = event["Job Result"]["Result"] == "JobSucceeded"
                    job.ended_s, job.line = to_seconds(_number(event["Completion Time"])), line
                    self._ended_jobs.append(job)
            case "TaskEnd":
                self._add_task(event)
            case _:
                self._end_stage(event["Stage Info"])

    def application(self, lines: int) -> Application:
        """Return the application read from a log of `lines` lines."""
        of_query: dict[str, list[_Job]] = {}
        for one in self._ended_jobs:
            of_query.setdefault(one.query or f"job {one.number}", []).append(one)
        # A query with an unfinished job is incomplete.
        open_queries = {job.query for job in self._jobs.values() if job.query}
        jobs = [self._job(ended) for query, ended in of_query.items() if query not in open_queries]
        return Application(
            self._version,
            max(1, len(self._hosts)),
            tuple(sorted(jobs, key=lambda job: job.line)),
            not self._ended,
            region_of(self._hosts),
            lines,
        )

    def _job(self, ended: Sequence[_Job]) -> SparkJob:
        """Merge the jobs of one query into a single job, which has each stage once."""
        numbers = dict.fromkeys(number for one in ended for number in one.stages)
        ran = sorted((self._stages[one] for one in numbers if one in self._stages), key=lambda one: one.began_s)
        first = ended[0]
        return SparkJob(
            number=first.number,
            name=first.name or (ran[-1].name if ran else f"job {first.number}"),
            began_s=min(one.began_s for one in ended),
            ended_s=max(one.ended_s for one in ended),
            succeeded=all(one.succeeded for one in ended),
            stages=tuple(ran),
            line=max(one.line for one in ended),
        )

    def _begin(self, event: Mapping[str, Any]) -> None:
        told = event.get("Properties") or {}
        name = told.get("spark.job.description") or told.get("spark.jobGroup.id") or ""
        stages = dict.fromkeys(int(_number(one)) for one in event["Stage IDs"][:MOST_STAGES])
        began_s, number = to_seconds(_number(event["Submission Time"])), int(_number(event["Job ID"]))
        query = told.get("spark.sql.execution.id")
        query = f"query {_text(query)}" if query is not None else ""
        self._jobs[number] = _Job(number, _text(name), began_s, stages, query)
        if len(self._jobs) + len(self._ended_jobs) > MOST_JOBS:
            raise Unreadable(f"more than {MOST_JOBS:,} jobs; split the log by application")

    def _add_task(self, event: Mapping[str, Any]) -> None:
        number = int(_number(event["Stage ID"]))
        sums = self._sums.setdefault(number, {})
        refuse_more(len(self._sums), MOST_STAGES, "stages")
        metrics = event.get("Task Metrics")
        if event["Task End Reason"]["Reason"] != "Success" or not metrics:
            return
        read = metrics["Shuffle Read Metrics"]
        for name, per_unit, *told in (
            ("cpu_s", 1e9, metrics["Executor CPU Time"], metrics["Executor Deserialize CPU Time"]),
            ("input_mb", 1e6, metrics["Input Metrics"]["Bytes Read"]),
            ("output_mb", 1e6, metrics["Output Metrics"]["Bytes Written"]),
            ("written_mb", 1e6, metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]),
            ("fetched_mb", 1e6, read["Local Bytes Read"], read["Remote Bytes Read"]),
        ):
            sums[name] = sums.get(name, 0.0) + sum(map(_number, told)) / per_unit
        hosts = self._by_host.setdefault(number, set())
        hosts.add(_text(event["Task Info"]["Host"]))
        refuse_more(len(hosts), MOST_HOSTS, "hosts")

    def _end_stage(self, told: Mapping[str, Any]) -> None:
        number = int(_number(told["Stage ID"]))
        sums: dict[str, Any] = {**self._sums.pop(number, {})}
        began, ended = told.get("Submission Time"), told.get("Completion Time")
        if began is None or ended is None:
            return
        stage = Stage(
            number,
            _text(told["Stage Name"]),
            to_seconds(_number(began)),
            to_seconds(_number(ended)),
            **sums,
            hosts=frozenset(self._by_host.pop(number, ())),
        )
        earlier = self._stages.get(number)
        self._stages[number] = stage if earlier is None else _both(earlier, stage)
        refuse_more(len(self._stages), MOST_STAGES, "stages")


_ADDED = ("cpu_s", "input_mb", "output_mb", "written_mb", "fetched_mb")


def _both(earlier: Stage, later: Stage) -> Stage:
    """Merge two attempts of a stage."""
    return replace(
        later,
        began_s=min(earlier.began_s, later.began_s),
        ended_s=max(earlier.ended_s, later.ended_s),
        hosts=earlier.hosts | later.hosts,
        attempts=earlier.attempts + 1,
        **{name: getattr(earlier, name) + getattr(later, name) for name in _ADDED},
    )


def _number(value: object) -> float:
    """Parse a number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1e18 or math.isnan(value):
        raise ValueError(f"{value!r:.40} where a number of 0 or more was expected")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} where a text was expected")
    return printable(value)
