"""Stored jobs: claims of parts, lost claims, requeued parts, and no unit counted twice."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from threading import Thread
from uuid import UUID

import pytest
from sqlalchemy import text

from database import new_job
from stowage.platform.database.database import Database
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.job import Job
from stowage.platform.jobs.store import Claim, ClaimLost

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


@pytest.fixture
def job_id(database: Database, org_id: UUID) -> Iterator[UUID]:
    """Yield a job of six units in two parts; none of it is left for other workers."""
    job_id = six_units(database, org_id)
    yield job_id
    with database.transaction(org_id) as connection:
        jobs.delete_all(connection)


def six_units(database: Database, org_id: UUID) -> UUID:
    return new_job(database, org_id, total=6, parts=2, now=NOON)


def claim(database: Database, org_id: UUID, job_id: UUID, number: int = 0) -> Claim | None:
    with database.transaction(org_id) as connection:
        return jobs.claim(connection, job_id, number)


def held(database: Database, org_id: UUID, job_id: UUID, number: int = 0) -> Claim:
    taken = claim(database, org_id, job_id, number)
    assert taken is not None
    return taken


def read(database: Database, org_id: UUID, job_id: UUID) -> Job:
    with database.transaction(org_id) as connection:
        job = jobs.get(connection, job_id)
    assert job is not None
    return job


def advance(database: Database, org_id: UUID, holder: Claim, units: int) -> None:
    with database.transaction(org_id) as connection:
        jobs.advance(connection, holder, units)


def finish(database: Database, org_id: UUID, holder: Claim) -> None:
    with database.transaction(org_id) as connection:
        jobs.finish(connection, holder)


def silence(database: Database, org_id: UUID) -> None:
    """Set the last heartbeat of all claimed parts to an hour ago."""
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE job_part SET heartbeat_at = now() - interval '1 h', sent_at = NULL"))


def owed(gate: Database, job_id: UUID, resend_after_s: float = 60.0) -> list[int]:
    with gate.transaction(None) as connection:
        rows = jobs.owed(connection, resend_after_s=resend_after_s, most=1000)
    return [row.number for row in rows if row.job_id == job_id]


def test_a_job_runs_from_its_first_part_to_its_last(database: Database, org_id: UUID, job_id: UUID) -> None:
    assert read(database, org_id, job_id).state == "queued"
    first, second = held(database, org_id, job_id, 0), held(database, org_id, job_id, 1)
    running = read(database, org_id, job_id)
    assert (running.state, running.done) == ("running", 0)
    assert running.started_at is not None
    advance(database, org_id, first, 3)
    finish(database, org_id, first)
    assert read(database, org_id, job_id).state == "running"
    advance(database, org_id, second, 3)
    finish(database, org_id, second)
    done = read(database, org_id, job_id)
    assert (done.state, done.done, done.total) == ("done", 6, 6)
    assert done.finished_at is not None


def test_a_part_is_held_by_one_at_a_time_however_many_ask_at_once(
    database: Database, org_id: UUID, job_id: UUID
) -> None:
    taken: list[Claim | None] = []
    threads = [Thread(target=lambda: taken.append(claim(database, org_id, job_id))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [holder is None for holder in taken].count(False) == 1


def test_who_fell_silent_loses_the_part_and_cannot_store_any_more(
    database: Database, gate: Database, org_id: UUID, job_id: UUID
) -> None:
    slow = held(database, org_id, job_id)
    silence(database, org_id)
    assert owed(gate, job_id) == [0, 1]
    heir = held(database, org_id, job_id)
    assert (heir.attempt, heir.takeovers) == (slow.attempt + 1, 1)
    with pytest.raises(ClaimLost):
        advance(database, org_id, slow, 1)
    with pytest.raises(ClaimLost):
        finish(database, org_id, slow)
    assert read(database, org_id, job_id).done == 0
    advance(database, org_id, heir, 2)
    assert read(database, org_id, job_id).done == 2


def test_what_a_transaction_of_a_lost_part_counted_is_undone(database: Database, org_id: UUID, job_id: UUID) -> None:
    slow = held(database, org_id, job_id)
    silence(database, org_id)
    held(database, org_id, job_id)
    with suppress(ClaimLost), database.transaction(org_id) as connection:
        connection.execute(text("UPDATE job SET asked_by = 'the lost one'"))
        jobs.advance(connection, slow, 3)
    assert read(database, org_id, job_id).asked_by == "tester"


def test_a_cancelled_job_is_over_for_everybody(database: Database, gate: Database, org_id: UUID, job_id: UUID) -> None:
    holder = held(database, org_id, job_id)
    advance(database, org_id, holder, 2)
    with database.transaction(org_id) as connection:
        assert jobs.cancel(connection, job_id)
        assert not jobs.cancel(connection, job_id)
    with pytest.raises(ClaimLost):
        advance(database, org_id, holder, 1)
    assert claim(database, org_id, job_id, 1) is None
    assert owed(gate, job_id, 0.0) == []
    cancelled = read(database, org_id, job_id)
    assert (cancelled.state, cancelled.done) == ("cancelled", 2)


def test_a_cancelled_job_goes_on_where_it_was_and_its_old_holders_stay_out(
    database: Database, org_id: UUID, job_id: UUID
) -> None:
    first, second = held(database, org_id, job_id, 0), held(database, org_id, job_id, 1)
    advance(database, org_id, first, 3)
    finish(database, org_id, first)
    with database.transaction(org_id) as connection:
        assert not jobs.revive(connection, job_id)
        jobs.cancel(connection, job_id)
        assert jobs.revive(connection, job_id)
        assert jobs.queued_parts(connection, job_id) == (1,)
    heir = held(database, org_id, job_id, 1)
    with pytest.raises(ClaimLost):
        advance(database, org_id, second, 3)
    advance(database, org_id, heir, 3)
    finish(database, org_id, heir)
    assert read(database, org_id, job_id).state == "done"


def test_a_failed_job_keeps_its_reason_until_it_is_tried_again(database: Database, org_id: UUID, job_id: UUID) -> None:
    holder = held(database, org_id, job_id)
    with database.transaction(org_id) as connection:
        assert jobs.fail(connection, holder, reason="It rained.", reference="abc")
        assert not jobs.fail(connection, holder, reason="It snowed.", reference="def")
    failed = read(database, org_id, job_id)
    assert (failed.state, failed.reason, failed.reference) == ("failed", "It rained.", "abc")
    with database.transaction(org_id) as connection:
        assert jobs.revive(connection, job_id)
    again = read(database, org_id, job_id)
    assert (again.state, again.reason, again.reference) == ("queued", None, None)
    assert held(database, org_id, job_id).takeovers == 0


def test_a_part_is_owed_until_its_message_is_sent_and_again_when_that_is_old(
    database: Database, gate: Database, org_id: UUID, job_id: UUID
) -> None:
    assert owed(gate, job_id) == [0, 1]
    with database.transaction(org_id) as connection:
        jobs.mark_sent(connection, job_id, [0])
    assert owed(gate, job_id) == [1]
    assert owed(gate, job_id, resend_after_s=0.0) == [1, 0]
    with database.transaction(org_id) as connection:
        jobs.mark_sent(connection, job_id, [0], sent=False)
    assert owed(gate, job_id) == [0, 1]


def test_a_part_with_a_live_claim_holder_is_not_requeued(
    database: Database, gate: Database, org_id: UUID, job_id: UUID
) -> None:
    holder = held(database, org_id, job_id)
    assert owed(gate, job_id, 0.0) == [1]
    with database.transaction(org_id) as connection:
        jobs.release(connection, holder)
    assert owed(gate, job_id, 0.0) == [0, 1]


def test_jobs_of_another_organisation_are_out_of_reach(database: Database, other_org_id: UUID, job_id: UUID) -> None:
    assert claim(database, other_org_id, job_id) is None
    with database.transaction(other_org_id) as connection:
        assert jobs.get(connection, job_id) is None
        assert jobs.get_all(connection, [job_id]) == {}
        assert not jobs.cancel(connection, job_id)
        assert not jobs.revive(connection, job_id)


def set_dates(database: Database, org_id: UUID, job_id: UUID, *, heartbeat_in_s: float, sent_in_s: float) -> None:
    """Date a job's heartbeats and messages in the future, as a clock that was ahead would have."""
    dated = "heartbeat_at = now() + make_interval(secs => :heartbeat), sent_at = now() + make_interval(secs => :sent)"
    with database.transaction(org_id) as connection:
        values = {"heartbeat": heartbeat_in_s, "sent": sent_in_s, "job": job_id}
        connection.execute(text(f"UPDATE job_part SET {dated} WHERE job_id = :job"), values)


