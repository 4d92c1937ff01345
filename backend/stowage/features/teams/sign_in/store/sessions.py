"""Queries of sessions, which only the auth role can access. The secret of a session is stored as a hash."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Connection, and_, delete, or_, select

from stowage.features.teams.sign_in.tables import membership, session
from stowage.frozen import frozen
from stowage.model.team import SessionKind
from stowage.platform.database.rows import Rows


@frozen
class StoredSession:
    """A session of a person who is signed in."""

    id: UUID
    person_id: UUID
    team_id: UUID | None
    """The organisation that the session shows."""
    csrf: str
    """CSRF token, which every request of the session that changes data must contain."""
    how: SessionKind
    created_at: datetime
    rotated_at: datetime
    seen_at: datetime
    ends_at: datetime
    address: str | None
    """Network address at the start of the session."""
    agent: str | None
    """User agent at the start of the session."""
    proved_at: datetime
    """When the person last authenticated: at sign-in or by a later reauthentication."""
    identified_at: datetime | None = None
    """When the person signed in at the provider for a reauthentication that still lacks the second factor."""


_SESSIONS = Rows(session, StoredSession)
get = _SESSIONS.get


def add(connection: Connection, new: StoredSession, secret_hash: bytes) -> None:
    """Store a new session."""
    _SESSIONS.store(connection, new, secret_hash=secret_hash)


def saw(connection: Connection, session_id: UUID, now: datetime) -> None:
    """Store the time at which a session was last used."""
    _SESSIONS.change(connection, session_id, {"seen_at": now})


def prove(connection: Connection, session_id: UUID, at: datetime) -> None:
    """Store the time at which the person of a session reauthenticated."""
    _SESSIONS.change(connection, session_id, {"proved_at": at, "identified_at": None})


def identify(connection: Connection, session_id: UUID, at: datetime) -> None:
    """Store the time at which the person of a session signed in again at the provider.

    The reauthentication then still lacks the second factor.
    """
    _SESSIONS.change(connection, session_id, {"identified_at": at})


def renew(
    connection: Connection, session_id: UUID, *, was: bytes, becomes: bytes, now: datetime, after: timedelta
) -> bool:
    """Replace the secret of a session if the secret is old enough.

    Parameters
    ----------
    was, becomes : bytes
        Hashes of the present and the new secret. Of concurrent requests with the present secret, one renews it.
    after : timedelta
        Age from which a secret is replaced.

    Returns
    -------
    bool
        Whether the secret was replaced.
    """
    values = {"secret_hash": becomes, "previous_hash": was, "rotated_at": now}
    old = session.c.secret_hash == was, session.c.rotated_at <= now - after
    return _SESSIONS.change(connection, session_id, values, *old)


def look_at(connection: Connection, session_id: UUID, team_id: UUID) -> None:
    """Switch a session to another team of the person."""
    _SESSIONS.change(connection, session_id, {"team_id": team_id})


def list_(connection: Connection, person_id: UUID, *, now: datetime, idle: timedelta) -> tuple[StoredSession, ...]:
    """List the active sessions of a person, most recently used first."""
    active = session.c.ends_at > now, session.c.seen_at > now - idle
    order = session.c.seen_at.desc(), session.c.id
    return _SESSIONS.list_all(connection, session.c.person_id == person_id, *active, order=order)


def remove(connection: Connection, person_id: UUID, session_id: UUID) -> bool:
    """End a session of a person, and return whether there was one."""
    return _SESSIONS.remove(connection, session_id, session.c.person_id == person_id)


def remove_all(connection: Connection, person_id: UUID, but: UUID | None = None) -> None:
    """End all sessions of a person, except one if `but` is given."""
    own = delete(session).where(session.c.person_id == person_id)
    connection.execute(own if but is None else own.where(session.c.id != but))


def remove_by_secret(connection: Connection, secret_hash: bytes) -> None:
    """End the session whose current or previous secret has this hash."""
    presented = or_(session.c.secret_hash == secret_hash, session.c.previous_hash == secret_hash)
    connection.execute(delete(session).where(presented))


def last_team(connection: Connection, person_id: UUID) -> UUID | None:
    """Return the team that the person's most recently used session shows.

    Teams that the person has left are ignored. Returns None if no session shows a team of the person.
    """
    member = and_(membership.c.org_id == session.c.team_id, membership.c.person_id == session.c.person_id)
    query = (
        select(session.c.team_id)
        .join(membership, member)
        .where(session.c.person_id == person_id)
        .order_by(session.c.seen_at.desc())
        .limit(1)
    )
    return connection.scalar(query)


def purge(connection: Connection, *, now: datetime, idle: timedelta) -> None:
    """Remove ended sessions."""
    connection.execute(delete(session).where(or_(session.c.ends_at <= now, session.c.seen_at <= now - idle)))
