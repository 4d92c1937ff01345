"""Queries of objects that users name, delete and restore: plans, sweeps and reports."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, true, update

from stowage.platform.database.rows import Place, Rows, containing, read_rows
from stowage.platform.database.tables import job

Stored = TypeVar("Stored")
Summary = TypeVar("Summary")

KEPT_AFTER_DELETION = timedelta(days=30)
"""How long a deleted object can be restored."""


class NamedObjects(Rows[Stored], Generic[Stored, Summary]):
    """Queries of a table of named objects, which users can delete, and restore for some time.

    Deleted objects are not found, counted or listed.

    Parameters
    ----------
    noun : str
        Name of an object in the message of `NotFound`.
    table : Table
        With columns ``id``, ``name``, ``created_at`` and ``deleted_at``.
    stored, summary : type
        Dataclasses of an object and of its row in a list; their fields are columns of the table.
    searched : sequence of ColumnElement
        Texts in which a search of the list looks for words.
    has_job : bool
        Whether each object has a job, in ``job_id``; the job is deleted with the object.
    """

    def __init__(
        self,
        noun: str,
        table: Table,
        stored: type[Stored],
        summary: type[Summary],
        *,
        searched: Sequence[ColumnElement[Any]] = (),
        has_job: bool = False,
    ) -> None:
        there = table.c.deleted_at.is_(None)
        super().__init__(table, stored, noun=noun, there=there)
        self.summaries = Rows(table, summary, noun=noun, there=there)
        self._searched, self._has_job = searched, has_job

    def search(
        self, connection: Connection, *, limit: int, before: Place | None = None, words: Sequence[str] = ()
    ) -> tuple[Summary, ...]:
        """Return a page of the list of objects, newest first.

        Each of the words must occur in one of the searched texts.
        """
        return read_rows(connection, self.select_search(limit=limit, before=before, words=words), self.summaries.row)

    def select_search(
        self, *, limit: int | ColumnElement[int], before: Place | None = None, words: Sequence[str] = ()
    ) -> Select[Any]:
        """Build the query of `search`."""
        return self.summaries.select_newest(*containing(self._searched, words), limit=limit, before=before)

    def rename(self, connection: Connection, object_id: UUID, name: str) -> bool:
        """Rename an object.

        Returns False if the object does not exist.
        """
        return self.change(connection, object_id, {"name": name})

    def discard(self, connection: Connection, object_id: UUID, now: datetime) -> None:
        """Delete an object so that it can be restored for 30 days.

        Objects that were deleted more than 30 days ago are deleted permanently.
        """
        self.set_deleted(connection, object_id, now)
        self.purge(connection, now - KEPT_AFTER_DELETION)

    def set_deleted(self, connection: Connection, object_id: UUID, deleted_at: datetime | None) -> bool:
        """Set the deletion time of an object, or restore the object if the time is None.

        Returns False if the object does not exist.
        """
        marked = update(self.table).where(self.table.c.id == object_id).values(deleted_at=deleted_at)
        return bool(connection.execute(marked).rowcount)

    def delete_all(self, connection: Connection) -> None:
        """Delete all objects of the team permanently, with their jobs."""
        self._delete(connection, true())

    def purge(self, connection: Connection, deleted_before: datetime) -> None:
        """Delete permanently the objects that users deleted before a time.

        Their jobs are deleted too.
        """
        self._delete(connection, self.table.c.deleted_at < deleted_before)

    def _delete(self, connection: Connection, which: ColumnElement[bool]) -> None:
        if not self._has_job:
            connection.execute(delete(self.table).where(which))
            return
        jobs = connection.execute(delete(self.table).where(which).returning(self.table.c.job_id)).scalars()
        connection.execute(delete(job).where(job.c.id.in_(tuple(jobs))))
