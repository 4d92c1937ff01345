"""Conversion of a MapReduce job's counters to a logged job.

All readers of logs with counters use this module.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Literal

from stowage.frozen import frozen
from stowage.measure.logs.logged_jobs import LEAST_MB, PHASES, LoggedJob, cpu_mb_per_s, kind_of, printable, region_of

_OBJECT_STORE: Final = ("S3", "S3A", "S3N")
"""Schemes of Hadoop's and EMR's file systems over S3."""
_LOCAL: Final = "FILE"
"""Scheme of local disks, which store intermediate data."""
_WHOLLY: Final = 0.99
"""Minimum share of bytes in the object store for input or output to count as stored there [1].

It is below 1 because the job reads its splits from another file system.
"""

Counters = Mapping[str, float]
"""Counters by their Hadoop names: ``HDFS_BYTES_READ``, ``CPU_MILLISECONDS``."""


@frozen
class Ran:
    """One MapReduce job that succeeded."""

    name: str
    line: int
    """Line of the log where the job ends, from 1."""
    began_s: float
    """Start of the job [s since 1970]."""
    ended_s: float
    """End of the job [s since 1970]."""
    reduced: bool
    """Whether the job had reduce tasks."""
    hosts: Collection[str] | None = None
    """Hosts that ran its tasks; None if the log lacks them."""


def logged_job(
    ran: Ran,
    maps: Counters,
    total: Counters,
    phases: Callable[[Sequence[str]], Iterable[tuple[str, float]]] = lambda _names: (),
) -> LoggedJob | None:
    """Build a logged job from counters.

    The result is None if the job moved hardly any data, or if its times are implausible.

    Parameters
    ----------
    ran : Ran
    maps, total : Counters
        Counters of the map tasks, and of all tasks.
    phases : callable
        Function that returns the time of each phase [s]. Its argument is the model's names of the phases.
    """
    input_mb, output_mb = _moved_mb(maps, "READ"), _moved_mb(total, "WRITTEN")
    shuffled_mb = maps.get("MAP_OUTPUT_MATERIALIZED_BYTES", 0.0) / 1e6 if ran.reduced else 0.0
    if ran.ended_s <= ran.began_s or max(input_mb, output_mb) < LEAST_MB:
        return None
    cpu_s = total.get("CPU_MILLISECONDS", 0.0) / 1e3
    kind = kind_of(input_mb, shuffled_mb, output_mb)
    in_store = all(_in_object_store(*side) for side in ((maps, "READ"), (total, "WRITTEN")))
    return LoggedJob(
        source="mapreduce",
        name=printable(ran.name) or "job",
        line=ran.line,
        kind=kind,
        started_at=datetime.fromtimestamp(ran.began_s, UTC),
        time_s=max(1e-3, round(ran.ended_s - ran.began_s, 3)),
        nodes=None if ran.hosts is None else max(1, len(ran.hosts)),
        input_mb=input_mb,
        shuffled_mb=shuffled_mb,
        output_mb=output_mb,
        cpu_mb_per_s=cpu_mb_per_s(kind, input_mb, shuffled_mb, output_mb, cpu_s),
        phases_s=tuple(phases(PHASES[kind])),
        region=region_of(ran.hosts or ()),
        input_output="object-store" if in_store else None,
    )


def counts(group: str) -> bool:
    """Return whether a group of counters belongs to file systems or to the framework.

    Other groups belong to user programs.
    """
    return group.rsplit(".", 1)[-1] in {"FileSystemCounter", "TaskCounter"}


def _moved_mb(counters: Counters, way: Literal["READ", "WRITTEN"]) -> float:
    """Return the data that a job read or wrote [MB].

    Only file systems that hold the input and output of jobs are counted.
    """
    return sum(_by_scheme(counters, way).values()) / 1e6


def _in_object_store(counters: Counters, way: Literal["READ", "WRITTEN"]) -> bool:
    found = _by_scheme(counters, way)
    whole = sum(found.values())
    return whole == 0.0 or sum(found.get(scheme, 0.0) for scheme in _OBJECT_STORE) >= _WHOLLY * whole


def _by_scheme(counters: Counters, way: Literal["READ", "WRITTEN"]) -> dict[str, float]:
    end = f"_BYTES_{way}"
    return {
        name.removesuffix(end): value
        for name, value in counters.items()
        if name.endswith(end) and name.removesuffix(end) != _LOCAL
    }
