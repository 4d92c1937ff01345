"""Callers of requests: people found by the secret of a session or a token, with their current role."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from stowage.frozen import frozen
from stowage.model.team import Role, Scope
from stowage.platform.database.database import CallerLookup


@frozen
class Caller:
    """A person whose session or token has the given secret."""

    person_id: UUID
    name: str
    email: str | None
    org_id: UUID | None
    """Team of the token, or team that the session shows; None if the person is not, or no longer, in that team."""
    role: Role | None
    """None if `org_id` is None."""
    session_id: UUID | None
    """Exactly one of `session_id` and `token_id` is set."""
    token_id: UUID | None
    csrf: str | None
    """CSRF token of the session."""
    scopes: tuple[Scope, ...] | None
    """Scopes of the token."""
    used_at: datetime | None
    """When the session or the token was last used, to the minute."""
    proved_at: datetime | None
    """When the person of the session last authenticated."""
    signed_in_at: datetime
    """When the person last signed in."""
    provider_check_at: datetime | None
    """Time of the next check of the person's refresh tokens; None if none is stored."""
    provider_refused_at: datetime | None
    """When the provider refused a refresh token, if the person has not signed in since."""


@frozen
class About:
    """Facts about a request that a transaction has before the caller is found."""

    org_id: UUID | Literal["caller"] | None = None
    """Organisation of the transaction, as in `CallerLookup`."""
    address: str | None = None
    """Network address of the client."""
    request_id: str | None = None


NOTHING = About()


def by_session(
    secret_hash: bytes, *, now: datetime, grace: timedelta, idle: timedelta, about: About = NOTHING
) -> CallerLookup:
    """Return the look-up of the person whose session has a secret. A session that has ended is not found.

    Parameters
    ----------
    grace : timedelta
        Time for which the previous secret stays valid: concurrent requests still carry it.
    idle : timedelta
        Time without use after which a session ends.
    """
    arguments = secret_hash, now, now - grace, now - idle
    return CallerLookup("caller_by_session", arguments, about.org_id, about.address, about.request_id)


def by_token(secret_hash: bytes, now: datetime, about: About = NOTHING) -> CallerLookup:
    """Return the look-up of the person whose token has a secret. A revoked or expired token is not found."""
    return CallerLookup("caller_by_token", (secret_hash, now), about.org_id, about.address, about.request_id)


def caller_of(found: Mapping[str, Any] | None) -> Caller | None:
    """Return the result of a look-up; None if there is no such session or token."""
    if found is None:
        return None
    values = {name: found[name] for name in Caller.__annotations__}
    return Caller(**values | {"scopes": None if values["scopes"] is None else tuple(values["scopes"])})
