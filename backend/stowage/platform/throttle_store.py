"""Attempts that are counted, so that guessing is slow: the gate's. What is counted is kept as a digest only."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, case, delete, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from stowage.platform.database.tables import throttle

_AT_ONCE = 1_000
"""How many rows that say nothing any more are removed at a time."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a key has come to.

    Parameters
    ----------
    failures : int
        Attempts of the present stretch, this one too, unless it is held back.
    blocked_until : datetime or None
        Until when attempts are not looked at; may have passed.
    """

    failures: int
    blocked_until: datetime | None


def count(connection: Connection, key: bytes, *, now: datetime, within: timedelta) -> Counted:
    """Count an attempt, unless attempts are held back; until the transaction ends nobody else counts under the key.

    Parameters
    ----------
    connection : Connection
    key : bytes
    now : datetime
    within : timedelta
        After so long counting begins anew.
    """
    # "failures" alone would be ambiguous: in the update it is the row's that is there.
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
    """Look at no attempt before a time."""
    connection.execute(update(throttle).where(throttle.c.key == key).values(blocked_until=until))


def take_back(connection: Connection, key: bytes) -> None:
    """Uncount one attempt."""
    connection.execute(
        update(throttle)
        .where(throttle.c.key == key, throttle.c.failures > 0)
        .values(failures=throttle.c.failures - 1, blocked_until=None)
    )


def forget(connection: Connection, key: bytes) -> None:
    """Forget all attempts."""
    connection.execute(delete(throttle).where(throttle.c.key == key))


def purge(connection: Connection, *, now: datetime, within: timedelta) -> None:
    """Remove what says nothing any more, without waiting for what others are counting."""
    over = (
        select(throttle.c.key)
        .where(
            throttle.c.since <= now - within, or_(throttle.c.blocked_until.is_(None), throttle.c.blocked_until <= now)
        )
        .limit(_AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    connection.execute(delete(throttle).where(throttle.c.key.in_(over)))
