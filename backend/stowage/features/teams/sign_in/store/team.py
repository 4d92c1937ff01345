"""Queries of teams: members, roles and invitations."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Text, cast, delete, exists, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.teams.sign_in.store import once, people
from stowage.features.teams.sign_in.tables import invitation, membership, person
from stowage.frozen import frozen
from stowage.model.team import Role
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.database.rows import Rows, read_row, read_rows
from stowage.platform.database.tables import audit_event, org


@frozen
class TeamOfPerson:
    """A team that a person is in."""

    org_id: UUID
    name: str
    role: Role


@frozen
class Member:
    """A member of a team."""

    person_id: UUID
    name: str
    email: str | None
    role: Role
    joined_at: datetime


@frozen
class Invitation:
    """An open invitation to a team."""

    id: UUID
    email: str
    """E-mail address in lower case."""
    role: Role
    """Role of the new member."""
    invited_by: str
    """Name of the inviting person."""
    created_at: datetime
    expires_at: datetime


@frozen
class StoredInvitation(Invitation):
    """An open invitation, with its team."""

    org_id: UUID
    mailed_at: datetime | None
    """Time at which the invitation's link was mailed; None if the link was shown instead."""


_MEMBER = (person.c.person_id, person.c.name, person.c.email, membership.c.role, membership.c.joined_at)
_MEMBERS = select(*_MEMBER).join(person, person.c.person_id == membership.c.person_id)

_OPEN, _INVITATIONS = Rows(invitation, Invitation), Rows(invitation, StoredInvitation)
count_invitations, remove_invitation = _INVITATIONS.count, _INVITATIONS.remove


def name_of(connection: Connection, org_id: UUID) -> str | None:
    """Return the name of a team.

    Returns None if the transaction sees no team with this id.
    """
    return connection.scalar(select(org.c.name).where(org.c.org_id == org_id))


def named(connection: Connection, team: str) -> tuple[UUID, ...]:
    """Return the ids of the organisations that have this text as name or id.

    Returns at most two ids, which suffice to see that a name is ambiguous. Needs the auth role.
    """
    query = select(org.c.org_id).where((org.c.name == team) | (cast(org.c.org_id, Text) == team.lower()))
    return tuple(connection.execute(query.limit(2)).scalars())


def rename(connection: Connection, org_id: UUID, name: str) -> None:
    """Rename the team for which the transaction runs."""
    connection.execute(update(org).where(org.c.org_id == org_id).values(name=name))


def members(connection: Connection) -> tuple[Member, ...]:
    """List the members of the team for which the transaction runs, sorted by name."""
    query = _MEMBERS.order_by(func.lower(person.c.name), person.c.person_id)
    return read_rows(connection, query, Member)


def member(connection: Connection, person_id: UUID) -> Member | None:
    """Return a member of the transaction's team.

    Returns None if the person is not in this team.
    """
    return read_row(connection, _MEMBERS.where(membership.c.person_id == person_id), Member)


def is_member(connection: Connection, email: str) -> bool:
    """Check whether an e-mail address belongs to a member."""
    return connection.scalar(_MEMBERS.where(person.c.email == email).with_only_columns(person.c.person_id)) is not None


def is_verified(connection: Connection, email: str) -> bool:
    """Check whether an e-mail address is the verified address of a member."""
    theirs = _MEMBERS.where(person.c.email == email, person.c.email_verified_at.is_not(None))
    return connection.scalar(theirs.with_only_columns(person.c.person_id)) is not None


def count_members(connection: Connection) -> int:
    """Count the members of the team for which the transaction runs."""
    return connection.scalar(select(func.count()).select_from(membership)) or 0


def lock_owners(connection: Connection) -> frozenset[UUID]:
    """Return the ids of the team's owners, and lock their roles until the transaction ends.

    Without the lock, two owners who demote each other concurrently would leave the team without an owner.
    """
    query = select(membership.c.person_id).where(membership.c.role == "owner").order_by(membership.c.person_id)
    return frozenset(connection.scalars(query.with_for_update()))


def stays_owner(connection: Connection, person_id: UUID) -> bool:
    """Check whether a person is an owner, and lock the person's role until the transaction ends."""
    query = select(membership.c.role).where(membership.c.person_id == person_id).with_for_update(read=True)
    return connection.scalar(query) == "owner"


