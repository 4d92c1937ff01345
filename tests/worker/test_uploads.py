"""Uploads read by workers that are killed or lose their claim: the staged results are complete, or there are none."""

import itertools
import sys
import tracemalloc
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from background import Background, kill
from database import superuser
from stowage.features.measurements import sandboxed_reading, uploads
from stowage.features.measurements.schemas import NewUpload, UploadAnswer, UploadSummaryAnswer
from stowage.features.measurements.store import uploads as store
from stowage.features.measurements.store.uploads import PIECE_BYTES
from stowage.features.measurements.stored_readings import Fingerprints
from stowage.platform.access import Actor
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue
from uploading import FIO, WORKS, fio

ADA = Actor("person", "Ada")
RUNS = 1_200
HOSTILE = Path(__file__).parents[1] / "support" / "files" / "hostile_reader.py"
STAGED = ("upload", "upload_piece", "upload_reading", "upload_job", "upload_problem", "job", "job_part")


def sent(database: Database, gate: Database, org_id: UUID, content: bytes) -> UUID:
    new = NewUpload(name="fio.json", size_bytes=len(content))
    upload_id, now = uuid4(), datetime.now(UTC)
    uploads.begin_upload(database, gate, org_id, new, upload_id=upload_id, who=ADA, now=now)
    for number, first in enumerate(range(0, len(content), PIECE_BYTES)):
        uploads.add_piece(database, org_id, upload_id, number, content[first : first + PIECE_BYTES])
    return upload_id


def started(database: Database, org_id: UUID, queue: Queue, upload_id: UUID) -> UploadSummaryAnswer:
    now = datetime.now(UTC)
    return uploads.start_reading(database, org_id, queue, upload_id, job_id=uuid4(), asked_by="Ada", now=now)


def job_of(answer: UploadSummaryAnswer) -> UUID:
    assert answer.job is not None
    return answer.job.id


def looked_at(database: Database, org_id: UUID, upload_id: UUID) -> UploadAnswer:
    return uploads.read_upload(database, org_id, upload_id, offset=0, limit=5)


def work(database: Database, queue: Queue, org_id: UUID, job_id: UUID, clock: Any = lambda: 0.0) -> None:
    jobs.work_on_part(database, queue, Part(org_id, job_id, "upload", 0), WORKS, clock)


def left(postgres: DatabaseUrls, org_id: UUID) -> dict[str, int]:
    found = {}
    with superuser(postgres) as connection:
        for table in STAGED:
            row = connection.execute(f"SELECT count(*) FROM {table} WHERE org_id = %s", [org_id]).fetchone()
            found[table] = 0 if row is None else int(row[0])
    return found


@pytest.fixture(scope="module")
def many() -> bytes:
    """Return a file of many runs: about 7 MB."""
    return b"\n".join(fio(f"run {number}", at=1_795_000_000 + number) for number in range(RUNS))


@pytest.mark.soak("kills")
@pytest.mark.usefixtures("tending")
def test_a_worker_that_is_killed_in_the_middle_costs_nothing_but_time(
    workers: Background, database: Database, gate: Database, queue: Queue, org_id: UUID, many: bytes
) -> None:
    victim = workers.worker("uploads")
    upload_id = sent(database, gate, org_id, many)
    job_id = job_of(started(database, org_id, queue, upload_id))
    workers.until(org_id, job_id, done=2)
    kill(victim)
    struck = workers.job(org_id, job_id)
    assert struck.done < struck.total
    workers.worker("uploads")
    ended = workers.ended(org_id, job_id)
    assert (ended.state, ended.done) == ("done", ended.total)
    upload = looked_at(database, org_id, upload_id)
    assert (upload.state, upload.readings_total, upload.problems_total) == ("read", RUNS, 0)
    with database.transaction(org_id) as connection:
        staged = store.readings(connection, upload_id)
    assert [each.position for each in staged] == list(range(RUNS))
    assert [each.content["name"] for each in staged] == [f"run {number}" for number in range(RUNS)]


