"""Bounds on what a request may take: the size of head and body, the time that it comes in, the time until an answer."""

import asyncio
import logging
from collections.abc import Mapping
from types import MappingProxyType

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stowage.api.errors import problem_response

log = logging.getLogger(__name__)

LARGEST_HEAD_BYTES = 16_384
"""Of all headers together: uvicorn's own bound is for those that come in pieces."""
BODY_WITHIN_S = 10.0
"""How long a body may take to come [s]: what comes slower holds a connection, and is no browser's."""
ANSWER_WITHIN_S = 60.0
"""How long an answer may take to begin [s]: twice what the database is given for a statement."""


class BodyLimit:
    """Refuses bodies that are too large with 413 and those that come too slowly with 408, before anything is parsed.

    Heads that are too large are refused with 431.

    No more of a body is read than its limit; of one that says itself that it is larger, nothing.

    Parameters
    ----------
    app : ASGIApp
    largest_bytes : int
    on : mapping of str to int
        What holds instead under the addresses that begin so [bytes]; the longest that fits.
    within_s : float
        [s]
    """

    def __init__(
        self,
        app: ASGIApp,
        largest_bytes: int,
        on: Mapping[str, int] = MappingProxyType({}),
        within_s: float = BODY_WITHIN_S,
    ) -> None:
        self._app = app
        self._largest_bytes = largest_bytes
        self._on = sorted(on.items(), key=lambda item: -len(item[0]))
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on once its whole body is there and known to be small enough."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEAD_BYTES:
            await _head_too_large()(scope, receive, send)
            return
        largest = next((size for prefix, size in self._on if scope["path"].startswith(prefix)), self._largest_bytes)
        if _announced(scope) > largest:
            await _too_large(largest)(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._within_s):
                body = await _read(receive, largest)
        except TimeoutError:
            await _too_slow(self._within_s)(scope, receive, send)
            return
        except _Gone:
            return
        if len(body) > largest:
            await _too_large(largest)(scope, receive, send)
            return
        pending = [body]

        async def replay() -> Message:
            if pending:
                return {"type": "http.request", "body": pending.pop(), "more_body": False}
            return await receive()

        await self._app(scope, replay, send)


class AnswerLimit:
    """Answers 503 for whatever has not begun to answer in time. What has begun, a stream of events for one, goes on.

    A thread cannot be stopped: what one does for the request, it does to its end, for nobody. The statements of
    the database have a limit of their own, so that it comes to one.

    Parameters
    ----------
    app : ASGIApp
    within_s : float
        [s]
    """

    def __init__(self, app: ASGIApp, within_s: float = ANSWER_WITHIN_S) -> None:
        self._app = app
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and wait for the beginning of its answer only so long."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = asyncio.timeout(self._within_s)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                limit.reschedule(None)
            await send(message)

        try:
            async with limit:
                await self._app(scope, receive, answer)
        except TimeoutError:
            if not limit.expired():
                raise
            detail = f"No answer within {self._within_s:g} s. What the request was to change may be changed, or not."
            request_id: str = scope["state"]["request_id"]
            log.error("reference %s: no answer within %g s", request_id, self._within_s)  # noqa: TRY400 - no fault of code
            response = problem_response(503, "Took too long", detail, reference=request_id)
            await response(scope, receive, send)


class _Gone(Exception):
    """Whoever asked has gone."""


async def _read(receive: Receive, largest_bytes: int) -> bytes:
    """Read a body, or as much of it as shows that it is too large."""
    pieces, length, more = list[bytes](), 0, True
    while more and length <= largest_bytes:
        message = await receive()
        if message["type"] != "http.request":
            raise _Gone
        pieces.append(message.get("body", b""))
        length += len(pieces[-1])
        more = message.get("more_body", False)
    return b"".join(pieces)


def _announced(scope: Scope) -> int:
    given = Headers(scope=scope).get("content-length", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 20 else 0


def _too_large(largest_bytes: int) -> Response:
    return _last(problem_response(413, "Too large", f"The body is larger than {largest_bytes:,} bytes."))


def _head_too_large() -> Response:
    detail = f"The headers are larger than {LARGEST_HEAD_BYTES:,} bytes together."
    return _last(problem_response(431, "Too large", detail))


def _too_slow(within_s: float) -> Response:
    return _last(problem_response(408, "Too slow", f"The body was not there within {within_s:g} s."))


def _last(response: Response) -> Response:
    # What is left of the body is not read: nothing else can come on this connection.
    response.headers["Connection"] = "close"
    return response
