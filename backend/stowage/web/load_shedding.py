"""Load shedding by team: the choice of the request that an API process handles next, or refuses under overload.

A process has a few slots. Each slot handles one request at a time, and a team gets at most two slots. Other requests
are queued. The next request is from the team with the fewest requests in progress.

A late response is worth less than an early refusal. So when the queue is longer than the process can work off in half a
second, one request is refused at once, with a time to retry. It is the newest request of the team with the most
requests, in progress and queued. A team within its share is never refused while another team has more. The time to
retry grows with the ratio of refused to handled requests, so that refusals do not become the load.

Slots limit the number of concurrent requests only: a team that sends one request after the other could use most of the
processor. So under load from several teams, a team that exceeds its share of recent slot time gets only one slot. This
slot stays occupied after each request for a multiple of the request's duration. The multiple grows with the excess over
the share.

Refusals cost time too, and some programs retry at once. So refusals of a team that was refused often are delayed, and
so are those of an address that sends large bodies without signing in (`Refusals`).
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from starlette.exceptions import HTTPException

MOST_RUNNING = 6
"""Requests that a process handles at once: more would not be faster, and threads must remain for authentication."""
MOST_OF_A_TEAM = 2
"""Requests of one team that a process handles at once; the other slots are free when another team asks."""
LONGEST_WAIT_S = 0.5
"""Expected wait beyond which a request is refused [s]."""
LEAST_WAITING = MOST_RUNNING
"""Length of the queue that is never too long: a page asks for five things at once."""
MOST_WAITING = 18
"""Length of the queue that is always too long, however short recent requests were."""
RETRY_AFTER_S = 2
LONGEST_RETRY_AFTER_S = 30
LOAD_HALF_LIFE_S = 10.0
"""Half-life in the counts of recently handled and refused requests."""

SLOT_TIME_HALF_LIFE_S = 10.0
"""Half-life of slot time in the count of recent slot time."""
FREE_SLOT_TIME_S = 0.7
"""Recent slot time (a twentieth of a slot) below which a team is not limited."""
OTHERS_SLOT_TIME_S = 1.0
"""Recent slot time of all others (a few people at work) below which there is no reason to limit a team."""
PAUSE_FACTOR = 3.0
"""Pause after a request of a team at its share, as a multiple of the request's duration; it grows with the excess."""
LONGEST_PAUSE_S = 5.0
AT_WORK_SLOT_TIME_S = 0.1
"""Recent slot time above which a team is at work: other teams' background jobs must not slow it."""
REPORT_EVERY_S = 1.0
"""Interval at which a process reports the teams at work to the others."""
_AFTER_REST_S = 0.001
"""Margin of the timer that ends a rest: the event loop may run it early by the resolution of its clock."""
_LEAST_SLOT_TIME_S = 0.01
"""Recent slot time below which a team no longer counts as active."""

DELAY_PER_REFUSAL_S = 0.05
"""Delay per recent refusal: a person who drags a slider too fast does not notice it."""
FEW_REFUSALS = 10.0
"""Recent refusals beyond which the delay grows by their square: 400 clients that retry at once then cost a third."""
LONGEST_DELAY_S = 30.0
"""Half of what proxies usually wait for a response."""
REFUSAL_HALF_LIFE_S = 10.0
"""Half-life of a refusal in the count of recent refusals."""
MOST_HELD = 500
"""Refusals that a process delays at once: half of its connections."""
_REMEMBERED = 1_000


class Busy(HTTPException):
    """The process is overloaded, and the team of the refused request has the most requests in progress."""

    def __init__(self, retry_after_s: int) -> None:
        words = f"The service is busy and your team has the most requests in progress: retry in {retry_after_s} s."
        super().__init__(429, words, {"Retry-After": str(retry_after_s)})


class Recent:
    """A sum of amounts, in which each amount decays exponentially after it was added.

    Parameters
    ----------
    half_life_s : float
    clock : callable
        Monotonic seconds.
    """

    __slots__ = ("_clock", "_half_life_s", "_sum", "_summed_at")

    def __init__(self, half_life_s: float, clock: Callable[[], float]) -> None:
        self._half_life_s = half_life_s
        self._clock = clock
        self._sum, self._summed_at = 0.0, clock()

    def add(self, amount: float = 1.0) -> float:
        """Add an amount to the sum, and return the new sum."""
        self._sum, self._summed_at = self.value() + amount, self._clock()
        return self._sum

    def value(self) -> float:
        """Return the current sum, after decay."""
        return self._sum * math.exp2((self._summed_at - self._clock()) / self._half_life_s)


