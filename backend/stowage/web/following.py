"""Event streams, by which the page follows the state of a job or a run.

A stream ends when the job or run ends, or when its reader is no longer authorized.
"""

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol, Self
from uuid import UUID

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from pydantic_core import to_json

from stowage.frozen import frozen
from stowage.platform import quotas
from stowage.platform.errors import NotFound
from stowage.platform.jobs.changes import Changes, changes
from stowage.platform.jobs.counters import Lease
from stowage.web.services import TeamServices

_LOOK_EVERY_S = 1.0
_LEAST_APART_S = 0.2
"""Least time between two events [s]: people cannot follow faster changes."""
_READS_PER_S = 5.0
"""Rate at which all streams of one team in a process read the database together [1/s], at about 4 ms of CPU time."""
_ADMIT_EVERY_S = 10.0
"""Time for which a stream outlives its session, or its person's membership of the team [s]."""
_RECONNECT_MS = 1_000
_PING_EVERY_S = 15.0
"""Interval of keepalives [s]: a proxy closes a silent connection."""
_AS_THEY_COME = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_NOTHING_COMES = ("done", "failed", "cancelled", "quoted")
"""States of jobs and runs that end a stream. A quoted run waits for approval, possibly for ever."""


_open: Counter[UUID] = Counter()
"""Streams of this process by team."""


class _Followable(Protocol):
    @property
    def state(self) -> str: ...


def apart_s(streams: int) -> float:
    """Return the minimum time between two reads of the database by one stream [s].

    The time grows with the number of streams that the team has in this process.
    """
    return max(_LEAST_APART_S, streams / _READS_PER_S)


def encoded(event: str, state: object) -> bytes:
    """Encode the state of a job or run as a server-sent event.

    The JSON is like that of pydantic's models: fields have their names in Python, and infinite or NaN numbers are null.
    """
    text = to_json(state, by_alias=False, inf_nan_mode="null").decode()
    return format_sse_event(event=event, data_str=text, retry=_RECONNECT_MS)


class EventStream(StreamingResponse):
    """A response of server-sent events."""

    media_type = "text/event-stream"


@frozen
class News:
    """Resources that a request holds while it follows a job or a run."""

    changes: Changes
    """Subscription to changes of the job or run."""
    lease: Lease
    """Counts the stream against the quotas of the person and the team."""


@asynccontextmanager
async def news(subject_id: UUID, services: TeamServices) -> AsyncIterator[News]:
    """Yield the resources for following a job or run, and release them at the end of the block.

    Raises
    ------
    QuotaExceeded
        The person or the team has as many streams as its quota allows.
    """
    lease = await run_in_threadpool(quotas.take_stream, services.database, services.queue, services.asker)
    team_id = services.asker.charged_id
    _open[team_id] += 1
    try:
        async with changes(services.queue.url, subject_id) as heard:
            yield News(heard, lease)
    finally:
        _open.subtract([team_id])
        if not _open[team_id]:
            del _open[team_id]
        await run_in_threadpool(lease.release)


def followed(event: str, read: Callable[[], _Followable], heard: News, services: TeamServices) -> EventStream:
    """Return a stream with one event for each change of a job or run.

    Each event has the whole state, so a reconnect loses nothing. The last event has the final state.

    Parameters
    ----------
    event : str
        Name of the events.
    read : callable
        Reads the current state from the database.
    heard : News
        Resources of the request.
    services : TeamServices
        Dependencies of the use cases for the request.
    """
    return EventStream(_Events(event, read, heard, services), headers=_AS_THEY_COME)


class _Events:
    """Iterator over the encoded events of a stream.

    Neither this iterator nor the route is a generator. A suspended generator would not be resumed when its reader
    disconnects, so its resources would stay open until it is garbage-collected.
    """

    def __init__(self, event: str, read: Callable[[], _Followable], heard: News, services: TeamServices) -> None:
        self._event = event
        self._read = read
        self._heard = heard
        self._services = services
        self._latest: _Followable | None = None
        self._told_at = self._admitted_at = time.monotonic()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        """Return the event of the next change, or a keepalive when it is due.

        Raises
        ------
        StopAsyncIteration
            The final state was sent, the job or run or its team was deleted, the server is stopping, or the reader is
            no longer authorized.
        """
        while self._latest is None or self._latest.state not in _NOTHING_COMES:
            apart = apart_s(_open[self._services.asker.charged_id])
            await self._heard.changes.wait(max(_LOOK_EVERY_S, apart), apart)
            if self._services.outside.stopping.is_set() or not await self._admitted():
                break
            try:
                now = await run_in_threadpool(self._read)
            except NotFound:
                break
            if now != self._latest:
                self._latest, self._told_at = now, time.monotonic()
                return encoded(self._event, now)
            if time.monotonic() - self._told_at >= _PING_EVERY_S:
                self._told_at = time.monotonic()
                return KEEPALIVE_COMMENT
        raise StopAsyncIteration

    async def _admitted(self) -> bool:
        if time.monotonic() - self._admitted_at < _ADMIT_EVERY_S:
            return True
        self._admitted_at = time.monotonic()
        return await run_in_threadpool(self._look)

    def _look(self) -> bool:
        self._heard.lease.renew()
        return self._services.admitted()
