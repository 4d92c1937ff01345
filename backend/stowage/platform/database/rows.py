"""Queries of a table whose rows are dataclasses. Every query sees only the rows of the transaction's team.

Some of these dataclasses are schemas of the API: they must not have the hash of a secret as a field.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    Label,
    RowMapping,
    Select,
    Table,
    Text,
    cast,
    delete,
    func,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from stowage.platform.access import DENIED
from stowage.platform.errors import NotFound

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row")

Place = tuple[datetime, UUID]
"""``created_at`` and ``id`` of a row, which determine its position in a list."""


def read_rows(connection: Connection, query: Executable, row: type[Row]) -> tuple[Row, ...]:
    """Return the results of a query, whose columns are the fields of a dataclass."""
    return tuple(row(**found) for found in connection.execute(query).mappings())


def read_row(connection: Connection, query: Executable, row: type[Row]) -> Row | None:
    """Return the only result of a query, whose columns are the fields of a dataclass.

    Returns None if the query has no result.
    """
    found = connection.execute(query).mappings().one_or_none()
    return None if found is None else row(**found)


Queries = Mapping[str, tuple[Select[Any], type]]
"""Queries to run together, each with the dataclass of its rows, whose fields are the columns of the query."""


class CompiledQuery:
    """A query that SQLAlchemy compiles once: for a query of many parts this takes longer than PostgreSQL's answer.

    Results are of psycopg's types: a column type that converts values, like `ExactFloat`, has no effect.

    Parameters
    ----------
    query : Select
        Its parameters are those of `bindparam`.
    """

    def __init__(self, query: Select[Any]) -> None:
        compiled = query.compile(dialect=PGDialect_psycopg())  # type: ignore[no-untyped-call]
        self._sql, self._values = compiled.string, compiled.params

    def run(self, connection: Connection, **values: object) -> Sequence[RowMapping]:
        """Return the rows of the query for values of its parameters."""
        return connection.exec_driver_sql(self._sql, self._values | values).mappings().all()


def together(queries: Queries) -> Select[Any]:
    """Build one query of several, whose result `rows_together` returns."""
    rows = (
        select(func.coalesce(cast(func.json_agg(found.table_valued()), Text), "[]"))
        .select_from(found)
        .scalar_subquery()
        .label(name)
        for name, (query, _) in queries.items()
        for found in (query.subquery(name),)
    )
    return select(*rows)


def rows_together(queries: Queries, result: Sequence[RowMapping]) -> dict[str, tuple[Any, ...]]:
    """Return the rows of each query of `together`."""
    [read] = result
    return {name: _from_json(row).validate_json(read[name]) for name, (_, row) in queries.items()}


def read_together(connection: Connection, queries: Queries) -> dict[str, tuple[Any, ...]]:
    """Return the rows of several queries, in one round trip."""
    return rows_together(queries, connection.execute(together(queries)).mappings().all())


@cache
def _from_json(row: type) -> TypeAdapter[tuple[Any, ...]]:
    return TypeAdapter(tuple[row, ...])  # type: ignore[valid-type]


def lock_team(connection: Connection, what: str) -> None:
    """Acquire a named lock of the transaction's team until the transaction ends.

    If another transaction has the lock, this transaction waits, and its later reads see what the other has committed.
    """
    team = func.current_setting("stowage.org_id")
    connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(what), func.hashtext(team))))


def seconds_from_now(seconds: float) -> ColumnElement[datetime]:
    """Return a time relative to the start of the transaction, by the database's clock."""
    return func.now() + func.make_interval(0, 0, 0, 0, 0, 0, seconds)


def containing(texts: Sequence[ColumnElement[Any]], words: Sequence[str]) -> list[ColumnElement[bool]]:
    """Return the conditions that each word occurs in one of the texts.

    Upper and lower case do not matter.
    """
    together = func.concat_ws("\n", *texts)
    return [together.icontains(word, autoescape=True) for word in words]


def values_of(row: "DataclassInstance") -> dict[str, Any]:
    """Return the values of a dataclass's fields."""
    return {each.name: getattr(row, each.name) for each in fields(row)}


