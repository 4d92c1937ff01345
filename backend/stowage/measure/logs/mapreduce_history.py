"""Reader of a job history of Hadoop MapReduce (`.jhist`), which has one job with its phases and counters.

The ApplicationMaster writes the file, and the History Server stores it below `mapreduce.jobhistory.done-dir`. The first
line names the format, and the second line is the Avro schema of the events. The events follow. They are JSON, one per
line, or have Avro's binary encoding, which is the default of Hadoop 3 (`mapreduce.jobhistory.jhist.format`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, Literal

from stowage.measure.errors import Unreadable
from stowage.measure.files.head import Head
from stowage.measure.files.text import lines_of
from stowage.measure.logs.avro import Documents
from stowage.measure.logs.logged_jobs import (
    LEAST_MB,
    LoggedJob,
    printable,
    refuse_more,
    to_seconds,
)
from stowage.measure.logs.mapreduce_jobs import Counters, Ran, counts, logged_job
from stowage.measure.reading import Remark

MOST_ATTEMPTS: Final = 200_000
"""Maximum number of concurrent attempts, and of reduce attempts that ended."""
MOST_HOSTS: Final = 10_000
_ACCEPTED: Final = "a .jhist file of Hadoop 2 or 3 that begins with Avro-Json or Avro-Binary"
_FORMS: Final = ("Avro-Json\n", "Avro-Binary\n")
_WANTED: Final = {
    "JOB_SUBMITTED", "JOB_INITED", "JOB_INFO_CHANGED", "JOB_FINISHED", "JOB_FAILED", "JOB_KILLED", "JOB_ERROR",
    "MAP_ATTEMPT_STARTED", "MAP_ATTEMPT_FINISHED", "REDUCE_ATTEMPT_STARTED", "REDUCE_ATTEMPT_FINISHED",
}  # fmt: skip


@dataclass(slots=True)
class _Reduce:
    """Times of one successful attempt of a reduce task.

    They are the start, the end of the shuffle, and the end [s].
    """

    began_s: float
    shuffled_s: float
    ended_s: float


@dataclass(slots=True)
class _Job:
    """State of a job after the events read so far."""

    name: str = ""
    began_s: float | None = None
    ended_s: float | None = None
    end: Literal["succeeded", "not succeeded"] | None = None
    end_line: int = 1
    maps: Counters = field(default_factory=dict)
    total: Counters = field(default_factory=dict)
    first_map_s: float | None = None
    last_map_s: float = 0.0
    running: dict[str, float] = field(default_factory=dict)
    reduces: list[_Reduce] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)


def recognises(head: Head) -> bool:
    """Return whether a file is a job history of MapReduce."""
    return head.text.startswith(_FORMS)


def read(stream: BinaryIO) -> Iterator[LoggedJob | Remark]:
    """Read the job of a history, if it succeeded and moved data.

    Raises
    ------
    Unreadable
        The file is not a job history, or exceeds the limits of attempts or hosts.
    """
    job, line = _Job(), 1
    for line, kind, event in _events(stream):
        try:
            _take(job, kind, event, line)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            message = f"not as Hadoop writes its job history: {str(error)[:80]}; accepted: {_ACCEPTED}"
            raise Unreadable(message, line) from None
    if job.end is None:
        yield Remark(line, "the history ends before the job did; accepted: that of a job that ended")
    elif job.end != "succeeded":
        yield Remark(job.end_line, "the job did not succeed; accepted: jobs that did")
    else:
        yield _logged(job) or Remark(job.end_line, f"the job did not move {LEAST_MB:g} MB or more")


def _events(stream: BinaryIO) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Yield the line, type and content of each event that `read` uses.

    In the binary encoding, the line is the number of the event.

    Raises
    ------
    Unreadable
        The file is not a job history.
    """
    # The length of the longer header; after the shorter one, this includes two characters of the schema.
    start = stream.read(len("Avro-Binary\n"))
    if start.startswith(b"Avro-Json\n"):
        yield from _json_events(stream)
    elif start == b"Avro-Binary\n":
        yield from _binary_events(stream)
    else:
        raise Unreadable(f"no job history of MapReduce; accepted: {_ACCEPTED}", 1)


def _json_events(stream: BinaryIO) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    for line in lines_of(stream):
        # Search the text before parsing: most events are large and not needed.
        kind = line.text[9:40].partition('"')[0] if line.text.startswith('{"type":"') else ""
        if kind not in _WANTED:
            continue
        try:
            event = json.loads(line.text)["event"]
            told = next(iter(event.values()))
        except (ValueError, RecursionError, KeyError, AttributeError, StopIteration, TypeError):
            continue  # cut by a crash
        yield line.number + 1, kind, told


