"""A client of the application: each request costs one call to an event loop that all clients share.

Starlette's client starts a thread and an event loop for each client and calls it a dozen times for each request, which
takes as much processor time as the answer itself.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self
from urllib.parse import unquote

from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi.testclient import TestClient
from httpx2 import BaseTransport, ByteStream, Request, Response
from starlette.types import ASGIApp, Message, Scope

_STREAM = "stream"


class Browser(TestClient):
    """A client that receives each response as a whole, except those of `stream`.

    It does not run the application's lifespan, which is empty.
    """

    loop: ClassVar[BlockingPortal | None] = None
    """The event loop of all clients; None outside of `sharing_a_loop`."""

    def __init__(
        self,
        app: ASGIApp,
        base_url: str = "http://localhost",
        *,
        raise_server_exceptions: bool = False,
        follow_redirects: bool = True,
        client: tuple[str, int] = ("testclient", 50_000),
    ) -> None:
        super().__init__(
            app,
            base_url,
            raise_server_exceptions=raise_server_exceptions,
            follow_redirects=follow_redirects,
            client=client,
        )
        self._transport = _Transport(self, self._transport, client, raises=raise_server_exceptions)

    @classmethod
    @contextmanager
    def sharing_a_loop(cls) -> Iterator[None]:
        """Run the event loop of all clients until the block ends."""
        before = cls.loop
        with start_blocking_portal() as loop:
            cls.loop = loop
            try:
                yield
            finally:
                cls.loop = before

    def __enter__(self) -> Self:
        assert self.loop is not None, "no shared loop runs"
        self.portal = self.loop
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, request: Request, *, stream: bool = False, **more: Any) -> Response:
        """Send a request."""
        request.extensions[_STREAM] = stream
        return super().send(request, stream=stream, **more)


class _Transport(BaseTransport):
    """Calls the application; passes requests whose response is streamed to Starlette's transport."""

    def __init__(self, browser: Browser, streaming: BaseTransport, client: tuple[str, int], *, raises: bool) -> None:
        self._browser = browser
        self._streaming = streaming
        self._client = client
        self._raises = raises

    def close(self) -> None:
        self._streaming.close()

    def handle_request(self, request: Request) -> Response:
        loop = self._browser.loop
        if loop is None or request.extensions.get(_STREAM):
            return self._streaming.handle_request(request)
        sent: list[Message] = []
        try:
            loop.call(_exchange, self._browser.app, self._scope_of(request), request.read(), sent)
        except Exception:
            # The application raises an error again after its response of 500, which is what a browser sees.
            if self._raises:
                raise
        if not sent:
            return Response(500, request=request)
        start, *parts = sent
        content = b"" if request.method == "HEAD" else b"".join(part.get("body", b"") for part in parts)
        return Response(start["status"], headers=start["headers"], stream=ByteStream(content), request=request)

    def _scope_of(self, request: Request) -> Scope:
        url = request.url
        return {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "path": unquote(url.path),
            "raw_path": url.raw_path.split(b"?", 1)[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": self._client,
            "server": [url.host, url.port or {"http": 80, "https": 443}[url.scheme]],
            "state": {},
        }


async def _exchange(app: ASGIApp, scope: Scope, body: bytes, sent: list[Message]) -> None:
    """Pass a request to the application, and collect the messages of its response."""
    received = False
    complete = asyncio.Event()

    async def receive() -> Message:
        nonlocal received
        if received:
            await complete.wait()
            return {"type": "http.disconnect"}
        received = True
        return {"type": "http.request", "body": body}

    async def send(message: Message) -> None:
        sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            complete.set()

    await app(scope, receive, send)