class Rows(Generic[Row]):
    """Queries of one table, whose rows are read as dataclasses.

    Parameters
    ----------
    table : Table
    row : type
        Dataclass of a row; its fields are columns of the table.
    noun : str, optional
        Name of a row in the message of `NotFound`; without it, the message is `DENIED`.
    there : ColumnElement, optional
        Condition that a row exists for users. Needed for a table that keeps deleted rows.
    computed : sequence of Label
        Fields of ``row`` that are not the columns of their name.
    """

    def __init__(
        self,
        table: Table,
        row: "type[Row]",
        *,
        noun: str | None = None,
        there: ColumnElement[bool] | None = None,
        computed: Sequence[Label[Any]] = (),
    ) -> None:
        self.table, self.row, self._noun = table, row, noun
        [self._id, *_] = table.primary_key
        self._there = () if there is None else (there,)
        columns = {**{column.name: column for column in table.c}, **{label.name: label for label in computed}}
        self.columns = [columns[each.name] for each in fields(row)]  # type: ignore[arg-type]

    def store(self, connection: Connection, new: "DataclassInstance", **more: object) -> None:
        """Store a row with the fields of a dataclass and more columns."""
        connection.execute(insert(self.table).values(values_of(new) | more).inline())

    def add(self, connection: Connection, new: "DataclassInstance", **more: object) -> bool:
        """Store a row as `store` does, unless it conflicts with a stored row.

        Returns whether the row was stored.
        """
        unless_there = insert(self.table).values(values_of(new) | more).on_conflict_do_nothing()
        return connection.execute(unless_there.returning(*self.table.primary_key)).one_or_none() is not None

    def get(self, connection: Connection, row_id: object, *, lock: bool = False) -> Row | None:
        """Return the row with an id.

        Returns None if the row does not exist or belongs to another team.

        Parameters
        ----------
        connection : Connection
        row_id : object
            Value of the primary key.
        lock : bool
            Whether to lock the row until the transaction ends.
        """
        query = self.select(self._id == row_id)
        return read_row(connection, query.with_for_update() if lock else query, self.row)

    def demand(self, connection: Connection, row_id: object, *, lock: bool = False) -> Row:
        """Return the row with an id, as `get` does.

        Raises
        ------
        NotFound
            The row does not exist or belongs to another team.
        """
        found = self.get(connection, row_id, lock=lock)
        if found is None:
            raise NotFound(DENIED if self._noun is None else f"There is no {self._noun} {row_id}.")
        return found

    def get_all(self, connection: Connection, ids: Sequence[UUID]) -> dict[UUID, Row]:
        """Return the rows that have the given ids.

        Unknown ids are left out.
        """
        found = connection.execute(self.select(self._id.in_(ids))).mappings()
        return {each[self._id.name]: self.row(**each) for each in found}

    def find(self, connection: Connection, *where: ColumnElement[bool]) -> Row | None:
        """Return the only row that meets all conditions, or None if there is none."""
        return read_row(connection, self.select(*where), self.row)

    def list_all(
        self,
        connection: Connection,
        *where: ColumnElement[bool],
        order: Sequence[ColumnElement[Any]] = (),
        limit: int | None = None,
        offset: int | None = None,
    ) -> tuple[Row, ...]:
        """Return the rows that meet all conditions, sorted by the columns of `order`."""
        return read_rows(connection, self.select(*where).order_by(*order).limit(limit).offset(offset), self.row)

    def list_newest(
        self, connection: Connection, *where: ColumnElement[bool], limit: int, before: Place | None = None
    ) -> tuple[Row, ...]:
        """Return a page of the rows that meet all conditions, newest first.

        If rows are added or deleted between two pages, every other row still appears exactly once.

        Parameters
        ----------
        connection : Connection
        *where : ColumnElement
        limit : int
            Rows on the page, above 0.
        before : tuple of datetime and UUID, optional
            Position of the last row on the previous page.
        """
        return read_rows(connection, self.select_newest(*where, limit=limit, before=before), self.row)

    def select_newest(
        self, *where: ColumnElement[bool], limit: int | ColumnElement[int], before: Place | None = None
    ) -> Select[Any]:
        """Build the query of `list_newest`."""
        place = self.table.c.created_at, self.table.c.id
        query = self.select(*where) if before is None else self.select(*where, tuple_(*place) < before)
        return query.order_by(*(column.desc() for column in place)).limit(limit)

    def count(self, connection: Connection, *where: ColumnElement[bool]) -> int:
        """Count the rows that meet all conditions."""
        return connection.scalar(select(func.count()).select_from(self.table).where(*self._there, *where)) or 0

    def change(
        self, connection: Connection, row_id: object, values: Mapping[str, object], *only_if: ColumnElement[bool]
    ) -> bool:
        """Change columns of the row with an id.

        Returns False if the row does not exist, or does not meet all conditions.
        """
        changed = update(self.table).where(self._id == row_id, *self._there, *only_if).values(dict(values))
        return bool(connection.execute(changed).rowcount)

    def remove(self, connection: Connection, row_id: object, *only_if: ColumnElement[bool]) -> bool:
        """Delete the row with an id permanently.

        Returns False if the row does not exist, or does not meet all conditions.
        """
        return bool(connection.execute(delete(self.table).where(self._id == row_id, *only_if)).rowcount)

    def select(self, *where: ColumnElement[bool]) -> Select[Any]:
        """Build the query for the rows that meet all conditions."""
        return select(*self.columns).where(*self._there, *where)
