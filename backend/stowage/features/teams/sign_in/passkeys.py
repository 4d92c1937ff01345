"""Passkeys (Web Authentication): challenges, responses to them, and the sites to which passkeys are bound.

A passkey is a second factor, as codes of an app are. `second_factors` decides when one is required; `authenticators`
parses and verifies the responses of browsers.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from stowage.features.teams.sign_in.store import once
from stowage.features.teams.sign_in.store import passkeys as store
from stowage.features.teams.sign_in.store.passkeys import StoredPasskey
from stowage.frozen import frozen
from stowage.platform.access import DENIED, Principal
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.secrets import digest, new_secret

CHALLENGE_LASTS = timedelta(minutes=5)
"""Timeout of a challenge, also sent to the browser."""
MOST_PASSKEYS = 10
"""Limit of passkeys per person."""
TOO_MANY = f"The account has {MOST_PASSKEYS} passkeys, the most it may have: remove one first."
NO_DOMAIN = (
    "Browsers make passkeys only at domain names with https: open Stowage at such an address, or on this machine at "
    "http://localhost."
)
_UNFIT = "does not fit this account and this page; accepted: what a passkey of the account returns to its challenge"


class InvalidCredential(Exception):
    """A credential that is malformed, or does not fit the challenge, the site or the passkey."""


@frozen
class Site:
    """The address of the page, to which a passkey is bound."""

    origin: str
    """`https://stowage.example.org`."""
    domain: str
    """Host of the origin, as RP ID."""


def site_at(address: str) -> Site | None:
    """Return the site at an address, or None if browsers support no passkeys there.

    >>> site_at("https://stowage.example.org/").domain
    'stowage.example.org'
    >>> site_at("http://127.0.0.1:8000") is None
    True
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        secure = parts.scheme == "https" or host == "localhost"
        return Site(f"{parts.scheme}://{parts.netloc}", host) if secure and host else None
    return None


def begin_registration(gate: Database, principal: Principal, site: Site | None, now: datetime) -> dict[str, Any]:
    """Return the options with which the browser creates a passkey (PublicKeyCredentialCreationOptions), as JSON.

    Raises
    ------
    Conflict
        Browsers support no passkeys at this address, or the account has the maximum number.
    """
    from stowage.features.teams.sign_in import authenticators  # noqa: PLC0415 - see its docstring

    if site is None:
        raise Conflict(NO_DOMAIN)
    with gate.transaction(None) as connection:
        if store.count(connection, principal.person_id) >= MOST_PASSKEYS:
            raise Conflict(TOO_MANY)
        known = [each.credential_id for each in _at(connection, principal.person_id, site)]
        challenge = _new_challenge(connection, principal.person_id, now)
    name = principal.email or principal.name
    return authenticators.registration_options(site, challenge, principal.person_id.bytes, name, known, CHALLENGE_LASTS)


def finish_registration(
    gate: Database, person_id: UUID, name: str, credential: Mapping[str, Any], site: Site | None, now: datetime
) -> StoredPasskey:
    """Check the browser's response to `begin_registration`, and return the passkey to store.

    Raises
    ------
    BadInput
        The response answers no challenge of this person, or is from another site.
    """
    from stowage.features.teams.sign_in import authenticators  # noqa: PLC0415 - see its docstring

    with _input_errors():
        challenge = authenticators.challenge_of(credential)
        here = _answered(gate, person_id, challenge, site, now)
        made = authenticators.verify_registration(credential, challenge, here)
    key = made.credential_id, made.credential_public_key, made.sign_count
    return StoredPasskey(uuid4(), name, here.domain, *key, created_at=now, used_at=None)


def begin_authentication(gate: Database, person_id: UUID, site: Site | None, now: datetime) -> dict[str, Any]:
    """Return the options with which the browser uses a passkey (PublicKeyCredentialRequestOptions), as JSON.

    Raises
    ------
    NotFound
        The person has no passkey at this address.
    """
    from stowage.features.teams.sign_in import authenticators  # noqa: PLC0415 - see its docstring

    with gate.transaction(None) as connection:
        known = [] if site is None else _at(connection, person_id, site)
        if site is None or not known:
            raise NotFound(DENIED)
        challenge = _new_challenge(connection, person_id, now)
    return authenticators.authentication_options(
        site, challenge, [each.credential_id for each in known], CHALLENGE_LASTS
    )


def check(gate: Database, person_id: UUID, credential: Mapping[str, Any], site: Site | None, now: datetime) -> None:
    """Check the browser's response to `begin_authentication`.

    Raises
    ------
    BadInput
        The response does not fit an open challenge of this person, or uses another site or another person's passkey.
    """
    from stowage.features.teams.sign_in import authenticators  # noqa: PLC0415 - see its docstring

    with _input_errors():
        challenge = authenticators.challenge_of(credential)
        answered = _answered(gate, person_id, challenge, site, now)
        with gate.transaction(None) as connection:
            known = {each.credential_id: each for each in _at(connection, person_id, answered)}
        used = known.get(authenticators.credential_id_of(credential))
        if used is None:
            raise InvalidCredential
        count = authenticators.verify_authentication(credential, challenge, answered, used.public_key, used.sign_count)
        with gate.transaction(None) as connection:
            # If two authentications present the same counter, one is from a clone of the authenticator.
            if not store.use(connection, used.passkey_id, used.sign_count, count, now):
                raise InvalidCredential


@contextmanager
def _input_errors() -> Iterator[None]:
    try:
        yield
    except InvalidCredential as error:
        raise BadInput([Problem("passkey", _UNFIT)]) from error


def _at(connection: Connection, person_id: UUID, site: Site) -> list[StoredPasskey]:
    return [each for each in store.of_person(connection, person_id) if each.domain == site.domain]


def _new_challenge(connection: Connection, person_id: UUID, now: datetime) -> str:
    """Create a challenge of 256 bits for the passkeys of a person.

    Its hash is stored. It can be answered once, and replaces the person's previous challenge.
    """
    challenge = new_secret()
    link = once.OneTime(person_id, None, now + CHALLENGE_LASTS)
    once.replace(connection, "passkey", digest(challenge), link, now)
    return challenge


def _answered(gate: Database, person_id: UUID, challenge: str, site: Site | None, now: datetime) -> Site:
    """Consume a challenge of this person.

    Returns the site of the page, where the challenge must have been answered.
    """
    with gate.transaction(None) as connection:
        asked = once.use(connection, "passkey", digest(challenge), now)
    if asked is None or asked.person_id != person_id or site is None:
        raise InvalidCredential
    return site
