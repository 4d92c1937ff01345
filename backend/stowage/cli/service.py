"""Client of a Stowage service, with a token.

ServiceError
├── Unreachable   nothing answers there, or nothing that is a service of Stowage
├── Strange       another program listens at an address of this machine
├── NotSignedIn   the token is none, or does not count any more
├── NotAccepted   what was sent is not accepted; names each field
└── Refused       not now; in the service's words
    └── NotFound  it is not there, or not for this person
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import requests
from requests.auth import AuthBase

from stowage.cli.addresses import accepted_address, is_behind_tls, is_this_machine, port_of
from stowage.cli.credentials import StoredToken, kept
from stowage.cli.server.running import running
from stowage.platform.errors import Problem
from stowage.settings import Settings

_PATIENCE_S = (5.0, 90.0)
"""To be connected, and for an answer: a minute is what the service itself allows."""

_AS_BYTES = {"Content-Type": "application/octet-stream"}
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,200}")


class ServiceError(Exception):
    """Base of what can go wrong; the message is for people."""


class Unreachable(ServiceError):
    """No Stowage service answers at the address."""


class Strange(ServiceError):
    """At an address of this machine another program listens: a stored token is not sent there."""


class NotSignedIn(ServiceError):
    """There is no token, or it does not count any more."""

    def __init__(self, address: str) -> None:
        super().__init__(f"not signed in at {address}: stowage login {address}")


class NotAccepted(ServiceError):
    """The service does not accept the request."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.path}: {problem.message}" for problem in self.problems))


class Refused(ServiceError):
    """The service refused the request; the message is the service's."""


class NotFound(Refused):
    """There is no such thing, or it is not this person's; also what a person or a token has no permission for."""


class Service:
    """A service, called on behalf of a user.

    Parameters
    ----------
    address : str
        As `stowage.cli.addresses.accepted_address` writes it.
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
        """Send a request below ``/api/v1`` and return the answer.

        Parameters
        ----------
        method : str
        path : str
            Begins with a slash.
        body : object or None
            Sent as JSON.
        headers : mapping of str to str or None
        content : bytes or None
            Sent as it is, instead of a body.

        Returns
        -------
        dict
            Empty where the answer has no content.

        Raises
        ------
        ServiceError
        """
        if not _TOKEN.fullmatch(self._token):
            raise NotSignedIn(self.address)
        with requests.Session() as session:
            # No proxy for this machine itself, also where the environment names one.
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
                    # A token goes where it was meant to go, and nowhere else.
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
    """Authentication by token; without it, requests would use credentials in ``.netrc``."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Put the token where the service looks for it."""
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def default_address(settings: Settings) -> str:
    """Return the default service: that of the settings, else the one that runs here.

    Raises
    ------
    ValueError
        The setting is no address, in words.
    """
    if settings.url is not None:
        return accepted_address(settings.url)
    found = running(settings.home)
    return "http://127.0.0.1:8000" if found is None else accepted_address(found.address)


def signed_in(settings: Settings) -> Service:
    """Return the service that is meant, with the token that is given or kept for it.

    Raises
    ------
    NotSignedIn
        There is none.
    Strange
        It is kept for an address of this machine, where a service of this user listens no more.
    stowage.cli.credentials.CredentialsUnusable
    ValueError
        As `default_address`.
    """
    address = default_address(settings)
    if settings.token is not None:
        return Service(address, settings.token.get_secret_value())
    found = kept().get(address)
    if found is None:
        raise NotSignedIn(address)
    return kept_for(address, found)


def kept_for(address: str, token: StoredToken) -> Service:
    """Return the service that a kept token is for, unless another program listens in its place.

    Raises
    ------
    Strange
    """
    if not is_behind_tls(address) and not listens_for_us(port_of(address)):
        # Without TLS nothing else tells the service from a program that waits for its tokens.
        raise Strange(f"nothing of yours listens at {address}: start it, or hand the token over by STOWAGE_TOKEN")
    return Service(address, token.token)


def listens_for_us(port: int) -> bool:
    """Return whether what listens on a port of this machine does so in our name, or in root's; the kernel knows."""
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
