"""Leases that bound the number of processes that work for one team at a time."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from uuid import UUID, uuid4

from stowage.platform.database.database import Database
from stowage.platform.database.errors import Unreachable
from stowage.platform.jobs import leases as store
from stowage.platform.jobs.heartbeats import heartbeats

log = logging.getLogger(__name__)

AWS_LEASES = ("aws 0", "aws 1")
"""Leases of the processes that work in the AWS accounts of one team. Each of them waits for responses of that account:
of the four processes that `docker-compose.yml` starts, two remain for other teams."""

_BEAT_EVERY_S = 5.0


@contextmanager
def leased(database: Database, org_id: UUID, *names: str) -> Iterator[bool]:
    """Acquire the first free lease of a list until the block ends.

    The lease is renewed by heartbeats.

    Parameters
    ----------
    database : Database
    org_id : UUID
    *names : str
        Names of the alternative leases.

    Yields
    ------
    bool
        Whether one of the leases was free. If False, other processes do the work, and the block must not do it.
    """
    holder = uuid4()
    with database.transaction(org_id) as connection:
        name = next((each for each in names if store.take(connection, each, holder)), None)
    if name is None:
        yield False
        return
    try:
        with heartbeats(database, org_id, partial(store.keep, name=name, holder=holder), _BEAT_EVERY_S):
            yield True
    finally:
        try:
            with database.transaction(org_id) as connection:
                store.release(connection, name, holder)
        except Unreachable as error:
            log.warning("cannot release a lease, which will expire: %s", error)
