"""Reader of responses of the MapReduce History Server, which have times, counters and tasks of jobs.

A file has several responses, one after the other. `curl JOB JOB/counters JOB/tasks` writes such a file. It may contain
several jobs, with the responses in any order. A job without its counters has times only. The responses do not contain
hosts.

**Source** Apache Hadoop 3.3.6, "MapReduce History Server REST API's" (2023); responses of a History Server 3.3.6.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from stowage.measure.errors import Unreadable
from stowage.measure.files.documents import Ended, Piece, Started
from stowage.measure.files.head import Head
from stowage.measure.files.values import Value
from stowage.measure.logs.logged_jobs import LEAST_MB, LoggedJob, timed_job
from stowage.measure.logs.mapreduce_jobs import Counters, Ran, counts, logged_job
from stowage.measure.logs.rest_values import Members, RestReader, members, number, text, time_s
from stowage.measure.reading import Remark

MOST_JOBS: Final = 10_000
_ACCEPTED: Final = "the JSON of /ws/v1/history/mapreduce/jobs/ID with its /counters and /tasks, one after the other"


@dataclass(slots=True)
class _Tasks:
    """Times of the successful tasks of one job [s]."""

    first_map_s: float = float("inf")
    last_map_s: float = 0.0
    reduces: int = 0
    begun_s: float = 0.0
    last_begun_s: float = 0.0
    first_end_s: float = float("inf")
    last_end_s: float = 0.0

    def add(self, told: Members) -> None:
        """Add the times of a task, if it succeeded."""
        began_s, ended_s = time_s(told, "startTime"), time_s(told, "finishTime")
        if text(told, "state") != "SUCCEEDED" or not 0.0 < began_s <= ended_s:
            return
        if text(told, "type") == "MAP":
            self.first_map_s, self.last_map_s = min(self.first_map_s, began_s), max(self.last_map_s, ended_s)
        else:
            self.reduces += 1
            self.begun_s += began_s
            self.last_begun_s = max(self.last_begun_s, began_s)
            self.first_end_s, self.last_end_s = min(self.first_end_s, ended_s), max(self.last_end_s, ended_s)


@dataclass(slots=True)
class _Job:
    """Responses about one job, as far as they have been read."""

    line: int
    details: Members | None = None
    maps: Counters = field(default_factory=dict)
    total: Counters = field(default_factory=dict)
    tasks: _Tasks = field(default_factory=_Tasks)


def recognises(head: Head) -> bool:
    """Return whether a file contains responses of the MapReduce History Server."""
    return head.keys[:1] in {("job",), ("jobs",), ("jobCounters",), ("tasks",)} and (
        '"job_' in head.text or '"task_' in head.text
    )


class _Reader(RestReader):
    """Reader of the jobs of a file that succeeded."""

    accepted = _ACCEPTED
    opened = frozenset({("jobs", "job"), ("tasks", "task"), ("jobCounters", "counterGroup")})

    def __init__(self) -> None:
        self._jobs: dict[str, _Job] = {}
        self._id = ""
        self._maps: dict[str, float] = {}
        self._total: dict[str, float] = {}

    def started(self, _started: Started) -> tuple[()]:
        """Clear the counters when a document begins."""
        self._id, self._maps, self._total = "", {}, {}
        return ()

    def ended(self, ended: Ended) -> Iterable[LoggedJob]:
        """Store the counters of a document with the job to which they belong."""
        if ended.problem is None and self._total and self._id:
            job = self._job(self._id, ended.line)
            job.maps, job.total = self._maps, self._total
        return super().ended(ended)

    def end(self, *, cut: bool) -> Iterator[LoggedJob | Remark]:  # noqa: ARG002 - a document may end without a newline
        """Yield the jobs."""
        for name, job in self._jobs.items():
            try:
                yield _logged(name, job)
            except ValueError as error:
                raise Unreadable(f"{name}: {error}; of {_ACCEPTED}", job.line) from None
        if not self._jobs:
            yield Remark(self.last_line, f"no job; accepted: {_ACCEPTED}")

    def take_value(self, piece: Piece) -> tuple[()]:
        """Process one job, task or group of counters."""
        match tuple(step for step in piece.path if isinstance(step, str)):
            case ("job",) | ("jobs", "job"):
                told = members(piece, _ACCEPTED)
                job = self._job(text(told, "id"), piece.line)
                # The list of jobs has less detail than a job's own response, and may come before or after it.
                job.details = {**(job.details or {}), **{name: told[name] for name in _KEPT if name in told}}
            case ("tasks", "task"):
                told = members(piece, _ACCEPTED)
                # As in task_1795680714181_0002_m_000000.
                self._job("job_" + "_".join(text(told, "id").split("_")[1:3]), piece.line).tasks.add(told)
            case ("jobCounters", "id"):
                self._id = text({"id": piece.value}, "id")
            case ("jobCounters", "counterGroup"):
                self._count(members(piece, _ACCEPTED))
        return ()

    def _count(self, group: Members) -> None:
        if counts(text(group, "counterGroupName")):
            for one in _objects(group.get("counter")):
                name = text(one, "name")
                self._maps[name] = number(one, "mapCounterValue")
                self._total[name] = number(one, "totalCounterValue")

    def _job(self, name: str, line: int) -> _Job:
        if name not in self._jobs and len(self._jobs) >= MOST_JOBS:
            raise Unreadable(f"more than {MOST_JOBS:,} jobs; split the file", line)
        found = self._jobs.setdefault(name, _Job(line))
        found.line = line
        return found


_KEPT: Final = ("name", "state", "submitTime", "startTime", "finishTime", "avgShuffleTime", "reducesTotal")


def _objects(value: Value) -> Iterator[Members]:
    return (each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict))


def _logged(name: str, job: _Job) -> LoggedJob | Remark:
    told = job.details
    if told is None:
        return Remark(job.line, f"{name or 'a job'}: its own answer is missing; accepted: {_ACCEPTED}")
    if text(told, "state") != "SUCCEEDED":
        return Remark(job.line, f"{name}: the job did not succeed; accepted: jobs that did")
    # The job's time starts at the launch: the wait in the queue does not depend on the cluster.
    began_s, ended_s = time_s(told, "startTime") or time_s(told, "submitTime"), time_s(told, "finishTime")
    if not 0.0 < began_s < ended_s:
        return Remark(job.line, f"{name}: startTime is not before finishTime; accepted: times of a job that ended")
    ran = Ran(text(told, "name") or name, job.line, began_s, ended_s, number(told, "reducesTotal") > 0.0)
    if not job.total:
        return timed_job("mapreduce", ran.name, ran.line, (began_s, ended_s))
    shuffled_s = number(told, "avgShuffleTime") / 1e3 if "avgShuffleTime" in told else None
    found = logged_job(ran, job.maps, job.total, lambda names: _phases(job.tasks, shuffled_s, names))
    return found or Remark(job.line, f"{name}: the job did not move {LEAST_MB:g} MB or more")


def _phases(tasks: _Tasks, shuffled_s: float | None, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield the name and time of each phase of the model [s].

    The responses state the mean shuffle time of the reduce tasks. If all reduce tasks ran concurrently, this mean shows
    when the shuffle ended.
    """
    if tasks.last_map_s <= tasks.first_map_s:
        return
    if len(names) == 1:
        yield names[0], round(tasks.last_map_s - tasks.first_map_s, 3)
    elif shuffled_s is not None and tasks.reduces and tasks.last_begun_s <= tasks.first_end_s:
        between_s = max(tasks.last_map_s, tasks.begun_s / tasks.reduces + shuffled_s)
        yield names[0], round(between_s - tasks.first_map_s, 3)
        yield names[1], round(max(0.0, tasks.last_end_s - between_s), 3)


read = _Reader.read
