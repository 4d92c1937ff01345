"""What every request gets: a name, a line in the log, and an answer whatever happens."""

import logging
import re
import secrets
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stowage import logs
from stowage.web.errors import our_fault

log = logging.getLogger(__name__)

NAME = "X-Request-Id"

_HARMLESS = re.compile(r"[A-Za-z0-9-]{1,64}")
_PROBES = ("/api/v1/health", "/api/v1/readiness")


class Requests:
    """Frames each request; nothing but the headers and the server stand outside it.

    The request's name is the one that the proxy or the client gave it in ``X-Request-Id``, if that is harmless,
    else one of ours. The answer carries it, every record of the request does, and it is the `reference` in the
    answers for which we are to blame: what a user reads out is found in the log.

    Connections stay open, and belong to the process that took them: of four users, three would wait for one process
    while another has time. So a process that works on several requests ends the connections that it answers on; the
    next request opens one, which is taken by whoever has time.

    The path in the log is the route's template. What stands in an address is the user's: ids, and with the
    page whatever a router keeps there.

    Parameters
    ----------
    app : ASGIApp
    shared : bool
        Whether other processes take connections from the same socket.
    """

    def __init__(self, app: ASGIApp, *, shared: bool) -> None:
        self._app = app
        self._shared = shared
        self._unanswered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and tell how it ended."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _name(Headers(scope=scope).get(NAME))
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status: int | None = None
        self._unanswered += 1

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[NAME] = request_id
                if self._shared and self._unanswered > 1:
                    headers["Connection"] = "close"
                self._unanswered -= 1
            await send(message)

        with logs.request_context(request_id):
            try:
                await self._app(scope, receive, answer)
            except ClientDisconnect:
                # The client disconnected while sending the body: it cannot be answered.
                pass
            except Exception as error:
                about = {"method": scope["method"], "path": _template(scope)}
                log.error("reference %s: our fault", request_id, exc_info=error, extra=about)  # noqa: TRY400 - with extra
                if status is not None:
                    # Half an answer is out: only closing the connection can tell that the rest is missing.
                    raise
                await our_fault(request_id)(scope, receive, answer)
            finally:
                if status is None:
                    self._unanswered -= 1
                about = {
                    "method": scope["method"],
                    "path": _template(scope),
                    "status": status,
                    "duration_s": round(time.perf_counter() - started, 6),
                }
                # Probes come every few seconds; that all is well is not worth a line.
                quiet = status == 200 and scope["path"] in _PROBES
                log.log(logging.DEBUG if quiet else logging.INFO, "request", extra=about)


def _name(given: str | None) -> str:
    return given if given is not None and _HARMLESS.fullmatch(given) else secrets.token_hex(8)


def _template(scope: Scope) -> str:
    """Return the path with names of parameters in place of their values."""
    route = scope.get("route")
    if route is None:
        return "(no route)" if scope["path"].startswith("/api/") else "(page)"
    path: str = route.path
    return path
