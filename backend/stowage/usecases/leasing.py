"""Shares of what all teams use: what is done for a team by one process at a time, and by how many for one team."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from uuid import UUID, uuid4

from stowage.store import leases as store
from stowage.store.database import Database
from stowage.store.errors import Unreachable

log = logging.getLogger(__name__)

AWS_TURNS = ("aws 0", "aws 1")
"""How many processes reach into the AWS accounts of one team at a time. Each waits for what the team's own account
answers: of the four that `docker-compose.yml` starts, two are left for the others."""

_BEAT_EVERY_S = 5.0


@contextmanager
def leased(database: Database, org_id: UUID, *names: str) -> Iterator[bool]:
    """Hold the first lease of the team that is free until the block is left.

    Parameters
    ----------
    database : Database
    org_id : UUID
    *names : str
        Of the leases that would do.

    Yields
    ------
    bool
        Whether there was one. Where there was none, somebody else does the work, and the block must not.
    """
    holder = uuid4()
    with database.transaction(org_id) as connection:
        name = next((each for each in names if store.take(connection, each, holder)), None)
    if name is None:
        yield False
        return
    ended = Event()

    def beat() -> None:
        while not ended.wait(_BEAT_EVERY_S):
            try:
                with database.transaction(org_id) as connection:
                    if not store.keep(connection, name, holder):
                        return
            except Unreachable as error:
                log.warning("no heartbeat was stored: %s", error)

    thread = Thread(target=beat, name="heartbeat of a lease", daemon=True)
    thread.start()
    try:
        yield True
    finally:
        ended.set()
        thread.join()
        try:
            with database.transaction(org_id) as connection:
                store.release(connection, name, holder)
        except Unreachable as error:
            log.warning("a lease was not given back, and ends by itself: %s", error)
