"""Sessions: sign-in, authentication of requests, renewal and sign-out."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from stowage.features.teams.sign_in import schemas
from stowage.features.teams.sign_in.recording import record
from stowage.features.teams.sign_in.store import accounts, callers, once, people, team
from stowage.features.teams.sign_in.store import sessions as store
from stowage.features.teams.sign_in.store.accounts import Account
from stowage.features.teams.sign_in.store.callers import NOTHING, About
from stowage.frozen import frozen
from stowage.model.team import ProofKind, SessionKind
from stowage.platform.access import DENIED, PROOF_LASTS, Principal, must_exist
from stowage.platform.audit import Event
from stowage.platform.database.database import BegunTransaction, Connection, Database
from stowage.platform.errors import NotFound, SignInNeeded
from stowage.platform.secrets import digest, new_secret

LASTS = timedelta(hours=12)
"""Lifetime of a session regardless of use: it bounds access after an account at the provider is closed."""
IDLE = LASTS
"""Time without use after which a session ends."""
GRACE = timedelta(seconds=60)
"""Time for which the previous secret of a session stays valid after a renewal."""
RENEWED_EVERY = timedelta(hours=1)
"""Age at which the secret of a session in use is renewed."""
_SEEN_EVERY = timedelta(minutes=1)
_LONGEST_AGENT = 300


@frozen
class Begun:
    """A session that has just started, or a sign-in that awaits its second factor: its secret opens no session."""

    secret: str
    """Value of the cookie; stored as a hash."""
    lasts_s: int
    """Lifetime [s]."""
    is_pending: bool = False
    """Whether the second factor is missing; the secret is then of a pending sign-in."""


@frozen
class Browser:
    """The browser from which a person signs in."""

    address: str | None
    agent: str | None
    presented: str | None
    """Secret of the browser's current session, which the sign-in ends."""


@frozen
class Entry:
    """A successful sign-in, from which a session begins."""

    how: SessionKind
    looks_at: UUID | None = None
    """Team to show; None for the last one used."""
    proved_at: datetime | None = None
    """Time of the authentication if it was earlier: at the provider, or in the session that the new one replaces."""


def authenticate(gate: Database, secret: str, now: datetime) -> Principal:
    """Find the person whose session has the given secret.

    The returned principal has the person's current permissions.

    Raises
    ------
    SignInNeeded
        No session has this secret, or the session has ended.
    """
    with opened(gate, gate, secret, now) as (principal, _):
        return principal


@contextmanager
def opened(
    of: Database, gate: Database, secret: str, now: datetime, about: About = NOTHING
) -> Iterator[tuple[Principal, BegunTransaction]]:
    """Find the person as `authenticate` does, by a transaction that stays open for the use case.

    Parameters
    ----------
    of : Database
        Database of the transaction: as the application's role or as the auth role.
    gate : Database
        Database as the auth role, which stores that the session was used.
    """
    with of.begun_by(callers.by_session(digest(secret), now=now, grace=GRACE, idle=IDLE, about=about)) as (row, begun):
        found = callers.caller_of(row)
        if found is None or found.session_id is None:
            raise SignInNeeded
        principal = Principal(
            person_id=found.person_id,
            name=found.name,
            email=found.email,
            org_id=found.org_id,
            role=found.role,
            session_id=found.session_id,
            csrf=found.csrf,
            proved_at=found.proved_at,
            provider_check_at=found.provider_check_at,
        )
        if found.used_at is None or now - found.used_at >= _SEEN_EVERY:
            # Before the use case, which may list the sessions; it then begins a transaction of its own.
            begun.close()
            with gate.transaction(None) as connection:
                store.saw(connection, found.session_id, now)
        yield principal, begun


def begin(gate: Database, person_id: UUID, entry: Entry, browser: Browser, now: datetime) -> Begun:
    """Start a session of a person.

    The session always gets a new secret: an attacker cannot plant a known secret in a browser (session fixation).

    Parameters
    ----------
    person_id : UUID
        The authenticated person.
    browser : Browser
        Browser of the person; its current session ends.

    Raises
    ------
    SignInNeeded
        The person no longer exists.
    """
    secret = new_secret()
    with gate.transaction(None) as connection:
        store.purge(connection, now=now, idle=IDLE)
        once.purge(connection, now)
        person = people.demand(connection, person_id)
        teams = team.teams_of(connection, person_id)
        first = next((each.org_id for each in teams), None)
        team_id = entry.looks_at or store.last_team(connection, person_id) or first
        if browser.presented is not None:
            store.remove_by_secret(connection, digest(browser.presented))
        new = _new_session(person_id, team_id, entry, browser, now)
        store.add(connection, new, digest(secret))
        people.resume_tokens(connection, person_id)
        if entry.proved_at is None or entry.proved_at > now - LASTS:
            people.signed_in(connection, person_id, now)
    record(gate, person_id, Event("session.start", "person", person.name, person_id))
    return Begun(secret, int(LASTS.total_seconds()))


def _new_session(
    person_id: UUID, team_id: UUID | None, entry: Entry, browser: Browser, now: datetime
) -> store.StoredSession:
    """Build the row of a session that starts now."""
    return store.StoredSession(
        id=uuid4(),
        person_id=person_id,
        team_id=team_id,
        csrf=new_secret(),
        how=entry.how,
        created_at=now,
        rotated_at=now,
        seen_at=now,
        ends_at=now + LASTS,
        address=browser.address,
        agent=None if browser.agent is None else browser.agent[:_LONGEST_AGENT],
        proved_at=min(entry.proved_at or now, now),
    )


