"""API tokens: named, scoped, expiring; shown once, and kept as their digest."""

from datetime import datetime, timedelta

from stowage.store import tokens as store
from stowage.store.database import Database
from stowage.usecases.access import Principal
from stowage.usecases.errors import SignInNeeded
from stowage.usecases.secrets import digest

PREFIX = "stw_"
"""How every token begins: whoever finds one, a scanner of secrets for one, knows what it is."""

_USED_EVERY = timedelta(minutes=1)


def authenticate(gate: Database, text: str, now: datetime) -> Principal:
    """Find out whose token this is, and what that person may do now, as far as the token's scopes hold it.

    Raises
    ------
    SignInNeeded
        It is none, or was revoked, or has expired, or its person has left the team.
    """
    if not text.startswith(PREFIX):
        raise SignInNeeded
    with gate.transaction(None) as connection:
        found = store.find(connection, digest(text), now)
    if found is None:
        raise SignInNeeded
    if found.last_used_at is None or now - found.last_used_at >= _USED_EVERY:
        with gate.transaction(found.org_id) as connection:
            store.used(connection, found.id, now)
    return Principal(
        person_id=found.person_id,
        name=found.name,
        email=found.email,
        org_id=found.org_id,
        role=found.role,
        token_id=found.id,
        scopes=frozenset(found.scopes),
    )
