"""Accounts of people: who they are, how they can sign in, and their teams, by one query of the auth role."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Uuid, bindparam, exists, func, select

from stowage.features.teams.sign_in.store.team import TeamOfPerson
from stowage.features.teams.sign_in.tables import (
    identity,
    membership,
    passkey,
    password,
    person,
    recovery_code,
    second_factor,
    session,
)
from stowage.frozen import frozen
from stowage.platform.database.rows import CompiledQuery
from stowage.platform.database.tables import org


@frozen
class Account:
    """The account of a person."""

    person_id: UUID
    name: str
    email: str | None
    email_verified_at: datetime | None
    """When the person verified the address; None if unverified."""
    has_password: bool
    has_identity: bool
    """True if an account at an OpenID provider is connected."""
    has_app: bool
    """True if an authenticator app is confirmed."""
    passkeys: int
    """Number of passkeys, at all domains."""
    recovery_codes: int
    """Number of unused recovery codes."""
    identified_at: datetime | None
    """When the person of the session signed in at the provider for a reauthentication that lacks the second factor."""
    teams: tuple[TeamOfPerson, ...]
    """Sorted by name."""


_PERSON, _SESSION = bindparam("person_id", type_=Uuid), bindparam("session_id", type_=Uuid)
_OF_PERSON = tuple(name for name in Account.__annotations__ if name != "teams")

# One row for each team.
_ACCOUNT = CompiledQuery(
    select(
        person.c.person_id,
        person.c.name,
        person.c.email,
        person.c.email_verified_at,
        exists().where(password.c.person_id == _PERSON).label("has_password"),
        exists().where(identity.c.person_id == _PERSON).label("has_identity"),
        exists()
        .where(second_factor.c.person_id == _PERSON, second_factor.c.confirmed_at.is_not(None))
        .label("has_app"),
        select(func.count()).where(passkey.c.person_id == _PERSON).scalar_subquery().label("passkeys"),
        select(func.count()).where(recovery_code.c.person_id == _PERSON).scalar_subquery().label("recovery_codes"),
        select(session.c.identified_at).where(session.c.id == _SESSION).scalar_subquery().label("identified_at"),
        membership.c.org_id,
        org.c.name.label("team"),
        membership.c.role,
    )
    .outerjoin(membership, membership.c.person_id == person.c.person_id)
    .outerjoin(org, org.c.org_id == membership.c.org_id)
    .where(person.c.person_id == _PERSON)
    .order_by(org.c.name, org.c.org_id)
)


def find(connection: Connection, person_id: UUID, session_id: UUID | None) -> Account | None:
    """Return the account of a person, within a session if one is given; None if there is no such person.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction without an organisation.
    """
    rows = _ACCOUNT.run(connection, person_id=person_id, session_id=session_id)
    if not rows:
        return None
    teams = (TeamOfPerson(row["org_id"], row["team"], row["role"]) for row in rows if row["org_id"] is not None)
    return Account(**{name: rows[0][name] for name in _OF_PERSON}, teams=tuple(teams))