class SlotTime:
    """Recent slot time of each team: the time for which its requests occupied slots of this process.

    Past slot time decays exponentially.

    Parameters
    ----------
    clock : callable
        Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counted_at = clock()
        # As of `_counted_at`: all decay by the same factor.
        self._used: dict[UUID, float] = {}
        self._total = 0.0

    def add(self, team: UUID, seconds: float) -> None:
        """Add the duration of a request to its team's slot time."""
        if self._clock() - self._counted_at > SLOT_TIME_HALF_LIFE_S:
            factor, self._counted_at = self._factor(), self._clock()
            decayed = {each: used * factor for each, used in self._used.items()}
            self._used = {each: used for each, used in decayed.items() if used > _LEAST_SLOT_TIME_S}
            self._total = sum(self._used.values())
        seconds /= self._factor()
        self._used[team] = self._used.get(team, 0.0) + seconds
        self._total += seconds

    def excess(self, team: UUID) -> float:
        """Return the factor by which a team exceeds its share of slot time.

        The share is twice the mean slot time of active teams. The result is 0.0 if the team is not limited. This is so
        if it does not exceed its share, if its slot time is small, or if that of all other teams is small.
        """
        used, factor = self._used.get(team, 0.0), self._factor()
        if used * factor < FREE_SLOT_TIME_S or (self._total - used) * factor < OTHERS_SLOT_TIME_S:
            return 0.0
        excess = used * len(self._used) / (2.0 * self._total)
        return excess if excess > 1.0 else 0.0

    def above(self, seconds: float) -> list[UUID]:
        """Return the teams whose recent slot time is above a limit [s]."""
        factor = self._factor()
        return [team for team, used in self._used.items() if used * factor > seconds]

    def _factor(self) -> float:
        return math.exp2((self._counted_at - self._clock()) / SLOT_TIME_HALF_LIFE_S)


@dataclass(eq=False, slots=True)
class _Waiting:
    team: UUID
    slot: asyncio.Future[None]


