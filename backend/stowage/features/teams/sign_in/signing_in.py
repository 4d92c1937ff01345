"""Sign-in by password and by one-time links."""

from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.teams.sign_in import passwords, second_factors
from stowage.features.teams.sign_in.recording import record_account
from stowage.features.teams.sign_in.schemas import SignIn
from stowage.features.teams.sign_in.sessions import Begun, Browser, Entry
from stowage.features.teams.sign_in.store import once, people, team
from stowage.platform import throttling
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.platform.errors import NotFound, SignInNeeded
from stowage.platform.secrets import digest, new_secret

LOCAL_PERSON_ID = UUID("00000000-0000-4000-8000-000000000003")
"""The local owner: the operator of Stowage on this machine."""

WRONG = "E-mail and password do not fit."
"""The same message for an unknown account, an account without a password, and a wrong password."""
SPENT = "This link was used already, or has expired."


class Wrong(SignInNeeded):
    """E-mail and password do not match.

    Parameters
    ----------
    held_back : UUID or None
        Person whose account is throttled from this attempt on; None if throttling does not begin with this attempt.
    """

    def __init__(self, held_back: UUID | None = None) -> None:
        self.held_back = held_back
        super().__init__(WRONG)


def by_password(gate: Database, attempt: SignIn, browser: Browser, now: datetime) -> Begun:
    """Sign in by e-mail and password.

    Raises
    ------
    Wrong
        E-mail and password do not match.
    TooMany
        There were too many attempts for this account or from this network address.
    """
    email = plain_email(attempt.email)
    keys = (throttling.ACCOUNT.key(email), throttling.address_key(browser.address))
    attempts, _ = throttling.count(gate, keys, now)
    person = hashed = None
    if email.isprintable():
        with gate.transaction(None) as connection:
            person = people.find(connection, email)
            hashed = None if person is None else people.password_of(connection, person.person_id)
    # Outside of a transaction: hashing takes a while, and must not hold a connection.
    if not passwords.verify(hashed, attempt.password) or person is None or hashed is None:
        begins = person is not None and attempts == throttling.ACCOUNT.free
        raise Wrong(person.person_id if person is not None and begins else None)
    throttling.forgive(gate, keys)
    if passwords.is_outdated(hashed):
        newer = passwords.hash_password(attempt.password)
        with gate.transaction(None) as connection:
            people.set_password(connection, person.person_id, newer, now)
    return second_factors.enter(gate, person.person_id, Entry("password"), browser, now)


def record_held_back(gate: Database, person_id: UUID) -> None:
    """Record in the audit logs of a person's teams that an attacker guesses passwords of the account.

    Called after the response, because the duration of the call would reveal whether there is such an account.
    """
    with gate.transaction(None) as connection:
        person = people.get(connection, person_id)
    if person is not None:
        record_account(gate, person_id, person.name, "session.refused", by="Unknown user")


def by_link(gate: Database, secret: str, browser: Browser, now: datetime) -> Begun:
    """Sign in by a one-time link, which is consumed.

    Raises
    ------
    SignInNeeded
        The link was used, has expired or never existed.
    TooMany
        There were too many invalid links from this network address.
    """
    with gate.transaction(None) as connection:
        link = once.use(connection, "sign-in", digest(secret), now)
    if link is None or link.person_id is None:
        # Only invalid links are counted: 256 bits cannot be guessed, and others at the address must not block them.
        throttling.count(gate, (throttling.SECRET.at(browser.address),), now)
        raise SignInNeeded(SPENT)
    return second_factors.enter(gate, link.person_id, Entry("link"), browser, now)


def make_sign_in_link(gate: Database, person_id: UUID, now: datetime, lasts: timedelta) -> str:
    """Create the secret of a link that signs a person in once.

    Earlier unused links become void.

    Returns
    -------
    str
        The secret, which follows ``/sign-in#`` in the address. No server and no log sees this part of an address.
    """
    secret = new_secret()
    with gate.transaction(None) as connection:
        once.replace(connection, "sign-in", digest(secret), once.OneTime(person_id, None, now + lasts), now)
    return secret


def ensure_local_owner(gate: Database, now: datetime) -> UUID:
    """Ensure that the local owner exists and is in the team of this machine.

    The local owner is the operator of Stowage. A local owner who was removed from the team is added again: the operator
    has access to its data anyway. A repeated call has no further effect.

    Raises
    ------
    NotFound
        The team of this machine was deleted.
    """
    with gate.transaction(LOCAL_ORG_ID) as connection:
        if team.name_of(connection, LOCAL_ORG_ID) is None:
            raise NotFound("The team of this machine was deleted.")
        people.ensure(connection, LOCAL_PERSON_ID, "Local owner", now)
        if all(each.org_id != LOCAL_ORG_ID for each in team.teams_of(connection, LOCAL_PERSON_ID)):
            team.add_member(connection, LOCAL_PERSON_ID, "owner")
    return LOCAL_PERSON_ID


def plain_email(text: str) -> str:
    """Normalize an e-mail address to the form in which it is stored.

    >>> plain_email(" Ada@Example.org ")
    'ada@example.org'
    """
    return text.strip().lower()
