"""Middleware for all requests: request ids, the access log, and responses to unexpected errors."""

import logging
import re
import secrets
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stowage import logs
from stowage.api.in_progress import InProgress
from stowage.web.errors import our_fault

log = logging.getLogger(__name__)

NAME = "X-Request-Id"

_HARMLESS = re.compile(r"[A-Za-z0-9-]{1,64}")
_PROBES = ("/api/v1/health", "/api/v1/readiness")


class Requests:
    """Middleware for request ids, the access log and unexpected errors.

    It wraps all other middleware except that for old paths and that for security headers.

    The request id is the ``X-Request-Id`` of the proxy or the client if it has only harmless characters, else a random
    one. It is in the response, in every log record of the request, and in the `reference` of server errors. So the log
    records of an error that a user reports can be found.

    A persistent connection stays with the process that accepted it, so several users might wait for one process while
    another is idle. Therefore a process closes the connection of a response while a request takes long and another
    process has fewer requests in progress. The next request of the client opens a new connection, which an idle process
    accepts. A few short requests at once are no reason: a new connection costs more than the wait for them.

    The path in the log is the template of the route, because the path itself has user data: ids of objects and, in
    paths of the page, the state of the page.

    Parameters
    ----------
    app : ASGIApp
    in_progress : InProgress
        Requests of all processes that accept connections from the same listening socket.
    long_s : float
        Duration from which a request may keep others waiting [s].
    """

    def __init__(self, app: ASGIApp, *, in_progress: InProgress, long_s: float = 0.02) -> None:
        self._app = app
        self._long_s = long_s
        self._in_progress = in_progress
        self._unanswered: dict[object, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and log its result."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _name(Headers(scope=scope).get(NAME))
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status: int | None = None
        this = object()
        self._unanswered[this] = started
        self._in_progress.note(len(self._unanswered))

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[NAME] = request_id
                self._forget(this)
                if self._is_busy():
                    headers["Connection"] = "close"
            await send(message)

        with logs.request_context(request_id):
            try:
                await self._app(scope, receive, answer)
            except ClientDisconnect:
                # The client disconnected while it sent the body: no response is possible.
                pass
            except Exception as error:
                about = {"method": scope["method"], "path": _template(scope)}
                log.error("reference %s: unexpected error", request_id, exc_info=error, extra=about)  # noqa: TRY400 - with extra
                if status is not None:
                    # A part of the response is sent: only closing the connection can signal that the rest is missing.
                    raise
                await our_fault(request_id)(scope, receive, answer)
            finally:
                self._forget(this)
                about = {
                    "method": scope["method"],
                    "path": _template(scope),
                    "status": status,
                    "duration_s": round(time.perf_counter() - started, 6),
                }
                # Probes come every few seconds; a successful one is not worth a line.
                quiet = status == 200 and scope["path"] in _PROBES
                log.log(logging.DEBUG if quiet else logging.INFO, "request", extra=about)

    def _forget(self, answered: object) -> None:
        self._unanswered.pop(answered, None)
        self._in_progress.note(len(self._unanswered))

    def _is_busy(self) -> bool:
        """Return whether a request takes long, and another process has fewer."""
        oldest = next(iter(self._unanswered.values()), None)
        if oldest is None or time.perf_counter() - oldest <= self._long_s:
            return False
        return self._in_progress.is_another_less_busy()


def _name(given: str | None) -> str:
    return given if given is not None and _HARMLESS.fullmatch(given) else secrets.token_hex(8)


def _template(scope: Scope) -> str:
    """Return the path of a request for the log, with the names of parameters in place of their values."""
    route = scope.get("route")
    if route is None:
        return "(no route)" if scope["path"].startswith("/api/") else "(page)"
    path: str = route.path
    return path
