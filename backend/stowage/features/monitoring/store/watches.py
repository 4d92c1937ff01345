"""Queries of monitored volumes."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, select, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.monitoring.tables import watch
from stowage.platform.database.columns import columns_of
from stowage.platform.database.lists import newest_first


@dataclass(frozen=True, slots=True)
class NewWatch:
    """A volume to monitor.

    Parameters
    ----------
    id : UUID
    account_id : UUID
    region, volume_id : str
    person : str
        Current name of the person who watches the volume.
    created_at, next_read_at : datetime
    """

    id: UUID
    account_id: UUID
    region: str
    volume_id: str
    person: str
    created_at: datetime
    next_read_at: datetime


@dataclass(frozen=True, slots=True)
class StoredWatch:
    """A stored monitored volume.

    Parameters
    ----------
    id : UUID
    account_id : UUID
    region, volume_id : str
    description : mapping or None
        Last description by EC2: ``type, size_gib, iops, throughput_mib_per_s, zone, instance``.
    person : str
    created_at : datetime
    ended_at : datetime or None
    problem : str or None
        Reason that the last read failed.
    read_until : datetime or None
        End of the last successful read.
    next_read_at : datetime
    """

    id: UUID
    account_id: UUID
    region: str
    volume_id: str
    description: Mapping[str, Any] | None
    person: str
    created_at: datetime
    ended_at: datetime | None
    problem: str | None
    read_until: datetime | None
    next_read_at: datetime


def add(connection: Connection, new: NewWatch) -> bool:
    """Store a watch; return False if the volume is watched already."""
    unless_there = insert_unless(watch).values(asdict(new)).on_conflict_do_nothing().returning(watch.c.id)
    return connection.execute(unless_there).one_or_none() is not None


def get(connection: Connection, watch_id: UUID) -> StoredWatch | None:
    """Return a watch; None if it does not exist or belongs to another team."""
    row = connection.execute(select(*columns_of(watch, StoredWatch)).where(watch.c.id == watch_id)).mappings()
    found = row.one_or_none()
    return None if found is None else StoredWatch(**found)


def list_newest(
    connection: Connection, *, ended: bool, limit: int, before: tuple[datetime, UUID] | None = None
) -> tuple[StoredWatch, ...]:
    """Return a page of watches, newest first; with ``ended``, ended watches too."""
    query = newest_first(select(*columns_of(watch, StoredWatch)), watch, limit, before)
    if not ended:
        query = query.where(watch.c.ended_at.is_(None))
    return tuple(StoredWatch(**row) for row in connection.execute(query).mappings())


def count_open(connection: Connection) -> int:
    """Return the number of monitored volumes."""
    return connection.scalar(select(func.count()).select_from(watch).where(watch.c.ended_at.is_(None))) or 0


def end(connection: Connection, watch_id: UUID, at: datetime) -> bool:
    """End a watch; its metrics are kept. Return False if the team has no open watch with this id."""
    ending = update(watch).where(watch.c.id == watch_id, watch.c.ended_at.is_(None)).values(ended_at=at)
    return bool(connection.execute(ending).rowcount)


def take_due(connection: Connection, now: datetime, next_read_at: datetime) -> tuple[StoredWatch, ...]:
    """Claim and return the due watches; their next due time is set, so that other workers skip these watches."""
    taking = (
        update(watch)
        .where(watch.c.ended_at.is_(None), watch.c.next_read_at <= now)
        .values(next_read_at=next_read_at)
        .returning(*columns_of(watch, StoredWatch))
    )
    found = (StoredWatch(**row) for row in connection.execute(taking).mappings())
    return tuple(sorted(found, key=lambda each: (each.region, each.volume_id)))


def describe(connection: Connection, watch_id: UUID, description: Mapping[str, object]) -> None:
    """Store EC2's description of a volume."""
    connection.execute(update(watch).where(watch.c.id == watch_id).values(description=dict(description)))


def note_read(connection: Connection, watch_ids: Sequence[UUID], until: datetime) -> None:
    """Store the end of a successful read, and clear the problem."""
    noting = update(watch).where(watch.c.id.in_(watch_ids)).values(read_until=until, problem=None)
    connection.execute(noting)


def note_problem(connection: Connection, watch_ids: Sequence[UUID], problem: str) -> None:
    """Store the reason that volumes could not be read."""
    connection.execute(update(watch).where(watch.c.id.in_(watch_ids)).values(problem=problem))


def due_teams(connection: Connection) -> tuple[UUID, ...]:
    """Return the teams whose volumes or runs have metrics that are due to be read.

    Parameters
    ----------
    connection : Connection
        Connection as the auth role, in a transaction without a team.
    """
    return tuple(connection.scalars(select(func.due_metrics())))
