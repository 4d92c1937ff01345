"""Fair queueing between teams against a real Redis."""

import time
from uuid import UUID, uuid4

import pytest
import redis

from stowage.model.job import JobKind
from stowage.platform.jobs import fair_queue
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue, QueueName

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


def test_a_team_does_not_wait_behind_the_backlog_of_another_team(queue: Queue) -> None:
    queue.send(parts(A, 100))
    first = taken(queue, 2)
    queue.send(parts(B, 3))
    queue.send(parts(C, 1))
    assert teams(first) == [A, A]
    # B and C have nothing in progress: each is served until it has as many parts as A.
    assert teams(taken(queue, 6)) == [B, C, B, A, B, A]


def test_teams_with_equal_work_in_progress_are_served_round_robin(queue: Queue) -> None:
    queue.send(parts(A, 50))
    queue.send(parts(B, 50))
    order = []
    for _ in range(6):
        [one] = taken(queue, 1)
        order.append(one.part.org_id)
        one.lease.release()
    assert order == [A, B, A, B, A, B]


def test_parts_of_a_team_come_in_order_and_once_even_if_sent_again(queue: Queue) -> None:
    sent = parts(A, 5)
    for _ in range(3):
        queue.send(sent)
    assert [each.part for each in taken(queue, 20)] == sent
    assert queue.take("sweeps") is None


@pytest.mark.parametrize(("kind", "name"), [("upload", "uploads"), ("alert", "alerts")])
def test_a_team_has_one_part_in_progress_in_queues_of_long_parts(queue: Queue, kind: JobKind, name: QueueName) -> None:
    queue.send(parts(A, 3, kind))
    [one] = taken(queue, 3, name)
    queue.send(parts(B, 1, kind))
    assert teams(taken(queue, 3, name)) == [B]
    one.lease.release()
    assert teams(taken(queue, 3, name)) == [A]


def test_a_backlog_of_parts_puts_a_bounded_number_of_wake_ups_into_a_queue(queue: Queue, redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        queue.send(parts(A, 500))
        queue.send(parts(B, 500))
        assert client.llen("sweeps") == 32
        for _ in range(31):
            client.lpop("sweeps")
        # A worker that finishes a part wakes others while parts wait.
        queue.end("sweeps", A, 0.0)
        assert client.llen("sweeps") == 32
        taken(queue, 1_000)
        client.delete("sweeps")
        queue.end("sweeps", A, 0.0)
        assert client.llen("sweeps") == 0


def test_a_part_counts_as_in_progress_only_while_it_is_held(queue: Queue) -> None:
    queue.send(parts(A, 2, "document"))
    [one] = taken(queue, 2, "quick")
    with one.held():
        assert queue.take("quick") is None
    assert len(taken(queue, 2, "quick")) == 1


def test_a_team_over_its_share_of_cpu_time_rests_after_a_part_while_others_are_at_work(
    queue: Queue, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_queue, "LONGEST_REST_S", 0.5)
    queue.send([*parts(A, 9), *parts(B, 1)])
    # No other team has work; then one has, but C is within its share.
    queue.end("sweeps", A, 2 * fair_queue.FREE_CPU_TIME_S)
    queue.note_at_work([A])
    queue.end("sweeps", A, 0.1)
    assert teams(taken(queue, 1)) == [A]
    queue.note_at_work([A, C])
    queue.end("sweeps", C, 0.5 * fair_queue.FREE_CPU_TIME_S)
    assert teams(taken(queue, 1)) == [B]

    queue.end("sweeps", A, 1.0)
    assert (queue.rests("sweeps", A), queue.rests("sweeps", B), queue.rests("quick", A)) == (True, False, False)
    assert queue.take("sweeps") is None
    with redis.Redis.from_url(redis_url) as client:
        client.delete("sweeps")
        queue.end("sweeps", B, 0.0)
        assert client.llen("sweeps") == 0  # no worker wakes for a team that is paused
    time.sleep(0.6)
    assert teams(taken(queue, 1)) == [A]


def test_recent_cpu_time_decays(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "CPU_TIME_HALF_LIFE_S", 0.05)
    queue.send(parts(A, 1))
    queue.note_at_work([B])
    queue.end("sweeps", A, 0.9 * fair_queue.FREE_CPU_TIME_S)
    time.sleep(0.5)
    queue.end("sweeps", A, 0.9 * fair_queue.FREE_CPU_TIME_S)
    assert teams(taken(queue, 1)) == [A]


def test_the_further_a_team_is_over_its_share_the_longer_it_rests(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
        fair_queue.note_at_work(client, [B])
        rests = [fair_queue.end(client, "sweeps", A, 2.0) for _ in range(12)]
    assert rests[:3] == [0.0, 0.0, 0.0]
    assert rests[3] == pytest.approx(2.0 * fair_queue.REST_FACTOR * 8.0 / fair_queue.FREE_CPU_TIME_S, rel=0.02)
    assert rests[3:] == sorted(rests[3:])
    assert rests[-1] == fair_queue.LONGEST_REST_S
