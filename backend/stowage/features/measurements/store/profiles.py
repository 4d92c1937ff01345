"""Queries of a team's profiles, and of the measurements from which profiles are computed.

A team's profiles are stored as one set, recomputed from all measurements when a measurement or a verdict is added.
Stored sets are never edited.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select

from stowage.features.measurements.store.measurements import CURRENT_VERDICT, StoredMeasured
from stowage.features.measurements.tables import measurement, profile_set
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows, lock_team


@frozen
class StoredSet:
    """One set of profiles: all profiles of a team at one time."""

    id: int
    """Number of the set; increases with each stored set."""
    digest: str
    """SHA-256 of the values that predictions use."""
    cause: str
    """Reason of the recomputation, in words."""
    measurements: int
    """Number of measurements from which the set was computed."""
    created_at: datetime
    content: Any


_SETS = Rows(profile_set, StoredSet)
_MEASURED = Rows(measurement, StoredMeasured, computed=(CURRENT_VERDICT,))
get = _SETS.get


def newest(connection: Connection) -> StoredSet | None:
    """Read the newest set of profiles of the team; None if the team has no set yet."""
    return next(iter(_SETS.list_all(connection, order=(profile_set.c.id.desc(),), limit=1)), None)


def made_at(connection: Connection, since: datetime, *, name: str) -> datetime | None:
    """Return the first time, at or after `since`, at which a file caused a recomputation of profiles.

    A file is the cause if the stored words of the cause contain the file's name. The result is None if there was no
    such recomputation.
    """
    query = select(profile_set.c.created_at).where(
        profile_set.c.created_at >= since, profile_set.c.cause.contains(name, autoescape=True)
    )
    return connection.execute(query.order_by(profile_set.c.id).limit(1)).scalar_one_or_none()


def add(connection: Connection, *, digest: str, cause: str, measurements: int, content: object) -> None:
    """Store a set of profiles, which becomes the current set of the transaction's team."""
    made = {"digest": digest, "cause": cause, "measurements": measurements, "content": content}
    connection.execute(insert(profile_set).values(made).inline())


def lock(connection: Connection) -> None:
    """Acquire the lock for recomputing this team's profiles."""
    lock_team(connection, "stowage.profiles")


def began(connection: Connection) -> datetime:
    """Return the time at which the transaction began, by the database's clock."""
    moment: datetime = connection.execute(select(func.now())).scalar_one()
    return moment


def measured(connection: Connection, *, at_a_time: int = 1_000) -> Iterator[StoredMeasured]:
    """Yield all measurements of the team with their current verdicts, in the order of storing."""
    query = _MEASURED.select().order_by(measurement.c.created_at, measurement.c.id)
    for row in connection.execute(query.execution_options(yield_per=at_a_time)).mappings():
        yield StoredMeasured(**row)
