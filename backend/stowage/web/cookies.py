"""Cookies: their names, and what browsers may do with them.

Behind TLS the name begins with ``__Host-``, which binds the cookie to this host and to TLS. On the plain HTTP of one
machine no browser would keep such a cookie everywhere; there it has another name, and signing in from elsewhere
over plain HTTP is refused.
"""

from dataclasses import dataclass
from typing import Literal

from fastapi import Request, Response

from stowage.platform.errors import Refused

_OIDC_LASTS_S = 600
_THIS_MACHINE = {"127.0.0.1", "localhost", "::1", "[::1]"}


@dataclass(frozen=True, slots=True)
class _Cookie:
    """A cookie that no script can read.

    Parameters
    ----------
    behind_tls : str
        Its name behind TLS.
    suffix : str
        What follows `plain_name` in its name on plain HTTP.
    path : str
        Below which browsers send it.
    same_site : {"strict", "lax"}
    """

    behind_tls: str
    suffix: str
    path: str
    same_site: Literal["strict", "lax"] = "strict"

    def read(self, request: Request) -> str | None:
        """Return its value, if the request carries it."""
        return request.cookies.get(self._name(request))

    def keep(self, request: Request, response: Response, value: str, lasts_s: int, below: str = "") -> None:
        """Hand it to the browser, for `path` followed by `below`."""
        response.set_cookie(
            self._name(request),
            value,
            max_age=lasts_s,
            path=f"{self.path}{below}",
            secure=_is_secure(request),
            httponly=True,
            samesite=self.same_site,
        )

    def drop(self, request: Request, response: Response) -> None:
        """Have the browser forget it."""
        secure = _is_secure(request)
        response.delete_cookie(
            self._name(request), path=self.path, secure=secure, httponly=True, samesite=self.same_site
        )

    def _name(self, request: Request) -> str:
        return self.behind_tls if _is_secure(request) else f"{plain_name(request)}{self.suffix}"


_SESSION = _Cookie("__Host-stowage", "", "/")
# The provider sends the browser back from another site, hence `lax`.
_OIDC = _Cookie("__Secure-stowage-oidc", "-oidc", "/api/v1/session/oidc", "lax")
_PENDING = _Cookie("__Secure-stowage-pending", "-pending", "/api/v1/session")
_LINK = _Cookie("__Secure-stowage-link", "-link", "/api/v1/shared/")


def session_secret(request: Request) -> str | None:
    """Return the secret of the session, if the request carries one."""
    return _SESSION.read(request)


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
    _SESSION.keep(request, response, secret, lasts_s)


def drop_session(request: Request, response: Response) -> None:
    """Have the browser forget the session."""
    _SESSION.drop(request, response)


def keep_oidc(request: Request, response: Response, secret: str) -> None:
    """Bind a sign-in at the provider to this browser."""
    _OIDC.keep(request, response, secret, _OIDC_LASTS_S)


def oidc_secret(request: Request) -> str | None:
    """Return the secret that binds a sign-in at the provider to this browser."""
    return _OIDC.read(request)


def drop_oidc(request: Request, response: Response) -> None:
    """Have the browser forget a sign-in at the provider that is over."""
    _OIDC.drop(request, response)


def keep_pending(request: Request, response: Response, secret: str, lasts_s: int) -> None:
    """Store the secret of a pending sign-in in a cookie, which is not a session."""
    _PENDING.keep(request, response, secret, lasts_s)


def pending_secret(request: Request) -> str | None:
    """Return the secret of the pending sign-in of this browser, if any."""
    return _PENDING.read(request)


def drop_pending(request: Request, response: Response) -> None:
    """Remove the cookie of a pending sign-in."""
    _PENDING.drop(request, response)


def keep_unlocked(request: Request, response: Response, proof: str, lasts_s: int, secret: str) -> None:
    """Store, for one share link, the proof that this browser knows its password."""
    _LINK.keep(request, response, proof, lasts_s, below=secret)


def unlocked_proof(request: Request) -> str | None:
    """Return the proof that this browser knows the password of a share link."""
    return _LINK.read(request)


def plain_name(request: Request) -> str:
    """Name the cookie of plain HTTP by the port that is listened on: browsers share cookies between ports."""
    server = request.scope.get("server")
    return f"stowage-{server[1] if server else 0}"


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"
