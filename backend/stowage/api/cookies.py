"""The cookies of a session: how they are called, and what browsers may do with them.

Behind TLS the name begins with ``__Host-``, which binds the cookie to this host and to TLS. On the plain HTTP of one
machine no browser would keep such a cookie everywhere; there it has another name, and signing in from elsewhere
over plain HTTP is refused.
"""

from fastapi import Request, Response

from stowage.usecases.errors import Refused

_SECURE = "__Host-stowage"
_OIDC_SECURE = "__Secure-stowage-oidc"
_OIDC_PATH = "/api/v1/session/oidc"
_OIDC_LASTS_S = 600
_PENDING_SECURE = "__Secure-stowage-pending"
_PENDING_PATH = "/api/v1/session"
_LINK_SECURE = "__Secure-stowage-link"
_LINK_PATH = "/api/v1/shared/"
_THIS_MACHINE = {"127.0.0.1", "localhost", "::1", "[::1]"}


def session_secret(request: Request) -> str | None:
    """Read the secret of the session, if the request carries one."""
    return request.cookies.get(_SECURE if _is_secure(request) else plain_name(request))


def refuse_open_line(request: Request) -> None:
    """Refuse to sign in where others could read along; to be called before anything is checked or changed.

    Raises
    ------
    Refused
        The way to the browser is plain HTTP, and not within this machine.
    """
    if not _is_secure(request) and (request.url.hostname or "") not in _THIS_MACHINE:
        raise Refused("Signing in needs TLS; over plain HTTP it is possible on this machine only.")


def keep_session(request: Request, response: Response, secret: str, lasts_s: int) -> None:
    """Hand the secret of a session to the browser.

    Raises
    ------
    Refused
        The way to the browser is open to others: plain HTTP, and not within this machine.
    """
    refuse_open_line(request)
    secure = _is_secure(request)
    response.set_cookie(
        _SECURE if secure else plain_name(request),
        secret,
        max_age=lasts_s,
        path="/",
        secure=secure,
        httponly=True,
        samesite="strict",
    )


def drop_session(request: Request, response: Response) -> None:
    """Have the browser forget the session."""
    secure = _is_secure(request)
    name = _SECURE if secure else plain_name(request)
    response.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="strict")


def keep_oidc(request: Request, response: Response, secret: str) -> None:
    """Bind a sign-in at the provider to this browser; the provider sends it back from another site, hence `lax`."""
    secure = _is_secure(request)
    response.set_cookie(
        _OIDC_SECURE if secure else f"{plain_name(request)}-oidc",
        secret,
        max_age=_OIDC_LASTS_S,
        path=_OIDC_PATH,
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def oidc_secret(request: Request) -> str | None:
    """Read what binds a sign-in at the provider to this browser."""
    return request.cookies.get(_OIDC_SECURE if _is_secure(request) else f"{plain_name(request)}-oidc")


def drop_oidc(request: Request, response: Response) -> None:
    """Have the browser forget a sign-in at the provider that is over."""
    secure = _is_secure(request)
    name = _OIDC_SECURE if secure else f"{plain_name(request)}-oidc"
    response.delete_cookie(name, path=_OIDC_PATH, secure=secure, httponly=True, samesite="lax")


def keep_pending(request: Request, response: Response, secret: str, lasts_s: int) -> None:
    """Store the secret of a pending sign-in in a cookie, which is not a session."""
    secure = _is_secure(request)
    response.set_cookie(
        _PENDING_SECURE if secure else f"{plain_name(request)}-pending",
        secret,
        max_age=lasts_s,
        path=_PENDING_PATH,
        secure=secure,
        httponly=True,
        samesite="strict",
    )


def pending_secret(request: Request) -> str | None:
    """Return the secret of the pending sign-in of this browser, if any."""
    return request.cookies.get(_PENDING_SECURE if _is_secure(request) else f"{plain_name(request)}-pending")


def drop_pending(request: Request, response: Response) -> None:
    """Remove the cookie of a pending sign-in."""
    secure = _is_secure(request)
    name = _PENDING_SECURE if secure else f"{plain_name(request)}-pending"
    response.delete_cookie(name, path=_PENDING_PATH, secure=secure, httponly=True, samesite="strict")


def keep_unlocked(request: Request, response: Response, proof: str, lasts_s: int, secret: str) -> None:
    """Have the browser show, of one link and to nothing else, that the link's password was known to it."""
    secure = _is_secure(request)
    response.set_cookie(
        _LINK_SECURE if secure else f"{plain_name(request)}-link",
        proof,
        max_age=lasts_s,
        path=f"{_LINK_PATH}{secret}",
        secure=secure,
        httponly=True,
        samesite="strict",
    )


def unlocked_proof(request: Request) -> str | None:
    """Read what shows that the password of a link was known to this browser."""
    return request.cookies.get(_LINK_SECURE if _is_secure(request) else f"{plain_name(request)}-link")


def plain_name(request: Request) -> str:
    """Name the cookie of plain HTTP by the port that is listened on: browsers share cookies between ports."""
    server = request.scope.get("server")
    return f"stowage-{server[1] if server else 0}"


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"
