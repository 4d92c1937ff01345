"""`stowage demo`: loading, removal and reset of the example team."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from typing import Literal

import click

from stowage import example as demo
from stowage import logs
from stowage.cli.server.configuration import configured
from stowage.cli.server.preparation import prepare_database
from stowage.cli.server.running import running
from stowage.cli.statuses import BAD_INPUT, DONE, failed
from stowage.measure.seeds import SEEDS
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import start_postgres
from stowage.platform.database.errors import StoreError
from stowage.platform.jobs.embedded import start_redis
from stowage.platform.jobs.errors import JobsError
from stowage.platform.jobs.queue import Queue
from stowage.processes.errors import ProcessError
from stowage.processes.state import sole_use
from stowage.processes.supervisor import Supervisor
from stowage.settings import Settings

Action = Literal["load", "remove", "reset"]


def run(action: Action) -> int:
    """Load, remove or reset the example team.

    The servers are those in the settings, or else those of a running `stowage up`, or else new ones.

    Returns
    -------
    int
        Exit status: 0 done; 1 a server does not answer or does not start; 2 a setting is missing.
    """
    settings = configured()
    logs.configure(settings.log)
    if (settings.database_url is None) != (settings.redis_url is None):
        missing = "REDIS_URL" if settings.redis_url is None else "DATABASE_URL"
        return failed(f"{missing} is not set: both servers are named, or none", BAD_INPUT)
    try:
        with _servers(settings) as (database, queue, alone):
            if action != "load":
                demo.remove(database)
            if action != "remove":
                demo.load(database, queue, datetime.now(UTC))
                if alone:
                    demo.compute(database, queue, time.monotonic)
    except (StoreError, JobsError, ProcessError) as error:
        return failed(logs.mask(str(error)))
    click.echo(_told(action, alone=alone))
    return DONE


def _told(action: Action, *, alone: bool) -> str:
    if action == "remove":
        return "The example team is empty; `stowage demo load` brings it back."
    measured = f"measurements of {len(SEEDS)} files"
    computed = "and computed its sweeps" if alone else "and started its sweeps"
    made = f"{len(demo.PLANS)} plans, {len(demo.SWEEPS)} sweeps, a report"
    return f"Loaded the example team ({measured}, {made}) {computed}."


@contextmanager
def _servers(settings: Settings) -> Iterator[tuple[Database, Queue, bool]]:
    """Connect to the servers of the example team, and start servers if none are configured or running.

    Yields
    ------
    (Database, Queue, bool)
        The connections, and whether this command has started the servers. If it has, no workers run.
    """
    with ExitStack() as stack:
        found = None if settings.database_url is not None else running(settings.home)
        if settings.database_url is not None:
            database_url, redis_url = settings.database_url, str(settings.redis_url)
        elif found is not None:
            database_url, redis_url = found.database_url, found.redis_url
        else:
            home = stack.enter_context(sole_use(settings.home))
            supervisor = stack.enter_context(Supervisor())
            redis, postgres = start_redis(supervisor, home), start_postgres(supervisor, home)
            redis_url, urls = redis.url(), postgres.urls()
            prepare_database(urls.owner, urls.application, urls.gate)
            database_url = urls.application
        database = stack.enter_context(closing(Database(database_url)))
        queue = stack.enter_context(Queue(redis_url))
        yield database, queue, settings.database_url is None and found is None
