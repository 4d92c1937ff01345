"""Jobs from logs of frameworks, with their times, bytes and phases.

Logs do not state the instance type and the storage. `from_logs` adds them and converts the jobs to finished jobs. This
module is loaded in the sandbox, so it must not import numpy.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final, Literal

from stowage.frozen import frozen
from stowage.measure.errors import Unreadable

LogSource = Literal["spark", "mapreduce", "ray"]
"""Framework that ran a job."""
LogKind = Literal[LogSource, "yarn", "emr"]
"""Kind of log: of a framework, or of a service that runs several frameworks."""
FRAMEWORKS: Final[dict[LogSource, str]] = {"spark": "spark", "mapreduce": "hadoop-mapreduce", "ray": "ray"}
"""Names of the frameworks in the model and in calibrations."""
LoggedKind = Literal["mapreduce", "hdfs-read", "hdfs-write"]
"""Kind of a job in the model: with a shuffle, only reading, only writing."""

LEAST_MB: Final = 1.0
"""Minimum of input and output of a job [MB]; frameworks run many smaller jobs, for example to infer schemas."""
LEAST_SHUFFLED: Final = 1e-3
"""Minimum share of the input or output that counts as a shuffle [1]."""
MOST_TIME_S: Final = 4e9
"""Latest valid time, since 1970 [s]: in the year 2096."""
MOST_PHASES: Final = 50
"""Maximum number of phases stored per job; the longest are stored."""
PHASES: Final[dict[LoggedKind, tuple[str, ...]]] = {
    "mapreduce": ("map and shuffle", "sort and reduce"),
    "hdfs-read": ("read",),
    "hdfs-write": ("write",),
}
"""Names of the phases in the model."""
_LONGEST_TEXT: Final = 200
_MOST_NODES: Final = 1_000_000
_MOST_MB: Final = 1e18


@frozen
class LoggedJob:
    """One job that succeeded, as a log describes it."""

    source: LogSource
    name: str
    line: int
    """Line of the log where the job ends, from 1."""
    started_at: datetime
    """Start of the job, with a time zone."""
    time_s: float
    """Time from the job's submission to its end [s], above 0."""
    nodes: int | None
    """Number of hosts that ran its tasks, at least 1; None if the log lacks it."""
    version: str = ""
    """Version of the framework; "" if the log lacks it."""
    kind: LoggedKind | None = None
    """Kind of the job. None if the log has times only; all sizes are then 0."""
    input_mb: float = 0.0
    """Data read from storage [MB]."""
    shuffled_mb: float = 0.0
    """Data written for the shuffle, after compression [MB]."""
    output_mb: float = 0.0
    """Data written to storage [MB]."""
    cpu_mb_per_s: float | None = None
    """Processing rate of one CPU [MB/s]; None if the log lacks CPU times."""
    phases_s: tuple[tuple[str, float], ...] = ()
    """Name and time of each phase, in order [s]. Phases of the model have their names in `PHASES`."""
    region: str | None = None
    """Region from the host names; None if the names do not show a region."""
    input_output: Literal["object-store"] | None = None
    """Set if the log shows that all input and output was in the object store."""

    @property
    def data_mb(self) -> float:
        """Return the size of the input, or of the output if there is no input [MB]."""
        return self.input_mb or self.output_mb

    def to_dict(self) -> dict[str, Any]:
        """Convert the job to JSON; inverse of `from_dict`."""
        return asdict(self) | {
            "started_at": self.started_at.isoformat(),
            "phases_s": [[name, time_s] for name, time_s in self.phases_s],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "LoggedJob":
        """Build a job from the JSON of `to_dict`."""
        return cls(
            **{
                **document,
                "started_at": datetime.fromisoformat(document["started_at"]),
                "phases_s": tuple((name, time_s) for name, time_s in document["phases_s"]),
            }
        )


def timed_job(
    source: LogSource,
    name: str,
    line: int,
    span_s: tuple[float, float],
    nodes: int | None = None,
    phases_s: Sequence[tuple[str, float]] = (),
) -> LoggedJob:
    """Build a logged job from its times, for a log without sizes.

    Parameters
    ----------
    source : {"spark", "mapreduce", "ray"}
    name : str
    line : int
    span_s : tuple of float
        Start and end of the job [s since 1970].
    nodes : int or None
    phases_s : sequence of (str, float)
        Name and time of each phase [s].
    """
    began_s, ended_s = span_s
    return LoggedJob(
        source=source,
        name=printable(name),
        line=line,
        started_at=datetime.fromtimestamp(began_s, UTC),
        time_s=max(1e-6, round(ended_s - began_s, 6)),
        nodes=nodes,
        phases_s=longest(phases_s),
    )


def kind_of(input_mb: float, shuffled_mb: float, output_mb: float) -> LoggedKind:
    """Return the kind of a job from the amounts of data that it moved [MB].

    Examples
    --------
    >>> kind_of(100.0, 50.0, 10.0), kind_of(100.0, 0.0, 1.0), kind_of(0.0, 0.0, 10.0)
    ('mapreduce', 'hdfs-read', 'hdfs-write')
    """
    # TestDFSIO and counts shuffle a few bytes of results, too few to affect the time.
    if shuffled_mb > LEAST_SHUFFLED * max(input_mb, output_mb):
        return "mapreduce"
    return "hdfs-read" if input_mb >= output_mb else "hdfs-write"


def cpu_mb_per_s(kind: LoggedKind, input_mb: float, fetched_mb: float, output_mb: float, cpu_s: float) -> float | None:
    """Return the processing rate of one CPU [MB/s]; None if it is unknown.

    The rate is the processed data divided by the CPU time. Write jobs process the data that they write. Other jobs
    process the data that they read from storage and from the shuffle.

    Parameters
    ----------
    kind : {'mapreduce', 'hdfs-read', 'hdfs-write'}
    input_mb, fetched_mb, output_mb : float
        Data read from storage, data read from the shuffle, and data written to storage [MB].
    cpu_s : float
        CPU time of all tasks [s].
    """
    processed_mb = output_mb if kind == "hdfs-write" else input_mb + fetched_mb
    return processed_mb / cpu_s if cpu_s > 0.0 and processed_mb > 0.0 else None


def region_of(hosts: Iterable[str]) -> str | None:
    """Return the region that the default host names of EC2 contain.

    The result is None if the names contain no region, or different regions.

    Examples
    --------
    >>> region_of(["ip-10-0-0-7.eu-west-1.compute.internal", "ip-10-0-0-9.eu-west-1.compute.internal"])
    'eu-west-1'
    >>> region_of(["ip-10-0-0-7.ec2.internal"]), region_of(["worker-1", "worker-2"])
    ('us-east-1', None)
    """
    found = {_region(host) for host in hosts}
    return found.pop() if len(found) == 1 else None


def plausible(job: LoggedJob) -> bool:
    """Return whether the values of a job are possible.

    The check is needed since jobs come from the sandboxed process, which is untrusted.
    """
    sizes_mb = (job.input_mb, job.shuffled_mb, job.output_mb)
    texts = (job.version, job.name, job.region or "", *(name for name, _ in job.phases_s))
    return (
        0.0 < job.time_s <= MOST_TIME_S
        and (job.nodes is None or 1 <= job.nodes <= _MOST_NODES)
        and job.line >= 1
        and all(0.0 <= size_mb <= _MOST_MB for size_mb in sizes_mb)
        and (job.data_mb > 0.0) == (job.kind is not None)
        and (job.cpu_mb_per_s is None or 0.0 < job.cpu_mb_per_s <= _MOST_MB)
        and len(job.phases_s) <= MOST_PHASES
        and all(0.0 <= time_s <= MOST_TIME_S for _, time_s in job.phases_s)
        and job.started_at.tzinfo is not None
        and all(text == printable(text) for text in texts)
    )


def longest(phases_s: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Return the `MOST_PHASES` longest phases, in their original order."""
    if len(phases_s) <= MOST_PHASES:
        return tuple(phases_s)
    kept = sorted(range(len(phases_s)), key=lambda place: -phases_s[place][1])[:MOST_PHASES]
    return tuple(phases_s[place] for place in sorted(kept))


def printable(text: str) -> str:
    """Return a text of a log in printable form.

    Control characters are removed, and the text is cut to 200 characters.
    """
    return "".join(letter for letter in text[:_LONGEST_TEXT] if letter.isprintable())


def refuse_more(found: int, most: int, what: str) -> None:
    """Raise `Unreadable` if a log exceeds a limit."""
    if found > most:
        raise Unreadable(f"more than {most:,} {what}")


def to_seconds(milliseconds: float) -> float:
    """Convert milliseconds since 1970 to seconds.

    Raises
    ------
    ValueError
        The time is later than `MOST_TIME_S`.
    """
    if milliseconds > 1e3 * MOST_TIME_S:
        raise ValueError(f"{milliseconds:.15g} where a time in milliseconds since 1970 was expected")
    return milliseconds / 1e3


def _region(host: str) -> str | None:
    if host.endswith(".ec2.internal"):
        return "us-east-1"
    name, _, domain = host.partition(".")
    region, _, rest = domain.partition(".")
    plain = region.isascii() and region.replace("-", "").isalnum() and len(region) <= 20
    return region if name.startswith("ip-") and rest == "compute.internal" and plain else None
