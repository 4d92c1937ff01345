"""Deletion of teams: queries."""

from uuid import UUID

from sqlalchemy import Connection, exists, select, text
from sqlalchemy import delete as delete_from

from stowage.features.teams.sign_in.tables import membership, person
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.database.tables import org


def delete_team(connection: Connection, org_id: UUID) -> bool:
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
