"""Turns between teams against a real Redis: whose part is next, and what a team cannot do to the others."""

from uuid import UUID, uuid4

import pytest
import redis

from stowage.jobs import fair_queue
from stowage.jobs.fair_queue import Part
from stowage.jobs.queue import Queue, QueueName
from stowage.model.job import JobKind

A, B, C = (UUID(int=number) for number in (1, 2, 3))


@pytest.fixture
def queue(redis_url: str) -> Queue:
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    return Queue(redis_url)


def parts(org_id: UUID, count: int, kind: JobKind = "sweep") -> list[Part]:
    job_id = uuid4()
    return [Part(org_id, job_id, kind, number) for number in range(count)]


def taken(queue: Queue, count: int, name: QueueName = "sweeps") -> list[fair_queue.Taken]:
    found = [queue.take(name) for _ in range(count)]
    return [each for each in found if each is not None]


def teams(found: list[fair_queue.Taken]) -> list[UUID]:
    return [each.part.org_id for each in found]


def test_a_team_waits_for_what_is_under_way_and_not_for_what_another_has_queued(queue: Queue) -> None:
    queue.send(parts(A, 100))
    first = taken(queue, 2)
    queue.send(parts(B, 3))
    queue.send(parts(C, 1))
    assert teams(first) == [A, A]
    # Nothing of B and C is under way: each is served until it has as many as A.
    assert teams(taken(queue, 6)) == [B, C, B, A, B, A]


def test_teams_with_as_much_under_way_take_turns_whoever_came_first(queue: Queue) -> None:
    queue.send(parts(A, 50))
    queue.send(parts(B, 50))
    order = []
    for _ in range(6):
        [one] = taken(queue, 1)
        order.append(one.part.org_id)
        one.lease.release()
    assert order == [A, B, A, B, A, B]


def test_the_parts_of_a_team_come_in_their_order_and_each_once_however_often_it_is_sent(queue: Queue) -> None:
    sent = parts(A, 5)
    for _ in range(3):
        queue.send(sent)
    assert [each.part for each in taken(queue, 20)] == sent
    assert queue.take("sweeps") is None


@pytest.mark.parametrize(("kind", "name"), [("upload", "uploads"), ("alert", "alerts")])
def test_of_what_takes_minutes_one_team_never_has_every_process(queue: Queue, kind: JobKind, name: QueueName) -> None:
    queue.send(parts(A, 3, kind))
    [one] = taken(queue, 3, name)
    queue.send(parts(B, 1, kind))
    assert teams(taken(queue, 3, name)) == [B]
    one.lease.release()
    assert teams(taken(queue, 3, name)) == [A]


def test_what_else_a_queue_carries_waits_behind_a_few_wakes_and_not_behind_all_parts(
    queue: Queue, redis_url: str
) -> None:
    with redis.Redis.from_url(redis_url) as client:
        queue.send(parts(A, 500))
        queue.send(parts(B, 500))
        assert client.llen("sweeps") == 32
        for _ in range(31):
            client.lpop("sweeps")
        # A worker that ends a part wakes others for what still waits.
        queue.wake("sweeps")
        assert client.llen("sweeps") == 32
        taken(queue, 1_000)
        client.delete("sweeps")
        queue.wake("sweeps")
        assert client.llen("sweeps") == 0


def test_while_it_is_worked_on_a_part_counts_and_afterwards_no_more(queue: Queue) -> None:
    queue.send(parts(A, 2, "document"))
    [one] = taken(queue, 2, "quick")
    with one.held():
        assert queue.take("quick") is None
    assert len(taken(queue, 2, "quick")) == 1
