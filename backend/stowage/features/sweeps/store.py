"""Database queries for sweeps and their computed cells.

A cell is identified by its position, which counts the cells of the grid row by row.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.sweeps.tables import sweep, sweep_cell
from stowage.frozen import frozen
from stowage.platform.database.lists import NamedObjects


@frozen
class SweepSummary:
    """A sweep as shown in a list, without its cells."""

    id: UUID
    name: str
    request: Mapping[str, Any]
    """The sweep file as a JSON document."""
    catalog_version: str
    created_at: datetime
    """Time of creation, with a time zone."""
    job_id: UUID
    """Job that computes the sweep."""


@frozen
class StoredSweep(SweepSummary):
    """A sweep of one team."""

    profiles_digest: str
    """Version of the profiles with which all cells are computed, in addition to the catalog version."""
    model_version: str
    """Version of the model with which all cells are computed."""


SWEEPS = NamedObjects("sweep", sweep, StoredSweep, SweepSummary, has_job=True)
insert, get, demand, rename = SWEEPS.add, SWEEPS.get, SWEEPS.demand, SWEEPS.rename
discard, set_deleted = SWEEPS.discard, SWEEPS.set_deleted
list_newest, count, delete_all, purge = SWEEPS.search, SWEEPS.count, SWEEPS.delete_all, SWEEPS.purge


def add_cells(connection: Connection, sweep_id: UUID, cells: Mapping[int, Mapping[str, Any]]) -> int:
    """Store computed cells by their position; cells that are already stored do not change.

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
    """Return those given positions whose cells are already computed."""
    query = select(sweep_cell.c.position).where(sweep_cell.c.sweep_id == sweep_id, sweep_cell.c.position.in_(positions))
    return frozenset(connection.execute(query).scalars())
