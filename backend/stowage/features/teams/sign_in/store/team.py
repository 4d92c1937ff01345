"""Queries of teams: members, roles and invitations."""

from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Text, cast, delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.teams.sign_in.store import once, people
from stowage.features.teams.sign_in.tables import invitation, membership, person
from stowage.model.team import Role
from stowage.platform.database.columns import columns_of
from stowage.platform.database.tables import audit_event, org


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


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a team.

    Parameters
    ----------
    person_id : UUID
    name : str
    email : str or None
    role : Role
    joined_at : datetime
    """

    person_id: UUID
    name: str
    email: str | None
    role: Role
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class StoredInvitation:
    """An open invitation.

    Parameters
    ----------
    id, org_id : UUID
    email : str
        E-mail address in lower case.
    role : Role
        Role of the new member.
    invited_by : str
        Name of the inviting person.
    created_at, expires_at : datetime
    mailed_at : datetime or None
        When its link was mailed; None if the link was shown instead.
    """

    id: UUID
    org_id: UUID
    email: str
    role: Role
    invited_by: str
    created_at: datetime
    expires_at: datetime
    mailed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation to store.

    Parameters
    ----------
    id : UUID
    email : str
        E-mail address in lower case.
    role : Role
    secret_hash : bytes
    invited_by : str
    created_at, expires_at : datetime
    """

    id: UUID
    email: str
    role: Role
    secret_hash: bytes
    invited_by: str
    created_at: datetime
    expires_at: datetime


_MEMBER = (person.c.person_id, person.c.name, person.c.email, membership.c.role, membership.c.joined_at)
_MEMBERS = select(*_MEMBER).join(person, person.c.person_id == membership.c.person_id)


def name_of(connection: Connection, org_id: UUID) -> str | None:
    """Return the name of a team; None if the transaction sees no team with this id."""
    return connection.scalar(select(org.c.name).where(org.c.org_id == org_id))


def named(connection: Connection, team: str) -> tuple[UUID, ...]:
    """Return the ids of the organisations that have this text as name or id, at most two; needs the auth role."""
    query = select(org.c.org_id).where((org.c.name == team) | (cast(org.c.org_id, Text) == team.lower()))
    return tuple(connection.execute(query.limit(2)).scalars())


def rename(connection: Connection, org_id: UUID, name: str) -> None:
    """Rename the team for which the transaction runs."""
    connection.execute(update(org).where(org.c.org_id == org_id).values(name=name))


def members(connection: Connection) -> tuple[Member, ...]:
    """List the members of the team for which the transaction runs, sorted by name."""
    query = _MEMBERS.order_by(func.lower(person.c.name), person.c.person_id)
    return tuple(Member(**row) for row in connection.execute(query).mappings())


def member(connection: Connection, person_id: UUID) -> Member | None:
    """Read a member of the transaction's team; None if the person is not in this team."""
    row = connection.execute(_MEMBERS.where(membership.c.person_id == person_id)).mappings().one_or_none()
    return None if row is None else Member(**row)


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
    """Return the owners, and lock their rows until the transaction ends.

    Otherwise two owners who demote each other concurrently would leave the team without an owner.
    """
    query = select(membership.c.person_id).where(membership.c.role == "owner").order_by(membership.c.person_id)
    return frozenset(connection.scalars(query.with_for_update()))


def stays_owner(connection: Connection, person_id: UUID) -> bool:
    """Check whether a person is an owner, and lock the role until the transaction ends."""
    query = select(membership.c.role).where(membership.c.person_id == person_id).with_for_update(read=True)
    return connection.scalar(query) == "owner"


def change_role(connection: Connection, person_id: UUID, role: Role) -> None:
    """Change the role of a member."""
    connection.execute(update(membership).where(membership.c.person_id == person_id).values(role=role))


def remove_member(connection: Connection, person_id: UUID) -> bool:
    """Remove a member from the team, with the member's tokens; return False if the person is not in the team."""
    return bool(connection.execute(delete(membership).where(membership.c.person_id == person_id)).rowcount)


