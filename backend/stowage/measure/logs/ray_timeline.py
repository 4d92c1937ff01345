"""Reader of Ray timelines (`ray timeline`, `ray.timeline()`), which have the times of jobs and of their tasks.

A timeline is a list of events in Chrome's trace format, each with its start and duration in microseconds. It has no
bytes. A phase of a job is all tasks with one name: it lasts from their first start to their last end. Phases may
overlap. By default Ray stores only the events of the last 100,000 tasks. So the beginning of a longer job is missing,
and the file does not show that.

**Source** Ray 2.60.0 on one machine: timelines of `ray.timeline()`, and downloads from the dashboard, in which nodes
have numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from stowage.measure.errors import Unreadable
from stowage.measure.files.documents import Piece
from stowage.measure.files.head import Head
from stowage.measure.files.values import Number, Value, number_at, text_at, value_at
from stowage.measure.logs.logged_jobs import LoggedJob, printable, timed_job, to_seconds
from stowage.measure.logs.rest_values import RestReader
from stowage.measure.reading import Remark

MOST_JOBS: Final = 10_000
MOST_NAMES: Final = 20_000
"""Maximum number of task names, over all jobs."""
MOST_NODES: Final = 10_000
_ACCEPTED: Final = "the JSON that `ray timeline` writes"
_TASK: Final = "task::"
_OF_JOB: Final = 8
"""Number of hexadecimal digits at the end of a task's id that are the job's id."""


@dataclass(slots=True)
class _Span:
    """Time from the first start to the last end of a set of tasks [s]."""

    began_s: float
    ended_s: float

    def add(self, began_s: float, ended_s: float) -> None:
        """Extend the time to include another task."""
        self.began_s, self.ended_s = min(self.began_s, began_s), max(self.ended_s, ended_s)


@dataclass(slots=True)
class _Job:
    """State of one job, after the events read so far."""

    span: _Span
    line: int
    by_name: dict[str, _Span] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)


def recognises(head: Head) -> bool:
    """Return whether a file is a timeline of Ray."""
    return {"cat", "ph", "pid", "tid", "ts", "dur", "cname"} <= {*head.keys} and head.text.lstrip().startswith("[")


class _Reader(RestReader):
    """Reader of the jobs of a timeline."""

    accepted = _ACCEPTED
    opened = frozenset({()})

    def __init__(self) -> None:
        self._jobs: dict[str, _Job] = {}
        self._names = 0

    def end(self, *, cut: bool) -> Iterator[LoggedJob | Remark]:  # noqa: ARG002 - a document may end without a newline
        """Yield the jobs."""
        for name, job in self._jobs.items():
            if job.span.ended_s > job.span.began_s:
                yield _logged(name, job)
        if not self._jobs:
            words = f"no task with a name ended in this timeline; accepted: {_ACCEPTED} after a job"
            yield Remark(self.last_line, words)

    def take_value(self, piece: Piece) -> tuple[()]:
        """Process an event."""
        category = text_at(piece.value, "cat") or ""
        if text_at(piece.value, "ph") != "X" or not category.startswith(_TASK):
            return ()
        began_s = to_seconds(_number(piece.value, "ts") / 1e3)
        ended_s = to_seconds((_number(piece.value, "ts") + _number(piece.value, "dur")) / 1e3)
        task = text_at(piece.value, "args", "task_id") or ""
        name = printable(text_at(piece.value, "args", "job_id") or task[-_OF_JOB:])
        job = self._jobs.setdefault(name, _Job(_Span(began_s, ended_s), piece.line))
        job.span.add(began_s, ended_s)
        job.line = piece.line
        job.nodes.add(_node(value_at(piece.value, "pid")))
        of_task = printable(category.removeprefix(_TASK))
        if of_task in job.by_name:
            job.by_name[of_task].add(began_s, ended_s)
        else:
            job.by_name[of_task] = _Span(began_s, ended_s)
            self._names += 1
        for found, most, what in (
            (len(self._jobs), MOST_JOBS, "jobs"),
            (self._names, MOST_NAMES, "names of tasks"),
            (len(job.nodes), MOST_NODES, "nodes"),
        ):
            if found > most:
                raise Unreadable(f"more than {most:,} {what}; accepted: a timeline with up to that many", piece.line)
        return ()


read = _Reader.read


def _logged(name: str, job: _Job) -> LoggedJob:
    spans = sorted(job.by_name.items(), key=lambda item: item[1].began_s)
    phases_s = [(of_task, round(span.ended_s - span.began_s, 6)) for of_task, span in spans]
    span_s = (job.span.began_s, job.span.ended_s)
    return timed_job("ray", f"job {name}".strip(), job.line, span_s, len(job.nodes), phases_s)


def _number(event: Value, name: str) -> float:
    found = number_at(event, name)
    value = None if found is None else found.value
    if value is None or value < 0.0:
        raise ValueError(f"{name} is {value_at(event, name)!r:.40}; accepted: microseconds of 0 or more")
    return value


def _node(value: Value) -> str:
    """Return the name of a node, which is its address or its number."""
    return value.text[:60] if isinstance(value, Number) else printable(value) if isinstance(value, str) else ""
