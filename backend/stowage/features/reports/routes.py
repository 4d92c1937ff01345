"""Routes of reports under /api/v1: publishing, reading, files and comments. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Path, Query, Response

from stowage.features.reports import comments, reports
from stowage.features.reports import files as report_files
from stowage.features.reports.file_routes import AS_FILE, file_response
from stowage.features.reports.schemas import (
    CommentAnswer,
    CommentListAnswer,
    DifferenceAnswer,
    FileFormat,
    NewComment,
    NewReport,
    ReportAnswer,
    ReportListAnswer,
    ReportPreviewAnswer,
)
from stowage.platform.jobs.job import Job
from stowage.web.admission import needs, starts
from stowage.web.etags import Tag
from stowage.web.parameters import Cursor, OnceOnly, PageLimit
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, OVER_QUOTA
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["reports"], responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("reports.read")]
Writing = Annotated[TeamServices, needs("reports.write")]
Making = Annotated[TeamServices, starts("document")]
Commenting = Annotated[TeamServices, needs("comments.write")]


@router.post("/reports/preview", responses=CONFLICT | NOT_ACCEPTED)
def preview_report(asked: NewReport, services: Writing) -> ReportPreviewAnswer:
    """Compose a report as it would be published now, without storing it."""
    return reports.preview_report(
        services.database,
        services.org_id,
        asked,
        author=services.actor.name,
        now=datetime.now(UTC),
    )


@router.post("/reports", status_code=201, responses=CONFLICT | NOT_ACCEPTED | OVER_QUOTA)
def publish_report(asked: NewReport, services: Making, response: Response, key: OnceOnly = None) -> ReportAnswer:
    """Compose and publish a report. It never changes afterwards; a worker builds its files."""
    published = reports.publish_report(
        services.database,
        services.org_id,
        services.queue,
        asked,
        report_id=key or uuid4(),
        author=services.actor.name,
        now=datetime.now(UTC),
    )
    response.headers["Location"] = f"/api/v1/reports/{published.id}"
    return published


@router.get("/reports", responses=NOT_ACCEPTED)
def list_reports(
    services: Reading,
    limit: PageLimit = 50,
    cursor: Cursor = None,
    search: Annotated[
        str, Query(max_length=200, description="Words that title, sentence, origin or author must all hold.")
    ] = "",
) -> ReportListAnswer:
    """List reports, newest first."""
    return reports.list_reports(services.database, services.org_id, limit=limit, cursor=cursor, search=search)


@router.get("/reports/{report_id}", responses=NOT_ACCEPTED)
def read_report(report_id: UUID, services: Reading) -> ReportAnswer:
    """Read a report as it was published."""
    return reports.read_report(services.database, services.org_id, report_id)


@router.delete("/reports/{report_id}", status_code=204, responses=NOT_ACCEPTED)
def delete_report(report_id: UUID, services: Writing) -> None:
    """Delete a report; it can be restored for 30 days."""
    reports.delete_report(services.database, services.org_id, report_id, datetime.now(UTC))


@router.post("/reports/{report_id}/restore", responses=NOT_ACCEPTED)
def restore_report(report_id: UUID, services: Writing) -> ReportAnswer:
    """Restore a deleted report."""
    return reports.restore_report(services.database, services.org_id, report_id)


@router.get("/reports/{report_id}/difference", responses=NOT_ACCEPTED)
def compare_reports(
    report_id: UUID, services: Reading, older: Annotated[UUID, Query(alias="from", description="Another report.")]
) -> DifferenceAnswer:
    """Return the differences between a report and another report."""
    return reports.compare_reports(services.database, services.org_id, older, report_id)


@router.post("/reports/{report_id}/documents", status_code=202, responses=CONFLICT | NOT_ACCEPTED)
def make_documents(report_id: UUID, services: Making) -> Job:
    """Requeue the job that builds the missing files of a report, after the job failed or was cancelled."""
    return report_files.make_documents(services.database, services.org_id, services.queue, report_id)


@router.get(
    "/reports/{report_id}/files/{format}",
    responses=AS_FILE | CONFLICT | NOT_ACCEPTED,
    response_class=Response,
)
def read_report_file(
    report_id: UUID, file_format: Annotated[FileFormat, Path(alias="format")], services: Reading, tag: Tag
) -> Response:
    """Return a report as a file, with the same numbers and words as on the page."""
    ready = report_files.ready(services.database, services.org_id, report_id, file_format)
    tag.rests_on(ready.digest)
    return file_response(ready, tag)


@router.get("/reports/{report_id}/comments", responses=NOT_ACCEPTED)
def list_comments(
    report_id: UUID,
    services: Reading,
    limit: PageLimit = 100,
    cursor: Cursor = None,
) -> CommentListAnswer:
    """List the comments on a report, oldest first."""
    return comments.list_comments(
        services.database, services.org_id, services.asker, report_id, limit=limit, cursor=cursor
    )


@router.post("/reports/{report_id}/comments", status_code=201, responses=CONFLICT | NOT_ACCEPTED)
def add_comment(report_id: UUID, new: NewComment, services: Commenting) -> CommentAnswer:
    """Add a comment to a report, as plain text."""
    return comments.add_comment(
        services.database, services.org_id, services.asker, report_id, new, comment_id=uuid4(), now=datetime.now(UTC)
    )


@router.delete("/reports/{report_id}/comments/{comment_id}", status_code=204, responses=NOT_ACCEPTED)
def remove_comment(report_id: UUID, comment_id: UUID, services: Commenting) -> None:
    """Delete a comment permanently. Members can delete their own comments; owners can delete any comment."""
    comments.remove_comment(services.database, services.org_id, services.asker, report_id, comment_id)
