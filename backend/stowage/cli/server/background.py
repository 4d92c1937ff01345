"""Background work: `stowage worker`, `stowage scheduler`, and the workers of `stowage up`."""

import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from signal import SIGQUIT, SIGTERM

from stowage import logs
from stowage.catalog.schedule import Schedule
from stowage.cli.keys import keyring_of
from stowage.cli.server.configuration import configured
from stowage.cli.server.mailing import mailer_of
from stowage.cli.statuses import FAILED
from stowage.platform.jobs.errors import JobsError
from stowage.platform.jobs.queue import PERIODIC, QUEUES, QueueName
from stowage.processes.forks import Fork
from stowage.processes.priority import yield_to_others
from stowage.settings import Settings
from stowage_worker.run import run_scheduler, run_worker
from stowage_worker.tasks import Connections

log = logging.getLogger(__name__)

LONG_QUEUES: tuple[QueueName, ...] = ("sweeps", "uploads")
ALERT_QUEUES: tuple[QueueName, ...] = ("alerts",)
"""Separate queue, because alerts wait for servers that teams choose and that may be slow."""
PERIODIC_QUEUES: tuple[QueueName, ...] = (PERIODIC,)
SHORT_QUEUES = tuple(name for name in QUEUES if name not in {*LONG_QUEUES, *ALERT_QUEUES, PERIODIC})
_READS_SECRETS: frozenset[QueueName] = frozenset({"runs", "alerts"})
"""Queues whose workers need the keys of secrets: alerts sign webhooks, runs verify the signatures of their nodes."""
_GROWTH_MB, _SHORT_GROWTH_MB = 64, 32
"""Memory growth after which a pool process is replaced [MB]. The catalog is loaded before the fork, and a usual sweep
needs 30 MB. Typesetting a report or loading the example team needs more; replacing the process takes milliseconds."""
_SHORT_PROCESSES = 3
"""While a refresh and a benchmark run both wait for AWS, one process is left for short jobs."""
_WITHOUT_POOL = 0
"""One part at a time, in the worker itself: for short parts and parts with their own timeout, such as alerts (15 s).
A pool of one process would take 36 MB more."""

_STOP_BY = ((SIGTERM, 5.0), (SIGQUIT, 5.0))
"""After the first signal Celery finishes its tasks; after the second it returns them to the queue. Pauses in [s]."""


def work(queues: Sequence[QueueName], processes: int | None) -> int:
    """Work on jobs until SIGTERM or SIGINT.

    Parameters
    ----------
    queues : sequence of QueueName
        Queues to serve; empty for all.
    processes : int or None
        Number of job parts that are processed at once; None for the number in the settings.

    Returns
    -------
    int
        Exit status: 0 stopped on request; 1 the address of Redis is invalid.
    """
    queues = queues or QUEUES
    settings = configured("DATABASE_URL", "REDIS_URL", *_needed(queues))
    logs.configure(settings.log)
    try:
        return run_worker(
            connections_for(
                settings, str(settings.database_url), settings.gate_database_url, str(settings.redis_url), queues
            ),
            queues,
            # Requeueing and reconciling take milliseconds.
            _WITHOUT_POOL if tuple(queues) == PERIODIC_QUEUES else processes or settings.processes,
        )
    except JobsError as error:
        log.error("%s", error)  # noqa: TRY400 - a traceback adds nothing
        return FAILED


def schedule() -> int:
    """Run the scheduler, which sends the messages that start periodic work, until SIGTERM or SIGINT.

    Return the exit status as `work` does.
    """
    settings = configured("REDIS_URL")
    logs.configure(settings.log)
    try:
        return run_scheduler(str(settings.redis_url))
    except JobsError as error:
        log.error("%s", error)  # noqa: TRY400 - a traceback adds nothing
        return FAILED


def local_workers(
    settings: Settings,
    database_url: str,
    gate_url: str,
    redis_url: str,
    log_folder: Path,
    begin: Callable[[], None],
) -> tuple[Fork, ...]:
    """Return the worker processes to fork on one machine: for long jobs, alerts, short jobs and periodic work.

    The process for periodic work is also the scheduler.

    Parameters
    ----------
    settings : Settings
    database_url, gate_url, redis_url : str
    log_folder : Path
    begin : callable
        Called in each forked worker before its first task.
    """

    def forked(
        kind: str,
        queues: Sequence[QueueName],
        processes: int,
        *,
        schedules: bool = False,
        growth_mb: int = _GROWTH_MB,
    ) -> Fork:
        connections = connections_for(settings, database_url, gate_url, redis_url, queues)

        def work(_started: Callable[[], None]) -> None:
            begin()
            logs.configure(settings.log)
            if PERIODIC not in queues:
                # Requests have priority: sweeps and uploads must not slow them down.
                yield_to_others()
            sys.exit(run_worker(connections, queues, processes, schedules=schedules, growth_mb=growth_mb))

        log = log_folder / f"worker-{kind}.log"
        return Fork(
            "the worker for alerts" if kind == "alerts" else f"the worker for {kind} jobs",
            f"stowage {kind}",
            work,
            log,
            _STOP_BY,
        )

    return (
        forked("long", LONG_QUEUES, settings.processes),
        forked("alerts", ALERT_QUEUES, _WITHOUT_POOL),
        forked("short", SHORT_QUEUES, _SHORT_PROCESSES, growth_mb=_SHORT_GROWTH_MB),
        forked("periodic", PERIODIC_QUEUES, _WITHOUT_POOL, schedules=True),
    )


def connections_for(
    settings: Settings, database_url: str, gate_url: str | None, redis_url: str, queues: Sequence[QueueName]
) -> Connections:
    """Return the connections and keys that a worker needs for its queues.

    The URL of the auth role's database is included only if a queue has work that crosses teams.
    """
    return Connections(
        database_url,
        redis_url,
        Schedule(settings.refresh_every_s, settings.refresh_regions),
        gate_url if _crosses_teams(queues) else None,
        mailer_of(settings),
        settings.public_url,
        settings.pace,
        keyring_of(settings) if _READS_SECRETS & set(queues) else None,
    )


def _needed(queues: Sequence[QueueName]) -> list[str]:
    """Return the names of the settings that a worker needs in addition to the URLs of the database and Redis."""
    needed = ["GATE_DATABASE_URL"] if _crosses_teams(queues) else []
    return needed + (["STOWAGE_SECRETS_KEY"] if _READS_SECRETS & set(queues) else [])


def _crosses_teams(queues: Sequence[QueueName]) -> bool:
    """Return whether a queue has work that crosses teams, which needs the auth role.

    Only periodic work crosses teams.
    """
    return PERIODIC in queues
