"""Admission: authentication and authorization of requests, by the declarations of the routes.

A route declares one of `public`, `SignedIn`, `Person`, `Proven`, `needs`, `starts` and `changes_job`.

A session comes as a cookie, a token as ``Authorization: Bearer``. If a request has a token, its cookie is ignored.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal, cast
from uuid import UUID
from weakref import WeakValueDictionary

from fastapi import Depends, Query, Request, Response, params
from fastapi.concurrency import run_in_threadpool
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError

from stowage import logs
from stowage.frozen import frozen
from stowage.model.job import JobKind
from stowage.platform import quotas
from stowage.platform.access import DENIED, STARTS, Actor, Permission, Principal, demand, demand_recent_proof
from stowage.platform.database.orgs import TeamKey
from stowage.platform.errors import NotFound, QuotaExceeded, Refused, SignInNeeded
from stowage.platform.jobs import jobs
from stowage.web.etags import tagged
from stowage.web.limits import LARGEST_PUBLIC_BODY_BYTES, Body
from stowage.web.load_shedding import Busy, LoadShedder
from stowage.web.reads import KnownTeams, Moved, Read, Team, principal_of, read_of
from stowage.web.services import Services, TeamServices, services_of

Handler = Callable[[Request], Awaitable[Response]]

AskedTeam = Annotated[
    TeamKey, Query(description="`example`: see the example team; else the team of the session or the token.")
]

CSRF = "X-CSRF-Token"
LARGE_BODY_BYTES = 1 << 18
"""Size of a body from which a team's concurrent requests are limited: uploaded pieces and files [bytes]."""
_LARGE_AT_ONCE = 4
"""Large bodies of one team that a process holds in memory at once; further requests wait with their bodies unread."""
SAFE = {"GET", "HEAD", "OPTIONS"}


@frozen
class Declared:
    """Declaration of a route that needs no permission in a team.

    It is a dependency of the route, so tests can find it there.
    """

    level: Literal["public", "signed in", "person", "proven"]
    """`public`: any caller. `signed in`: a caller with a session or a token. `person`: a person with a session.
    `proven`: a person who has recently reauthenticated."""
    why: str = ""
    """Reason why the route is public; empty for other levels."""

    async def look(self, request: Request) -> Principal | None:
        """Authenticate the caller before the body is read; return None for a public route.

        Raises
        ------
        SignInNeeded
            The request has no valid session and no valid token.
        Refused
            The request is unsafe, and comes from another origin or lacks the CSRF token of its session.
        ProofNeeded
            The caller has not reauthenticated recently, as level ``proven`` requires.
        NotFound
            The caller has a token, but the route requires a session.
        """
        refuse_foreign(request)
        if self.level == "public":
            return None
        return self._hold(await _once(request, services_of(request)))

    async def __call__(self, request: Request) -> TeamServices:
        """Return the dependencies of the use cases for an admitted request.

        Otherwise, raise the errors of `look`.
        """
        services = services_of(request)
        if self.level == "public":
            refuse_foreign(request)
            return _for(services, request, None, lambda: True)
        return await _admit(request, services, self._hold, None)

    def _hold(self, principal: Principal) -> Principal:
        if self.level in {"person", "proven"} and principal.session_id is None:
            raise NotFound(DENIED)
        if self.level == "proven":
            demand_recent_proof(principal, datetime.now(UTC))
        return principal


