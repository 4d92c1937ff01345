"""Named leases of a team, each for work that only its holder may do. A lease without heartbeats expires."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from uuid import UUID, uuid4

from sqlalchemy import Connection, delete, func, not_, update
from sqlalchemy.dialects.postgresql import insert

from stowage.platform.database.database import Database
from stowage.platform.database.errors import Unreachable
from stowage.platform.database.rows import seconds_from_now
from stowage.platform.database.tables import lease
from stowage.platform.jobs.heartbeats import ClaimLost, heartbeats

log = logging.getLogger(__name__)

LEASE_S = 20.0
"""Time without a heartbeat after which a lease expires [s]."""
AWS_LEASES = ("aws 0", "aws 1")
"""Leases of the processes that work in the AWS accounts of one team. Each of them waits for responses of that account:
of the four processes that `docker-compose.yml` starts, two remain for other teams."""

_BEAT_EVERY_S = 5.0


def take(connection: Connection, name: str, holder: UUID) -> bool:
    """Acquire a lease of the team.

    Returns False if another holder has the lease. If a stored lease ends later than a new lease would end, the clock
    was set back, and the stored lease counts as expired.
    """
    first = insert(lease).values(name=name, holder=holder, until=seconds_from_now(LEASE_S))
    taken = first.on_conflict_do_update(
        index_elements=[lease.c.org_id, lease.c.name],
        set_={"holder": first.excluded.holder, "until": first.excluded.until},
        where=not_(lease.c.until.between(func.now(), seconds_from_now(LEASE_S))),
    )
    return connection.execute(taken.returning(lease.c.name)).one_or_none() is not None


def keep(connection: Connection, name: str, holder: UUID) -> None:
    """Store a heartbeat of a lease's holder.

    Raises
    ------
    ClaimLost
        Another holder has the lease, or the lease was released.
    """
    mine = lease.c.name == name, lease.c.holder == holder
    if not connection.execute(update(lease).where(*mine).values(until=seconds_from_now(LEASE_S))).rowcount:
        raise ClaimLost


def release(connection: Connection, name: str, holder: UUID) -> None:
    """Release a lease.

    Does nothing if the holder has lost the lease.
    """
    connection.execute(delete(lease).where(lease.c.name == name, lease.c.holder == holder))


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
        name = next((each for each in names if take(connection, each, holder)), None)
    if name is None:
        yield False
        return
    try:
        with heartbeats(database, org_id, partial(keep, name=name, holder=holder), _BEAT_EVERY_S):
            yield True
    finally:
        try:
            with database.transaction(org_id) as connection:
                release(connection, name, holder)
        except Unreachable as error:
            log.warning("cannot release a lease, which will expire: %s", error)
