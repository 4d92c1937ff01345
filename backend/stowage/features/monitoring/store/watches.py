"""Queries of monitored volumes."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, select, update

from stowage.features.monitoring.tables import watch
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows, read_rows


@frozen
class NewWatch:
    """A monitored volume that is to be stored."""

    id: UUID
    account_id: UUID
    region: str
    volume_id: str
    person: str
    """Current name of the user who starts to monitor the volume."""
    created_at: datetime
    next_read_at: datetime


@frozen
class StoredWatch(NewWatch):
    """A stored monitored volume."""

    description: Mapping[str, Any] | None
    """Last description by EC2: `type, size_gib, iops, throughput_mib_per_s, zone, instance`."""
    ended_at: datetime | None
    problem: str | None
    """Reason why the last read failed; None if it succeeded."""
    read_until: datetime | None
    """End of the last successful read."""


_WATCHES = Rows(watch, StoredWatch)
add, get, demand = _WATCHES.add, _WATCHES.get, _WATCHES.demand


def list_newest(
    connection: Connection, *, ended: bool, limit: int, before: tuple[datetime, UUID] | None = None
) -> tuple[StoredWatch, ...]:
    """Return a page of the monitored volumes, newest first.

    With ``ended``, volumes that are no longer monitored are included.
    """
    which = () if ended else (watch.c.ended_at.is_(None),)
    return _WATCHES.list_newest(connection, *which, limit=limit, before=before)


def count_open(connection: Connection) -> int:
    """Return the number of monitored volumes."""
    return _WATCHES.count(connection, watch.c.ended_at.is_(None))


def end(connection: Connection, watch_id: UUID, at: datetime) -> bool:
    """Stop monitoring a volume, and keep its metrics.

    Return False if the team monitors no volume with this id.
    """
    return _WATCHES.change(connection, watch_id, {"ended_at": at}, watch.c.ended_at.is_(None))


def take_due(connection: Connection, now: datetime, next_read_at: datetime) -> tuple[StoredWatch, ...]:
    """Claim the monitored volumes whose metrics are due to be read, and return them.

    The time of their next read is set at once, so that other workers skip them.
    """
    taking = (
        update(watch)
        .where(watch.c.ended_at.is_(None), watch.c.next_read_at <= now)
        .values(next_read_at=next_read_at)
        .returning(*_WATCHES.columns)
    )
    return tuple(sorted(read_rows(connection, taking, StoredWatch), key=lambda each: (each.region, each.volume_id)))


def describe(connection: Connection, watch_id: UUID, description: Mapping[str, object]) -> None:
    """Store EC2's description of a volume."""
    _WATCHES.change(connection, watch_id, {"description": dict(description)})


def note_read(connection: Connection, watch_ids: Sequence[UUID], until: datetime) -> None:
    """Store the time until which metrics were read, and clear the reason of an earlier failure."""
    noting = update(watch).where(watch.c.id.in_(watch_ids)).values(read_until=until, problem=None)
    connection.execute(noting)


def note_problem(connection: Connection, watch_ids: Sequence[UUID], problem: str) -> None:
    """Store the reason why the metrics of volumes could not be read."""
    connection.execute(update(watch).where(watch.c.id.in_(watch_ids)).values(problem=problem))


def due_teams(connection: Connection) -> tuple[UUID, ...]:
    """Return the teams whose volumes or runs have metrics that are due to be read.

    Parameters
    ----------
    connection : Connection
        Connection as the auth role, in a transaction without a team.
    """
    return tuple(connection.scalars(select(func.due_metrics())))
