"""What works in the background as processes of their own: `stowage worker`, `stowage scheduler`."""

import logging
from collections.abc import Sequence

from stowage import logs
from stowage.cli.configuration import configured
from stowage.cli.mailing import mailer_of
from stowage.jobs.errors import JobsError
from stowage.jobs.queue import QUEUES, QueueName
from stowage.processes.parent import end_with_parent
from stowage.usecases.refresh import Schedule
from stowage_worker.run import run_scheduler, run_worker
from stowage_worker.tasks import Connections

log = logging.getLogger(__name__)

FAILED = 1


def work(queues: Sequence[QueueName], processes: int | None) -> int:
    """Work on jobs until SIGTERM or SIGINT.

    Parameters
    ----------
    queues : sequence of QueueName
        Empty for all.
    processes : int or None
        How many parts at once; None for what the settings say.

    Returns
    -------
    int
        Exit status: 0 stopped as asked; 1 Redis is not to be had under its address.
    """
    end_with_parent()
    tends = "quick" in (queues or QUEUES)
    settings = configured("DATABASE_URL", "REDIS_URL", *(("GATE_DATABASE_URL",) if tends else ()))
    logs.configure(settings.log)
    try:
        connections = Connections(
            str(settings.database_url),
            str(settings.redis_url),
            Schedule(settings.refresh_every_s, settings.refresh_regions),
            settings.gate_database_url if tends else None,
            mailer_of(settings),
            settings.public_url,
            settings.pace,
        )
        return run_worker(connections, queues or QUEUES, processes or settings.processes)
    except JobsError as error:
        log.error("%s", error)  # noqa: TRY400 - a trace would say no more
        return FAILED


def schedule() -> int:
    """Send what is due until SIGTERM or SIGINT; exit status as of `work`."""
    end_with_parent()
    settings = configured("REDIS_URL")
    logs.configure(settings.log)
    try:
        return run_scheduler(str(settings.redis_url))
    except JobsError as error:
        log.error("%s", error)  # noqa: TRY400 - a trace would say no more
        return FAILED
