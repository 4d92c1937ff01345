"""Periodic check, by refresh token, that the OpenID provider still accepts a person's account (decision 0052).

A person whose account at the provider is closed must lose access by existing sessions and API tokens.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.teams.sign_in.recording import record_account
from stowage.features.teams.sign_in.store import once, people, sessions
from stowage.features.teams.sign_in.store import refresh_tokens as store
from stowage.features.teams.sign_in.store.refresh_tokens import StoredToken
from stowage.platform.database.database import Database
from stowage.platform.outside import Claims, Provider, ProviderFailed, ProviderRefused

EVERY = timedelta(hours=1)
"""Time from a sign-in or an accepted refresh token to the next check."""
RETRY = timedelta(minutes=5)
"""Time to the next check if the provider did not answer, or if the process ended during a check."""

log = logging.getLogger(__name__)


def keep(gate: Database, person_id: UUID, claims: Claims, now: datetime) -> None:
    """Store the refresh token of a sign-in at the provider.

    If the provider sent no refresh token, the one already stored stays.
    """
    if claims.refresh_token is not None:
        token = StoredToken(claims.issuer, claims.subject, claims.refresh_token)
        with gate.transaction(None) as connection:
            store.store(connection, person_id, token, now + EVERY)


def check(gate: Database, provider: Provider, person_id: UUID, now: datetime) -> None:
    """Check by refresh tokens whether the provider still accepts the accounts of a person.

    Does nothing if no check is due, or if another process has begun it. A refusal ends all sessions of the person and
    pauses the API tokens until the next sign-in. If the provider does not answer, nothing changes, and the check is due
    again after `RETRY`.

    Parameters
    ----------
    provider : Provider
        Only refresh tokens of this provider are tried, not those of a former provider.
    """
    until = now + RETRY
    with gate.transaction(None) as connection:
        if not store.claim(connection, person_id, now, until):
            return
    # After the claim is committed: a token that cannot be decrypted is then tried no more often than others.
    with gate.transaction(None) as connection:
        stored = store.of_person(connection, person_id)
    # No transaction during the requests: a slow provider must not hold connections.
    answered = _try(gate, provider, person_id, [each for each in stored if _is_of(each, provider)], until, now)
    if answered:
        with gate.transaction(None) as connection:
            store.finish(connection, person_id, until, now + EVERY if stored else None)


def _is_of(token: StoredToken, provider: Provider) -> bool:
    return token.issuer.rstrip("/") == provider.issuer


def _try(
    gate: Database, provider: Provider, person_id: UUID, tokens: Sequence[StoredToken], until: datetime, now: datetime
) -> bool:
    """Try refresh tokens of a person, and store their replacements.

    Returns whether the provider accepted all the tokens.
    """
    answered = True
    for each in tokens:
        try:
            becomes = provider.refresh(each.token)
        except ProviderRefused:
            _end(gate, person_id, each, until, now)
            return False
        except ProviderFailed as error:
            log.warning("cannot try a refresh token, retry in %s: %s", RETRY, error)
            answered = False
            continue
        with gate.transaction(None) as connection:
            # If the claim is lost, a concurrent sign-in has stored a newer token.
            if store.holds(connection, person_id, until):
                store.replace(connection, person_id, StoredToken(each.issuer, each.subject, becomes))
    return answered


def _end(gate: Database, person_id: UUID, refused: StoredToken, until: datetime, now: datetime) -> None:
    """End a person's sessions, and pause the person's API tokens.

    Does nothing if the person signed in during the check.
    """
    with gate.transaction(None) as connection:
        # The next check is for the person's other accounts at the provider.
        if not store.finish(connection, person_id, until, now + EVERY):
            return
        store.forget(connection, person_id, refused)
        store.refused(connection, person_id, now)
        # All sessions: accepting an invitation turns a session of the provider into one of another kind.
        sessions.remove_all(connection, person_id)
        once.void(connection, person_id)
        person = people.get(connection, person_id)
    log.info("the provider refused a refresh token: sessions were ended and tokens paused")
    if person is not None:
        record_account(gate, person_id, person.name, "account.refused", by="The OpenID provider")