def _binary_events(stream: BinaryIO) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    try:
        documents = Documents(stream)
    except ValueError as error:
        raise Unreadable(f"{error}; accepted: {_ACCEPTED}", 2) from None
    number = 2
    while True:
        number += 1
        try:
            document = documents.next()
            if document is None:
                return
            kind, event = document["type"], document["event"]
            wanted = kind in _WANTED
        except EOFError:
            return  # cut by a crash
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            message = f"event {number - 2:,} is not of the schema: {str(error)[:80]}; accepted: {_ACCEPTED}"
            raise Unreadable(message, None) from None
        if wanted:
            yield number, kind, event


def _take(job: _Job, kind: str, event: Mapping[str, Any], line: int) -> None:
    match kind:
        case "JOB_SUBMITTED":
            job.name, job.began_s = printable(_text(event["jobName"])), to_seconds(_number(event["submitTime"]))
        case "JOB_INITED" | "JOB_INFO_CHANGED":
            # The job's time starts here: the wait in the queue does not depend on the cluster.
            job.began_s = to_seconds(_number(event["launchTime"])) or job.began_s
        case "JOB_FINISHED":
            job.end, job.end_line, job.ended_s = "succeeded", line, to_seconds(_number(event["finishTime"]))
            job.maps, job.total = _counters(event["mapCounters"]), _counters(event["totalCounters"])
        case "JOB_FAILED" | "JOB_KILLED" | "JOB_ERROR":
            job.end, job.end_line = "not succeeded", line
        case "MAP_ATTEMPT_STARTED" | "REDUCE_ATTEMPT_STARTED":
            began_s = to_seconds(_number(event["startTime"]))
            job.running[_text(event["attemptId"])] = began_s
            if kind.startswith("MAP"):
                job.first_map_s = began_s if job.first_map_s is None else min(job.first_map_s, began_s)
            refuse_more(len(job.running), MOST_ATTEMPTS, "attempts at a time")
        case _:
            _end_attempt(job, kind, event)


def _end_attempt(job: _Job, kind: str, event: Mapping[str, Any]) -> None:
    ended_s, began_s = to_seconds(_number(event["finishTime"])), job.running.pop(_text(event["attemptId"]), None)
    job.hosts.add(printable(_text(event["hostname"])))
    refuse_more(len(job.hosts), MOST_HOSTS, "hosts")
    if kind.startswith("MAP"):
        job.last_map_s = max(job.last_map_s, ended_s)
    elif began_s is not None:
        job.reduces.append(_Reduce(began_s, to_seconds(_number(event["shuffleFinishTime"])), ended_s))
        refuse_more(len(job.reduces), MOST_ATTEMPTS, "reduce attempts")


def _logged(job: _Job) -> LoggedJob | None:
    """Build a logged job.

    The result is None if the job moved hardly any data, or if its times are implausible.
    """
    if job.began_s is None or job.ended_s is None:
        return None
    ran = Ran(job.name, job.end_line, job.began_s, job.ended_s, bool(job.reduces), job.hosts)
    return logged_job(ran, job.maps, job.total, lambda names: _phases(job, names))


def _phases(job: _Job, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield the name and time of each phase of the model [s].

    If reduce tasks run in several waves, only the first wave fetches data during the map phase. The later waves belong
    to the second phase.
    """
    if job.first_map_s is None or job.last_map_s <= job.first_map_s:
        return
    if len(names) == 1:
        yield names[0], round(job.last_map_s - job.first_map_s, 3)
        return
    first_end_s = min(one.ended_s for one in job.reduces)
    shuffled_s = (one.shuffled_s for one in job.reduces if one.began_s <= first_end_s)
    between_s = max([job.last_map_s, *shuffled_s])
    yield names[0], round(between_s - job.first_map_s, 3)
    yield names[1], round(max(0.0, max(one.ended_s for one in job.reduces) - between_s), 3)


def _counters(told: Mapping[str, Any]) -> Counters:
    """Return the counters of file systems and of the framework.

    Counters of user programs are left out.
    """
    found: dict[str, float] = {}
    for group in told["groups"]:
        if counts(_text(group["name"])):
            for one in group["counts"]:
                found[_text(one["name"])] = _number(one["value"])
    return found


def _number(value: object) -> float:
    """Return the value of a counter.

    A negative value comes from an overflow, and becomes 0.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value > 1e18:
        raise ValueError(f"{value!r:.40} where a whole number was expected")
    return float(max(0, value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} where a text was expected")
    return value[:1_000]
