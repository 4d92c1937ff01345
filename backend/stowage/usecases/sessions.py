"""Sessions: where a person is signed in, and who it is that a request comes from."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from stowage.model.team import SessionKind
from stowage.store import people, team
from stowage.store import sessions as store
from stowage.store.audit import Event
from stowage.store.database import Database
from stowage.usecases.access import Principal
from stowage.usecases.errors import SignInNeeded
from stowage.usecases.recording import record
from stowage.usecases.secrets import digest, new_secret

LASTS = timedelta(days=14)
"""However much it is used, a session is over after so long."""
IDLE = timedelta(hours=12)
"""A session that nobody used for so long is over."""
GRACE = timedelta(seconds=60)
"""How long the secret before the present one is good."""
_SEEN_EVERY = timedelta(minutes=1)
_LONGEST_AGENT = 300


@dataclass(frozen=True, slots=True)
class Begun:
    """A session that was begun.

    Parameters
    ----------
    secret : str
        For the cookie; stored nowhere.
    lasts_s : int
        [s]
    """

    secret: str
    lasts_s: int


def authenticate(gate: Database, secret: str, now: datetime) -> Principal:
    """Find out whose session a secret is of, and what that person may do now.

    Raises
    ------
    SignInNeeded
        It is of none, or of one that is over.
    """
    with gate.transaction(None) as connection:
        found = store.find(connection, digest(secret), now=now, grace=GRACE, idle=IDLE)
        if found is not None and now - found.session.seen_at >= _SEEN_EVERY:
            store.saw(connection, found.session.id, now)
    if found is None:
        raise SignInNeeded
    return Principal(
        person_id=found.session.person_id,
        name=found.name,
        email=found.email,
        # A team that the person was taken out of is none.
        org_id=None if found.role is None else found.session.team_id,
        role=found.role,
        session_id=found.session.id,
        csrf=found.session.csrf,
    )


def begin(
    gate: Database,
    person_id: UUID,
    *,
    how: SessionKind,
    address: str | None,
    agent: str | None,
    now: datetime,
    replaces: str | None,
) -> Begun:
    """Sign a person in: always under a new secret, so that nobody can have known it before.

    Parameters
    ----------
    gate : Database
    person_id : UUID
        Who has proven to be that person.
    how : {'password', 'oidc', 'link'}
    address, agent : str or None
        Where the person is, and with which browser.
    now : datetime
    replaces : str or None
        The secret that the browser presented, if any: its session ends.

    Raises
    ------
    SignInNeeded
        The person is gone.
    """
    secret = new_secret()
    with gate.transaction(None) as connection:
        store.purge(connection, now=now, idle=IDLE)
        person = people.get(connection, person_id)
        if person is None:
            raise SignInNeeded
        teams = team.teams_of(connection, person_id)
        team_id = store.last_team(connection, person_id) or next((each.org_id for each in teams), None)
        if replaces is not None:
            store.remove_by_secret(connection, digest(replaces))
        new = store.StoredSession(
            id=uuid4(),
            person_id=person_id,
            team_id=team_id,
            csrf=new_secret(),
            how=how,
            created_at=now,
            rotated_at=now,
            seen_at=now,
            ends_at=now + LASTS,
            address=address,
            agent=None if agent is None else agent[:_LONGEST_AGENT],
        )
        store.add(connection, new, digest(secret))
    record(gate, person_id, Event("session.start", "person", person.name, person_id))
    return Begun(secret, int(LASTS.total_seconds()))
