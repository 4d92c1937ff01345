"""Saved views of the instance types: named sets of filters, order and columns that a team shares.

A view names neither region nor catalog, so it applies to all of them. The page interprets the filters.

An id that is unknown or of another team raises `NotFound`.
"""

from datetime import datetime
from uuid import UUID

from stowage.features.explore import store
from stowage.features.explore.schemas import NewView, Shown, ViewAnswer, ViewListAnswer
from stowage.features.explore.store import StoredView
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.rows import lock_team
from stowage.platform.errors import Conflict

MOST_VIEWS = 50
"""Maximum number of a team's saved views: they are shown side by side."""


def list_views(database: Database, org_id: UUID) -> ViewListAnswer:
    """Return the saved views of a team, oldest first."""
    with database.transaction(org_id) as connection:
        views = store.list_oldest(connection)
    return ViewListAnswer(views=[_answer(view) for view in views], most=MOST_VIEWS)


def save_view(
    database: Database, org_id: UUID, new: NewView, *, view_id: UUID, person: str, now: datetime
) -> ViewAnswer:
    """Save a view.

    Raises
    ------
    Conflict
        The team has the maximum number of views.
    """
    shown = new.shown.model_dump(mode="json", exclude_none=True)
    view = StoredView(view_id, new.name, shown, person, now)
    with database.transaction(org_id) as connection:
        lock_team(connection, "saved views")
        if store.add(connection, view):
            _refuse_too_many(connection)
        else:
            view = store.demand(connection, view_id)
    return _answer(view)


def rename_view(database: Database, org_id: UUID, view_id: UUID, name: str) -> ViewAnswer:
    """Rename a saved view."""
    with database.transaction(org_id) as connection:
        store.rename(connection, view_id, name)
        return _answer(store.demand(connection, view_id))


def delete_view(database: Database, org_id: UUID, view_id: UUID, now: datetime) -> None:
    """Delete a saved view; it can be restored for 30 days, unless `MOST_VIEWS` others are deleted after it."""
    with database.transaction(org_id) as connection:
        store.demand(connection, view_id)
        store.discard(connection, view_id, now)
        store.drop_deleted(connection, MOST_VIEWS)


def restore_view(database: Database, org_id: UUID, view_id: UUID) -> ViewAnswer:
    """Restore a deleted view.

    Raises
    ------
    Conflict
        The team has the maximum number of views without it.
    """
    with database.transaction(org_id) as connection:
        lock_team(connection, "saved views")
        store.set_deleted(connection, view_id, None)
        _refuse_too_many(connection)
        return _answer(store.demand(connection, view_id))


def _refuse_too_many(connection: Connection) -> None:
    """Raise `Conflict`, which rolls the transaction back, if the team has more views than the maximum."""
    if store.count(connection) > MOST_VIEWS:
        raise Conflict(f"The team has {MOST_VIEWS} saved views; delete one first.")


def _answer(view: StoredView) -> ViewAnswer:
    return ViewAnswer.from_fields(view, shown=Shown.model_validate(view.shown))