def renew(gate: Database, principal: Principal, secret: str, now: datetime) -> Begun | None:
    """Replace a session's secret if it is due for renewal.

    The replaced secret stays valid for `GRACE`. Returns the session with its new secret, or None if it was not due.

    Parameters
    ----------
    principal : Principal
        Principal of the session.
    secret : str
        The presented secret.
    """
    if principal.session_id is None:
        return None
    becomes = new_secret()
    with gate.transaction(None) as connection:
        renewed = store.renew(
            connection,
            principal.session_id,
            was=digest(secret),
            becomes=digest(becomes),
            now=now,
            after=RENEWED_EVERY,
        )
        session = store.get(connection, principal.session_id) if renewed else None
    return None if session is None else Begun(becomes, int((session.ends_at - now).total_seconds()))


def describe(
    gate: Database, principal: Principal, provider: str | None, *, mail: bool, passwords: bool, now: datetime
) -> schemas.SessionAnswer:
    """Return the caller and the caller's permissions.

    If the person was removed from the team that the session shows, the session switches to another team.

    Parameters
    ----------
    provider : str or None
        Name of the OpenID provider.
    mail : bool
        Whether mail is sent.
    passwords : bool
        Whether passwords are accepted.

    Raises
    ------
    SignInNeeded
        The person no longer exists.
    """
    with gate.transaction(None) as connection:
        account = _demand_account(connection, principal)
        teams = account.teams
        if principal.token_id is not None:
            # A token has access to one team, and must not reveal the other teams of its person.
            teams = tuple(each for each in teams if each.org_id == principal.org_id)
        looked_at = next((each for each in teams if each.org_id == principal.org_id), None)
        if looked_at is None and teams and principal.session_id is not None:
            looked_at = teams[0]
            store.look_at(connection, principal.session_id, looked_at.org_id)
    if looked_at is not None:
        principal = replace(principal, org_id=looked_at.org_id, role=looked_at.role)
    return schemas.SessionAnswer(
        signed_in=True,
        person=_person_answer(account, now),
        team=looked_at,
        teams=list(teams),
        permissions=sorted(principal.permissions),
        csrf=principal.csrf,
        provider=provider,
        mail=mail,
        passwords=passwords,
    )


def person_answer(connection: Connection, principal: Principal, now: datetime) -> schemas.PersonAnswer:
    """Return the current account of a person, with the ways to reauthenticate within the session.

    Raises
    ------
    SignInNeeded
        The person no longer exists.
    """
    return _person_answer(_demand_account(connection, principal), now)


def _demand_account(connection: Connection, principal: Principal) -> Account:
    found = accounts.find(connection, principal.person_id, principal.session_id)
    if found is None:
        raise SignInNeeded
    return found


def _person_answer(account: Account, now: datetime) -> schemas.PersonAnswer:
    proofs: list[ProofKind] = ["password"] if account.has_password else []
    if account.has_identity:
        proofs.append("provider")
    return schemas.PersonAnswer(
        person_id=account.person_id,
        name=account.name,
        email=account.email,
        email_verified=account.email is not None and account.email_verified_at is not None,
        has_password=account.has_password,
        proofs=proofs,
        second_factor=account.has_app or account.passkeys > 0,
        authenticator_app=account.has_app,
        passkeys=account.passkeys,
        recovery_codes=account.recovery_codes,
        identified=_is_recent(account.identified_at, now),
    )


def is_identified(connection: Connection, principal: Principal, now: datetime) -> bool:
    """Check whether the reauthentication of a person lacks only the second factor.

    This is so if the person has recently signed in again at the provider.
    """
    session = None if principal.session_id is None else store.get(connection, principal.session_id)
    return session is not None and _is_recent(session.identified_at, now)


def _is_recent(identified_at: datetime | None, now: datetime) -> bool:
    return identified_at is not None and now - identified_at < PROOF_LASTS


def choose_team(gate: Database, principal: Principal, org_id: UUID) -> Principal:
    """Switch a session to another team of the person.

    Raises
    ------
    NotFound
        The person is not in the team.
    """
    with gate.transaction(None) as connection:
        teams = team.teams_of(connection, principal.person_id)
        chosen = next((each for each in teams if each.org_id == org_id), None)
        if chosen is None or principal.session_id is None:
            raise NotFound(DENIED)
        store.look_at(connection, principal.session_id, org_id)
    return replace(principal, org_id=org_id, role=chosen.role)


def list_sessions(gate: Database, principal: Principal, now: datetime) -> schemas.SessionListAnswer:
    """List the sessions of a person."""
    with gate.transaction(None) as connection:
        found = store.list_(connection, principal.person_id, now=now, idle=IDLE)
    rows = [
        schemas.SessionRow.from_fields(
            each, is_this=each.id == principal.session_id, ends_at=min(each.ends_at, each.seen_at + IDLE)
        )
        for each in found
    ]
    return schemas.SessionListAnswer(sessions=rows)


def end(gate: Database, principal: Principal, session_id: UUID) -> None:
    """End one session of a person.

    Raises
    ------
    NotFound
        The person has no such session.
    """
    with gate.transaction(None) as connection:
        must_exist(store.remove(connection, principal.person_id, session_id))
    _record(gate, principal, "session.end")


def end_all(gate: Database, principal: Principal) -> None:
    """End all sessions of a person.

    Pending sign-ins and the unused links for sign-in or password reset become void.
    """
    with gate.transaction(None) as connection:
        store.remove_all(connection, principal.person_id)
        once.void(connection, principal.person_id)
    _record(gate, principal, "session.everywhere")


def _record(gate: Database, principal: Principal, action: str) -> None:
    record(gate, principal.person_id, Event(action, "person", principal.name, principal.person_id))