@pytest.mark.soak("kills")
def test_a_file_that_is_taken_back_while_it_is_read_leaves_nothing_and_the_worker_goes_on(
    workers: Background,
    database: Database,
    gate: Database,
    queue: Queue,
    postgres: DatabaseUrls,
    org_id: UUID,
    many: bytes,
) -> None:
    workers.worker("uploads")
    upload_id = sent(database, gate, org_id, many)
    job_id = job_of(started(database, org_id, queue, upload_id))
    workers.until(org_id, job_id, done=2)
    uploads.delete_upload(database, org_id, queue, upload_id, datetime.now(UTC))
    assert left(postgres, org_id) == dict.fromkeys(STAGED, 0)
    next_id = sent(database, gate, org_id, FIO)
    workers.ended(org_id, job_of(started(database, org_id, queue, next_id)))
    assert looked_at(database, org_id, next_id).readings_total == 1
    assert left(postgres, org_id)["upload"] == 1


def test_what_the_first_worker_staged_is_not_there_twice(
    database: Database, gate: Database, queue: Queue, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first worker is killed after it stored half of its results."""
    monkeypatch.setattr("stowage.features.measurements.upload_reading._BATCH_BYTES", 1)
    upload_id = sent(database, gate, org_id, b"\n".join(fio(f"run {number}") for number in range(4)))
    job_id = job_of(started(database, org_id, queue, upload_id))
    took = itertools.count(1)
    whole = Fingerprints.of

    def cut(self: Fingerprints, document: Mapping[str, Any]) -> bytes:
        if next(took) > 2:
            raise KeyboardInterrupt
        return whole(self, document)

    with monkeypatch.context() as killed:
        killed.setattr(Fingerprints, "of", cut)
        with pytest.raises(KeyboardInterrupt):
            work(database, queue, org_id, job_id)
    with database.transaction(org_id) as connection:
        assert len(store.readings(connection, upload_id)) == 2
        # Its claim holder stopped sending heartbeats.
        connection.exec_driver_sql("UPDATE job_part SET heartbeat_at = now() - interval '1 minute'")
    work(database, queue, org_id, job_id)
    upload = looked_at(database, org_id, upload_id)
    assert [each.name for each in upload.readings] == [f"run {number}" for number in range(4)]
    assert upload.job is not None
    assert (upload.job.state, upload.job.done) == ("done", upload.job.total)


def test_a_reader_that_fails_on_our_side_fails_the_job_with_a_reference_and_may_be_tried_again(
    database: Database, gate: Database, queue: Queue, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload_id = sent(database, gate, org_id, FIO)
    job_id = job_of(started(database, org_id, queue, upload_id))
    with monkeypatch.context() as broken:
        broken.setattr(sandboxed_reading, "READER", (sys.executable, "-I", str(HOSTILE), "fail"))
        work(database, queue, org_id, job_id)
    upload = looked_at(database, org_id, upload_id)
    assert upload.job is not None
    assert (upload.state, upload.job.state, upload.readings_total) == ("reading", "failed", 0)
    assert upload.job.reference is not None
    again = started(database, org_id, queue, upload_id)
    assert job_of(again) == job_id
    work(database, queue, org_id, job_id)
    assert looked_at(database, org_id, upload_id).state == "read"


@pytest.mark.soak("kills")
def test_a_large_file_is_read_in_the_memory_that_a_small_one_takes(
    database: Database, gate: Database, queue: Queue, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stowage.features.measurements.upload_reading._BATCH_BYTES", 1 << 17)
    peaks = []
    for runs in (80, 320):
        upload_id = sent(database, gate, org_id, b"\n".join(fio(f"run {number}") for number in range(runs)))
        job_id = job_of(started(database, org_id, queue, upload_id))
        tracemalloc.start()
        work(database, queue, org_id, job_id)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert looked_at(database, org_id, upload_id).readings_total == runs
    assert peaks[1] < 1.5 * peaks[0], peaks
