"""Who is in which team, and as what."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, insert, select

from stowage.model.team import Role
from stowage.store.tables import membership, org


@dataclass(frozen=True, slots=True)
class TeamOfPerson:
    """A team that a person is in.

    Parameters
    ----------
    org_id : UUID
    name : str
    role : Role
    """

    org_id: UUID
    name: str
    role: Role


def add_member(connection: Connection, person_id: UUID, role: Role) -> None:
    """Let somebody into the team that the transaction runs for; only the gate can."""
    connection.execute(insert(membership).values(person_id=person_id, role=role))


def teams_of(connection: Connection, person_id: UUID) -> tuple[TeamOfPerson, ...]:
    """List the teams that a person is in, by name.

    Parameters
    ----------
    connection : Connection
        The gate's, in a transaction for no organisation.
    person_id : UUID
    """
    query = (
        select(membership.c.org_id, org.c.name, membership.c.role)
        .join(org, org.c.org_id == membership.c.org_id)
        .where(membership.c.person_id == person_id)
        .order_by(org.c.name, org.c.org_id)
    )
    return tuple(TeamOfPerson(**row) for row in connection.execute(query).mappings())
