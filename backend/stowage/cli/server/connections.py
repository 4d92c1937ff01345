"""Connections of the API: their maximum number per process, and the time limit to receive request headers."""

import asyncio
import resource
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 1_000
"""Maximum number of connections of one process, at about 50 kB each; further ones get 503 before authentication."""
_OTHER_FILES = 200
"""File descriptors for other uses: connections to the database and Redis, files being sent, libraries."""
HEAD_WITHIN_S = 10.0
"""Time limit to receive request headers [s]; for the first request, from the opening of the connection."""


def most_connections() -> int:
    """Return the number of connections that this process can have, at most `MOST`.

    Each connection needs a file descriptor. The soft limit on file descriptors is 1,024 on most systems, so it is
    raised first, as far as needed and as the hard limit permits.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = MOST + _OTHER_FILES
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        soft = allowed
    return MOST if soft == resource.RLIM_INFINITY else min(MOST, max(soft - _OTHER_FILES, soft // 2))


class Connection(H11Protocol):
    """HTTP connection of uvicorn with a limit on the time to receive request headers.

    uvicorn has no such limit, and accepts at most `limit_concurrency` connections. So a few hundred idle connections
    would block all clients. Between two requests, uvicorn's ``timeout_keep_alive`` applies.
    """

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's arguments
        super().__init__(*given, **named)
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Start the timeout for the headers of the first request."""
        super().connection_made(transport)
        self._wait_or_not()

    def data_received(self, data: bytes) -> None:
        """Keep the timeout running until the headers are complete; partial data does not extend it."""
        super().data_received(data)
        self._wait_or_not()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait_or_not(self) -> None:
        if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
            self._wait_no_more()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_WITHIN_S, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
