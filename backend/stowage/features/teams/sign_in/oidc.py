"""Sign-in at an OpenID provider: the state stored between redirect and callback, and the claims that are accepted.

A person is identified by issuer and subject, which never change. The e-mail does not identify a person: an attacker
who can make a provider assert an e-mail would get the account. A new account needs an invitation to an e-mail that the
provider has verified. To use an existing account, a person connects the account at the provider while signed in.
"""

import hmac
import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID, uuid4

from pydantic import TypeAdapter, ValidationError

from stowage.features.teams.sign_in import provider_checks, second_factors
from stowage.features.teams.sign_in.recording import acting_person, record, record_account
from stowage.features.teams.sign_in.schemas import OidcStart, PersonName
from stowage.features.teams.sign_in.sessions import Begun, Browser, Entry
from stowage.features.teams.sign_in.signing_in import plain_email
from stowage.features.teams.sign_in.store import once, people, team
from stowage.features.teams.sign_in.store import second_factors as factors
from stowage.features.teams.sign_in.store import sessions as store
from stowage.features.teams.sign_in.store.team import StoredInvitation
from stowage.frozen import frozen
from stowage.platform import throttling
from stowage.platform.access import DENIED, PROOF_LASTS, Actor, Principal, demand_recent_proof
from stowage.platform.audit import Event
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import Conflict, NotFound
from stowage.platform.outside import Claims, Provider, ProviderFailed
from stowage.platform.secrets import digest, new_secret

LASTS = timedelta(minutes=10)
"""Time limit of the sign-in at the provider."""

Reason = Literal["refused", "expired", "provider", "unknown", "known", "taken", "another"]

_PERSON_NAME: TypeAdapter[str] = TypeAdapter(PersonName)

log = logging.getLogger(__name__)


class Failed(Exception):
    """A refused sign-in at the OpenID provider.

    Parameters
    ----------
    reason : Reason
        ``refused``: the provider refused. ``expired``: the sign-in expired or was started in another browser.
        ``provider``: the provider's response is invalid. ``unknown``: the account is new and has no invitation.
        ``known``: a person has the e-mail, but has not connected the account. ``taken``: the account is connected to
        another person. ``another``: the account is not connected to the signed-in person, who reauthenticates.
    """

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(reason)


@frozen
class Started:
    """A started sign-in at the provider."""

    address: str
    """Address to which the browser is redirected."""
    browser_secret: str
    """Stored in a cookie: only the same browser can complete the sign-in."""


@frozen
class Returned:
    """Parameters of the callback from the provider."""

    state: str
    """Empty if missing."""
    code: str
    """Empty if missing."""
    error: str
    """Empty if missing."""
    browser_secret: str | None


@frozen
class Finished:
    """A completed sign-in at the provider."""

    entered: Begun | None
    """The new session or pending sign-in; None if the person was already signed in, and connected an account or
    reauthenticated."""
    path: str
    """Path of the page to show next."""


def start(
    gate: Database,
    provider: Provider | None,
    asked: OidcStart,
    principal: Principal | None,
    *,
    redirect_uri: str,
    address: str | None,
    now: datetime,
) -> Started:
    """Start a sign-in at the OpenID provider.

    For a signed-in person without an invitation, the sign-in connects the account at the provider to the person, or
    reauthenticates the person: the provider then asks for credentials again.

    Raises
    ------
    NotFound
        The service has no provider.
    Conflict
        The provider does not answer.
    ProofNeeded
        Connecting an account needs a recent reauthentication.
    TooMany
        There were too many attempts from this network address.
    """
    if provider is None:
        raise NotFound(DENIED)
    throttling.count(gate, (throttling.OIDC.at(address),), now)
    signed_in = principal if principal is not None and principal.session_id and asked.invitation is None else None
    if asked.prove and signed_in is None:
        raise NotFound(DENIED)
    if signed_in is not None and not asked.prove:
        demand_recent_proof(signed_in, now)
    state, nonce, verifier, browser_secret = (new_secret() for _ in range(4))
    try:
        where = provider.start(
            redirect_uri=redirect_uri, state=state, nonce=nonce, verifier=verifier, reauthenticate=asked.prove
        )
    except ProviderFailed as error:
        log.warning("cannot start a sign-in at the provider: %s", error)
        raise Conflict(f"{provider.name} does not answer; try again later.") from error
    details = {
        "nonce": nonce,
        "verifier": verifier,
        "browser": digest(browser_secret).hex(),
        "redirect_uri": redirect_uri,
        "path": safe_path(asked.return_to),
        "invitation": None if asked.invitation is None else digest(asked.invitation).hex(),
        "session": None if signed_in is None else str(signed_in.session_id),
        "prove": asked.prove,
    }
    whose = None if signed_in is None else signed_in.person_id
    with gate.transaction(None) as connection:
        once.purge(connection, now)
        once.add(connection, "oidc", digest(state), once.OneTime(whose, details, now + LASTS))
    return Started(where, browser_secret)


