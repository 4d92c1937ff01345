"""Profiles of a team, and the measurements from which profiles are computed; rows are never edited.

A team's profiles are stored as one set, recomputed from all measurements when a measurement or a verdict is added.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, func, insert, select

from stowage.features.measurements.tables import VerdictWord, measurement, profile_set, verdict
from stowage.platform.database.columns import columns_of

NOTHING = hashlib.sha256(b"").hexdigest()
"""Digest of a set without values that predictions use."""


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A set of profiles: all profiles of a team at one time.

    Parameters
    ----------
    id : int
        Number of the set; increases with each stored set.
    digest : str
        SHA-256 of the values that predictions use.
    cause : str
        Reason of the recomputation, in words.
    measurements : int
        Number of measurements from which the set was computed.
    created_at : datetime
    content : Any
    """

    id: int
    digest: str
    cause: str
    measurements: int
    created_at: datetime
    content: Any


@dataclass(frozen=True, slots=True)
class StoredMeasured:
    """A measurement with its current verdict, as input to profiles.

    Parameters
    ----------
    id : UUID
    tool, status, name : str
    tool_version, failure : str or None
    line : int
    measured_at : datetime or None
        None if the file does not state it.
    created_at : datetime
    duration_s : float or None
    settings, host : Mapping
    metrics, notes : sequence
        As in `stowage.measure.reading.Reading`.
    target : Mapping
    verdict : VerdictWord
        Newest verdict of a user, or the automatic judgement if no user gave a verdict.
    source : str or None
        Publisher of the measurement; None if the team made it.
    """

    id: UUID
    tool: str
    tool_version: str | None
    status: str
    failure: str | None
    name: str
    line: int
    measured_at: datetime | None
    created_at: datetime
    duration_s: float | None
    settings: Mapping[str, str]
    host: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    notes: Sequence[str]
    target: Mapping[str, Any]
    verdict: VerdictWord
    source: str | None


def newest(connection: Connection) -> StoredSet | None:
    """Read the newest set of profiles of the team; None if the team has no set yet."""
    return _one(connection, select(*columns_of(profile_set, StoredSet)).order_by(profile_set.c.id.desc()).limit(1))


def made_at(connection: Connection, since: datetime, *, name: str) -> datetime | None:
    """Return when, at or after `since`, profiles were first recomputed because of a file; None if they were not.

    A set of profiles was recomputed because of a file if the stored cause of the set contains the file's name.
    """
    query = select(profile_set.c.created_at).where(
        profile_set.c.created_at >= since, profile_set.c.cause.contains(name, autoescape=True)
    )
    return connection.execute(query.order_by(profile_set.c.id).limit(1)).scalar_one_or_none()


def get(connection: Connection, number: int) -> StoredSet | None:
    """Read the set of profiles with a number; None if it does not exist or belongs to another team."""
    return _one(connection, select(*columns_of(profile_set, StoredSet)).where(profile_set.c.id == number))


def add(connection: Connection, *, digest: str, cause: str, measurements: int, content: object) -> None:
    """Store a set of profiles, which becomes the current set of the transaction's team."""
    made = {"digest": digest, "cause": cause, "measurements": measurements, "content": content}
    connection.execute(insert(profile_set).values(made).inline())


def lock(connection: Connection) -> None:
    """Acquire the lock for recomputing this team's profiles until the transaction ends.

    If another transaction has the lock, this transaction waits. It then sees the set of profiles that the other
    transaction has committed.
    """
    name = func.concat("profiles ", func.current_setting("stowage.org_id", True))  # noqa: FBT003 - none is no error
    connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


def began(connection: Connection) -> datetime:
    """Return when the transaction began, by the database's clock."""
    moment: datetime = connection.execute(select(func.now())).scalar_one()
    return moment


def measured(connection: Connection, *, at_a_time: int = 1_000) -> Iterator[StoredMeasured]:
    """Yield all measurements of the team with their current verdicts, in the order they were stored."""
    said = (
        select(verdict.c.verdict)
        .where(verdict.c.measurement_id == measurement.c.id)
        .order_by(verdict.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    columns = [
        func.coalesce(said, column).label("verdict") if column.name == "verdict" else column
        for column in columns_of(measurement, StoredMeasured)
    ]
    query = select(*columns).order_by(measurement.c.created_at, measurement.c.id)
    for row in connection.execute(query.execution_options(yield_per=at_a_time)).mappings():
        yield StoredMeasured(**row)


def _one(connection: Connection, query: Select[Any]) -> StoredSet | None:
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredSet(**row)
