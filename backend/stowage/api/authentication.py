"""Authentication of requests, by a session or a token.

The secret of a session is in a cookie, a token in the header ``Authorization: Bearer``. If a request has a token, its
cookie is ignored.
"""

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from fastapi import Request

from stowage.api.provider_checks import ProviderChecks
from stowage.features.teams.sign_in import sessions, tokens
from stowage.features.teams.sign_in.store.callers import About
from stowage.platform.access import Principal
from stowage.platform.database.database import BegunTransaction, Database
from stowage.platform.errors import Refused, SignInNeeded
from stowage.web.admission import CSRF, SAFE, address_of
from stowage.web.cookies import SESSION
from stowage.web.reads import Team
from stowage.web.services import Services


@contextmanager
def open_caller(
    request: Request, services: Services, of: Database, org_id: Team
) -> Iterator[tuple[Principal, BegunTransaction]]:
    """Find the authenticated caller of a request, by a transaction that stays open for the route.

    Parameters
    ----------
    of : Database
        Database of the transaction: as the application's role or as the auth role.
    org_id : UUID, "caller" or None
        Organisation of the transaction.

    Raises
    ------
    SignInNeeded
        The credentials are missing or invalid.
    Refused
        The request is unsafe and does not repeat the CSRF token of its session.
    """
    now = datetime.now(UTC)
    about = About(org_id, address_of(request), getattr(request.state, "request_id", None))
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme:
        if scheme.lower() != "bearer":
            raise SignInNeeded
        found = tokens.opened(of, services.gate, given.strip(), now, about)
    else:
        secret = SESSION.read(request)
        if secret is None:
            raise SignInNeeded
        found = sessions.opened(of, services.gate, secret, now, about)
    with found as (principal, begun):
        _check_provider(request, services, principal, now)
        if principal.session_id is not None and request.method not in SAFE and not _repeats(request, principal):
            raise Refused("The request does not repeat the token of its session; load the page again.")
        yield principal, begun


def _check_provider(request: Request, services: Services, principal: Principal, now: datetime) -> None:
    """Start the check of the caller's account with the OpenID provider if the check is due.

    The request does not wait for the result.
    """
    checks: ProviderChecks = request.app.state.provider_checks
    checks.begin(services, principal, now)


def _repeats(request: Request, principal: Principal) -> bool:
    # An empty token must never match.
    return bool(principal.csrf) and hmac.compare_digest(
        request.headers.get(CSRF, "").encode(), str(principal.csrf).encode()
    )
