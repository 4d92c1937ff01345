"""Load of a team on the service: open jobs, event streams and recent CPU time."""

from typing import Literal
from uuid import UUID

from stowage.model.job import JobKind
from stowage.platform.database.database import Database
from stowage.platform.database.rows import values_of
from stowage.platform.described import Answer
from stowage.platform.jobs import store
from stowage.platform.jobs.errors import Unreachable
from stowage.platform.jobs.fair_queue import CPU_TIME_HALF_LIFE_S, FREE_CPU_TIME_S
from stowage.platform.jobs.queue import Queue
from stowage.platform.quotas import streams_of


class OpenJobsAnswer(Answer):
    """Jobs of one kind that have not ended."""

    kind: JobKind
    queued: int
    running: int
    units_left: int
    """Units of all these jobs that are not done, like cells of sweeps."""


LoadLevel = Literal["idle", "light", "heavy", "paused"]
"""``paused``: the team's jobs wait while other teams send requests."""

_LIGHT, _HEAVY = 0.01, 0.5
"""Shares of the free CPU time from which a load is light, and from which it is heavy [1]."""


def level_of(share: float) -> LoadLevel:
    """Return the level of a load.

    Parameters
    ----------
    share : float
        Recent CPU time, as a share of the CPU time above which jobs pause [1], at least 0.

    Examples
    --------
    >>> [level_of(share) for share in (0.0, 0.01, 0.49, 0.5, 1.0, 1.01)]
    ['idle', 'light', 'light', 'heavy', 'heavy', 'paused']
    """
    if share > 1.0:
        return "paused"
    return "heavy" if share >= _HEAVY else "light" if share >= _LIGHT else "idle"


class LoadAnswer(Answer):
    """Load of a team on the service."""

    jobs: list[OpenJobsAnswer]
    streams: int | None = None
    """Open event streams; None while Redis is unreachable."""
    cpu_s: float | None = None
    """Recent CPU time of background jobs [s]: each second counts half after `half_life_s`; None while Redis is
    unreachable."""
    half_life_s: float = CPU_TIME_HALF_LIFE_S
    free_cpu_s: float = FREE_CPU_TIME_S
    """Recent CPU time above which the team's jobs pause while other teams send requests [s]."""
    level: LoadLevel | None = None
    """Level of `cpu_s`; None while Redis is unreachable."""


def read(database: Database, queue: Queue, team_id: UUID) -> LoadAnswer:
    """Return the load of a team now."""
    with database.transaction(team_id) as connection:
        jobs = [OpenJobsAnswer(**values_of(each)) for each in store.open_jobs(connection)]
    try:
        streams, cpu_s = queue.leases(streams_of(team_id)), queue.cpu_time(team_id)
    except Unreachable:
        return LoadAnswer(jobs=jobs)
    return LoadAnswer(jobs=jobs, streams=streams, cpu_s=cpu_s, level=level_of(cpu_s / FREE_CPU_TIME_S))
