"""Load of a team on the service: open jobs, event streams and recent CPU time."""

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


def read(database: Database, queue: Queue, team_id: UUID) -> LoadAnswer:
    """Return the load of a team now."""
    with database.transaction(team_id) as connection:
        jobs = [OpenJobsAnswer(**values_of(each)) for each in store.open_jobs(connection)]
    try:
        return LoadAnswer(jobs=jobs, streams=queue.leases(streams_of(team_id)), cpu_s=queue.cpu_time(team_id))
    except Unreachable:
        return LoadAnswer(jobs=jobs)
