"""PDF and preview image by the worker: created once, resumed after a crash, always the same bytes."""

from datetime import UTC, datetime, timedelta
from typing import get_args
from uuid import UUID, uuid4

import pytest
import redis

from background import Background
from database import new_org, superuser
from documents.sample import full_report
from grids import SMALL, start_sweep
from published import make_files, publish
from stowage.documents.spreadsheet import workbook
from stowage.documents.table_file import table_file
from stowage.features.reports import files as report_files
from stowage.features.reports import reports
from stowage.features.reports.tables import StoredFormat
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.errors import Conflict
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue

MADE_AT = datetime(2026, 11, 21, 10, tzinfo=UTC)
PAGE = "https://stowage.example.org"


def job_of(database: Database, org_id: UUID, report_id: UUID) -> UUID:
    job_id = reports.read_report(database, org_id, report_id).documents.job_id
    assert job_id is not None
    return job_id


def kept(database: Database, org_id: UUID, report_id: UUID) -> dict[str, bytes]:
    formats = get_args(StoredFormat)
    return {each: report_files.ready(database, org_id, report_id, each, to_guest=True).content for each in formats}


def test_a_worker_makes_what_was_published_and_tells_how_far_it_is(
    workers: Background, database: Database, queue: Queue, org_id: UUID
) -> None:
    workers.worker("quick")
    published = publish(database, queue, org_id, made_at=MADE_AT)
    assert (published.documents.state, published.documents.done, published.documents.total) == ("making", 0, 4)
    assert published.documents.job_id is not None
    job = workers.ended(org_id, published.documents.job_id)
    assert (job.state, job.kind, job.done, job.subject_id) == ("done", "document", 4, published.id)
    after = reports.read_report(database, org_id, published.id)
    assert (after.documents.state, after.documents.done) == ("ready", 4)
    files = kept(database, org_id, published.id)
    assert files["pdf"].startswith(b"%PDF-")
    assert files["png"].startswith(b"\x89PNG")
    assert files["xlsx"] == workbook(after.report)
    assert files["csv"].decode() == table_file(after.report)


@pytest.mark.soak("kills")
def test_a_backlog_of_reports_does_not_delay_requeueing_of_lost_parts(
    workers: Background, database: Database, queue: Queue, org_id: UUID, owner: Database, postgres: DatabaseUrls
) -> None:
    """No worker creates the files of these reports, as if each took forever."""
    waiting = [publish(database, queue, org_id, full_report()) for _ in range(20)]
    other_id = new_org(owner)
    sweep = start_sweep(database, other_id, queue, SMALL)
    with superuser(postgres) as connection:
        connection.execute("UPDATE job_part SET sent_at = NULL WHERE job_id = %s", [sweep.job.id])
    with redis.Redis.from_url(queue.url) as client:
        client.delete("sweeps")
    workers.worker("sweeps")
    workers.scheduler()
    assert workers.ended(other_id, sweep.job.id).state == "done"
    assert {reports.read_report(database, org_id, each.id).documents.done for each in waiting} == {0}


def test_the_same_report_gives_the_same_files(database: Database, queue: Queue, org_id: UUID) -> None:
    report_id = uuid4()
    first = publish(database, queue, org_id, report_id=report_id, made_at=MADE_AT)
    make_files(database, queue, org_id, report_id, PAGE)
    files = kept(database, org_id, report_id)
    later = datetime.now(UTC) + timedelta(days=31)
    reports.delete_report(database, org_id, report_id, datetime.now(UTC))
    other = publish(database, queue, org_id)
    # Deleting another report a month later purges the first one, which can then be published again under its id.
    reports.delete_report(database, org_id, other.id, later)
    again = publish(database, queue, org_id, report_id=report_id, made_at=MADE_AT)
    assert again.digest == first.digest
    make_files(database, queue, org_id, report_id, PAGE)
    assert kept(database, org_id, report_id) == files


def test_a_message_that_was_lost_is_sent_again_and_one_that_comes_twice_does_nothing(
    database: Database, gate: Database, queue: Queue, org_id: UUID, postgres: DatabaseUrls
) -> None:
    report_id = publish(database, queue, org_id, full_report()).id
    job_id = job_of(database, org_id, report_id)
    with superuser(postgres) as connection:
        connection.execute("UPDATE job_part SET sent_at = NULL WHERE job_id = %s", [job_id])
    with gate.transaction(None) as connection:
        owed = job_store.owed(connection, resend_after_s=0.0, most=1_000)
    assert Part(org_id, job_id, "document", 0) in owed
    assert jobs.requeue_stale(gate, database, queue) >= 1
    make_files(database, queue, org_id, report_id, PAGE)
    files = kept(database, org_id, report_id)
    make_files(database, queue, org_id, report_id, "https://elsewhere.example.org")
    assert kept(database, org_id, report_id) == files


def test_a_cancelled_job_keeps_what_was_made_and_goes_on_when_asked(
    database: Database, queue: Queue, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    report_id = publish(database, queue, org_id).id
    job_id = job_of(database, org_id, report_id)
    told = queue.announce

    def cancelled_after_the_pdf(_queue: Queue, changed: UUID) -> None:
        told(changed)
        if reports.read_report(database, org_id, report_id).documents.done == 3:
            with database.transaction(org_id) as connection:
                job_store.cancel(connection, job_id)

    monkeypatch.setattr(Queue, "announce", cancelled_after_the_pdf)
    make_files(database, queue, org_id, report_id, PAGE)
    monkeypatch.undo()
    documents = reports.read_report(database, org_id, report_id).documents
    assert (documents.state, documents.done, documents.reason) == ("failed", 3, "It was cancelled.")
    pdf = report_files.ready(database, org_id, report_id, "pdf").content
    with pytest.raises(Conflict, match="There is no preview picture: It was cancelled"):
        report_files.ready(database, org_id, report_id, "png")
    with pytest.raises(Conflict, match="There is no preview picture of this report"):
        report_files.ready(database, org_id, report_id, "png", to_guest=True)
    assert report_files.make_documents(database, org_id, queue, report_id).state == "queued"
    make_files(database, queue, org_id, report_id, PAGE)
    assert reports.read_report(database, org_id, report_id).documents.state == "ready"
    assert kept(database, org_id, report_id)["pdf"] == pdf
    assert report_files.make_documents(database, org_id, queue, report_id).state == "done"


def test_a_report_that_was_removed_meanwhile_is_whole_when_it_comes_back(
    database: Database, queue: Queue, org_id: UUID
) -> None:
    report_id = publish(database, queue, org_id).id
    reports.delete_report(database, org_id, report_id, datetime.now(UTC))
    make_files(database, queue, org_id, report_id, PAGE)
    assert reports.restore_report(database, org_id, report_id).documents.state == "ready"
