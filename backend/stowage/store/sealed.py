"""Rotation of the key that encrypts the secrets of all teams; runs as the owner of the tables."""

from uuid import UUID

from sqlalchemy import Column, LargeBinary, Table, cast, select, update

from stowage.store.columns import Sealed
from stowage.store.database import Connection, Database
from stowage.store.errors import WrongKey
from stowage.store.keyring import Keyring
from stowage.store.tables import metadata


def sealed_columns() -> list[tuple[Table, Column[bytes]]]:
    """Return the columns of encrypted secrets."""
    return [
        (table, column)
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, Sealed)
    ]


def reseal(owner: Database, keyring: Keyring) -> tuple[int, int]:
    """Re-encrypt secrets of older keys with the first key; idempotent.

    Parameters
    ----------
    owner : Database
        Connects as the role that owns the tables: the application may not update these columns.
    keyring : Keyring

    Returns
    -------
    changed, lost : int
        Number of secrets re-encrypted, and of secrets with an unknown key, which are left unchanged.
    """
    changed = lost = 0
    for table, column in sealed_columns():
        with owner.transaction(None) as connection:
            stale = [
                (org_id, row_id)
                for org_id, row_id, sealed in _all(connection, table, column)
                if not keyring.is_current(sealed)
            ]
        for org_id, row_id in stale:
            try:
                with owner.transaction(org_id) as connection:
                    value = connection.scalar(select(column).where(table.c.id == row_id).with_for_update())
                    connection.execute(update(table).where(table.c.id == row_id).values({column: value}))
                changed += value is not None
            except WrongKey:
                lost += 1
    return changed, lost


def _all(connection: Connection, table: Table, column: Column[bytes]) -> list[tuple[UUID, UUID, bytes]]:
    """Return the encrypted values of a column of all teams."""
    query = select(table.c.org_id, table.c.id, cast(column, LargeBinary)).where(column.is_not(None))
    return [(org_id, row_id, sealed) for org_id, row_id, sealed in connection.execute(query)]
