"""Organisations (tenants) and their fixed ids."""

from typing import Literal
from uuid import UUID

from sqlalchemy import Connection, insert
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.platform.database.tables import org

LOCAL_ORG_ID = UUID("00000000-0000-4000-8000-000000000001")
"""The operator's team; on a single machine the only one besides the example team."""

EXAMPLE_ORG_ID = UUID("00000000-0000-4000-8000-000000000002")
"""The example team, whose plans and sweeps demonstrate the product."""


def ensure_org(connection: Connection, org_id: UUID, name: str) -> bool:
    """Create an organisation if it does not exist.

    An existing organisation keeps its name.

    Parameters
    ----------
    connection : Connection
        Connection of the owner role, in a transaction for this organisation.
    org_id : UUID
    name : str

    Returns
    -------
    bool
        Whether the organisation was created.
    """
    unless_there = insert_unless(org).values(org_id=org_id, name=name).on_conflict_do_nothing().returning(org.c.org_id)
    return connection.execute(unless_there).one_or_none() is not None


def add(connection: Connection, org_id: UUID, name: str) -> None:
    """Create an organisation without members.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for this organisation.
    org_id : UUID
        Id that no organisation has yet.
    name : str
    """
    connection.execute(insert(org).values(org_id=org_id, name=name))


TeamKey = Literal["local", "example"]


ORG_IDS: dict[TeamKey, UUID] = {"local": LOCAL_ORG_ID, "example": EXAMPLE_ORG_ID}
