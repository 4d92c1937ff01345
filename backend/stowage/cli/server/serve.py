"""Separate processes for larger installations: `stowage api`, `stowage migrate`."""

import logging
import signal
import sys
from types import FrameType

from stowage import logs
from stowage.cli.server.configuration import configured
from stowage.cli.statuses import DONE, FAILED
from stowage.platform.database.errors import StoreError
from stowage.platform.jobs.errors import JobsError
from stowage.processes.errors import ProcessError
from stowage.processes.forks import Fork
from stowage.processes.sockets import listen

log = logging.getLogger(__name__)


def serve() -> int:
    """Serve the API and the page until SIGTERM or SIGINT.

    The tables of the database must exist (`stowage migrate`).

    Proxies that may set the client's address are listed in uvicorn's ``FORWARDED_ALLOW_IPS``; none by default.

    Returns
    -------
    int
        Exit status: 0 stopped on request; 1 the address is in use, or a server URL is invalid.
    """
    settings = configured("DATABASE_URL", "GATE_DATABASE_URL", "REDIS_URL", "STOWAGE_SECRETS_KEY")
    # Imported here: a missing setting is reported without loading the whole service.
    from stowage.cli.server import local

    logs.configure(settings.log)
    for number in (signal.SIGTERM, signal.SIGINT):
        # `local.serve` stops at these signals and raises them again at the end; this handler then exits.
        signal.signal(number, _end)
    try:
        listener = listen(settings.bind, settings.port)
    except OSError as error:
        log.error("cannot listen on %s port %d: %s", settings.bind, settings.port, error.strerror)  # noqa: TRY400
        return FAILED

    def answering() -> tuple[Fork, ...]:
        log.info("listening on %s port %d", settings.bind, settings.port)
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
                # All processes log to the same standard output, one record per write.
                lambda _number: None,
                log.warning,
            )
        except (StoreError, JobsError, ProcessError) as error:
            log.error("%s", error)  # noqa: TRY400 - a traceback adds nothing
            return FAILED
    return DONE


def migrate() -> int:
    """Migrate the database to the version of this program, before the API and the workers start.

    Returns
    -------
    int
        Exit status: 0 done; 1 the database does not answer or its roles are unsuitable.
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
        log.error("not migrated: %s", error)  # noqa: TRY400 - a traceback adds nothing
        return FAILED
    log.info("the database is of this version")
    return DONE


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(DONE)
