"""Limits of a request: size of its headers and body, time to receive the body, time until the response begins."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stowage.web.errors import problem_response

log = logging.getLogger(__name__)

_WITH_BODY = {"POST", "PUT", "PATCH"}

LARGEST_HEAD_BYTES = 16_384
"""Limit of all headers together [bytes]: uvicorn's own limit only covers headers that arrive in pieces."""
LARGEST_PUBLIC_BODY_BYTES = 16_384
"""Largest body of a public route: an e-mail address, a password, the secret of a link [bytes]."""
LARGEST_DISCARDED_BYTES = 1 << 24
"""How much of a refused body is received and discarded [bytes]: as much as the proxy passes on.

A server that closes a connection with unread data resets it, and the client may lose the response.
"""
BODY_WITHIN_S = 10.0
"""Time limit for receiving a body [s]: a slower one occupies a connection, and no browser sends one."""
ANSWER_WITHIN_S = 60.0
"""Time limit until a response begins [s]: twice the statement timeout of the database."""


class BodyRefused(HTTPException):
    """The body is too large or too slow, or the client disconnected.

    The rest of the body is not read. The class is derived from `HTTPException`, because FastAPI reports any other
    exception as a body that cannot be parsed.
    """

    def __init__(self, status: int, title: str, detail: str) -> None:
        super().__init__(status, title, {"Connection": "close"})
        self.told = detail


class Body:
    """The body of a request, which is read only on demand, after the sender is authenticated.

    Parameters
    ----------
    receive : Receive
        ASGI callable of the server, which returns the next message of the body.
    announced_bytes : int or None
        Size according to the headers [bytes]; None if the headers do not state a size.
    largest_bytes : int
        Maximum size, until `lower` is called [bytes].
    within_s : float
        Time limit, counted from the start of the request or from `begin` [s].
    """

    def __init__(self, receive: Receive, announced_bytes: int | None, largest_bytes: int, within_s: float) -> None:
        self._receive = receive
        self._within_s = within_s
        self._ends_at = asyncio.get_running_loop().time() + within_s
        self._read_bytes = 0
        self.announced_bytes = announced_bytes
        self.largest_bytes = largest_bytes
        self._is_read = False
        self.is_gone = False

    @property
    def is_over(self) -> bool:
        """True once the body was received completely."""
        return self._is_read or self.announced_bytes == 0

    def lower(self, largest_bytes: int) -> None:
        """Lower the limit on the size of the body."""
        self.largest_bytes = min(self.largest_bytes, largest_bytes)

    def begin(self) -> None:
        """Restart the time limit; called after the service itself has made the sender wait."""
        self._ends_at = asyncio.get_running_loop().time() + self._within_s

    async def read(self) -> Message:
        """Return the next ASGI message of the body.

        Raises
        ------
        BodyRefused
            The body is too large or too slow, or the client disconnected.
        """
        if self._is_read:
            return await self._receive()
        if (self.announced_bytes or 0) > self.largest_bytes:
            raise self.too_large()
        try:
            async with asyncio.timeout_at(self._ends_at):
                message = await self._receive()
        except TimeoutError:
            detail = f"The body did not arrive within {self._within_s:g} s."
            raise BodyRefused(408, "Too slow", detail) from None
        if message["type"] != "http.request":
            if self.announced_bytes == 0:
                return message
            self.is_gone = True
            raise BodyRefused(400, "Disconnected", "The client disconnected before it had sent the body.")
        self._read_bytes += len(message.get("body", b""))
        if self._read_bytes > self.largest_bytes:
            raise self.too_large()
        self._is_read = not message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """Receive and discard the rest of the body.

        At most `LARGEST_DISCARDED_BYTES` are received, within the time limit of the body.
        """
        discarded_bytes = 0
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._ends_at):
                while not self.is_over and discarded_bytes < LARGEST_DISCARDED_BYTES:
                    message = await self._receive()
                    discarded_bytes += len(message.get("body", b""))
                    self._is_read = not message.get("more_body", False)

    def too_large(self) -> BodyRefused:
        """Return the error for a body that is too large, with the limit in its message."""
        return BodyRefused(413, "Too large", f"The body is larger than {self.largest_bytes:,} bytes.")


