"""Following a job or a run as a stream of events, until it ends or its reader may not read it any more."""

import time
from collections.abc import Callable
from typing import Protocol, Self

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from stowage.api.services import TeamServices
from stowage.jobs.changes import Changes
from stowage.usecases.errors import NotFound

_LOOK_EVERY_S = 1.0
_ADMIT_EVERY_S = 10.0
"""How long a stream goes on after its session has ended, or its person was taken out of the team."""
_RECONNECT_MS = 1_000
_PING_EVERY_S = 15.0
"""A proxy takes a connection for dead that says nothing."""
_AS_THEY_COME = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_ENDED = ("done", "failed", "cancelled")
"""Of jobs and of runs alike."""


class _Followable(Protocol):
    @property
    def state(self) -> str: ...
    def model_dump_json(self) -> str: ...


class EventStream(StreamingResponse):
    """Events as they come."""

    media_type = "text/event-stream"


def followed(event: str, read: Callable[[], _Followable], changes: Changes, services: TeamServices) -> EventStream:
    """Answer with events of something, each the whole of it: a reconnect loses nothing, and the last one has its end.

    Parameters
    ----------
    event : str
        What the events are called.
    read : callable
        Reads it as it stands; asks the database.
    changes : Changes
        Held by the request.
    services : TeamServices
        Of the request.
    """
    return EventStream(_Events(event, read, changes, services), headers=_AS_THEY_COME)


class _Events:
    """What is sent, piece by piece.

    Neither a generator nor a route that is one: when a reader that stopped reading leaves, nobody resumes whoever
    waits to be read, and what it holds stays open until the garbage collector comes.
    """

    def __init__(self, event: str, read: Callable[[], _Followable], changes: Changes, services: TeamServices) -> None:
        self._event = event
        self._read = read
        self._changes = changes
        self._services = services
        self._latest: _Followable | None = None
        self._told_at = self._admitted_at = time.monotonic()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        """Wait for the next change, or for the time to say that there was none.

        Raises
        ------
        StopAsyncIteration
            It has ended and that was told; or it is gone, with its team; or the server stops; or who reads it would not
            be let in now.
        """
        while self._latest is None or self._latest.state not in _ENDED:
            await self._changes.wait(_LOOK_EVERY_S)
            if self._services.stopping.is_set() or not await self._admitted():
                break
            try:
                now = await run_in_threadpool(self._read)
            except NotFound:
                break
            if now != self._latest:
                self._latest, self._told_at = now, time.monotonic()
                return format_sse_event(event=self._event, data_str=now.model_dump_json(), retry=_RECONNECT_MS)
            if time.monotonic() - self._told_at >= _PING_EVERY_S:
                self._told_at = time.monotonic()
                return KEEPALIVE_COMMENT
        raise StopAsyncIteration

    async def _admitted(self) -> bool:
        if time.monotonic() - self._admitted_at < _ADMIT_EVERY_S:
            return True
        self._admitted_at = time.monotonic()
        return await run_in_threadpool(self._services.admitted)
