"""Load shedding by team: which request an API process handles next, and which it refuses under overload.

A process handles a few requests at once and queues the others. The next one is of the team with the fewest in progress.
When the queue is full, the newest request of the team with the most requests, in progress and queued, is refused at
once with a time to retry: a late response is worth less than an early refusal. A team within its share is never refused
while another team has more.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from starlette.exceptions import HTTPException

MOST_RUNNING = 6
"""Requests that a process handles at once: more would not be faster, and threads must remain for authentication."""
MOST_WAITING = 18
"""Length of the queue. At 0.1 s a request, the wait stays near two seconds."""
RETRY_AFTER_S = 2


class Busy(HTTPException):
    """The process is overloaded and this team has the most requests in progress."""

    def __init__(self) -> None:
        words = f"The service is busy and your team has the most requests in progress: retry in {RETRY_AFTER_S} s."
        super().__init__(429, words, {"Retry-After": str(RETRY_AFTER_S)})


@dataclass(eq=False, slots=True)
class _Waiting:
    team: UUID
    slot: asyncio.Future[None]


class LoadShedder:
    """Slots and queue of one process; used from its event loop only.

    Parameters
    ----------
    most_running : int
        Slots.
    most_waiting : int
        Length of the queue.
    """

    def __init__(self, most_running: int = MOST_RUNNING, most_waiting: int = MOST_WAITING) -> None:
        self._most_running = most_running
        self._most_waiting = most_waiting
        self._running: Counter[UUID] = Counter()
        self._waiting: list[_Waiting] = []

    @asynccontextmanager
    async def slot(self, team: UUID) -> AsyncIterator[None]:
        """Wait for a slot and hold it for the duration of the block.

        Raises
        ------
        Busy
            The queue is full and the team has the most requests.
        """
        if self._waiting or self._running.total() >= self._most_running:
            await self._wait(team)
        else:
            self._running[team] += 1
        try:
            yield
        finally:
            self._end(team)

    async def _wait(self, team: UUID) -> None:
        own = _Waiting(team, asyncio.get_running_loop().create_future())
        self._waiting.append(own)
        if len(self._waiting) > self._most_waiting:
            shed = self._largest(team)
            self._waiting.remove(shed)
            if shed is own:
                raise Busy
            shed.slot.set_exception(Busy())
        try:
            await own.slot
        except asyncio.CancelledError:
            if own in self._waiting:
                self._waiting.remove(own)
            elif not own.slot.cancelled() and own.slot.exception() is None:
                # The slot was assigned at the same moment: pass it on.
                self._end(team)
            raise

    def _largest(self, newest: UUID) -> _Waiting:
        """Return the newest queued request of the team with the most requests; in a tie, of the last to ask."""
        counts = self._running + Counter(each.team for each in self._waiting)
        return max(reversed(self._waiting), key=lambda each: (counts[each.team], each.team == newest))

    def _end(self, team: UUID) -> None:
        """Release the slot of a request and assign it to the next."""
        self._running -= Counter({team: 1})
        if self._waiting:
            following = min(self._waiting, key=lambda each: self._running[each.team])
            self._waiting.remove(following)
            self._running[following.team] += 1
            following.slot.set_result(None)
