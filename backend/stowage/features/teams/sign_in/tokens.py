"""API tokens: named, scoped, expiring; shown once, and stored as a hash."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from stowage.features.teams.sign_in.schemas import NewToken, TokenAnswer, TokenListAnswer, TokenRow
from stowage.features.teams.sign_in.store import callers
from stowage.features.teams.sign_in.store import tokens as store
from stowage.features.teams.sign_in.store.callers import NOTHING, About
from stowage.platform.access import SCOPES, Principal, must_exist
from stowage.platform.database.database import BegunTransaction, Database
from stowage.platform.errors import BadInput, Problem, SignInNeeded
from stowage.platform.secrets import digest, new_secret

PREFIX = "stw_"
"""Prefix of every token, by which people and secret scanners recognize one."""

PAUSES_AFTER = timedelta(days=30)
"""Time after a person's last sign-in at which tokens pause: a person who can no longer sign in loses token access."""
REFUSED = "This token is paused: the sign-in provider no longer accepts its owner's account. Signing in resumes it."
PAUSED = f"This token is paused: its owner has not signed in for {PAUSES_AFTER.days} days. Signing in resumes it."

_USED_EVERY = timedelta(minutes=1)
_SHOWN = len(PREFIX) + 4
"""Number of characters that identify a token in a list."""


def authenticate(gate: Database, text: str, now: datetime) -> Principal:
    """Find the person of an API token.

    The returned principal has the person's current permissions, limited to the scopes of the token.

    Raises
    ------
    SignInNeeded
        The token is unknown, revoked, expired or paused, or its person has left the team.
    """
    with opened(gate, gate, text, now) as (principal, _):
        return principal


@contextmanager
def opened(
    of: Database, gate: Database, text: str, now: datetime, about: About = NOTHING
) -> Iterator[tuple[Principal, BegunTransaction]]:
    """Find the person as `authenticate` does, by a transaction that stays open for the use case.

    Parameters
    ----------
    of : Database
        Database of the transaction: as the application's role or as the auth role.
    gate : Database
        Database as the auth role, which stores that the token was used.
    """
    if not text.startswith(PREFIX):
        raise SignInNeeded
    with of.begun_by(callers.by_token(digest(text), now, about)) as (row, begun):
        found = callers.caller_of(row)
        if found is None or found.token_id is None:
            raise SignInNeeded
        if found.provider_refused_at is not None:
            raise SignInNeeded(REFUSED)
        if _paused_since(found.signed_in_at, now) is not None:
            raise SignInNeeded(PAUSED)
        principal = Principal(
            person_id=found.person_id,
            name=found.name,
            email=found.email,
            org_id=found.org_id,
            role=found.role,
            token_id=found.token_id,
            scopes=frozenset(found.scopes or ()),
            provider_check_at=found.provider_check_at,
        )
        if found.used_at is None or now - found.used_at >= _USED_EVERY:
            # Before the use case, as for sessions.
            begun.close()
            with gate.transaction(found.org_id) as connection:
                store.used(connection, found.token_id, now)
        yield principal, begun


def make(database: Database, org_id: UUID, principal: Principal, asked: NewToken, now: datetime) -> TokenAnswer:
    """Create a token of the caller.

    Only this answer contains the secret. The permissions of a token are computed at each use: they never exceed the
    current ones of its person. A scope that exceeds the permissions at creation is refused: otherwise it would silently
    take effect when the person gets a higher role.

    Raises
    ------
    BadInput
        A scope exceeds the caller's permissions.
    """
    too_much = [scope for scope in asked.scopes if not SCOPES[scope] <= principal.permissions]
    if too_much:
        accepted = ", ".join(scope for scope, held in SCOPES.items() if held <= principal.permissions)
        message = f"{', '.join(too_much)}: more than you may yourself as {principal.role}; accepted: {accepted}"
        raise BadInput([Problem("scopes", message)])
    text = f"{PREFIX}{new_secret()}"
    new = store.NewToken(
        id=uuid4(),
        person_id=principal.person_id,
        name=asked.name,
        secret_hash=digest(text),
        hint=text[:_SHOWN],
        scopes=list(dict.fromkeys(asked.scopes)),
        created_at=now,
        expires_at=now + timedelta(days=asked.days),
    )
    with database.transaction(org_id) as connection:
        store.add(connection, new)
    return TokenAnswer.from_fields(
        new,
        person=principal.name,
        last_used_at=None,
        revoked_at=None,
        paused_since=None,
        refused_by_provider=False,
        secret=text,
    )


def list_tokens(database: Database, org_id: UUID, principal: Principal, now: datetime) -> TokenListAnswer:
    """List the tokens of a team, newest first.

    An owner sees the tokens of all members, every other caller only their own.
    """
    with database.transaction(org_id) as connection:
        rows = store.list_newest(connection, _only(principal))
    return TokenListAnswer(
        tokens=[
            TokenRow.from_fields(
                row,
                paused_since=row.provider_refused_at or _paused_since(row.signed_in_at, now),
                refused_by_provider=row.provider_refused_at is not None,
            )
            for row in rows
        ]
    )


def revoke(database: Database, org_id: UUID, principal: Principal, token_id: UUID, now: datetime) -> None:
    """Revoke a token of the team.

    Callers who are not owners can revoke only their own tokens. The next request with the token is refused.

    Raises
    ------
    NotFound
        The person has no token with this id.
    """
    with database.transaction(org_id) as connection:
        must_exist(store.revoke(connection, token_id, now, _only(principal)))


def revoke_current(database: Database, org_id: UUID, principal: Principal, now: datetime) -> None:
    """Revoke the token of the request.

    Raises
    ------
    NotFound
        The request has a session and no token.
    """
    token_id = must_exist(principal.token_id)
    with database.transaction(org_id) as connection:
        store.revoke(connection, token_id, now)


def _paused_since(signed_in_at: datetime, now: datetime) -> datetime | None:
    """Return the time since which a token is paused, or None if it is not paused.

    A token is paused if its owner has not signed in for too long.
    """
    pauses_at = signed_in_at + PAUSES_AFTER
    return pauses_at if pauses_at <= now else None


def _only(principal: Principal) -> UUID | None:
    """Return the person to whose tokens the caller is restricted.

    Returns None for an owner, who may see and revoke the tokens of all members.
    """
    return None if principal.role == "owner" else principal.person_id