def test_a_claim_dated_by_a_clock_that_was_ahead_is_taken_over(
    database: Database, gate: Database, org_id: UUID, job_id: UUID
) -> None:
    dead = held(database, org_id, job_id)
    set_dates(database, org_id, job_id, heartbeat_in_s=1200.0, sent_in_s=1200.0)
    assert owed(gate, job_id) == [0, 1]
    assert claim(database, org_id, job_id) is not None
    with pytest.raises(ClaimLost):
        advance(database, org_id, dead, 1)


def test_a_heartbeat_slightly_ahead_still_holds_a_part(
    database: Database, gate: Database, org_id: UUID, job_id: UUID
) -> None:
    holder = held(database, org_id, job_id)
    set_dates(database, org_id, job_id, heartbeat_in_s=jobs.LEASE_S / 2, sent_in_s=-1.0)
    assert owed(gate, job_id) == []
    assert claim(database, org_id, job_id) is None
    advance(database, org_id, holder, 1)


def test_a_message_dated_in_the_future_is_sent_again(
    database: Database, gate: Database, org_id: UUID, job_id: UUID
) -> None:
    set_dates(database, org_id, job_id, heartbeat_in_s=0.0, sent_in_s=1200.0)
    assert owed(gate, job_id) == [0, 1]
    assert owed(gate, job_id, resend_after_s=0.0) == [0, 1]
