"""Requests of many teams on one process: who is next when more come than it can answer, and who is refused.

A process works on a few requests at once; the others wait. Next is one of the team with the fewest under way. Where too
many wait, the newest of the team that has the most, under way and waiting, is refused at once with a time to try again:
an answer that comes late is worth less than one word now. So a team with no more than its share is never refused while
another has more.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from starlette.exceptions import HTTPException

MOST_RUNNING = 6
"""Requests that a process works on at once: more make none faster, and threads are left that find out who asks."""
MOST_WAITING = 18
"""Those that wait for these: at a tenth of a second each, none waits much longer than two seconds."""
RETRY_AFTER_S = 2


class Busy(HTTPException):
    """More was asked than can be answered, and this team has the most of it under way."""

    def __init__(self) -> None:
        words = f"The service is busy, and your team has the most requests under way: try again in {RETRY_AFTER_S} s."
        super().__init__(429, words, {"Retry-After": str(RETRY_AFTER_S)})


@dataclass(eq=False, slots=True)
class _Waiting:
    team: UUID
    slot: asyncio.Future[None]


class LoadShedder:
    """The requests of one process. All of it happens in its event loop.

    Parameters
    ----------
    most_running, most_waiting : int
    """

    def __init__(self, most_running: int = MOST_RUNNING, most_waiting: int = MOST_WAITING) -> None:
        self._most_running = most_running
        self._most_waiting = most_waiting
        self._running: Counter[UUID] = Counter()
        self._waiting: list[_Waiting] = []

    @asynccontextmanager
    async def slot(self, team: UUID) -> AsyncIterator[None]:
        """Wait for the turn of a request, and hold it until the block is left.

        Raises
        ------
        Busy
            Too many wait, and its team has the most.
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
                # Its turn had come in the same moment.
                self._end(team)
            raise

    def _largest(self, newest: UUID) -> _Waiting:
        """Return the newest request of the team with the most; of teams with as many, the one that asked last."""
        counts = self._running + Counter(each.team for each in self._waiting)
        return max(reversed(self._waiting), key=lambda each: (counts[each.team], each.team == newest))

    def _end(self, team: UUID) -> None:
        """Give the turn that a request had to the next."""
        self._running -= Counter({team: 1})
        if self._waiting:
            following = min(self._waiting, key=lambda each: self._running[each.team])
            self._waiting.remove(following)
            self._running[following.team] += 1
            following.slot.set_result(None)
