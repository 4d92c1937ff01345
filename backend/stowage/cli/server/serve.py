"""Parts of the product as processes of their own, for many users: `stowage api`, `stowage migrate`."""

import logging
import signal
import socket
import sys
from types import FrameType

from stowage import logs
from stowage.cli.server.configuration import configured
from stowage.platform.database.errors import StoreError
from stowage.platform.jobs.errors import JobsError
from stowage.processes.errors import ProcessError
from stowage.processes.forks import Fork

log = logging.getLogger(__name__)

DONE, FAILED = 0, 1


def serve() -> int:
    """Serve the API and the page until SIGTERM or SIGINT; the tables must be there.

    Whom to believe about the client's address is uvicorn's ``FORWARDED_ALLOW_IPS``: none, unless it is set.

    Returns
    -------
    int
        Exit status: 0 stopped as asked; 1 the address is taken, or that of a server is none.
    """
    settings = configured("DATABASE_URL", "GATE_DATABASE_URL", "REDIS_URL", "STOWAGE_SECRETS_KEY")
    # Imported here: a missing setting is reported without loading the whole service.
    from stowage.cli.server import local

    logs.configure(settings.log)
    for number in (signal.SIGTERM, signal.SIGINT):
        # `local.serve` stops serving at these and raises them again when it has stopped: then they end the process.
        signal.signal(number, _end)
    family = socket.AF_INET6 if ":" in settings.bind else socket.AF_INET
    try:
        listener = socket.create_server((settings.bind, settings.port), family=family, backlog=128)
    except OSError as error:
        log.error("cannot listen on %s port %d: %s", settings.bind, settings.port, error.strerror)  # noqa: TRY400
        return FAILED

    def answering() -> tuple[Fork, ...]:
        log.info("answering on %s port %d", settings.bind, settings.port)
        return ()

    with listener:
        try:
            local.serve(
                settings,
                str(settings.database_url),
                str(settings.gate_database_url),
                str(settings.redis_url),
                listener,
                answering,
                # All write to the same standard output, each record at once.
                lambda _number: None,
                log.warning,
            )
        except (StoreError, JobsError, ProcessError) as error:
            log.error("%s", error)  # noqa: TRY400 - a trace would say no more
            return FAILED
    return DONE


def migrate() -> int:
    """Bring the database to the version of this program, once, before the other parts start.

    Returns
    -------
    int
        Exit status: 0 done; 1 the database does not answer or its roles are unfit.
    """
    settings = configured("DATABASE_URL", "GATE_DATABASE_URL", "MIGRATIONS_DATABASE_URL", "STOWAGE_SECRETS_KEY")
    from stowage.cli.keys import keyring_of
    from stowage.cli.server.preparation import prepare_database

    logs.configure(settings.log)
    try:
        prepare_database(
            str(settings.migrations_database_url),
            str(settings.database_url),
            str(settings.gate_database_url),
            keyring_of(settings),
        )
    except StoreError as error:
        log.error("not migrated: %s", error)  # noqa: TRY400 - a trace would say no more
        return FAILED
    log.info("the database is of this version")
    return DONE


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(DONE)
