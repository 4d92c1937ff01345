"""Authentication of requests, by a session or a token.

The secret of a session is in a cookie, a token in the header ``Authorization: Bearer``. If a request has a token, its
cookie is ignored.
"""

import hmac
from datetime import UTC, datetime

from fastapi import Request

from stowage.api.provider_checks import ProviderChecks
from stowage.features.teams.sign_in import sessions, tokens
from stowage.platform.access import Principal
from stowage.platform.errors import Refused, SignInNeeded
from stowage.web.admission import CSRF, SAFE
from stowage.web.cookies import SESSION
from stowage.web.services import Services


def principal_of(request: Request, services: Services) -> Principal:
    """Return the authenticated caller of a request.

    Raises
    ------
    SignInNeeded
        The credentials are missing or invalid.
    Refused
        The request is unsafe and does not repeat the CSRF token of its session.
    """
    now = datetime.now(UTC)
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme:
        if scheme.lower() != "bearer":
            raise SignInNeeded
        principal = tokens.authenticate(services.gate, given.strip(), now)
        _check_provider(request, services, principal, now)
        return principal
    secret = SESSION.read(request)
    if secret is None:
        raise SignInNeeded
    principal = sessions.authenticate(services.gate, secret, now)
    _check_provider(request, services, principal, now)
    if request.method not in SAFE and not _repeats(request, principal):
        raise Refused("The request does not repeat the token of its session; load the page again.")
    return principal


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
