"""Queries for sweeps and their computed cells."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, delete, func, select, true, tuple_, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.sweeps.tables import sweep, sweep_cell
from stowage.platform.database.columns import columns_of
from stowage.platform.database.tables import job


@dataclass(frozen=True, slots=True)
class StoredSweep:
    """A sweep of one team.

    Parameters
    ----------
    id : UUID
    name : str
    request : Mapping
        The sweep file as a JSON document.
    catalog_version, profiles_digest, model_version : str
        Versions that all its cells depend on.
    job_id : UUID
        The job that computes it.
    created_at : datetime
        With a time zone.
    """

    id: UUID
    name: str
    request: Mapping[str, Any]
    catalog_version: str
    profiles_digest: str
    model_version: str
    job_id: UUID
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """A sweep in a list."""

    id: UUID
    name: str
    request: Mapping[str, Any]
    catalog_version: str
    created_at: datetime
    job_id: UUID


def insert(connection: Connection, stored: StoredSweep) -> bool:
    """Store a sweep for the transaction's team; return False if its id is taken.

    Its job must exist when the transaction ends.
    """
    unless_there = insert_unless(sweep).values(asdict(stored)).on_conflict_do_nothing().returning(sweep.c.id)
    return connection.execute(unless_there).one_or_none() is not None


def get(connection: Connection, sweep_id: UUID) -> StoredSweep | None:
    """Return a sweep; None if it does not exist, was deleted, or belongs to another team."""
    query = select(*columns_of(sweep, StoredSweep)).where(sweep.c.id == sweep_id, sweep.c.deleted_at.is_(None))
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredSweep(**row)


def list_newest(
    connection: Connection, *, limit: int, before: tuple[datetime, UUID] | None = None
) -> tuple[SweepSummary, ...]:
    """Return sweeps, newest first, one page at a time, as `stowage.features.planning.store.list_newest` does."""
    query = (
        select(*columns_of(sweep, SweepSummary))
        .where(sweep.c.deleted_at.is_(None))
        .order_by(sweep.c.created_at.desc(), sweep.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(tuple_(sweep.c.created_at, sweep.c.id) < before)
    return tuple(SweepSummary(**row) for row in connection.execute(query).mappings())


def rename(connection: Connection, sweep_id: UUID, name: str) -> bool:
    """Rename a sweep; return False if it does not exist."""
    found = sweep.c.id == sweep_id, sweep.c.deleted_at.is_(None)
    return bool(connection.execute(update(sweep).where(*found).values(name=name)).rowcount)


def set_deleted(connection: Connection, sweep_id: UUID, deleted_at: datetime | None) -> bool:
    """Mark a sweep as deleted, or restore it with None; return False if it does not exist."""
    return bool(connection.execute(update(sweep).where(sweep.c.id == sweep_id).values(deleted_at=deleted_at)).rowcount)


def count(connection: Connection) -> int:
    """Count the sweeps of the transaction's team."""
    return connection.scalar(select(func.count()).where(sweep.c.deleted_at.is_(None))) or 0


def delete_all(connection: Connection) -> None:
    """Delete permanently all sweeps of the transaction's team, and their jobs."""
    _delete(connection, true())


def purge(connection: Connection, deleted_before: datetime) -> None:
    """Delete permanently the sweeps marked as deleted before a time, with their cells and jobs."""
    _delete(connection, sweep.c.deleted_at < deleted_before)


def add_cells(connection: Connection, sweep_id: UUID, cells: Mapping[int, Mapping[str, Any]]) -> int:
    """Store cells by their position; existing cells are left unchanged.

    Returns
    -------
    int
        Number of new cells.
    """
    if not cells:
        return 0
    rows = [{"sweep_id": sweep_id, "position": position, "answer": answer} for position, answer in cells.items()]
    added = connection.execute(
        insert_unless(sweep_cell).values(rows).on_conflict_do_nothing().returning(sweep_cell.c.position)
    )
    return len(added.all())


def cells(connection: Connection, sweep_id: UUID) -> dict[int, Mapping[str, Any]]:
    """Load the computed cells: position -> answer."""
    query = select(sweep_cell.c.position, sweep_cell.c.answer).where(sweep_cell.c.sweep_id == sweep_id)
    return {row.position: row.answer for row in connection.execute(query.order_by(sweep_cell.c.position))}


def computed_positions(connection: Connection, sweep_id: UUID, positions: Sequence[int]) -> frozenset[int]:
    """Return which of the positions are computed."""
    query = select(sweep_cell.c.position).where(sweep_cell.c.sweep_id == sweep_id, sweep_cell.c.position.in_(positions))
    return frozenset(connection.execute(query).scalars())


def _delete(connection: Connection, which: ColumnElement[bool]) -> None:
    jobs = tuple(connection.execute(delete(sweep).where(which).returning(sweep.c.job_id)).scalars())
    connection.execute(delete(job).where(job.c.id.in_(jobs)))
