"""Organisations: whose rows are whose."""

from uuid import UUID

from sqlalchemy import Connection, exists, insert, select, text
from sqlalchemy import delete as delete_from
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.platform.database.tables import membership, org, person

LOCAL_ORG_ID = UUID("00000000-0000-4000-8000-000000000001")
"""The team that runs the service; on one machine the only one besides the example."""

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
    unless_there = insert_unless(org).values(org_id=org_id, name=name).on_conflict_do_nothing().returning(org.c.org_id)
    return connection.execute(unless_there).one_or_none() is not None


def add(connection: Connection, org_id: UUID, name: str) -> None:
    """Create an organisation that has nobody in it yet.

    Parameters
    ----------
    connection : Connection
        The gate's, in a transaction for this organisation.
    org_id : UUID
        Of none that is there.
    name : str
    """
    connection.execute(insert(org).values(org_id=org_id, name=name))


def delete(connection: Connection, org_id: UUID) -> bool:
    """Delete an organisation with everything that is its own, and the people who are in no other.

    Nothing of it is left in any table: every row with its `org_id` goes with it (`ON DELETE CASCADE`).

    Parameters
    ----------
    connection : Connection
        The gate's, in a transaction for this organisation.
    org_id : UUID

    Returns
    -------
    bool
        Whether it was there.

    Raises
    ------
    ValueError
        It is the example team, which is everybody's.
    """
    if org_id == EXAMPLE_ORG_ID:
        raise ValueError("the example team is everybody's")
    # A large one takes longer than any other statement may.
    connection.execute(text("SET LOCAL statement_timeout = '10min'"))
    members = tuple(connection.scalars(select(membership.c.person_id).where(membership.c.org_id == org_id)))
    deleted = connection.execute(delete_from(org).where(org.c.org_id == org_id)).rowcount > 0
    # Held first and looked at afterwards: nobody who joins another team in this moment is taken for somebody in none.
    connection.execute(
        select(person.c.person_id).where(person.c.person_id.in_(members)).order_by(person.c.person_id).with_for_update()
    )
    in_another = exists().where(membership.c.person_id == person.c.person_id)
    connection.execute(delete_from(person).where(person.c.person_id.in_(members), ~in_another))
    return deleted