class LoadShedder:
    """Slots and queue for the requests of one API process.

    The methods must be called from the event loop of the process.

    Parameters
    ----------
    most_running : int
        Number of slots.
    most_of_a_team : int
        Number of slots that one team may occupy.
    most_waiting : int
        Maximum length of the queue.
    clock : callable
        Monotonic seconds.
    """

    def __init__(
        self,
        most_running: int = MOST_RUNNING,
        most_of_a_team: int = MOST_OF_A_TEAM,
        most_waiting: int = MOST_WAITING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most_running = most_running
        self._most_of_a_team = most_of_a_team
        self._most_waiting = most_waiting
        self._clock = clock
        self._used = SlotTime(clock)
        self._reported_at = clock()
        self._handled, self._handled_s, self._refused = (Recent(LOAD_HALF_LIFE_S, clock) for _ in range(3))
        self._rests_until: dict[UUID, float] = {}
        self._running: Counter[UUID] = Counter()
        self._waiting: list[_Waiting] = []

    @asynccontextmanager
    async def slot(self, team: UUID) -> AsyncIterator[None]:
        """Wait for a free slot, and occupy the slot until the block ends.

        Raises
        ------
        Busy
            The queue is too long and the team has the most requests.
        """
        if self._has_slot(team):
            self._running[team] += 1
        else:
            await self._wait(team)
        began = self._clock()
        try:
            yield
        finally:
            took_s = self._clock() - began
            self._used.add(team, took_s)
            self._handled.add()
            self._handled_s.add(took_s)
            if excess := self._used.excess(team):
                self._rests_until[team] = self._clock() + min(PAUSE_FACTOR * excess * took_s, LONGEST_PAUSE_S)
            self._end(team)
            self._assign_after_rest(team)

    def teams_to_report(self) -> list[UUID]:
        """Return the teams with recent requests, to be reported to other processes.

        The list is empty if the last report is less than `REPORT_EVERY_S` ago.
        """
        now = self._clock()
        if now - self._reported_at < REPORT_EVERY_S:
            return []
        self._reported_at = now
        return self._used.above(AT_WORK_SLOT_TIME_S)

    def _has_slot(self, team: UUID) -> bool:
        # A free slot is assigned to a queued request at once, so a new request takes no slot from the queue.
        most = 1 if self._used.excess(team) else self._most_of_a_team
        occupied = self._running[team] + (self._rest_s(team) > 0.0)
        return self._running.total() < self._most_running and occupied < most

    def _rest_s(self, team: UUID) -> float:
        """Return the remaining pause of a team that exceeded its share [s].

        During the pause a slot of the team stays occupied, though its request has ended.
        """
        rest_s = self._rests_until.get(team, 0.0) - self._clock()
        if rest_s <= 0.0:
            self._rests_until.pop(team, None)
        return max(rest_s, 0.0)

    async def _wait(self, team: UUID) -> None:
        own = _Waiting(team, asyncio.get_running_loop().create_future())
        self._waiting.append(own)
        if self._is_too_long():
            shed = self._largest(team)
            self._waiting.remove(shed)
            self._refused.add()
            busy = Busy(self._retry_after_s())
            if shed is own:
                raise busy
            shed.slot.set_exception(busy)
        self._assign_after_rest(team)
        try:
            await own.slot
        except asyncio.CancelledError:
            if own in self._waiting:
                self._waiting.remove(own)
            elif not own.slot.cancelled() and own.slot.exception() is None:
                # The slot was assigned at the same moment: pass it on.
                self._end(team)
            raise

    def _is_too_long(self) -> bool:
        waiting = len(self._waiting)
        if waiting <= min(LEAST_WAITING, self._most_waiting):
            return False
        # The expected wait is waiting / slots * (handled_s / handled).
        slots_s = LONGEST_WAIT_S * self._most_running * self._handled.value()
        return waiting > self._most_waiting or waiting * self._handled_s.value() > slots_s

    def _retry_after_s(self) -> int:
        refused_to_handled = self._refused.value() / max(self._handled.value(), 1.0)
        return min(math.ceil(RETRY_AFTER_S * max(1.0, refused_to_handled)), LONGEST_RETRY_AFTER_S)

    def _largest(self, newest: UUID) -> _Waiting:
        """Return the queued request to refuse: the newest one of the team with the most requests.

        If several teams have the most requests, the team `newest` is preferred.
        """
        counts = self._running + Counter(each.team for each in self._waiting)
        return max(reversed(self._waiting), key=lambda each: (counts[each.team], each.team == newest))

    def _end(self, team: UUID) -> None:
        """Release the slot of a request, and assign free slots to queued requests."""
        self._running[team] -= 1
        if not self._running[team]:
            del self._running[team]
        self._assign()

    def _assign_after_rest(self, team: UUID) -> None:
        """Schedule the assignment of free slots for the end of a team's pause (`_rest_s`)."""
        if rest_s := self._rest_s(team):
            asyncio.get_running_loop().call_later(rest_s + _AFTER_REST_S, self._assign)

    def _assign(self) -> None:
        """Assign free slots to queued requests."""
        while ready := [each for each in self._waiting if self._has_slot(each.team)]:
            following = min(ready, key=lambda each: self._running[each.team])
            self._waiting.remove(following)
            self._running[following.team] += 1
            following.slot.set_result(None)


class Refusals:
    """Delays of refusals, by the team (for status 429) or the network address (for status 401) that is refused.

    The delay grows with the number of recent refusals. A delayed refusal occupies a connection, so the number of
    refusals that are delayed at once is limited.

    Parameters
    ----------
    clock : callable
        Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._recent: dict[UUID | str, Recent] = {}
        self._held = 0

    def count(self, refused: UUID | str) -> float:
        """Count a refusal, and return its delay [s]."""
        counted = self._recent.pop(refused, None) or Recent(REFUSAL_HALF_LIFE_S, self._clock)
        recent = counted.add()
        # Reinserted at the end: the first key is that whose last refusal is the oldest.
        self._recent[refused] = counted
        while len(self._recent) > _REMEMBERED:
            del self._recent[next(iter(self._recent))]
        delay_s = DELAY_PER_REFUSAL_S * (recent - 1.0) * max(1.0, recent / FEW_REFUSALS)
        return min(delay_s, LONGEST_DELAY_S)

    async def hold_back(self, refused: UUID | str) -> None:
        """Count a refusal, and wait for its delay."""
        delay_s = self.count(refused)
        if delay_s < DELAY_PER_REFUSAL_S or self._held >= MOST_HELD:
            return
        self._held += 1
        try:
            await asyncio.sleep(delay_s)
        finally:
            self._held -= 1