@frozen
class Needed:
    """Declaration of a route that needs a permission in a team."""

    permission: Permission
    searches: int = 1
    """Maximum number of searches of a request that needs ``plans.ask``. Each counts as a preview."""

    async def look(self, request: Request) -> Principal:
        """Authenticate and authorize the caller before the body is read.

        Raises
        ------
        SignInNeeded
            The request has no valid session and no valid token.
        Refused
            The request is unsafe, and comes from another origin or lacks the CSRF token of its session.
        NotFound
            The caller lacks the permission.
        """
        refuse_foreign(request)
        services = services_of(request)
        team = request.query_params.get("team", "local")

        def admit() -> Principal:
            # Any other team is refused during validation, together with the other invalid fields of the request.
            asked: TeamKey = "example" if team == "example" else "local"
            principal = self._hold(_principal(request, services), asked, services)
            self._count(principal, services)
            return principal

        return await run_in_threadpool(admit)

    async def __call__(
        self,
        request: Request,
        team: AskedTeam = "local",
    ) -> TeamServices:
        """Return the dependencies of the use cases for an admitted request.

        Otherwise, raise the errors of `look`.
        """
        services = services_of(request)

        def hold(principal: Principal) -> Principal:
            return self._hold(principal, team, services)

        def count(principal: Principal) -> None:
            self._count(principal, services)

        org_id: Team = services.org_ids["example"] if team == "example" else "caller"
        return await _admit(request, services, hold, org_id, count)

    def _count(self, principal: Principal, services: Services) -> None:
        """Count a request that searches."""
        if self.permission == "plans.ask":
            quotas.count_previews(services.database, services.queue, principal.charged_id, self.searches)

    def _hold(self, principal: Principal, team: TeamKey, services: Services) -> Principal:
        """Return the caller as a principal of a team, after a check that the caller has the permission there.

        A principal is an authenticated caller with a role in a team.
        """
        if team == "example":
            # All users may read the example team; the cost counts against the caller's own team.
            home_id = principal.charged_id
            principal = replace(principal, org_id=services.org_ids["example"], role="visitor", home_id=home_id)
        demand(principal, self.permission)
        if self.permission == "service.refresh" and principal.org_id != services.org_ids["local"]:
            # A refresh uses the operator's credentials, and its result is published to all teams.
            raise NotFound(DENIED)
        return principal


@frozen
class NeededForJob:
    """Declaration of a route that cancels or retries a job.

    The caller needs the permission to start jobs of the same kind.
    """

    async def __call__(
        self,
        request: Request,
        job_id: UUID,
        team: AskedTeam = "local",
    ) -> TeamServices:
        """Return the dependencies of the use cases for an admitted request.

        Otherwise, raise the errors of `Needed.look`. If the job does not exist, raise NotFound.
        """
        found = await Needed("plans.read")(request, team)
        # A job that does not exist and one that the caller may not change get the same answer.
        kind = await run_in_threadpool(jobs.kind_of, found.database, found.org_id, job_id)
        if kind is None:
            raise NotFound(DENIED)
        return await Needed(STARTS[kind])(request, team)


async def _admit(
    request: Request,
    services: Services,
    hold: Callable[[Principal], Principal],
    org_id: Team,
    count: Callable[[Principal], None] | None = None,
) -> TeamServices:
    """Return the dependencies of a request whose caller `hold` admits.

    For a read they are those that its thread replaces, once the caller is known.

    Parameters
    ----------
    org_id : UUID, "caller" or None
        Organisation of a read's transaction.
    count : callable, optional
        Counts a read of an admitted caller; any other request was counted by `look`.
    """
    refuse_foreign(request)

    read = read_of(request)

    def admit(principal: Principal) -> TeamServices:
        held = hold(principal)
        if read is None:
            # Not before: a caller who is refused is then refused in the same way again.
            request.app.state.known_teams.note(request, principal.charged_id)
        elif count is not None:
            count(held)
        return _for(services, request, held, lambda: _again(request, services, held, hold))

    if read is not None:
        return cast("TeamServices", read.later(admit, org_id))
    return admit(await _once(request, services))


async def _once(request: Request, services: Services) -> Principal:
    """Return the authenticated caller of a request.

    The caller is authenticated in the first call for a request; further calls return the stored result.
    """
    known = hasattr(request.state, "principal")
    return _principal(request, services) if known else await run_in_threadpool(_principal, request, services)


def _principal(request: Request, services: Services) -> Principal:
    if not hasattr(request.state, "principal"):
        request.state.principal = principal_of(request, services)
    found: Principal = request.state.principal
    return found


def _again(request: Request, services: Services, before: Principal, hold: Callable[[Principal], Principal]) -> bool:
    """Return whether a caller would still be admitted, as the same person and to the same team.

    Used for long responses, during which a session may end or a person may leave the team.
    """
    try:
        now = hold(principal_of(request, services))
    except (SignInNeeded, Refused, NotFound):
        return False
    return (now.person_id, now.org_id) == (before.person_id, before.org_id)


