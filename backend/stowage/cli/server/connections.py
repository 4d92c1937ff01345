"""Connections of the API: limits per process, and a deadline for request headers (slowloris)."""

import asyncio
import resource
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 1_000
"""Connections of one process, at some 50 kB each; those beyond are answered with 503 before it is known who asks."""
_OTHER_FILES = 200
"""File descriptors of a process that are no connections: to the database, to Redis, files that are sent, libraries."""
HEAD_WITHIN_S = 10.0
"""How long the lines before a body may take; of the first request, from when the connection was opened."""


def most_connections() -> int:
    """Return how many connections a process may take, and allow it as many file descriptors as these need.

    The soft limit on file descriptors is 1,024 on most systems; it is raised as far as the hard limit permits.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = MOST + _OTHER_FILES
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        soft = allowed
    return MOST if soft == resource.RLIM_INFINITY else min(MOST, max(soft - _OTHER_FILES, soft // 2))


class Connection(H11Protocol):
    """uvicorn's protocol with a limit on the time to receive request headers.

    uvicorn waits for one as long as it takes, and takes `limit_concurrency` connections: a few hundred that say nothing
    would keep everybody else out. Between two requests its own ``timeout_keep_alive`` holds.
    """

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's arguments
        super().__init__(*given, **named)
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Begin to wait."""
        super().connection_made(transport)
        self._wait_or_not()

    def data_received(self, data: bytes) -> None:
        """Wait for the complete headers; partial data does not extend the deadline."""
        super().data_received(data)
        self._wait_or_not()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
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
