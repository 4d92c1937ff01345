"""PDF and preview picture as the worker makes them: once, taken up again after whatever happens, always the same."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from background import Background
from database import superuser
from documents.sample import full_report
from published import publish
from stowage.jobs.queue import Part, Queue
from stowage.store import jobs as job_store
from stowage.store.database import Database
from stowage.store.embedded import DatabaseUrls
from stowage.usecases import jobs, report_files, reports
from stowage.usecases.errors import Conflict

MADE_AT = datetime(2026, 11, 21, 10, tzinfo=UTC)
PAGE = "https://stowage.example.org"


def make(database: Database, queue: Queue, org_id: UUID, job_id: UUID, page: str | None = PAGE) -> None:
    """Do the work here, as a worker does it on a message."""
    part = Part(org_id, job_id, "document", 0)
    jobs.work_on_part(database, queue, part, {"document": lambda held: report_files.make_part(held, page)}, lambda: 0.0)


def job_of(database: Database, org_id: UUID, report_id: UUID) -> UUID:
    job_id = reports.read_report(database, org_id, report_id).documents.job_id
    assert job_id is not None
    return job_id


def kept(database: Database, org_id: UUID, report_id: UUID) -> tuple[bytes, bytes]:
    pdf, png = (report_files.ready(database, org_id, report_id, each).content() for each in ("pdf", "png"))
    return pdf, png


def test_a_worker_makes_what_was_published_and_tells_how_far_it_is(
    workers: Background, database: Database, queue: Queue, org_id: UUID
) -> None:
    workers.worker("quick")
    published = publish(database, queue, org_id, made_at=MADE_AT)
    assert (published.documents.state, published.documents.done, published.documents.total) == ("making", 0, 2)
    assert published.documents.job_id is not None
    job = workers.ended(org_id, published.documents.job_id)
    assert (job.state, job.kind, job.done, job.subject_id) == ("done", "document", 2, published.id)
    after = reports.read_report(database, org_id, published.id)
    assert (after.documents.state, after.documents.done) == ("ready", 2)
    pdf, png = kept(database, org_id, published.id)
    assert pdf.startswith(b"%PDF-")
    assert png.startswith(b"\x89PNG")


def test_the_same_report_gives_the_same_files(database: Database, queue: Queue, org_id: UUID) -> None:
    report_id = uuid4()
    first = publish(database, queue, org_id, report_id=report_id, made_at=MADE_AT)
    make(database, queue, org_id, job_of(database, org_id, report_id))
    files = kept(database, org_id, report_id)
    later = datetime.now(UTC) + timedelta(days=31)
    reports.delete_report(database, org_id, report_id, datetime.now(UTC))
    other = publish(database, queue, org_id)
    # Another removal a month later takes it away for good; the same is published again under its id.
    reports.delete_report(database, org_id, other.id, later)
    again = publish(database, queue, org_id, report_id=report_id, made_at=MADE_AT)
    assert again.digest == first.digest
    make(database, queue, org_id, job_of(database, org_id, report_id))
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
    assert job_store.Owed(org_id, job_id, "document", 0) in owed
    assert jobs.tend(gate, database, queue) >= 1
    make(database, queue, org_id, job_id)
    files = kept(database, org_id, report_id)
    make(database, queue, org_id, job_id, page="https://elsewhere.example.org")
    assert kept(database, org_id, report_id) == files


def test_a_cancelled_job_keeps_what_was_made_and_goes_on_when_asked(
    database: Database, queue: Queue, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    report_id = publish(database, queue, org_id).id
    job_id = job_of(database, org_id, report_id)
    told = queue.announce

    def cancelled_after_the_first(_queue: Queue, changed: UUID) -> None:
        told(changed)
        if reports.read_report(database, org_id, report_id).documents.done == 1:
            with database.transaction(org_id) as connection:
                job_store.cancel(connection, job_id)

    monkeypatch.setattr(Queue, "announce", cancelled_after_the_first)
    make(database, queue, org_id, job_id)
    monkeypatch.undo()
    documents = reports.read_report(database, org_id, report_id).documents
    assert (documents.state, documents.done, documents.reason) == ("failed", 1, "It was cancelled.")
    pdf = report_files.ready(database, org_id, report_id, "pdf").content()
    with pytest.raises(Conflict, match="There is no preview picture"):
        report_files.ready(database, org_id, report_id, "png")
    assert report_files.make_documents(database, org_id, queue, report_id).state == "queued"
    make(database, queue, org_id, job_id)
    assert reports.read_report(database, org_id, report_id).documents.state == "ready"
    assert kept(database, org_id, report_id)[0] == pdf
    assert report_files.make_documents(database, org_id, queue, report_id).state == "done"


def test_a_report_that_was_removed_meanwhile_is_whole_when_it_comes_back(
    database: Database, queue: Queue, org_id: UUID
) -> None:
    report_id = publish(database, queue, org_id).id
    job_id = job_of(database, org_id, report_id)
    reports.delete_report(database, org_id, report_id, datetime.now(UTC))
    make(database, queue, org_id, job_id)
    assert reports.restore_report(database, org_id, report_id).documents.state == "ready"
