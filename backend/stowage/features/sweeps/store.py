"""Sweeps: one workload over a grid, and the cells of it that are computed so far."""

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
    """A sweep of one organisation.

    Parameters
    ----------
    id : UUID
    name : str
    request : Mapping
        The sweep file as a JSON document.
    catalogue_version, profiles_digest, model_version : str
        What all its cells rest on.
    job_id : UUID
        The job that computes it.
    created_at : datetime
        With a time zone.
    """

    id: UUID
    name: str
    request: Mapping[str, Any]
    catalogue_version: str
    profiles_digest: str
    model_version: str
    job_id: UUID
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """A sweep as a list shows it."""

    id: UUID
    name: str
    request: Mapping[str, Any]
    catalogue_version: str
    created_at: datetime
    job_id: UUID


def insert(connection: Connection, stored: StoredSweep) -> bool:
    """Store a sweep for the organisation that the transaction runs for; False where its id is taken.

    Its job must be there when the transaction ends.
    """
    unless_there = insert_unless(sweep).values(asdict(stored)).on_conflict_do_nothing().returning(sweep.c.id)
    return connection.execute(unless_there).one_or_none() is not None


def get(connection: Connection, sweep_id: UUID) -> StoredSweep | None:
    """Read a sweep; None where there is none, it was removed, or it is another organisation's."""
    query = select(*columns_of(sweep, StoredSweep)).where(sweep.c.id == sweep_id, sweep.c.deleted_at.is_(None))
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredSweep(**row)


def list_newest(
    connection: Connection, *, limit: int, before: tuple[datetime, UUID] | None = None
) -> tuple[SweepSummary, ...]:
    """List sweeps, newest first, one page at a time; as `stowage.features.planning.store.list_newest`."""
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
    """Return a sweep another name; False where there is no such sweep."""
    found = sweep.c.id == sweep_id, sweep.c.deleted_at.is_(None)
    return bool(connection.execute(update(sweep).where(*found).values(name=name)).rowcount)


def set_deleted(connection: Connection, sweep_id: UUID, deleted_at: datetime | None) -> bool:
    """Remove a sweep, or with None bring it back; False where there is no such sweep."""
    return bool(connection.execute(update(sweep).where(sweep.c.id == sweep_id).values(deleted_at=deleted_at)).rowcount)


def count(connection: Connection) -> int:
    """Count the sweeps of the organisation that the transaction runs for."""
    return connection.scalar(select(func.count()).where(sweep.c.deleted_at.is_(None))) or 0


def delete_all(connection: Connection) -> None:
    """Delete for good all sweeps of the organisation that the transaction runs for, and their jobs."""
    _delete(connection, true())


def purge(connection: Connection, deleted_before: datetime) -> None:
    """Delete for good what was removed before that time, with its cells and its job."""
    _delete(connection, sweep.c.deleted_at < deleted_before)


def add_cells(connection: Connection, sweep_id: UUID, cells: Mapping[int, Mapping[str, Any]]) -> int:
    """Store cells by their position; those that are there already are left as they are.

    Returns
    -------
    int
        How many are new.
    """
    if not cells:
        return 0
    rows = [{"sweep_id": sweep_id, "position": position, "answer": answer} for position, answer in cells.items()]
    added = connection.execute(
        insert_unless(sweep_cell).values(rows).on_conflict_do_nothing().returning(sweep_cell.c.position)
    )
    return len(added.all())


def cells(connection: Connection, sweep_id: UUID) -> dict[int, Mapping[str, Any]]:
    """Read the cells that are computed: position -> answer."""
    query = select(sweep_cell.c.position, sweep_cell.c.answer).where(sweep_cell.c.sweep_id == sweep_id)
    return {row.position: row.answer for row in connection.execute(query.order_by(sweep_cell.c.position))}


def computed_positions(connection: Connection, sweep_id: UUID, positions: Sequence[int]) -> frozenset[int]:
    """Return which of these cells are computed."""
    query = select(sweep_cell.c.position).where(sweep_cell.c.sweep_id == sweep_id, sweep_cell.c.position.in_(positions))
    return frozenset(connection.execute(query).scalars())


def _delete(connection: Connection, which: ColumnElement[bool]) -> None:
    jobs = tuple(connection.execute(delete(sweep).where(which).returning(sweep.c.job_id)).scalars())
    connection.execute(delete(job).where(job.c.id.in_(jobs)))
