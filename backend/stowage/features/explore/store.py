"""Queries of saved views."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select

from stowage.features.explore.tables import saved_view
from stowage.frozen import frozen
from stowage.platform.database.database import Connection
from stowage.platform.database.lists import NamedObjects


@frozen
class StoredView:
    """A saved view of the instance types."""

    id: UUID
    name: str
    shown: Mapping[str, Any]
    """Filters, order, columns and axes, by name; a missing one has its default."""
    person: str
    """Name of the person who saved the view, at that time."""
    created_at: datetime


_VIEWS = NamedObjects("saved view", saved_view, StoredView, StoredView)
add, demand, rename, count = _VIEWS.add, _VIEWS.demand, _VIEWS.rename, _VIEWS.count
discard, set_deleted = _VIEWS.discard, _VIEWS.set_deleted


def list_oldest(connection: Connection) -> tuple[StoredView, ...]:
    """Return the views of the team, oldest first."""
    return _VIEWS.list_all(connection, order=(saved_view.c.created_at, saved_view.c.id))


def drop_deleted(connection: Connection, most: int) -> None:
    """Delete permanently the team's deleted views, except the ``most`` that were deleted last."""
    deleted_at = saved_view.c.deleted_at
    last = select(saved_view.c.id).where(deleted_at.is_not(None)).order_by(deleted_at.desc()).limit(most)
    connection.execute(delete(saved_view).where(deleted_at.is_not(None), saved_view.c.id.not_in(last)))
