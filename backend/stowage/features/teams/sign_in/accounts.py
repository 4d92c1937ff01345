"""The account of a person: name, e-mail, password, and the reset of a forgotten password."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.teams.sign_in import passwords, second_factors, sessions
from stowage.features.teams.sign_in.recording import record_account
from stowage.features.teams.sign_in.schemas import CredentialsChange, PasswordReset, PersonAnswer
from stowage.features.teams.sign_in.sessions import Begun, Browser, Entry
from stowage.features.teams.sign_in.signing_in import LOCAL_PERSON_ID, SPENT, plain_email
from stowage.features.teams.sign_in.store import once, people, team, tokens
from stowage.features.teams.sign_in.store import sessions as store
from stowage.features.teams.sign_in.store.team import TeamOfPerson
from stowage.platform import letters, throttling
from stowage.platform.access import Principal
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.outside import Mailer
from stowage.platform.secrets import digest, new_secret

RESET_LASTS = timedelta(hours=1)
"""Lifetime of a link for a new password."""
VERIFY_LASTS = timedelta(days=1)
"""Lifetime of a link that verifies an address."""


def rename(gate: Database, principal: Principal, name: str, now: datetime) -> PersonAnswer:
    """Change the name of a person.

    Raises
    ------
    SignInNeeded
        The person no longer exists.
    """
    with gate.transaction(None) as connection:
        before = people.demand(connection, principal.person_id)
        people.change(connection, principal.person_id, name=name)
        answer = sessions.person_answer(connection, principal, now)
    if name != before.name:
        record_account(gate, principal.person_id, name, "account.change", changes={"name": [before.name, name]})
    return answer


def change_credentials(
    gate: Database, principal: Principal, asked: CredentialsChange, now: datetime, *, mail: bool
) -> PersonAnswer:
    """Change the e-mail address of a person, the password, or both.

    The route requires a recent reauthentication.

    Parameters
    ----------
    asked : CredentialsChange
        A new password ends all other sessions and voids links. If it replaces one, accounts at the OpenID provider
        are disconnected: an attacker with the old password may have connected them.
    mail : bool
        Whether the service sends mail; if it does not, the local owner's address counts as verified.

    Raises
    ------
    BadInput
        The new password is weak, or the e-mail cannot be used.
    TooMany
        Too many changes of e-mail were requested.
    SignInNeeded
        The person no longer exists.
    """
    with gate.transaction(None) as connection:
        before = people.demand(connection, principal.person_id)
        had_password = people.password_of(connection, principal.person_id) is not None
        about = [each.name for each in team.teams_of(connection, principal.person_id)]
    email = asked.email if asked.email != before.email else None
    if email is not None:
        # Never forgiven: the refusal of an e-mail reveals that another account has it.
        throttling.count(gate, (throttling.CHANGES.key(principal.person_id),), now)
    becomes = None
    if asked.password is not None:
        about += [before.name, email or before.email or ""]
        becomes = _hashed(asked.password, email or before.email, about)
    with gate.transaction(None) as connection:
        # If another account takes the address concurrently, the whole change fails.
        if not people.change(connection, principal.person_id, email=email):
            raise BadInput([Problem("email", f"{email} cannot be used")])
        if becomes is not None:
            people.set_password(connection, principal.person_id, becomes, now)
            store.remove_all(connection, principal.person_id, but=principal.session_id)
            if had_password:
                people.forget_identities(connection, principal.person_id)
        if becomes is not None or email is not None:
            once.void(connection, principal.person_id)
        _vouch(connection, principal.person_id, email, mail=mail)
        answer = sessions.person_answer(connection, principal, now)
    if email is not None:
        record_account(
            gate, principal.person_id, before.name, "account.change", changes={"email": [before.email, email]}
        )
    if becomes is not None:
        record_account(gate, principal.person_id, before.name, "password.change")
    return answer


def _vouch(connection: Connection, person_id: UUID, email: str | None, *, mail: bool) -> None:
    """Mark the local owner's address as verified if the service sends no mail.

    The owner has already been identified by the sign-in link of the service's first start.
    """
    if email is not None and not mail and person_id == LOCAL_PERSON_ID:
        people.verify_email(connection, person_id, email)


def _hashed(text: str, email: str | None, about: Sequence[str]) -> str:
    """Hash a new password after checking its strength."""
    if email is None:
        raise BadInput([Problem("email", "is needed beside a password: one signs in with both")])
    passwords.refuse_weak(text, about)
    return passwords.hash_password(text)


def count_reset(gate: Database, email: str, address: str | None, now: datetime) -> None:
    """Count a request for a new password.

    It is counted whether or not an account has the e-mail.

    Raises
    ------
    TooMany
        There were too many requests for this e-mail or from this network address.
    """
    throttling.count(gate, (throttling.ASKED.key(plain_email(email)), throttling.ASKING.at(address)), now)


def send_reset(gate: Database, mail: Mailer | None, page: str, email: str, now: datetime) -> None:
    """Mail a link for a new password if an account has the e-mail.

    Does nothing if the service sends no mail. Called after the response, because the duration of the call would reveal
    whether there is such an account.

    Parameters
    ----------
    page : str
        Base URL of the page, without a trailing slash; never taken from the request.
    """
    known = plain_email(email)
    if mail is None or not known.isprintable():
        return
    with gate.transaction(None) as connection:
        person = people.find(connection, known)
        if person is None or person.verified_email is None:
            # A mistyped address would give the account to the owner of that address.
            return
        secret = new_secret()
        # Earlier links stay valid: otherwise a request in another person's name would void them.
        once.add(connection, "reset", digest(secret), once.OneTime(person.person_id, None, now + RESET_LASTS))
    letters.send(
        mail,
        person.email,
        letters.Letter(
            "A new password for Stowage",
            "A new password for Stowage was requested, we hope by you. This link lets you set one, once, within "
            f"an hour:\n\n{page}/reset#{secret}\n\n"
            "If it was not you, leave it alone: your password stays as it is.\n",
        ),
    )


def count_verification(gate: Database, mail: Mailer | None, principal: Principal, now: datetime) -> str | None:
    """Count a request for a link that verifies the person's e-mail address.

    Returns the address to which the link must be mailed, or None if the address is verified already.

    Raises
    ------
    Conflict
        The service sends no mail, or the account has no address.
    TooMany
        Too many links were requested recently.
    """
    with gate.transaction(None) as connection:
        person = people.get(connection, principal.person_id)
    if mail is None:
        raise Conflict("This service sends no mail. Its operator can verify an address with `stowage verify-email`.")
    if person is None or person.email is None:
        raise Conflict("The account has no e-mail.")
    if person.verified_email is not None:
        return None
    throttling.count(gate, (throttling.ASKED.key(person.email),), now)
    return person.email


def send_verification(
    gate: Database, mail: Mailer | None, page: str, person_id: UUID, email: str, now: datetime
) -> None:
    """Mail a verification link to an address.

    Until the address is verified, it receives no other mail.
    """
    if mail is None:
        return
    secret = new_secret()
    with gate.transaction(None) as connection:
        link = once.OneTime(person_id, {"email": email}, now + VERIFY_LASTS)
        once.replace(connection, "verify", digest(secret), link, now)
    letters.send(mail, email, letters.verification(link=f"{page}/verify#{secret}"))


def verify(gate: Database, secret: str, address: str | None, now: datetime) -> None:
    """Verify an e-mail address by the link that was mailed to it.

    Raises
    ------
    NotFound
        The link is used, expired or unknown, or the account has another address now.
    TooMany
        Too many invalid links came from this network address.
    """
    with gate.transaction(None) as connection:
        link = once.use(connection, "verify", digest(secret), now)
        person = None if link is None or link.person_id is None else people.get(connection, link.person_id)
        email = None if link is None or link.details is None else str(link.details["email"])
        done = person is not None and email is not None and people.verify_email(connection, person.person_id, email)
    if person is None or not done:
        throttling.count(gate, (throttling.SECRET.at(address),), now)
        raise NotFound(SPENT)
    record_account(gate, person.person_id, person.name, "account.verify")


def tell_old_address(mail: Mailer | None, before: str, after: str) -> None:
    """Notify the old e-mail address of an account about the new one.

    An attacker may have made the change. Then the owner of the account must learn of it.
    """
    text = (
        f"Your account on Stowage has the e-mail {after} from now on; this address no longer belongs to it.\n\n"
        "If that was not you, tell an owner of your team.\n"
    )
    letters.send(mail, before, letters.Letter("Your e-mail on Stowage has changed", text))


def make_reset_link(
    gate: Database, person_id: UUID, now: datetime, shown_in: UUID | None = None, shown_to: UUID | None = None
) -> tuple[str, datetime]:
    """Create the secret of a one-time link with which a person sets a new password.

    Earlier links of the person become void.

    Parameters
    ----------
    shown_in, shown_to : UUID or None
        Team and owner to whom the link may be shown; both None if it may only be mailed. A link with a team and an
        owner becomes void as soon as the person is in another team, or this owner no longer owns the team.

    Returns
    -------
    str
        The secret, which follows ``/reset#`` in the address.
    datetime
        Time at which the link expires.
    """
    secret, expires_at = new_secret(), now + RESET_LASTS
    with gate.transaction(None) as connection:
        details = None
        if shown_in is not None:
            details = {"shown_in": str(shown_in), "shown_to": None if shown_to is None else str(shown_to)}
        once.replace(connection, "reset", digest(secret), once.OneTime(person_id, details, expires_at), now)
    return secret, expires_at


def _may_be_used(connection: Connection, link: once.OneTime, teams: Sequence[TeamOfPerson]) -> bool:
    """Check whether a reset link is still valid.

    If the link may have been shown, the person must be in the team of the link only, and the owner who may have seen
    it must still own the team.

    Parameters
    ----------
    teams : sequence of TeamOfPerson
        Teams of the person.
    """
    if link.details is None or "shown_in" not in link.details:
        return True
    shown_in, shown_to = UUID(link.details["shown_in"]), link.details["shown_to"]
    shows = () if shown_to is None else team.teams_of(connection, UUID(shown_to))
    owns = any(each.org_id == shown_in and each.role == "owner" for each in shows)
    return owns and [each.org_id for each in teams] == [shown_in]


def reset(gate: Database, asked: PasswordReset, browser: Browser, now: datetime) -> Begun:
    """Set a new password by a one-time link, and sign in with it.

    If the account has a second factor, the sign-in still requires it. All other credentials end: sessions, links,
    tokens, and connected accounts at the OpenID provider. An attacker with access to the account may have connected
    them.

    Raises
    ------
    NotFound
        The link was used, has expired or never existed.
    BadInput
        The password is weak; the link stays valid.
    TooMany
        There were too many invalid links from this network address, or too many passwords are being hashed.
    """
    secret_hash = digest(asked.secret)
    with gate.transaction(None) as connection:
        link = once.look(connection, "reset", secret_hash, now)
        person = None if link is None or link.person_id is None else people.get(connection, link.person_id)
        teams = () if person is None else team.teams_of(connection, person.person_id)
    if person is None:
        # Only invalid links are counted, as in `signing_in.by_link`.
        throttling.count(gate, (throttling.SECRET.at(browser.address),), now)
        raise NotFound(SPENT)
    passwords.refuse_weak(asked.password, (person.name, person.email, *(each.name for each in teams)))
    becomes = passwords.hash_password(asked.password)
    with gate.transaction(None) as connection:
        # Check again under the transaction: link, teams and ownership may have changed while the password was hashed.
        link = once.use(connection, "reset", secret_hash, now)
        teams = team.teams_of(connection, person.person_id)
        good = link is not None and _may_be_used(connection, link, teams)
        if good:
            people.set_password(connection, person.person_id, becomes, now)
            people.forget_identities(connection, person.person_id)
            store.remove_all(connection, person.person_id)
            once.void(connection, person.person_id)
    if not good:
        # Raised after the transaction: the void link stays consumed.
        raise NotFound(SPENT)
    for each in teams:
        with gate.transaction(each.org_id) as connection:
            for token in tokens.list_newest(connection, person.person_id):
                tokens.revoke(connection, token.id, now)
    if person.email is not None:
        throttling.forgive(gate, (throttling.ACCOUNT.key(person.email),))
    record_account(gate, person.person_id, person.name, "password.reset")
    return second_factors.enter(gate, person.person_id, Entry("link"), browser, now)
