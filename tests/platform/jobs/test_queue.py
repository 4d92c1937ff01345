"""The queue against a real Redis: messages arrive at the right queue, and an unavailable Redis is reported."""

from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
import redis

from process import free_port
from stowage.platform.jobs.embedded import embedded_redis
from stowage.platform.jobs.errors import BadUrl, Unreachable
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import NOTE_CREDENTIALS, PERIODIC, QUEUE_OF, QUEUES, Queue, celery_app


def test_each_kind_of_work_has_a_queue_of_its_own_wherever_the_socket_lies() -> None:
    with (
        TemporaryDirectory(prefix="stowage redis, 100% ") as folder,
        embedded_redis(Path(folder)) as url,
        Queue(url) as queue,
        redis.Redis.from_url(url) as client,
    ):
        assert queue.send([Part(uuid4(), uuid4(), "sweep", number) for number in range(3)])
        assert queue.send([Part(uuid4(), uuid4(), "demo", 0)])
        assert queue.send([Part(uuid4(), uuid4(), "refresh", number) for number in range(2)])
        assert queue.send([Part(uuid4(), uuid4(), "upload", number) for number in range(4)])
        assert queue.send([Part(uuid4(), uuid4(), "account", 0)])
        assert queue.send([Part(uuid4(), uuid4(), "alert", 0)])
        queue.send_reconciliations([(uuid4(), uuid4()) for _ in range(4)])
        assert [client.llen(name) for name in QUEUES] == [0, 1, 3, 4, 2, 5, 1]


def test_no_request_adds_to_the_queue_of_periodic_work(redis_url: str) -> None:
    with celery_app(redis_url) as app:
        scheduled = {entry["task"]: entry["options"]["queue"] for entry in app.conf.beat_schedule.values()}
    assert scheduled.pop(NOTE_CREDENTIALS) == "refresh"
    assert set(scheduled.values()) == {PERIODIC}
    assert len(scheduled) == 9
    assert PERIODIC not in QUEUE_OF.values()


def test_what_cannot_be_sent_is_said_and_not_raised(redis_url: str) -> None:
    with Queue(f"redis://127.0.0.1:{free_port()}/0") as queue:
        assert not queue.send([Part(uuid4(), uuid4(), "sweep", 0)])
        queue.announce(uuid4())
        queue.send_reconciliations([(uuid4(), uuid4())])
        queue.saw("quick")
        queue.note("name", "value", 60)
        assert queue.noted("name") is None
        for call in (queue.ping, queue.last_seen, queue.lost_everything):
            with pytest.raises(Unreachable, match="does not answer"):
                call()
    with Queue(redis_url) as queue:
        queue.ping()


def test_redis_is_known_to_have_forgotten_once(redis_url: str) -> None:
    with Queue(redis_url) as queue, redis.Redis.from_url(redis_url) as client:
        queue.lost_everything()
        assert not queue.lost_everything()
        client.flushall()
        assert queue.lost_everything()
        assert not queue.lost_everything()


def test_who_gave_a_sign_of_life_was_seen_just_now(redis_url: str) -> None:
    with Queue(redis_url) as queue:
        assert "refresh" not in queue.last_seen()
        queue.saw("refresh")
        first = queue.last_seen()["refresh"]
        assert first >= 0
        assert queue.last_seen()["refresh"] >= first


def test_what_one_process_notes_another_reads(redis_url: str) -> None:
    with Queue(redis_url) as one, Queue(redis_url) as other:
        assert other.noted("found") is None
        one.note("found", "nothing", 60)
        assert other.noted("found") == "nothing"


@pytest.mark.parametrize("url", ["?", "http://here", "redis://host:port", "redis://host:6379/db?db=x", ""])
def test_what_is_no_address_of_a_redis_is_refused(url: str) -> None:
    with pytest.raises(BadUrl, match="REDIS_URL"):
        Queue(url)