def finish(
    gate: Database, provider: Provider | None, returned: Returned, browser: Browser, actor: Actor, now: datetime
) -> Finished:
    """Complete a sign-in at the provider.

    Raises
    ------
    Failed
        The sign-in is refused; see `Failed` for the reasons.
    """
    with gate.transaction(None) as connection:
        link = once.use(connection, "oidc", digest(returned.state), now)
    if provider is None or link is None or link.details is None:
        raise Failed("expired")
    said = link.details
    if not hmac.compare_digest(digest(returned.browser_secret or "").hex(), said["browser"]):
        raise Failed("expired")
    if returned.error or not returned.code:
        raise Failed("refused")
    try:
        claims = provider.finish(
            redirect_uri=said["redirect_uri"], code=returned.code, nonce=said["nonce"], verifier=said["verifier"]
        )
    except ProviderFailed as error:
        log.warning("invalid response of the provider: %s", error)
        raise Failed("provider") from error
    if link.person_id is not None:
        (_prove if said.get("prove") else _connect)(gate, link.person_id, said, claims, now)
        provider_checks.keep(gate, link.person_id, claims, now)
        return Finished(None, said["path"])
    person_id, org_id = _let_in(gate, claims, said["invitation"], actor, now)
    provider_checks.keep(gate, person_id, claims, now)
    entry = Entry("oidc", org_id, claims.authenticated_at)
    return Finished(second_factors.enter(gate, person_id, entry, browser, now), said["path"])


def safe_path(text: str) -> str:
    r"""Return the text if it is a path on this site, else ``/``.

    >>> [safe_path(each) for each in ("/plans?of=me#top", "//evil.example", "https://evil.example", "/\\evil.example")]
    ['/plans?of=me#top', '/', '/', '/']
    """
    # Browsers treat a backslash as a slash, and drop tabs and line breaks.
    elsewhere = not text.startswith("/") or text.startswith("//") or "\\" in text or not text.isprintable()
    return "/" if elsewhere else text


def _prove(gate: Database, person_id: UUID, said: Mapping[str, Any], claims: Claims, now: datetime) -> None:
    """Store that the person of a session reauthenticated at the provider.

    If the account has a second factor, the reauthentication still requires it.
    """
    proved_at = min(claims.authenticated_at or now, now)
    if now - proved_at >= PROOF_LASTS:
        raise Failed("expired")  # The provider did not ask for credentials again.
    with gate.transaction(None) as connection:
        session, person = _still_signed_in(connection, person_id, said, now)
        if people.identified(connection, claims.issuer, claims.subject) != person_id:
            raise Failed("another")
        if factors.is_required(connection, person_id):
            store.identify(connection, session.id, proved_at)
            return
        store.prove(connection, session.id, proved_at)
    record(gate, person_id, Event("session.prove", "person", person.name, person_id))


def _still_signed_in(
    connection: Connection, person_id: UUID, said: Mapping[str, Any], now: datetime
) -> tuple[store.StoredSession, people.StoredPerson]:
    session = store.get(connection, UUID(said["session"]))
    person = people.get(connection, person_id)
    if session is None or person is None or session.person_id != person_id or session.ends_at <= now:
        raise Failed("expired")
    return session, person


def _connect(gate: Database, person_id: UUID, said: Mapping[str, Any], claims: Claims, now: datetime) -> None:
    """Connect an account at the provider to a signed-in person."""
    with gate.transaction(None) as connection:
        _, person = _still_signed_in(connection, person_id, said, now)
        new = people.identify(connection, person_id, claims.issuer, claims.subject)
        if not new and people.identified(connection, claims.issuer, claims.subject) != person_id:
            raise Failed("taken")
    if new:
        record_account(gate, person_id, person.name, "account.connect")


def _let_in(
    gate: Database, claims: Claims, invited_by: str | None, actor: Actor, now: datetime
) -> tuple[UUID, UUID | None]:
    """Find or create the person whom the provider's claims identify.

    A person is created only with an invitation. A person with an invitation is added to its team. Returns the id of the
    person, and the id of the team that the person joined, or None if the person joined no team.
    """
    with gate.transaction(None) as connection:
        person_id = people.identified(connection, claims.issuer, claims.subject)
        person = None if person_id is None else people.get(connection, person_id)
        teams = [] if person is None else [each.org_id for each in team.teams_of(connection, person.person_id)]
        invitation = None if invited_by is None else team.find_invitation(connection, bytes.fromhex(invited_by), now)
    if invitation is not None and not (claims.email_verified and plain_email(claims.email or "") == invitation.email):
        invitation = None
    if person is None:
        if invitation is None:
            raise Failed("unknown")
        return _join(gate, claims, invitation, actor), invitation.org_id
    if invitation is None or invitation.org_id in teams:
        return person.person_id, None
    with acting_person(gate, actor, person.person_id, person.name).transaction(invitation.org_id) as connection:
        joined = team.take_up(connection, invitation, person.person_id)
    return person.person_id, invitation.org_id if joined else None


def _join(gate: Database, claims: Claims, invitation: StoredInvitation, actor: Actor) -> UUID:
    person_id, name = uuid4(), _name_of(claims, invitation.email)
    with acting_person(gate, actor, person_id, name).transaction(invitation.org_id) as connection:
        if not people.add(connection, person_id, name, invitation.email):
            raise Failed("known")
        if not people.identify(connection, person_id, claims.issuer, claims.subject):
            raise Failed("expired")  # A concurrent sign-in has connected the same account.
        if not team.take_up(connection, invitation, person_id):
            raise Failed("unknown")
        # The provider states that it verified the address.
        people.verify_email(connection, person_id, invitation.email)
    return person_id


def _name_of(claims: Claims, email: str) -> str:
    """Return the name in the claims if it is a valid name, else the part of the e-mail before the @."""
    for name in (claims.name or "", email.partition("@")[0]):
        try:
            return _PERSON_NAME.validate_python(name)
        except ValidationError:
            continue
    return "Unnamed user"
