"""Load shedding: which request is handled next under overload, and which is refused."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from stowage.web import load_shedding
from stowage.web.load_shedding import (
    DELAY_PER_REFUSAL_S,
    LONGEST_DELAY_S,
    REFUSAL_HALF_LIFE_S,
    SLOT_TIME_HALF_LIFE_S,
    Busy,
    LoadShedder,
    Refusals,
    SlotTime,
)

A, B, C = (UUID(int=number) for number in (1, 2, 3))


class Asked:
    """Requests that each last until the test ends them."""

    def __init__(self, shedder: LoadShedder) -> None:
        self._shedder = shedder
        self.begun: list[tuple[UUID, asyncio.Event]] = []
        self.refused: list[UUID] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def by(self, *teams: UUID) -> None:
        """Start a request of each team, one after the other."""
        for team in teams:
            self.tasks.append(asyncio.create_task(self._ask(team)))
            for _ in range(5):
                await asyncio.sleep(0)

    async def end(self) -> UUID:
        """End the oldest request in progress and return the team of the one that starts next."""
        before = len(self.begun)
        next(event for _, event in self.begun if not event.is_set()).set()
        for _ in range(5):
            await asyncio.sleep(0)
        return self.begun[before][0]

    async def _ask(self, team: UUID) -> None:
        try:
            async with self._shedder.slot(team):
                event = asyncio.Event()
                self.begun.append((team, event))
                await event.wait()
        except Busy:
            self.refused.append(team)


def run(story: Callable[[Asked], Awaitable[None]], running: int, waiting: int, of_a_team: int = 9) -> Asked:
    async def told() -> Asked:
        asked = Asked(LoadShedder(running, of_a_team, waiting))
        await story(asked)
        for task in asked.tasks:
            task.cancel()
        await asyncio.gather(*asked.tasks, return_exceptions=True)
        return asked

    return asyncio.run(told())


def test_the_team_with_the_fewest_requests_in_progress_is_next() -> None:
    async def story(asked: Asked) -> None:
        await asked.by(A, A, A, A, A, B, C)
        assert [team for team, _ in asked.begun] == [A, A]
        assert [await asked.end() for _ in range(4)] == [B, A, C, A]

    run(story, running=2, waiting=9)


def test_a_team_holds_only_its_slots_and_another_finds_one_free() -> None:
    async def story(asked: Asked) -> None:
        await asked.by(A, A, A, A, B, C)
        assert [team for team, _ in asked.begun] == [A, A, B]
        # A has its two requests: the slot of the first that ends goes to C, and then one of A's is free.
        assert [await asked.end() for _ in range(2)] == [C, A]
        assert asked.refused == []

    run(story, running=3, waiting=9, of_a_team=2)


def used(*told: tuple[float, UUID, float]) -> SlotTime:
    """Build a usage history: time, team, duration [s]."""
    now = 0.0
    found = SlotTime(lambda: now)
    for at, team, seconds in told:
        now = at
        found.add(team, seconds)
    return found


def test_a_team_is_over_its_share_only_beside_others_and_only_for_a_while() -> None:
    assert not used((0.0, A, 60.0)).excess(A)
    assert used((0.0, A, 60.0), (0.0, B, 4.0), (0.0, C, 4.0)).excess(A)
    assert not used((0.0, A, 60.0), (0.0, B, 4.0), (0.0, C, 4.0)).excess(B)
    assert not used((0.0, A, 5.0), (0.0, B, 4.0), (0.0, C, 4.0)).excess(A)
    assert used((0.0, A, 60.0), (0.0, B, 1.0), (0.0, C, 1.0)).excess(A) == pytest.approx(60.0 / (2 * 62.0 / 3))
    # A small load is no reason to shed, for either team, and neither is an old one.
    assert not used((0.0, A, 60.0), (0.0, B, 0.4), (0.0, C, 0.4)).excess(A)
    assert not used((0.0, A, 0.6), (0.0, B, 0.01), (0.0, C, 1.1)).excess(A)
    assert not used((0.0, A, 60.0), (10 * SLOT_TIME_HALF_LIFE_S, B, 4.0), (10 * SLOT_TIME_HALF_LIFE_S, C, 4.0)).excess(
        A
    )


def test_a_team_over_its_share_rests_with_its_only_slot_taken_while_others_ask() -> None:
    now, rested = 0.0, 0.02

    async def story() -> list[str]:
        nonlocal now
        told: list[str] = []
        shedder = LoadShedder(3, 2, 9, lambda: time.monotonic() + now)

        async def ask(name: str, team: UUID, seconds: float) -> None:
            nonlocal now
            async with shedder.slot(team):
                told.append(name)
                now += seconds

        await ask("B", B, 1.0)
        await ask("C", C, 1.0)
        await ask("A at first", A, 6.0)
        # Now A is over its share, and its last request keeps its slot.
        last = asyncio.create_task(ask("A again", A, 0.0))
        await asyncio.sleep(0)
        await ask("B again", B, 0.0)
        await last
        return told

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_shedding, "LONGEST_PAUSE_S", rested)
        assert asyncio.run(story()) == ["B", "C", "A at first", "B again", "A again"]


def test_a_request_that_is_queued_before_its_team_rests_is_handled_after_the_rest() -> None:
    now, rested = 0.0, 0.05

    async def story() -> float:
        nonlocal now
        shedder = LoadShedder(3, 2, 9, lambda: time.monotonic() + now)

        async def ask(team: UUID, seconds: float) -> None:
            nonlocal now
            async with shedder.slot(team):
                await asyncio.sleep(0.01)
                now += seconds

        for team, seconds in ((B, 1.0), (C, 1.0), (A, 6.0)):
            await ask(team, seconds)
        await asyncio.sleep(rested + 0.01)
        first, second = asyncio.create_task(ask(A, 0.1)), asyncio.create_task(ask(A, 0.0))
        await first
        began = time.monotonic()
        # No other request arrives that would assign the slot.
        await asyncio.wait_for(second, 5.0)
        return time.monotonic() - began

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_shedding, "LONGEST_PAUSE_S", rested)
        assert asyncio.run(story()) >= rested


def test_a_team_that_is_refused_often_waits_longer_for_each_refusal() -> None:
    now = 0.0
    refusals = Refusals(lambda: now)
    delays = [refusals.count(A) for _ in range(700)]
    assert delays[0] == 0.0
    assert delays == sorted(delays)
    assert delays[-1] == LONGEST_DELAY_S
    assert refusals.count(B) == 0.0
    now = 10 * REFUSAL_HALF_LIFE_S
    assert refusals.count(A) < DELAY_PER_REFUSAL_S


def test_the_delay_of_refusals_is_linear_while_they_are_few_and_quadratic_beyond() -> None:
    refusals = Refusals(lambda: 0.0)
    delays = [refusals.count(A) for _ in range(40)]
    assert delays[9] == pytest.approx(9 * DELAY_PER_REFUSAL_S)
    assert delays[19] == pytest.approx(2 * 19 * DELAY_PER_REFUSAL_S)
    assert delays[39] == pytest.approx(4 * 39 * DELAY_PER_REFUSAL_S)


def test_so_many_refusals_are_held_back_at_once_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_shedding, "MOST_HELD", 2)

    async def story() -> list[bool]:
        refusals = Refusals(lambda: 0.0)
        for _ in range(10):
            refusals.count(A)
        waiting = [asyncio.create_task(refusals.hold_back(A)) for _ in range(3)]
        for _ in range(5):
            await asyncio.sleep(0)
        done = [each.done() for each in waiting]
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return done

    assert asyncio.run(story()) == [False, False, True]


def test_under_overload_only_the_team_with_the_most_requests_is_refused() -> None:
    async def story(asked: Asked) -> None:
        await asked.by(*[A] * 6)
        assert asked.refused == []
        await asked.by(A)
        assert asked.refused == [A]
        # The queue is full and B has less than A: the newest request of A is shed.
        await asked.by(B, C)
        assert asked.refused == [A, A, A]
        await asked.by(A, A)
        assert asked.refused == [A] * 5

    run(story, running=2, waiting=4)


def timed(took_s: float, running: int) -> tuple[LoadShedder, Callable[[], Coroutine[Any, Any, None]]]:
    """Return a shedder whose requests take a given time, and its handler."""
    now = 0.0
    shedder = LoadShedder(running, running, 99, lambda: now)

    async def handle() -> None:
        nonlocal now
        async with shedder.slot(A):
            now += took_s

    return shedder, handle


@pytest.mark.parametrize(("took_s", "waiting"), [(0.1, 10), (0.25, 6), (0.01, 99)])
def test_a_queue_is_too_long_when_it_takes_longer_than_half_a_second(took_s: float, waiting: int) -> None:
    async def story() -> int:
        shedder, handle = timed(took_s, 2)
        await handle()
        async with shedder.slot(A), shedder.slot(A):
            asked = [asyncio.create_task(handle()) for _ in range(120)]
            await asyncio.sleep(0.01)
            left = sum(not each.done() for each in asked)
            for each in asked:
                each.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
            return left

    assert asyncio.run(story()) == waiting


def test_the_time_to_retry_grows_with_the_refusals() -> None:
    async def story() -> list[str]:
        shedder, handle = timed(0.0, 1)
        for _ in range(10):
            await handle()
        async with shedder.slot(A):
            asked = [asyncio.create_task(handle()) for _ in range(400)]
            await asyncio.sleep(0.01)
            for each in asked:
                each.cancel()
            done = await asyncio.gather(*asked, return_exceptions=True)
            return [each.headers["Retry-After"] for each in done if isinstance(each, Busy) and each.headers]

    waits = [int(each) for each in asyncio.run(story())]
    assert waits == sorted(waits)
    assert (waits[0], waits[14], waits[-1]) == (2, 3, 30)


def test_teams_with_recent_slot_time_are_reported_once_a_second() -> None:
    now = 0.0

    async def story() -> list[list[UUID]]:
        nonlocal now
        shedder = LoadShedder(3, 2, 9, lambda: now)
        for team, seconds in ((A, 1.0), (B, 0.01), (C, 0.5)):
            async with shedder.slot(team):
                now += seconds
        told = [shedder.teams_to_report(), shedder.teams_to_report()]
        now += 10 * SLOT_TIME_HALF_LIFE_S
        return [*told, shedder.teams_to_report()]

    assert asyncio.run(story()) == [[A, C], [], []]


def test_of_teams_with_equal_load_the_one_that_asks_for_more_is_refused() -> None:
    async def story(asked: Asked) -> None:
        await asked.by(A, B, A, B)
        await asked.by(B)
        await asked.by(A)
        assert asked.refused == [B, A]

    run(story, running=2, waiting=2)


def test_a_client_that_disconnects_while_queued_or_at_its_turn_frees_its_slot() -> None:
    async def story(asked: Asked) -> None:
        await asked.by(A, B, C)
        asked.tasks[1].cancel()
        await asyncio.sleep(0)
        first = asked.begun[0][1]
        first.set()
        asked.tasks[2].cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        await asked.by(A)
        assert [team for team, _ in asked.begun][-1] == A

    run(story, running=1, waiting=5)


def test_an_overloaded_service_sends_retry_after_and_still_answers_health_probes(
    client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    shedder: LoadShedder = app.state.load_shedder
    monkeypatch.setattr(shedder, "_most_running", 0)
    monkeypatch.setattr(shedder, "_most_waiting", 0)
    answer = client.get("/api/v1/plans")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "2")
    assert "your team has the most requests in progress" in answer.json()["detail"]
    assert client.get("/api/v1/health").status_code == 200
