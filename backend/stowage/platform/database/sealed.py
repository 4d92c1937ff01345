"""Rotation of the key that encrypts the secrets of all teams and people. It runs as the owner of the tables."""

from collections.abc import Iterator
from uuid import UUID

from sqlalchemy import Column, ColumnElement, LargeBinary, MetaData, Table, and_, cast, null, select, update

from stowage.platform.database.columns import Sealed
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.errors import WrongKey
from stowage.platform.database.keyring import Keyring


def sealed_columns(metadata: MetaData) -> list[tuple[Table, Column[bytes]]]:
    """Return the columns of encrypted secrets."""
    return [
        (table, column)
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, Sealed)
    ]


def reseal(owner: Database, keyring: Keyring, metadata: MetaData) -> tuple[int, int]:
    """Re-encrypt, with the first key, all secrets that are encrypted with an older key.

    A repeated call has no further effect.

    Parameters
    ----------
    owner : Database
        Connects as the role that owns the tables: the application may not update these columns.
    keyring : Keyring
    metadata : MetaData
        All tables (`stowage.features.tables`).

    Returns
    -------
    changed, lost : int
        Number of secrets re-encrypted, and of secrets with an unknown key, which are left unchanged.
    """
    changed = lost = 0
    for table, column in sealed_columns(metadata):
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
    """Yield the encrypted secrets of a column.

    Yields three values for each secret: its team, the condition that selects its row, and the encrypted secret. The
    team is None in tables of people.
    """
    key = list(table.primary_key)
    org_id = table.c.org_id if "org_id" in table.c else null()
    query = select(org_id, cast(column, LargeBinary), *key).where(column.is_not(None))
    for team_id, sealed, *values in connection.execute(query):
        yield team_id, and_(*(part == value for part, value in zip(key, values, strict=True))), sealed
