"""Query that deletes a team."""

from uuid import UUID

from sqlalchemy import Connection, exists, select, text
from sqlalchemy import delete as delete_from

from stowage.features.teams.sign_in.tables import membership, person
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.database.tables import org


def delete_team(connection: Connection, org_id: UUID) -> bool:
    """Delete an organisation with all its data, and the people who are in no other organisation.

    No row is left in any table: every row with the `org_id` is deleted too (`ON DELETE CASCADE`).

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for this organisation.

    Returns
    -------
    bool
        Whether the organisation existed.

    Raises
    ------
    ValueError
        The organisation is the example team, which all users share.
    """
    if org_id == EXAMPLE_ORG_ID:
        raise ValueError("the example team is everybody's")
    # The deletion of a large team takes longer than the timeout of other statements.
    connection.execute(text("SET LOCAL statement_timeout = '10min'"))
    members = tuple(connection.scalars(select(membership.c.person_id).where(membership.c.org_id == org_id)))
    deleted = connection.execute(delete_from(org).where(org.c.org_id == org_id)).rowcount > 0
    # Lock the people before looking for other teams, so that a person who is just joining another team is not deleted.
    connection.execute(
        select(person.c.person_id).where(person.c.person_id.in_(members)).order_by(person.c.person_id).with_for_update()
    )
    in_another = exists().where(membership.c.person_id == person.c.person_id)
    connection.execute(delete_from(person).where(person.c.person_id.in_(members), ~in_another))
    return deleted
