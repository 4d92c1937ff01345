"""Counts of attempts, for throttling; accessible to the auth role only. A key is stored as a hash."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, case, delete, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from stowage.frozen import frozen
from stowage.platform.database.tables import throttle

_AT_ONCE = 1_000
"""Maximum number of expired rows that are removed at a time."""


@frozen
class Counted:
    """Result of counting an attempt under a key."""

    failures: int
    """Attempts in the current period, including the latest unless it was refused."""
    blocked_until: datetime | None
    """Time until which attempts are refused; may be in the past."""


def count(connection: Connection, key: bytes, *, now: datetime, within: timedelta) -> Counted:
    """Count an attempt unless attempts under the key are blocked.

    The key is locked until the transaction ends.

    Parameters
    ----------
    connection : Connection
    key : bytes
    now : datetime
    within : timedelta
        Period after which the count restarts.
    """
    # "failures" alone would be ambiguous; in the update it is that of the existing row.
    counted = case(
        (throttle.c.blocked_until > now, throttle.c.failures),
        (throttle.c.since <= now - within, 1),
        else_=throttle.c.failures + 1,
    )
    since = case((throttle.c.since <= now - within, now), else_=throttle.c.since)
    first = insert(throttle).values(key=key, failures=1, since=now)
    once_more = first.on_conflict_do_update(
        index_elements=[throttle.c.key], set_={"failures": counted, "since": since}
    ).returning(throttle.c.failures, throttle.c.blocked_until)
    row = connection.execute(once_more).one()
    return Counted(row.failures, row.blocked_until)


def hold_back(connection: Connection, key: bytes, until: datetime) -> None:
    """Block attempts under a key until a time."""
    connection.execute(update(throttle).where(throttle.c.key == key).values(blocked_until=until))


def take_back(connection: Connection, key: bytes) -> None:
    """Subtract one attempt from the count of a key."""
    connection.execute(
        update(throttle)
        .where(throttle.c.key == key, throttle.c.failures > 0)
        .values(failures=throttle.c.failures - 1, blocked_until=None)
    )


def forget(connection: Connection, key: bytes) -> None:
    """Delete the count of a key."""
    connection.execute(delete(throttle).where(throttle.c.key == key))


def purge(connection: Connection, *, now: datetime, within: timedelta) -> None:
    """Delete expired counts, except those that another transaction has locked."""
    over = (
        select(throttle.c.key)
        .where(
            throttle.c.since <= now - within, or_(throttle.c.blocked_until.is_(None), throttle.c.blocked_until <= now)
        )
        .limit(_AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    connection.execute(delete(throttle).where(throttle.c.key.in_(over)))
