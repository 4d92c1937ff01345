"""Published reports for tests, with any content."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from fastapi.testclient import TestClient
from sqlalchemy import select

from documents.sample import full_report
from stowage.features.reports import files as report_files
from stowage.features.reports.composing import Composed
from stowage.features.reports.reports import keep_report
from stowage.features.reports.schemas import ReportAnswer
from stowage.features.reports.tables import report as reports
from stowage.model.report import Report
from stowage.platform.database.database import Database
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue

REPORTS = "/api/v1/reports"
LINKS = "/api/v1/links"
PASSWORD = "seven walnut barges adrift"  # noqa: S105 - of links in tests
AUTHOR = "Ada"


def publish(
    database: Database,
    queue: Queue,
    org_id: UUID,
    report: Report | None = None,
    *,
    report_id: UUID | None = None,
    replaces: UUID | None = None,
    now: datetime | None = None,
    **changed: Any,
) -> ReportAnswer:
    """Store a report as publishing does, without composing it.

    Parameters
    ----------
    database : Database
    queue : Queue
    org_id : UUID
    report : Report, optional
        The sample, if none is given.
    report_id, replaces : UUID, optional
    now : datetime, optional
    changed
        Fields of the report to replace.
    """
    composed = Composed(replace(report or full_report(), author=AUTHOR, **changed), [])
    return keep_report(
        database,
        org_id,
        queue,
        composed,
        report_id=report_id or uuid4(),
        author=AUTHOR,
        replaces=replaces,
        now=now or datetime.now(UTC),
    )


def make_files(database: Database, queue: Queue, org_id: UUID, report_id: UUID, page: str | None = None) -> None:
    """Do a worker's task for a published report."""
    with database.transaction(org_id) as connection:
        job_id = connection.scalar(select(reports.c.job_id).where(reports.c.id == report_id))
    assert job_id is not None
    part = Part(org_id, job_id, "document", 0)
    jobs.work_on_part(database, queue, part, {"document": lambda held: report_files.make_part(held, page)}, lambda: 0.0)


def link_to(client: TestClient, report_id: UUID, **asked: Any) -> str:
    """Share a report, and return the secret of the link."""
    answer = client.post(LINKS, json={"kind": "report", "object_id": str(report_id), **asked})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["address"].rpartition("/")[2])


def links_of(client: TestClient, report_id: UUID) -> Sequence[Mapping[str, Any]]:
    """List the links to a report, newest first."""
    answer = client.get(LINKS, params={"kind": "report", "object_id": str(report_id)})
    links: Sequence[Mapping[str, Any]] = answer.json()["links"]
    return links
