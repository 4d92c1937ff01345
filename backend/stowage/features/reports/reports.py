"""Published reports. A report is composed once, at its publication, and never changes.

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache, partial
from uuid import UUID, uuid4

from stowage.documents.charts.drawing import draw
from stowage.documents.difference import difference
from stowage.documents.text import one_line
from stowage.features.planning import since
from stowage.features.planning.outlook.schemas import DrawingsAnswer
from stowage.features.reports import files as report_files
from stowage.features.reports.approvals import answer_of
from stowage.features.reports.composing import Composed, compose
from stowage.features.reports.schemas import (
    DeployableAnswer,
    DifferenceAnswer,
    NewReport,
    ReportAnswer,
    ReportListAnswer,
    ReportNameAnswer,
    ReportPreviewAnswer,
    ReportRow,
    SharedReportAnswer,
)
from stowage.features.reports.store import approvals as approval_store
from stowage.features.reports.store import reports as store
from stowage.features.reports.store import schedules as schedule_store
from stowage.features.reports.what_changed import reader_sentence
from stowage.features.teams.sign_in.store import team as team_store
from stowage.model.report import Chart, Report
from stowage.platform import quotas
from stowage.platform.database.database import Connection, Database
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import NewJob
from stowage.platform.jobs.queue import Queue
from stowage.platform.paging import read_page, words_of

_TO_GUESTS = (
    "Since this report was made, prices, measurements or the model changed: its answer may be out of date. "
    "The person who gave you the link can publish a newer report."
)
"""Notice to guests that inputs changed after publication, without new figures."""
_DRAWN_KEPT = 16
"""Reports whose drawings a process caches: authors and recipients of a link open new reports soon."""


def preview_report(
    database: Database,
    org_id: UUID,
    asked: NewReport,
    *,
    author: str,
    now: datetime,
) -> ReportPreviewAnswer:
    """Compose a report as it would be published now, without storing it.

    Raises
    ------
    BadInput
        A field is not accepted.
    NotFound
        The origin, or the report to replace, does not exist, or is another team's.
    """
    composed = _composed(database, org_id, asked, author, now)
    return ReportPreviewAnswer(
        report=composed.report, drawings=drawings_of(composed.report), deployable=composed.deployable
    )


def publish_report(
    database: Database,
    org_id: UUID,
    queue: Queue,
    asked: NewReport,
    *,
    report_id: UUID,
    author: str,
    now: datetime,
) -> ReportAnswer:
    """Compose a report, store it, and queue the job that builds its files.

    Publishing again under the same id stores nothing and returns the existing report.

    Raises
    ------
    BadInput, NotFound
        As `preview_report`; nothing is stored.
    """
    with database.transaction(org_id) as connection:
        is_there = store.summary(connection, report_id) is not None
    if is_there:
        return read_report(database, org_id, report_id)
    composed = _composed(database, org_id, asked, author, now)
    return keep_report(
        database, org_id, queue, composed, report_id=report_id, author=author, replaces=asked.replaces, now=now
    )


def keep_report(
    database: Database,
    org_id: UUID,
    queue: Queue,
    composed: Composed,
    *,
    report_id: UUID,
    author: str,
    replaces: UUID | None,
    now: datetime,
) -> ReportAnswer:
    """Store a composed report, and queue the job that builds its files.

    If a report with this id is already stored, it is returned unchanged.

    Raises
    ------
    NotFound
        The id is that of another team's report, or of a deleted report.
    QuotaExceeded
        The team has as many reports as its quota allows, or published too many reports in 24 hours.
    """
    content = report_files.written_content(composed.report)
    stored = store.StoredReport(
        id=report_id,
        name=composed.report.title,
        sentence=one_line(composed.report.sentence),
        kind=composed.report.origin.kind,
        origins=list(composed.report.origin.names),
        author=author,
        content=content,
        digest=hashlib.sha256(content.encode()).hexdigest(),
        deployable=[each.model_dump(mode="json") for each in composed.deployable],
        replaces=replaces,
        job_id=uuid4(),
        created_at=now,
    )
    with database.transaction(org_id) as connection:
        quotas.lock(connection)
        if store.insert(connection, stored):
            job_store.insert(connection, NewJob(stored.job_id, "document", report_id, author, now, report_files.STEPS))
            quotas.hold(connection, "reports", "reports-per-day", now=now)
            if replaces is not None:
                schedule_store.follow(connection, replaces, report_id, stored.name)
    answer = read_report(database, org_id, report_id)
    if answer.documents.state == "making" and answer.documents.job_id is not None:
        jobs.enqueue(database, org_id, queue, answer.documents.job_id, "document")
    return answer


def read_report(database: Database, org_id: UUID, report_id: UUID) -> ReportAnswer:
    """Return a report of the team as it was published."""
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, report_id)
        before = None if stored.replaces is None else store.summary(connection, stored.replaces)
        after = store.successors(connection, [report_id]).get(report_id)
        comments = store.comment_counts(connection, [report_id]).get(report_id, 0)
        documents = report_files.documents_answer(connection, stored)
        of_both = approval_store.latest(connection, [report_id, *([] if before is None else [before.id])])
        since_words = _since(connection, [report_id]).get(report_id) if after is None else None
    report, drawings = _drawn(stored.content)
    earlier = None if before is None else of_both.get(before.id)
    return ReportAnswer(
        id=stored.id,
        digest=stored.digest,
        report=report_files.as_decided(report, of_both.get(report_id)),
        drawings=drawings,
        deployable=[DeployableAnswer.model_validate(each) for each in stored.deployable],
        replaces=None if before is None else _name(before),
        replaced_by=None if after is None else _name(after),
        documents=documents,
        comments=comments,
        since=since_words,
        approval=answer_of(of_both.get(report_id)),
        approved_before=report_files.approval_words(earlier)
        if earlier is not None and earlier.state == "approved"
        else None,
    )


def show_report(database: Database, org_id: UUID, report_id: UUID) -> SharedReportAnswer:
    """Return a report as a visitor with a share link sees it.

    Raises
    ------
    NotFound
        The report does not exist.
    """
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, report_id)
        after = store.successors(connection, [report_id]).get(report_id)
        documents = report_files.documents_answer(connection, stored)
        approval = approval_store.latest(connection, [report_id]).get(report_id)
        is_overtaken = after is None and report_id in _since(connection, [report_id])
    report, drawings = _drawn(stored.content)
    return SharedReportAnswer(
        digest=stored.digest,
        report=report_files.as_decided(report, approval),
        drawings=drawings,
        # Deployable configurations are for members with that permission.
        deployable=[],
        replaced_at=None if after is None else after.created_at,
        since=_TO_GUESTS if is_overtaken else None,
        # The reason for a missing PDF, and its job, concern only the team.
        documents=documents.model_copy(update={"job_id": None, "reason": None}),
        approval=answer_of(approval, to_guest=True),
    )


def list_reports(
    database: Database, org_id: UUID, *, limit: int, cursor: str | None, search: str = ""
) -> ReportListAnswer:
    """List the team's reports, newest first, one page at a time.

    The parameters are those of `plans.list_plans`.
    """
    with database.transaction(org_id) as connection:
        page, next_cursor = read_page(limit, cursor, partial(store.list_newest, connection, words=words_of(search)))
        reports = _rows(connection, page)
    return ReportListAnswer(reports=reports, next_cursor=next_cursor)


def delete_report(database: Database, org_id: UUID, report_id: UUID, now: datetime) -> None:
    """Delete a report; it can be restored for 30 days."""
    with database.transaction(org_id) as connection:
        store.demand_summary(connection, report_id)
        store.discard(connection, report_id, now)


def restore_report(database: Database, org_id: UUID, report_id: UUID) -> ReportAnswer:
    """Restore a deleted report."""
    with database.transaction(org_id) as connection:
        store.set_deleted(connection, report_id, None)
    return read_report(database, org_id, report_id)


def compare_reports(database: Database, org_id: UUID, older_id: UUID, newer_id: UUID) -> DifferenceAnswer:
    """Return the differences between two reports of the team."""
    with database.transaction(org_id) as connection:
        contents, rows = list[Report](), list[ReportRow]()
        for report_id in (older_id, newer_id):
            stored, row = store.demand(connection, report_id), store.demand_summary(connection, report_id)
            contents.append(report_files.read_content(stored.content))
            rows += _rows(connection, [row])
    found = difference(*contents)
    return DifferenceAnswer(
        old=rows[0],
        new=rows[1],
        sentence=reader_sentence(*contents),
        counts=found.sentence,
        changes=list(found.changes),
    )


def drawings_of(report: Report) -> dict[str, DrawingsAnswer]:
    """Draw every chart of a report in two widths, for desktop and phone."""
    return {
        f"{section.key}.{block.key}": DrawingsAnswer(wide=draw(block, "wide"), narrow=draw(block, "narrow"))
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Chart)
    }


@lru_cache(maxsize=_DRAWN_KEPT)
def _drawn(content: str) -> tuple[Report, dict[str, DrawingsAnswer]]:
    """Parse a report and draw its charts.

    The result is cached. This is safe because content never changes and callers do not modify the result.
    """
    report = report_files.read_content(content)
    return report, drawings_of(report)


def _composed(database: Database, org_id: UUID, asked: NewReport, author: str, now: datetime) -> Composed:
    with database.transaction(org_id) as connection:
        team = team_store.name_of(connection, org_id)
        if asked.replaces is not None:
            store.demand_summary(connection, asked.replaces)
    return compose(database, org_id, asked, author=author, team=team or "", now=now)


def _rows(connection: Connection, page: Sequence[store.ReportSummary]) -> list[ReportRow]:
    ids = [row.id for row in page]
    after, comments = store.successors(connection, ids), store.comment_counts(connection, ids)
    approvals = approval_store.latest(connection, ids)
    changed = _since(connection, [report_id for report_id in ids if report_id not in after])
    return [
        ReportRow.from_fields(
            row,
            title=row.name,
            names=list(row.origins),
            made_at=row.created_at,
            replaced_by=after[row.id].id if row.id in after else None,
            comments=comments.get(row.id, 0),
            since=changed.get(row.id),
            approval=approvals[row.id].state if row.id in approvals else None,
        )
        for row in page
    ]


def _since(connection: Connection, report_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return what has changed since the plans of reports were answered; reports without a change are left out."""
    of_reports = store.plans_of(connection, report_ids)
    plans = {plan_id for ids in of_reports.values() for plan_id in ids}
    words = since.sentences_of(connection, sorted(plans))
    said = {
        report_id: " ".join(dict.fromkeys(words[plan_id] for plan_id in ids if plan_id in words))
        for report_id, ids in of_reports.items()
    }
    return {report_id: each for report_id, each in said.items() if each}


def _name(other: store.ReportSummary | store.Successor) -> ReportNameAnswer:
    return ReportNameAnswer(id=other.id, title=other.name, made_at=other.created_at)
