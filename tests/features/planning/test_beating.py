"""Heartbeats while a part waits for something that takes longer than its claim lasts."""

import time
from collections.abc import Callable
from uuid import UUID

import pytest

from database import new_job
from stowage.platform.database.database import Database
from stowage.platform.jobs import jobs, store
from stowage.platform.jobs.queue import Queue

PATIENCE_S = 240.0


@pytest.fixture
def part(database: Database, queue: Queue, org_id: UUID, monkeypatch: pytest.MonkeyPatch) -> jobs.ClaimedPart:
    """Return a part whose claim holder has sent no heartbeat for a minute."""
    monkeypatch.setattr(jobs, "_BEAT_EVERY_S", 0.01)
    job_id = new_job(database, org_id)
    with database.transaction(org_id) as connection:
        claim = store.claim(connection, job_id, 0)
        connection.exec_driver_sql("UPDATE job_part SET heartbeat_at = now() - interval '1 minute'")
        job = store.get(connection, job_id)
    assert claim is not None
    assert job is not None
    return jobs.ClaimedPart(database, queue, org_id, job, claim, time.monotonic)


def test_a_heartbeat_keeps_the_claim(part: jobs.ClaimedPart) -> None:
    with jobs.beating(part) as lost:
        until(lambda: not silent(part))
        with part.database.transaction(part.org_id) as connection:
            assert store.claim(connection, part.job.id, 0) is None
        assert not lost.is_set()


def test_a_lost_claim_is_reported(part: jobs.ClaimedPart) -> None:
    with part.database.transaction(part.org_id) as connection:
        assert store.claim(connection, part.job.id, 0) is not None
    with jobs.beating(part) as lost:
        assert lost.wait(PATIENCE_S)


def silent(part: jobs.ClaimedPart) -> bool:
    with part.database.transaction(part.org_id) as connection:
        return bool(
            connection.exec_driver_sql("SELECT bool_and(heartbeat_at < now() - interval '30 s') FROM job_part").scalar()
        )


def until(come: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not come():
        assert time.monotonic() < deadline
        time.sleep(0.01)