def add_member(connection: Connection, person_id: UUID, role: Role) -> None:
    """Add a person to the team for which the transaction runs; needs the auth role.

    An existing member keeps the role. The person's password reset links become void: an owner of a former team may
    have seen one, and could use it to get access to this team.
    """
    once.remove(connection, person_id, "reset")
    connection.execute(insert_unless(membership).values(person_id=person_id, role=role).on_conflict_do_nothing())


def teams_of(connection: Connection, person_id: UUID) -> tuple[TeamOfPerson, ...]:
    """List the teams that a person is in, sorted by name.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction without an organisation.
    person_id : UUID
    """
    query = (
        select(membership.c.org_id, org.c.name, membership.c.role)
        .join(org, org.c.org_id == membership.c.org_id)
        .where(membership.c.person_id == person_id)
        .order_by(org.c.name, org.c.org_id)
    )
    return tuple(TeamOfPerson(**row) for row in connection.execute(query).mappings())


def add_invitation(connection: Connection, new: NewInvitation) -> None:
    """Store an invitation of the transaction's team; it replaces an earlier invitation of the same address."""
    connection.execute(delete(invitation).where(invitation.c.email == new.email))
    connection.execute(insert(invitation).values(**asdict(new)))


def count_invitations(connection: Connection) -> int:
    """Count the invitations of the transaction's team, including expired invitations."""
    return connection.scalar(select(func.count()).select_from(invitation)) or 0


def open_invitations(connection: Connection, now: datetime) -> tuple[StoredInvitation, ...]:
    """List the open invitations of the team, newest first."""
    query = (
        select(*columns_of(invitation, StoredInvitation))
        .where(invitation.c.expires_at > now)
        .order_by(invitation.c.created_at.desc(), invitation.c.id)
    )
    return tuple(StoredInvitation(**row) for row in connection.execute(query).mappings())


def note_mailed(connection: Connection, invitation_id: UUID, now: datetime) -> None:
    """Store that the link of an invitation was mailed to the invited address and not shown."""
    connection.execute(update(invitation).where(invitation.c.id == invitation_id).values(mailed_at=now))


def remove_invitation(connection: Connection, invitation_id: UUID) -> bool:
    """Delete an invitation of the transaction's team; return False if no invitation has this id."""
    return bool(connection.execute(delete(invitation).where(invitation.c.id == invitation_id)).rowcount)


def withdraw_invitations_of(connection: Connection, person_id: UUID) -> None:
    """Delete the invitations that a person made.

    They are found by the person's id in the audit log, because the stored name of the inviting person can change.
    """
    made = select(audit_event.c.object_id).where(
        audit_event.c.action == "invitation.insert", audit_event.c.actor_id == person_id
    )
    connection.execute(delete(invitation).where(cast(invitation.c.id, Text).in_(made)))


def remove_expired_invitations(connection: Connection, now: datetime) -> None:
    """Remove the expired invitations of the team."""
    connection.execute(delete(invitation).where(invitation.c.expires_at <= now))


def find_invitation(connection: Connection, secret_hash: bytes, now: datetime) -> StoredInvitation | None:
    """Find the invitation that has the given secret; None if there is no such invitation or it has expired.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction without an organisation, as the organisation is not known yet.
    secret_hash : bytes
    now : datetime
    """
    query = select(*columns_of(invitation, StoredInvitation)).where(
        invitation.c.secret_hash == secret_hash, invitation.c.expires_at > now
    )
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredInvitation(**row)


def take_up(connection: Connection, found: StoredInvitation, person_id: UUID) -> bool:
    """Consume an invitation, and add a person to its team; return False if it was already used or withdrawn.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for the invitation's team.
    found : StoredInvitation
    person_id : UUID
    """
    if not remove_invitation(connection, found.id):
        return False
    add_member(connection, person_id, found.role)
    if found.mailed_at is not None:
        people.verify_email(connection, person_id, found.email)
    return True
