"""Signing in by password and by one-time links."""

from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.teams.sign_in import passwords, second_factors
from stowage.features.teams.sign_in.recording import record
from stowage.features.teams.sign_in.schemas import SignIn
from stowage.features.teams.sign_in.second_factors import Pending
from stowage.features.teams.sign_in.sessions import Begun, Browser
from stowage.features.teams.sign_in.store import once, people, team
from stowage.platform import throttling
from stowage.platform.audit import Event
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.platform.errors import NotFound, SignInNeeded
from stowage.platform.secrets import digest, new_secret

LOCAL_PERSON_ID = UUID("00000000-0000-4000-8000-000000000003")
"""Whoever runs Stowage on this machine."""

WRONG = "E-mail and password do not fit."
"""Whatever the reason: no such account, none with a password, another password."""
SPENT = "This link was used already, or has expired."


class Wrong(SignInNeeded):
    """E-mail and password do not fit.

    Parameters
    ----------
    held_back : UUID or None
        Whose account is held back from this attempt on.
    """

    def __init__(self, held_back: UUID | None = None) -> None:
        self.held_back = held_back
        super().__init__(WRONG)


def by_password(gate: Database, attempt: SignIn, browser: Browser, now: datetime) -> Begun | Pending:
    """Sign in by e-mail and password.

    Raises
    ------
    Wrong
        They do not fit.
    TooMany
        There were too many attempts, at this account or from this place.
    """
    email = plain_email(attempt.email)
    keys = (throttling.account_key(email), throttling.address_key(browser.address))
    attempts, _ = throttling.count(gate, keys, now)
    person = hashed = None
    if email.isprintable():
        with gate.transaction(None) as connection:
            person = people.find(connection, email)
            hashed = None if person is None else people.password_of(connection, person.person_id)
    # In no transaction: it takes a while, and nobody should wait for a connection meanwhile.
    if not passwords.verify(hashed, attempt.password) or person is None or hashed is None:
        begins = person is not None and attempts == throttling.ACCOUNT.free
        raise Wrong(person.person_id if person is not None and begins else None)
    throttling.forgive(gate, keys)
    if passwords.is_outdated(hashed):
        newer = passwords.hash_password(attempt.password)
        with gate.transaction(None) as connection:
            people.set_password(connection, person.person_id, newer, now)
    return second_factors.enter(
        gate,
        person.person_id,
        how="password",
        browser=browser,
        now=now,
    )


def record_held_back(gate: Database, person_id: UUID) -> None:
    """Tell a person's teams that somebody guesses at the account.

    Called after the answer: it takes time, and only where there is such an account.
    """
    with gate.transaction(None) as connection:
        person = people.get(connection, person_id)
    if person is not None:
        about = Event(
            "session.refused",
            "system",
            "Somebody",
            object_kind="person",
            object_id=str(person_id),
            object_name=person.name,
        )
        record(gate, person_id, about)


def by_link(gate: Database, secret: str, browser: Browser, now: datetime) -> Begun | Pending:
    """Sign in by a one-time link, which is spent then.

    Raises
    ------
    SignInNeeded
        It is spent, or has expired, or never was one.
    TooMany
        Likewise, and there were too many such attempts from this place.
    """
    with gate.transaction(None) as connection:
        link = once.use(connection, "sign-in", digest(secret), now)
    if link is None or link.person_id is None:
        # A good one passes whatever others tried from there: 256 bits are not guessed, and nobody is to be shut out.
        throttling.count(gate, (throttling.secret_key(browser.address),), now)
        raise SignInNeeded(SPENT)
    return second_factors.enter(
        gate,
        link.person_id,
        how="link",
        browser=browser,
        now=now,
    )


def make_sign_in_link(gate: Database, person_id: UUID, now: datetime, lasts: timedelta) -> str:
    """Make a secret by which a person signs in once; those made before and not used are void.

    Parameters
    ----------
    gate : Database
    person_id : UUID
    now : datetime
    lasts : timedelta

    Returns
    -------
    str
        Stands behind ``/sign-in#`` in an address, where no server and no log sees it.
    """
    secret = new_secret()
    with gate.transaction(None) as connection:
        once.purge(connection, now)
        once.remove(connection, person_id, "sign-in")
        once.add(connection, "sign-in", digest(secret), once.OneTime(person_id, None, now + lasts))
    return secret


def ensure_local_owner(gate: Database, now: datetime) -> UUID:
    """Have whoever runs Stowage on this machine be a member of its team, as its owner; safe to repeat.

    Somebody who was taken out of the team is in it again: whoever runs Stowage holds its data anyway.

    Raises
    ------
    NotFound
        There is no such team: it was deleted.
    """
    with gate.transaction(LOCAL_ORG_ID) as connection:
        if team.name_of(connection, LOCAL_ORG_ID) is None:
            raise NotFound("The team of this machine was deleted.")
        people.ensure(connection, LOCAL_PERSON_ID, "Local owner", now)
        if all(each.org_id != LOCAL_ORG_ID for each in team.teams_of(connection, LOCAL_PERSON_ID)):
            team.add_member(connection, LOCAL_PERSON_ID, "owner")
    return LOCAL_PERSON_ID


def plain_email(text: str) -> str:
    """Give an e-mail as it is stored.

    >>> plain_email(" Ada@Example.org ")
    'ada@example.org'
    """
    return text.strip().lower()
