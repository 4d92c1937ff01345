"""Encrypted secrets of all teams and people, brought to the newest key: the owner's."""

from collections.abc import Iterator
from uuid import UUID

from sqlalchemy import Column, ColumnElement, LargeBinary, Table, and_, cast, null, select, update

from stowage.store.columns import Sealed
from stowage.store.database import Connection, Database
from stowage.store.errors import WrongKey
from stowage.store.keyring import Keyring
from stowage.store.tables import metadata


def sealed_columns() -> list[tuple[Table, Column[bytes]]]:
    """List the columns that hold encrypted secrets."""
    return [
        (table, column)
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, Sealed)
    ]


def reseal(owner: Database, keyring: Keyring) -> tuple[int, int]:
    """Encrypt with the first key what is encrypted with another one; may be repeated.

    Parameters
    ----------
    owner : Database
        As the role that owns the tables: the application may not change what is stored there.
    keyring : Keyring

    Returns
    -------
    changed, lost : int
        How many were changed, and how many are encrypted with a key that is not given: they are left as they are.
    """
    changed = lost = 0
    for table, column in sealed_columns():
        with owner.transaction(None) as connection:
            stale = [
                (org_id, row)
                for org_id, row, sealed in _all(connection, table, column)
                if not keyring.is_current(sealed)
            ]
        for org_id, row in stale:
            try:
                with owner.transaction(org_id) as connection:
                    value = connection.scalar(select(column).where(row).with_for_update())
                    connection.execute(update(table).where(row).values({column: value}))
                changed += value is not None
            except WrongKey:
                lost += 1
    return changed, lost


def _all(
    connection: Connection, table: Table, column: Column[bytes]
) -> Iterator[tuple[UUID | None, ColumnElement[bool], bytes]]:
    """Yield what is stored, as it is stored, of all teams: whose it is, None for people's; its row; the secret."""
    key = list(table.primary_key)
    whose = table.c.org_id if "org_id" in table.c else null()
    query = select(whose, cast(column, LargeBinary), *key).where(column.is_not(None))
    for org_id, sealed, *values in connection.execute(query):
        yield org_id, and_(*(part == value for part, value in zip(key, values, strict=True))), sealed
