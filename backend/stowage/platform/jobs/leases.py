"""Named leases of a team, each for work that only its holder may do. A lease without heartbeats expires."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, delete, func, not_, update
from sqlalchemy.dialects.postgresql import insert

from stowage.platform.database.tables import lease
from stowage.platform.jobs.heartbeats import ClaimLost

LEASE_S = 20.0
"""Time without a heartbeat after which a lease expires [s]."""


def take(connection: Connection, name: str, holder: UUID) -> bool:
    """Acquire a lease of the team.

    Returns False if another holder has the lease. If a stored lease ends later than a new lease would end, the clock
    was set back, and the stored lease counts as expired.
    """
    first = insert(lease).values(name=name, holder=holder, until=_until())
    taken = first.on_conflict_do_update(
        index_elements=[lease.c.org_id, lease.c.name],
        set_={"holder": first.excluded.holder, "until": first.excluded.until},
        where=not_(lease.c.until.between(func.now(), _until())),
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
    if not connection.execute(update(lease).where(*mine).values(until=_until())).rowcount:
        raise ClaimLost


def release(connection: Connection, name: str, holder: UUID) -> None:
    """Release a lease.

    Does nothing if the holder has lost the lease.
    """
    connection.execute(delete(lease).where(lease.c.name == name, lease.c.holder == holder))


def _until() -> ColumnElement[datetime]:
    return func.now() + func.make_interval(0, 0, 0, 0, 0, 0, LEASE_S)