def change_role(connection: Connection, person_id: UUID, role: Role) -> None:
    """Change the role of a member."""
    connection.execute(update(membership).where(membership.c.person_id == person_id).values(role=role))


def remove_member(connection: Connection, person_id: UUID) -> bool:
    """Remove a member from the team, with the member's tokens of the team.

    Returns False if the person is not in the team.
    """
    return bool(connection.execute(delete(membership).where(membership.c.person_id == person_id)).rowcount)


def add_member(connection: Connection, person_id: UUID, role: Role) -> None:
    """Add a person to the team for which the transaction runs.

    Needs the auth role. An existing member keeps the role. The person's password reset links become void: an owner of a
    former team may have seen one, and could use it to get access to this team.
    """
    once.remove(connection, person_id, "reset")
    connection.execute(insert_unless(membership).values(person_id=person_id, role=role).on_conflict_do_nothing())


def teams_of(connection: Connection, person_id: UUID) -> tuple[TeamOfPerson, ...]:
    """List the teams that a person is in, sorted by name.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction without an organisation.
    """
    query = (
        select(membership.c.org_id, org.c.name, membership.c.role)
        .join(org, org.c.org_id == membership.c.org_id)
        .where(membership.c.person_id == person_id)
        .order_by(org.c.name, org.c.org_id)
    )
    return read_rows(connection, query, TeamOfPerson)


def add_invitation(connection: Connection, new: Invitation, secret_hash: bytes) -> None:
    """Store an invitation to the transaction's team.

    It replaces an earlier invitation of the same address.
    """
    connection.execute(delete(invitation).where(invitation.c.email == new.email))
    _INVITATIONS.store(connection, new, secret_hash=secret_hash)


def open_invitations(connection: Connection, now: datetime) -> tuple[Invitation, ...]:
    """List the open invitations of the team, newest first."""
    order = invitation.c.created_at.desc(), invitation.c.id
    return _OPEN.list_all(connection, invitation.c.expires_at > now, order=order)


def note_mailed(connection: Connection, invitation_id: UUID, now: datetime) -> None:
    """Store that the link of an invitation was mailed to the invited address and not shown."""
    _INVITATIONS.change(connection, invitation_id, {"mailed_at": now})


def withdraw_invitations_of(connection: Connection, person_id: UUID) -> None:
    """Delete the invitations that a person made.

    The invitations are found by the person's id in the audit log, because the stored name of the inviting person can
    change.
    """
    made = select(audit_event.c.object_id).where(
        audit_event.c.action == "invitation.insert", audit_event.c.actor_id == person_id
    )
    connection.execute(delete(invitation).where(cast(invitation.c.id, Text).in_(made)))


def remove_expired_invitations(connection: Connection, now: datetime) -> None:
    """Remove the expired invitations of the team."""
    connection.execute(delete(invitation).where(invitation.c.expires_at <= now))


def find_invitation(connection: Connection, secret_hash: bytes, now: datetime) -> StoredInvitation | None:
    """Find the invitation that has the given secret.

    Returns None if there is no such invitation or it has expired.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction without an organisation, as the organisation is not known yet.
    """
    return _INVITATIONS.find(connection, invitation.c.secret_hash == secret_hash, invitation.c.expires_at > now)


def take_up(connection: Connection, found: StoredInvitation, person_id: UUID) -> bool:
    """Consume an invitation, and add a person to its team.

    Returns False if the invitation was already used or withdrawn.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for the invitation's team.
    """
    if not remove_invitation(connection, found.id):
        return False
    add_member(connection, person_id, found.role)
    if found.mailed_at is not None:
        people.verify_email(connection, person_id, found.email)
    return True


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
    deleted = connection.execute(delete(org).where(org.c.org_id == org_id)).rowcount > 0
    # Lock the people before looking for other teams, so that a person who is just joining another team is not deleted.
    connection.execute(
        select(person.c.person_id).where(person.c.person_id.in_(members)).order_by(person.c.person_id).with_for_update()
    )
    in_another = exists().where(membership.c.person_id == person.c.person_id)
    connection.execute(delete(person).where(person.c.person_id.in_(members), ~in_another))
    return deleted