@frozen
class Admitting:
    """Handler that admits requests before it calls a route.

    It first checks the declarations of the route. Then it reads the body within its limits, waits for a slot of the
    load shedder, and calls the route. A read of a caller whose team is known begins with the slot
    (`stowage.web.reads`).
    """

    declared: Sequence["Declared | Needed"]
    answer: Handler
    """The route."""
    reads_at_once: bool
    """True if only the thread of the route needs the caller."""
    asks: bool
    """True if the route stores nothing, and its body is a question."""

    async def __call__(self, request: Request) -> Response:
        """Handle a request; refusals of callers who were refused often are delayed."""
        try:
            return await self._read_or_handle(request)
        except (QuotaExceeded, Busy):
            team_id = _charged_id(request)
            if team_id is not None:
                await request.app.state.refusals.hold_back(team_id)
            raise
        except SignInNeeded:
            address = address_of(request)
            # Discarding a large body takes four times as long as refusing a request without one.
            if address is not None and _is_large(request.state.body):
                await request.app.state.refusals.hold_back(address)
            raise

    async def _read_or_handle(self, request: Request) -> Response:
        body: Body = request.state.body
        known_teams: KnownTeams = request.app.state.known_teams
        is_read = body.is_over if request.method in SAFE else self.asks and not _is_large(body)
        team_id = known_teams.find(request) if is_read and self.reads_at_once else None
        if team_id is not None:
            try:
                return await self._read(request, team_id)
            except Moved:
                known_teams.note(request, request.state.principal.charged_id)
                request.state.read = None
            except SignInNeeded:
                known_teams.forget(request)
                raise
        return await self._handle(request)

    async def _read(self, request: Request, team_id: UUID) -> Response:
        read = request.state.read = Read(request, services_of(request), team_id)
        try:
            # First, as in `_handle`.
            await request.body()
            return await _in_slot(request, team_id, self.answer)
        except RequestValidationError:
            # Only an admitted caller learns what is wrong with the request.
            request.state.read = None
            for each in self.declared:
                await each.look(request)
            raise
        finally:
            # The route's thread, which has a context of its own, has admitted the caller.
            if read.shown is not None:
                logs.bind_team(read.shown)

    async def _handle(self, request: Request) -> Response:
        principal: Principal | None = None
        for each in self.declared:
            principal = await each.look(request) or principal
        body: Body = request.state.body
        if principal is None:
            body.lower(LARGEST_PUBLIC_BODY_BYTES)
            return await self.answer(request)
        async with _large_body_slot(principal.charged_id, body):
            # Read the body first: a slow sender must not occupy a slot that others wait for.
            await request.body()
            return await _in_slot(request, principal.charged_id, self.answer)


def admitted(dependant: Dependant, answer: Handler, *, encodes: bool) -> Handler:
    """Return a handler that admits requests before it calls a route.

    Parameters
    ----------
    encodes : bool
        Whether the route is called by `stowage.web.answering.in_one_thread`.
    """
    # Starlette accepts functions only, and takes an object with `__call__` for an application.
    declared = list(_declared(dependant))
    asks = all(isinstance(each, Needed) and each.permission == "plans.ask" for each in declared)
    return Admitting(declared, answer, encodes and _can_read_at_once(dependant), asks).__call__


async def _in_slot(request: Request, team_id: UUID, answer: Handler) -> Response:
    """Call a route in a slot of the load shedder."""
    shedder: LoadShedder = request.app.state.load_shedder
    async with shedder.slot(team_id):
        answered = await answer(request)
    if at_work := shedder.teams_to_report():
        # Not awaited: the response is ready, and Redis may be slow.
        asyncio.get_running_loop().run_in_executor(None, services_of(request).queue.note_at_work, at_work)
    return answered


def _charged_id(request: Request) -> UUID | None:
    """Return the team to which a refused request is charged; None if it is unknown."""
    principal: Principal | None = getattr(request.state, "principal", None)
    if principal is not None:
        return principal.charged_id
    read = read_of(request)
    return None if read is None else read.team_id


