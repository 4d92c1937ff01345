"""API client of a Stowage service, on this machine or another.

ServiceError
├── Unreachable   the address does not answer, or is not a Stowage service
├── Strange       a program of another user listens at a local address
├── NotSignedIn   the token is missing, expired or revoked
├── NotAccepted   the request is invalid; the error has the invalid fields
└── Refused       the service refuses the request; the error has the service's message
    └── NotFound  the object does not exist, or the permission is missing
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import requests
from requests.auth import AuthBase

from stowage.cli.addresses import accepted_address, is_behind_tls, is_this_machine, port_of
from stowage.cli.credentials import CredentialsUnusable, StoredToken, kept
from stowage.cli.server.running import running
from stowage.cli.statuses import BAD_INPUT, failed
from stowage.platform.errors import BadInput, Problem
from stowage.settings import Settings

_PATIENCE_S = (5.0, 90.0)
"""Timeouts to connect and to receive an answer [s]; the service's own limit is a minute."""

_AS_BYTES = {"Content-Type": "application/octet-stream"}
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,200}")


class ServiceError(Exception):
    """Base of this module's errors; the message is for users."""


class Unreachable(ServiceError):
    """The address does not answer, or is not a Stowage service."""


class Strange(ServiceError):
    """A program of another user listens at a local address; stored tokens are not sent to it."""


class NotSignedIn(ServiceError):
    """The token is missing, expired or revoked."""

    def __init__(self, address: str) -> None:
        super().__init__(f"not signed in at {address}: stowage login {address}")


class NotAccepted(ServiceError):
    """The service does not accept the request, because fields of it are invalid."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.path}: {problem.message}" for problem in self.problems))


class Refused(ServiceError):
    """The service refuses the request, for the reason in the service's message."""


class NotFound(Refused):
    """The object does not exist or belongs to another team, or the caller lacks the permission."""


class Service:
    """Client of a service, which sends requests with the token of a user.

    Parameters
    ----------
    address : str
        Address as returned by `stowage.cli.addresses.accepted_address`.
    token : str
    """

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self._token = token

    def ask(
        self,
        method: str,
        path: str,
        body: object | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        content: bytes | None = None,
    ) -> dict[str, Any]:
        """Send a request for a path below ``/api/v1`` and return the answer.

        Parameters
        ----------
        method : str
        path : str
            Begins with a slash.
        body : object or None
            Sent as JSON.
        headers : mapping of str to str or None
        content : bytes or None
            Raw content, sent instead of `body`.

        Returns
        -------
        dict
            JSON answer; empty if the answer has no content.

        Raises
        ------
        ServiceError
        """
        if not _TOKEN.fullmatch(self._token):
            raise NotSignedIn(self.address)
        with requests.Session() as session:
            # No proxy for this machine, even if the environment sets one.
            session.trust_env = not is_this_machine(self.address)
            try:
                answer = session.request(
                    method,
                    f"{self.address}/api/v1{path}",
                    json=body,
                    data=content,
                    headers={**({} if content is None else _AS_BYTES), **(headers or {})},
                    auth=_Bearer(self._token),
                    timeout=_PATIENCE_S,
                    # Never send the token to another address.
                    allow_redirects=False,
                )
            except requests.RequestException as error:
                raise Unreachable(f"{self.address} does not answer: {_reason(error)}") from error
        return self._read(answer)

    def _read(self, answer: requests.Response) -> dict[str, Any]:
        if answer.status_code == 401:
            raise NotSignedIn(self.address)
        if answer.status_code == 204:
            return {}
        try:
            document = answer.json()
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise Unreachable(f"{self.address} answers HTTP {answer.status_code}, but not as Stowage does")
        if answer.ok and answer.status_code < 300:
            return document
        if answer.status_code == 422:
            raise NotAccepted([Problem(str(each["path"]), str(each["message"])) for each in document.get("errors", [])])
        refusal = NotFound if answer.status_code == 404 else Refused
        raise refusal(f"{self.address}: {document.get('detail', f'HTTP {answer.status_code}')}")


class _Bearer(AuthBase):
    """Authentication by a bearer token.

    It is set explicitly, so that the requests library does not prefer an entry of ``.netrc``.
    """

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Add the token to the request headers."""
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def default_address(settings: Settings) -> str:
    """Return the address of the default service: the address in the settings, else that of the local service.

    Raises
    ------
    ValueError
        The setting is not a valid address; the message is for users.
    """
    if settings.url is not None:
        return accepted_address(settings.url)
    found = running(settings.home)
    return "http://127.0.0.1:8000" if found is None else accepted_address(found.address)


def signed_in(settings: Settings) -> Service:
    """Return the default service with the configured or stored token.

    Raises
    ------
    NotSignedIn
        There is no token.
    Strange
        The token is for a local address at which no program of this user listens any more.
    stowage.cli.credentials.CredentialsUnusable
        The token file is accessible to other users or unreadable.
    ValueError
        The address in the settings is invalid; the message is for users.
    """
    address = default_address(settings)
    if settings.token is not None:
        return Service(address, settings.token.get_secret_value())
    found = kept().get(address)
    if found is None:
        raise NotSignedIn(address)
    return kept_for(address, found)


@contextmanager
def refusals_answered() -> Iterator[None]:
    """Print an error that the block raises about the service, and exit.

    The exit status is 1 if the service does not answer, else 2.

    Raises
    ------
    BadInput
        The service does not accept a field of the request.
    """
    try:
        yield
    except NotAccepted as error:
        raise BadInput(error.problems) from error
    except (NotSignedIn, Refused, ValueError) as error:
        sys.exit(failed(str(error), BAD_INPUT))
    except (ServiceError, CredentialsUnusable) as error:
        sys.exit(failed(str(error)))


def kept_for(address: str, token: StoredToken) -> Service:
    """Return a client that uses a stored token.

    Raises
    ------
    Strange
        The address is local, and no program of this user listens there.
    """
    if not is_behind_tls(address) and not listens_for_us(port_of(address)):
        # Without TLS, this is the only check against a program that collects tokens.
        raise Strange(f"nothing of yours listens at {address}: start it, or hand the token over by STOWAGE_TOKEN")
    return Service(address, token.token)


def listens_for_us(port: int) -> bool:
    """Return whether the program that listens on a local port belongs to this user or root.

    The kernel's tables of sockets show the owner.
    """
    listen = "0A"
    users = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                _, local, _, state, _, _, _, user, *_ = line.split()
                if state == listen and int(local.rpartition(":")[2], 16) == port:
                    users.add(int(user))
    return bool(users) and users <= {0, os.geteuid()}


def _reason(error: requests.RequestException) -> str:
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not one that this machine trusts"
    if isinstance(error, requests.Timeout):
        return "it took too long"
    return "there is no connection"
