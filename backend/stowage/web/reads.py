"""Reads: requests that are authenticated in the thread, and by the transaction, of their route.

Other requests are authenticated first: a body is read only from a known caller, and a request waits for a slot of the
load shedder among those of its team. A read has no body, or a small one that is a question, and the team is known from
the caller's last request. That team decides only where the request waits: whether the caller may read is decided by the
database each time.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Literal
from uuid import UUID

from fastapi import Request

from stowage.platform.access import Principal
from stowage.platform.database.database import BegunTransaction, Database
from stowage.platform.errors import SignInNeeded
from stowage.platform.secrets import digest
from stowage.web.cookies import SESSION
from stowage.web.services import Services, TeamServices

Team = UUID | Literal["caller"] | None
"""Organisation of a transaction: one of a known id, that of the caller, or none."""
OpenCaller = Callable[[Request, Services, Database, Team], AbstractContextManager[tuple[Principal, BegunTransaction]]]
"""Function that finds the caller of a request by a transaction that stays open (`stowage.api.authentication`)."""

_REMEMBERED = 10_000
"""Callers whose team a process remembers, at about 200 bytes each."""


class Moved(Exception):
    """The caller is in another team than the one whose slot the request occupies."""


class KnownTeams:
    """Teams of recent callers, by the hash of their secret."""

    def __init__(self) -> None:
        self._teams: dict[bytes, UUID] = {}
        self._lock = Lock()

    def find(self, request: Request) -> UUID | None:
        """Return the team whose quotas the caller's last request was charged to; None if unknown."""
        secret = _secret_of(request)
        return None if secret is None else self._teams.get(digest(secret))

    def note(self, request: Request, team_id: UUID) -> None:
        """Remember the team of an admitted caller."""
        secret = _secret_of(request)
        if secret is None:
            return
        with self._lock:
            self._teams[digest(secret)] = team_id
            # The first key is the one that was noted first.
            while len(self._teams) > _REMEMBERED:
                del self._teams[next(iter(self._teams))]

    def forget(self, request: Request) -> None:
        """Forget a caller whose secret is not valid any more."""
        secret = _secret_of(request)
        if secret is not None:
            with self._lock:
                self._teams.pop(digest(secret), None)


@dataclass(slots=True, eq=False)
class Pending:
    """Stands for the dependencies of a route's use cases until the caller is known."""

    read: "Read"
    admit: Callable[[Principal], TeamServices]
    """Function that checks the permission, and returns the dependencies."""


@dataclass(slots=True, eq=False)
class Read:
    """A read whose caller is not authenticated yet."""

    request: Request
    services: Services
    team_id: UUID
    """Team whose slot the request occupies."""
    org_id: Team = None
    """Organisation of the route's transaction; None for routes about the person, which the auth role runs."""
    pending: list[Pending] = field(default_factory=list)
    shown: UUID | None = None
    """Team whose data the route reads, once the caller is admitted."""

    def later(self, admit: Callable[[Principal], TeamServices], org_id: Team) -> Pending:
        """Return what stands for the dependencies until the caller is known."""
        if org_id is not None:
            self.org_id = org_id
        self.pending.append(Pending(self, admit))
        return self.pending[-1]

    def run(self, route: Callable[[dict[str, Any]], Any], values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the route's
        """Authenticate the caller, and call the route with the first transaction begun.

        Raises
        ------
        SignInNeeded, Refused, NotFound, ProofNeeded
            The request is not admitted.
        Moved
            The caller is in another team by now.
        """
        with self._admitted() as services:
            return route({name: services.get(id(value), value) for name, value in values.items()})

    @contextmanager
    def _admitted(self) -> Iterator[dict[int, TeamServices]]:
        services, state = self.services, self.request.app.state
        of = services.gate if self.org_id is None else services.database
        open_caller: OpenCaller = state.open_caller
        with open_caller(self.request, services, of, self.org_id) as (principal, begun):
            self.request.state.principal = principal
            if principal.charged_id != self.team_id:
                raise Moved
            yield {id(each): self._begun(each.admit(principal), begun) for each in self.pending}

    def _begun(self, found: TeamServices, begun: BegunTransaction) -> TeamServices:
        self.shown = found.asker.org_id
        if self.org_id is None:
            return replace(found, gate=found.gate.continuing(begun))
        return replace(found, database=found.database.continuing(begun))


def principal_of(request: Request, services: Services) -> Principal:
    """Authenticate the caller of a request.

    The application was built with the function that does this (`stowage.api.authentication`).

    Raises
    ------
    SignInNeeded
        The request carries no valid session and no valid token.
    Refused
        The request is unsafe and does not repeat the CSRF token of its session.
    """
    open_caller: OpenCaller = request.app.state.open_caller
    known_teams: KnownTeams = request.app.state.known_teams
    try:
        with open_caller(request, services, services.gate, None) as (principal, _):
            return principal
    except SignInNeeded:
        known_teams.forget(request)
        raise


def read_of(request: Request) -> Read | None:
    """Return the read that a request is; None if the request is authenticated before its route is called."""
    found: Read | None = getattr(request.state, "read", None)
    return found


def _secret_of(request: Request) -> str | None:
    return request.headers.get("authorization") or SESSION.read(request)
