"""Organisations: whose rows are whose."""

from uuid import UUID

from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from stowage.store.tables import org

LOCAL_ORG_ID = UUID("00000000-0000-4000-8000-000000000001")
"""The one team of a machine on which nobody signs in."""


EXAMPLE_ORG_ID = UUID("00000000-0000-4000-8000-000000000002")
"""The example team, whose plans and sweeps show what there is to see."""


def ensure_org(connection: Connection, org_id: UUID, name: str) -> bool:
    """Create an organisation unless it is there; one that is there keeps its name.

    Parameters
    ----------
    connection : Connection
        The owner's, in a transaction for this organisation.
    org_id : UUID
    name : str

    Returns
    -------
    bool
        Whether it was not there.
    """
    unless_there = insert(org).values(org_id=org_id, name=name).on_conflict_do_nothing().returning(org.c.org_id)
    return connection.execute(unless_there).one_or_none() is not None
