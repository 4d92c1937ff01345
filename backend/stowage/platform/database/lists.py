"""Queries of lists by time, and of objects that users name, delete and restore: plans, sweeps and reports."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Label,
    Select,
    Table,
    delete,
    func,
    select,
    true,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.platform.database.columns import columns_of
from stowage.platform.database.tables import job

Stored = TypeVar("Stored")
Row = TypeVar("Row")
T = TypeVar("T")

Place = tuple[datetime, UUID]
"""``created_at`` and ``id`` of a row, which determine its position in a list."""


def newest_first(query: Select[Any], table: Table, limit: int, before: Place | None) -> Select[Any]:
    """Restrict a query to one page of a table's rows, newest first.

    If rows are added or deleted between two pages, every other row still appears exactly once.

    Parameters
    ----------
    query : Select
    table : Table
        Table with columns ``created_at`` and ``id``.
    limit : int
        Rows on the page, above 0.
    before : tuple of datetime and UUID, optional
        Position of the last row on the previous page.
    """
    place = table.c.created_at, table.c.id
    query = query.order_by(*(column.desc() for column in place)).limit(limit)
    return query if before is None else query.where(tuple_(*place) < before)


def with_words(query: Select[Any], searched: Sequence[ColumnElement[Any]], words: Sequence[str]) -> Select[Any]:
    """Restrict a query to rows whose searched texts contain all words, ignoring case."""
    text = func.concat_ws("\n", *searched)
    for word in words:
        query = query.where(text.icontains(word, autoescape=True))
    return query


@dataclass(frozen=True, slots=True)
class NamedObjects(Generic[Stored, Row]):
    """Queries of a table of named objects, which can be restored for a time after their deletion.

    Deleted objects are not found, counted or listed. Every query sees only the objects of the transaction's team.

    Parameters
    ----------
    table : Table
        Table with columns ``id``, ``name``, ``created_at`` and ``deleted_at``.
    stored, row : type
        Dataclasses of an object and of its row in a list; their fields are columns of the table.
    searched : sequence of ColumnElement
        Texts in which a search of the list looks for words.
    computed : sequence of Label
        Fields of ``row`` that are not columns.
    has_job : bool
        Whether each object has a job, in ``job_id``; the job is deleted with the object.
    """

    table: Table
    stored: type[Stored]
    row: type[Row]
    searched: Sequence[ColumnElement[Any]] = ()
    computed: Sequence[Label[Any]] = ()
    has_job: bool = False

    def insert(self, connection: Connection, stored: Stored) -> bool:
        """Store an object; return False if its id is taken."""
        unless_there = insert_unless(self.table).values(asdict(stored)).on_conflict_do_nothing()  # type: ignore[call-overload]
        return connection.execute(unless_there.returning(self.table.c.id)).one_or_none() is not None

    def get(self, connection: Connection, object_id: UUID) -> Stored | None:
        """Load an object; None if it does not exist, was deleted, or belongs to another team."""
        return self._one(connection, object_id, self.stored, columns_of(self.table, self.stored))

    def summary(self, connection: Connection, object_id: UUID) -> Row | None:
        """Load the list row of an object; None if it does not exist, was deleted, or belongs to another team."""
        return self._one(connection, object_id, self.row, self._columns())

    def list_newest(
        self, connection: Connection, *, limit: int, before: Place | None = None, words: Sequence[str] = ()
    ) -> tuple[Row, ...]:
        """List objects, newest first, one page at a time; each of the words must occur in the searched texts."""
        query = with_words(select(*self._columns()).where(self._is_there()), self.searched, words)
        rows = connection.execute(newest_first(query, self.table, limit, before)).mappings()
        return tuple(self.row(**row) for row in rows)

    def change(self, connection: Connection, object_id: UUID, **values: object) -> bool:
        """Change columns of an object; return False if it does not exist."""
        changed = update(self.table).where(self.table.c.id == object_id, self._is_there()).values(values)
        return bool(connection.execute(changed).rowcount)

    def rename(self, connection: Connection, object_id: UUID, name: str) -> bool:
        """Rename an object; return False if it does not exist."""
        return self.change(connection, object_id, name=name)

    def set_deleted(self, connection: Connection, object_id: UUID, deleted_at: datetime | None) -> bool:
        """Set the deletion time of an object; None restores the object. Return False if it does not exist."""
        marked = update(self.table).where(self.table.c.id == object_id).values(deleted_at=deleted_at)
        return bool(connection.execute(marked).rowcount)

    def count(self, connection: Connection) -> int:
        """Count the objects of the team."""
        return connection.scalar(select(func.count()).select_from(self.table).where(self._is_there())) or 0

    def delete_all(self, connection: Connection) -> None:
        """Delete all objects of the team permanently, with their jobs."""
        self._delete(connection, true())

    def purge(self, connection: Connection, deleted_before: datetime) -> None:
        """Delete permanently the objects that were marked as deleted before a time, with their jobs."""
        self._delete(connection, self.table.c.deleted_at < deleted_before)

    def _one(self, connection: Connection, object_id: UUID, row: type[T], columns: Sequence[Any]) -> T | None:
        query = select(*columns).where(self.table.c.id == object_id, self._is_there())
        found = connection.execute(query).mappings().one_or_none()
        return None if found is None else row(**found)

    def _columns(self) -> list[Column[Any] | Label[Any]]:
        others = {label.name: label for label in self.computed}
        return [others[each.name] if each.name in others else self.table.c[each.name] for each in fields(self.row)]  # type: ignore[arg-type]

    def _is_there(self) -> ColumnElement[bool]:
        return self.table.c.deleted_at.is_(None)

    def _delete(self, connection: Connection, which: ColumnElement[bool]) -> None:
        if not self.has_job:
            connection.execute(delete(self.table).where(which))
            return
        jobs = connection.execute(delete(self.table).where(which).returning(self.table.c.job_id)).scalars()
        connection.execute(delete(job).where(job.c.id.in_(tuple(jobs))))