class BodyLimit:
    """Middleware that refuses request bodies that are too large or too slow, before anything is parsed.

    Too large bodies are refused with 413, slow ones with 408, and too large headers with 431.

    The body is read only when the application asks for it, and never beyond its limit. A body whose announced size
    exceeds the limit is refused at once. The application finds the `Body` in the scope's state.

    A response may be sent before the body was read. Then the rest of the body is received and discarded, because some
    clients and proxies read the response only after they have sent everything. Finally the connection is closed.

    Parameters
    ----------
    app : ASGIApp
    largest_bytes : int
        Maximum size of a body [bytes], for paths without a limit of their own.
    on : mapping of str to int
        Maximum size of a body [bytes] by the prefix of the path. The longest matching prefix applies.
    within_s : float
        Time limit for receiving a body [s].
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
        """Pass a request on with a body that is read on demand."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEAD_BYTES:
            await _head_too_large()(scope, receive, send)
            return
        largest = next((size for prefix, size in self._on if scope["path"].startswith(prefix)), self._largest_bytes)
        body = Body(receive, _announced(scope), largest, self._within_s)
        scope.setdefault("state", {})["body"] = body
        answer = _Answer(body, send)
        try:
            if (body.announced_bytes or 0) > largest:
                raise body.too_large()
            await self._app(scope, body.read, answer)
        except BodyRefused as error:
            if not answer.begun:
                await refusal_of(error)(scope, receive, answer)


class _Answer:
    """Sender of one response, which discards the unread rest of the request body before the response ends."""

    def __init__(self, body: Body, send: Send) -> None:
        self._body = body
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        """Send an ASGI message of the response, unless the client has disconnected."""
        if self._body.is_gone:
            return
        self.begun = True
        if self._body.is_over:
            await self._send(message)
        elif message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Connection"] = "close"
            await self._send(message)
        elif message.get("more_body", False):
            await self._send(message)
        else:
            await self._send({**message, "more_body": True})
            await self._body.drain()
            await self._send({"type": "http.response.body", "body": b""})


class AnswerLimit:
    """Middleware that answers 503 if a response has not begun in time.

    A response that has begun may take longer. The thread that handles the request cannot be stopped, so it continues,
    and its result is discarded. Its work ends in the end, because database statements have a timeout of their own.

    Parameters
    ----------
    app : ASGIApp
    within_s : float
        Time limit until a response begins [s].
    """

    def __init__(self, app: ASGIApp, within_s: float = ANSWER_WITHIN_S) -> None:
        self._app = app
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with a time limit until the response begins."""
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
            log.error("reference %s: no response within %g s", request_id, self._within_s)  # noqa: TRY400 - no fault of code
            response = problem_response(503, "Took too long", detail, reference=request_id)
            await response(scope, receive, send)


def refusal_of(error: BodyRefused) -> Response:
    """Build the response to a request whose body is refused."""
    return _last(problem_response(error.status_code, str(error.detail), error.told))


def _announced(scope: Scope) -> int | None:
    headers = Headers(scope=scope)
    given = headers.get("content-length", "")
    if given.isascii() and given.isdigit() and len(given) < 20:
        return int(given)
    return None if given or "transfer-encoding" in headers or scope["method"] in _WITH_BODY else 0


def _head_too_large() -> Response:
    detail = f"The headers are larger than {LARGEST_HEAD_BYTES:,} bytes together."
    return _last(problem_response(431, "Too large", detail))


def _last(response: Response) -> Response:
    # The rest of the body is not read, so the connection cannot be reused.
    response.headers["Connection"] = "close"
    return response
