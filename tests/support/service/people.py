"""People for tests: their accounts, their teams, and their sign-in by session or token."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from fastapi.testclient import TestClient

from stowage.features.teams.sign_in import passwords, sessions
from stowage.features.teams.sign_in.store import people, team, tokens
from stowage.features.teams.sign_in.tokens import PREFIX
from stowage.model.team import Role, Scope
from stowage.platform.database.database import Database
from stowage.platform.secrets import digest, new_secret
from stowage.web.admission import CSRF

COOKIE = "stowage-80"
"""Name of the session cookie for `TestClient`: plain HTTP on port 80, for any `Host`."""


def new_person(gate: Database, name: str = "Ada", email: str | None = None, *, verified: bool = False) -> UUID:
    """Create a person without a team, with or without a (verified) e-mail."""
    person_id = uuid4()
    with gate.transaction(None) as connection:
        people.add(connection, person_id, name, email)
        if verified and email is not None:
            assert people.verify_email(connection, person_id, email)
    return person_id


def join(gate: Database, org_id: UUID, person_id: UUID, role: Role) -> None:
    """Add a person to a team."""
    with gate.transaction(org_id) as connection:
        team.add_member(connection, person_id, role)


def new_member(gate: Database, org_id: UUID, role: Role = "owner") -> UUID:
    """Create a person who is a member of one team only."""
    person_id = new_person(gate, f"{role.capitalize()} {uuid4().hex[:6]}")
    join(gate, org_id, person_id, role)
    return person_id


def session_of(gate: Database, person_id: UUID, now: datetime | None = None) -> str:
    """Create a session for a person, and return its secret."""
    browser = sessions.Browser(None, "tests", None)
    begun = sessions.begin(gate, person_id, sessions.Entry("link"), browser, now or datetime.now(UTC))
    return begun.secret


def new_planner(gate: Database, org_id: UUID, email: str, password: str, *, verified: bool = True) -> UUID:
    """Return a new member called Ada with an e-mail and a password."""
    person_id = new_person(gate, "Ada", email, verified=verified)
    join(gate, org_id, person_id, "planner")
    with gate.transaction(None) as connection:
        people.set_password(connection, person_id, passwords.hash_password(password), datetime.now(UTC))
    return person_id


def signed_in_as(client: TestClient, gate: Database, person_id: UUID) -> TestClient:
    """Sign a client in as a person."""
    secret = session_of(gate, person_id)
    csrf = sessions.authenticate(gate, secret, datetime.now(UTC)).csrf
    assert csrf is not None
    client.cookies.set(COOKIE, secret)
    client.headers[CSRF] = csrf
    return client


def signed_in(client: TestClient, gate: Database, org_id: UUID, role: Role = "owner") -> TestClient:
    """Sign a client in as a new member."""
    return signed_in_as(client, gate, new_member(gate, org_id, role))


def token_of(
    gate: Database,
    org_id: UUID,
    scopes: Sequence[Scope],
    role: Role = "owner",
    *,
    person_id: UUID | None = None,
    now: datetime | None = None,
    lasts: timedelta = timedelta(days=1),
) -> str:
    """Create a token of a new or existing member; for ``Authorization: Bearer``."""
    text, made = f"{PREFIX}{new_secret()}", now or datetime.now(UTC)
    whose = new_member(gate, org_id, role) if person_id is None else person_id
    with gate.transaction(org_id) as connection:
        tokens.add(
            connection,
            tokens.NewToken(uuid4(), whose, "of a test", digest(text), text[:8], scopes, made, made + lasts),
        )
    return text
