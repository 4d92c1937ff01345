"""Cookies for sessions, pending sign-ins and share links: names and attributes.

Behind TLS, the name of the session cookie begins with ``__Host-``, which binds the cookie to this host and to TLS. Over
plain HTTP within a single machine, not every browser stores such a cookie, so it has another name there. Sign-in from
other machines over plain HTTP is refused.
"""

from typing import Literal

from fastapi import Request, Response

from stowage.frozen import frozen
from stowage.platform.errors import Refused

_THIS_MACHINE = {"127.0.0.1", "localhost", "::1", "[::1]"}


@frozen
class Cookie:
    """A cookie that no script can read."""

    behind_tls: str
    """Name of the cookie over TLS."""
    suffix: str
    """Appended to `plain_name` for the name over plain HTTP."""
    path: str
    """Path below which browsers send the cookie."""
    same_site: Literal["strict", "lax"] = "strict"

    def read(self, request: Request) -> str | None:
        """Return the value of the cookie; None if the request does not have it."""
        return request.cookies.get(self._name(request))

    def keep(self, request: Request, response: Response, value: str, lasts_s: int, below: str = "") -> None:
        """Set the cookie for requests to paths that begin with `path` followed by `below`.

        Raises
        ------
        Refused
            The connection is unencrypted: plain HTTP, and not within this machine.
        """
        refuse_open_line(request)
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
        """Remove the cookie from the browser."""
        secure = _is_secure(request)
        response.delete_cookie(
            self._name(request), path=self.path, secure=secure, httponly=True, samesite=self.same_site
        )

    def _name(self, request: Request) -> str:
        return self.behind_tls if _is_secure(request) else f"{plain_name(request)}{self.suffix}"


SESSION = Cookie("__Host-stowage", "", "/")
# The provider sends the browser back from another site, hence `lax`.
OIDC = Cookie("__Secure-stowage-oidc", "-oidc", "/api/v1/session/oidc", "lax")
"""Binds a sign-in at the provider to this browser."""
PENDING = Cookie("__Secure-stowage-pending", "-pending", "/api/v1/session")
"""Of a sign-in that still lacks the second factor, and is not a session."""
UNLOCKED_LINK = Cookie("__Secure-stowage-link", "-link", "/api/v1/shared/")
"""Proves that this browser has entered the password of a share link; sent only to the paths of that link."""


def refuse_open_line(request: Request) -> None:
    """Refuse a sign-in over an unencrypted connection.

    Routes call this function before they check or change anything.

    Raises
    ------
    Refused
        The connection is plain HTTP, and not within this machine.
    """
    if not _is_secure(request) and (request.url.hostname or "") not in _THIS_MACHINE:
        raise Refused("Signing in needs TLS; over plain HTTP it is possible on this machine only.")


def plain_name(request: Request) -> str:
    """Return the name of the session cookie over plain HTTP, with which the names of other cookies begin.

    It contains the server's port, because a browser sends a cookie to all ports of a host.
    """
    server = request.scope.get("server")
    return f"stowage-{server[1] if server else 0}"


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"