def _can_read_at_once(dependant: Dependant) -> bool:
    """Return True if only the thread of a route needs its caller.

    Public routes do not authenticate callers.
    """
    calls = [each.call for each in dependant.dependencies if each.call is not tagged]
    return any(each.name is not None and each.call is not tagged for each in dependant.dependencies) and all(
        isinstance(call, Needed) or (isinstance(call, Declared) and call.level != "public") for call in calls
    )


def _declared(dependant: Dependant) -> Iterator["Declared | Needed"]:
    for each in dependant.dependencies:
        if isinstance(each.call, Declared | Needed):
            yield each.call
        yield from _declared(each)


_large: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()
"""Semaphores by team, one set per process: they bound the memory of the process."""


def _is_large(body: Body) -> bool:
    return not body.is_over and min(body.largest_bytes, body.announced_bytes or body.largest_bytes) > LARGE_BODY_BYTES


@asynccontextmanager
async def _large_body_slot(team_id: UUID, body: Body) -> AsyncIterator[None]:
    """Occupy one of a team's slots for large bodies until the block ends.

    The slots limit how many large bodies of a team are in memory at once. A small body needs no slot.
    """
    if not _is_large(body):
        yield
        return
    slots = _large.setdefault(team_id, asyncio.Semaphore(_LARGE_AT_ONCE))
    async with slots:
        body.begin()
        yield


def public(why: str) -> params.Depends:
    """Declare that a route needs no sign-in, with the reason."""
    return params.Depends(Declared("public", why=why))


def needs(permission: Permission, searches: int = 1) -> params.Depends:
    """Declare the permission that a route needs, and for ``plans.ask`` the searches that a request counts as."""
    return params.Depends(Needed(permission, searches))


def starts(kind: JobKind) -> params.Depends:
    """Declare that a route starts jobs of a kind.

    The caller needs the permission that `access.STARTS` lists for this kind.
    """
    return params.Depends(Needed(STARTS[kind]))


def changes_job() -> params.Depends:
    """Declare that a route cancels or retries the job whose id is the parameter ``job_id`` of its path."""
    return params.Depends(NeededForJob())


SignedIn = Annotated[TeamServices, Depends(Declared("signed in"))]
"""Any caller with a session or a token."""
Person = Annotated[TeamServices, Depends(Declared("person"))]
"""A person with a session: tokens must not manage accounts, sessions and tokens."""
Proven = Annotated[TeamServices, Depends(Declared("proven"))]
"""A person who recently reauthenticated: required to change credentials, so that a stolen session is not enough."""


def refuse_foreign(request: Request) -> None:
    """Refuse an unsafe request from another origin (CSRF).

    The origin is known only if the browser states it in the headers. Unsafe methods are all but GET, HEAD and OPTIONS.

    Raises
    ------
    Refused
        The request comes from another origin and is unsafe.
    """
    if request.method in SAFE:
        return
    origin = request.headers.get("origin")
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    if (origin is not None and origin != own) or request.headers.get("sec-fetch-site") in {"cross-site", "same-site"}:
        raise Refused("Another page may not ask this.")


def address_of(request: Request) -> str | None:
    """Return the network address of the client, as uvicorn determines it; None if it is unknown."""
    return None if request.client is None else request.client.host


def _for(
    services: Services, request: Request, principal: Principal | None, admitted: Callable[[], bool]
) -> TeamServices:
    """Return the dependencies of a request."""
    if principal is not None and principal.org_id is not None:
        # Here and not in a thread, which has a context of its own: the request's line in the log has the team.
        logs.bind_team(principal.org_id)
    actor = Actor(
        kind="system" if principal is None else "person" if principal.token_id is None else "token",
        name="Unknown user" if principal is None else principal.name,
        id=None if principal is None else principal.person_id,
        token=None if principal is None else principal.token_id,
        address=address_of(request),
        request=getattr(request.state, "request_id", None),
    )
    told = actor.told()
    return TeamServices(
        database=services.database.acting_as(told),
        gate=services.gate.acting_as(told),
        queue=services.queue,
        principal=principal,
        actor=actor,
        outside=services,
        admitted=admitted,
    )
