"""Files of reports, such as PDF and CSV, built and stored by workers.

No API request builds a file, because a large report would block other requests of the process. The JSON file is never
built: reports are stored in this format.

An id that is unknown or of another team raises `NotFound`.
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import get_args
from uuid import UUID

from pydantic import TypeAdapter

from stowage.documents.table_file import table_file
from stowage.features.reports.schemas import DocumentsAnswer, FileFormat
from stowage.features.reports.store import approvals
from stowage.features.reports.store import reports as store
from stowage.features.reports.tables import StoredFormat
from stowage.frozen import frozen
from stowage.model.report import Fact, Facts, Report, Section
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import Conflict
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import Job
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.workloads import amounts

_KEPT: tuple[StoredFormat, ...] = get_args(StoredFormat)
STEPS = len(_KEPT)
"""Steps of the job that builds the stored files."""
_NAMES: dict[StoredFormat, str] = {
    "csv": "CSV",
    "xlsx": "spreadsheet",
    "pdf": "PDF",
    "png": "preview picture",
}

_REPORT = TypeAdapter(Report)


@frozen
class ReadyFile:
    """A report file that can be downloaded."""

    title: str
    """Title of the report."""
    format: FileFormat
    digest: str
    """Digest of the content, for caching."""
    content: bytes


def ready(
    database: Database, org_id: UUID, report_id: UUID, file_format: FileFormat, *, to_guest: bool = False
) -> ReadyFile:
    """Load a report as a file of one format.

    Parameters
    ----------
    to_guest : bool
        True if the caller is a guest with a share link: guests do not learn why a file is missing.

    Raises
    ------
    Conflict
        The file is not built yet, or could not be built.
    """
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, report_id)
        if file_format == "json":
            return ReadyFile(stored.name, file_format, stored.digest, stored.content.encode())
        kept = store.file(connection, report_id, file_format)
        if file_format == "pdf" and (decided := _decided(connection, report_id)) is not None:
            # Until it is built, the PDF from before the decision is valid.
            kept = approvals.file(connection, decided.id) or kept
        if kept is None:
            raise Conflict(_not_made(file_format, documents_answer(connection, stored), to_guest=to_guest))
    return ReadyFile(stored.name, file_format, kept.digest, kept.content)


def make_documents(database: Database, org_id: UUID, queue: Queue, report_id: UUID) -> Job:
    """Requeue the job that builds the missing files of a report.

    This is for jobs that failed or were cancelled.
    """
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, report_id)
    return jobs.retry_job(database, org_id, queue, stored.job_id)


def make_part(part: ClaimedPart, page: str | None) -> None:
    """Build the missing files of a report and store them.

    This is the work of jobs of kind `document`.

    Parameters
    ----------
    page : str or None
        Address of the page, without a slash at the end; None if no address is configured.

    Raises
    ------
    ClaimLost
        The job was cancelled, or another worker has claimed it.
    """
    # Imported on use: these modules take memory that API processes do not need.
    from stowage.documents.pdf import pdf, preview  # noqa: PLC0415 - see above
    from stowage.documents.spreadsheet import workbook  # noqa: PLC0415 - as above

    report_id = part.job.subject_id
    with part.database.transaction(part.org_id) as connection:
        # A deleted report too: it may be restored.
        content = store.content(connection, report_id)
        there = store.files(connection, report_id)
    if content is None:
        raise job_store.ClaimLost
    report = read_content(content)
    address = None if page is None else f"{page}/reports/{report_id}"
    makers: dict[StoredFormat, Callable[[], bytes]] = {
        "csv": lambda: table_file(report).encode(),
        "xlsx": lambda: workbook(report),
        "pdf": lambda: pdf(report, address),
        "png": lambda: preview(report),
    }
    for file_format in _KEPT:
        if file_format in there:
            continue
        with jobs.beating(part):
            made = makers[file_format]()
        kept = store.StoredFile(made, hashlib.sha256(made).hexdigest())
        with part.database.transaction(part.org_id) as connection:
            added = store.add_file(connection, report_id, file_format, kept)
            job_store.advance(connection, part.claim, int(added))
        part.queue.announce(part.job.id)
    _make_approved(part, report, lambda decided, words: pdf(decided, address, words))
    with part.database.transaction(part.org_id) as connection:
        job_store.finish(connection, part.claim)


def _make_approved(part: ClaimedPart, report: Report, made_with: Callable[[Report, str], bytes]) -> None:
    """Build the PDF that states the decision on a report's approval, if there is one and the PDF is missing."""
    with part.database.transaction(part.org_id) as connection:
        decided = _decided(connection, part.job.subject_id)
        if decided is None or approvals.file(connection, decided.id) is not None:
            return
    with jobs.beating(part):
        made = made_with(as_decided(report, decided), approval_words(decided))
    with part.database.transaction(part.org_id) as connection:
        kept = store.StoredFile(made, hashlib.sha256(made).hexdigest())
        approvals.add_file(connection, decided.id, kept)
        job_store.advance(connection, part.claim, 0)


def _decided(connection: Connection, report_id: UUID) -> approvals.Approval | None:
    """Return the newest approval of a report, if it is decided."""
    found = approvals.latest(connection, [report_id]).get(report_id)
    return None if found is None or found.decided_at is None else found


def approval_words(approval: approvals.Approval) -> str:
    """Return an approval as a sentence, with name, role and date."""
    approver = approval.approver if approval.role is None else f"{approval.approver} ({approval.role})"
    if approval.decided_at is None:
        return f"Approval requested from {approver} on {_day(approval.created_at)}, by {approval.requested_by}."
    verb = "Approved" if approval.state == "approved" else "Refused"
    return f"{verb} by {approver} on {_day(approval.decided_at)}."


def as_decided(report: Report, approval: approvals.Approval | None) -> Report:
    """Return a report as it is shown after the decision on it.

    If it is approved, the day by which to decide is the day by which to act. The stored report does not change.
    """
    if approval is None or approval.state != "approved":
        return report
    return replace(report, sections=tuple(map(_to_act_on, report.sections)))


def _to_act_on(section: Section) -> Section:
    return replace(
        section,
        blocks=tuple(
            replace(block, facts=tuple(map(_act_by, block.facts))) if isinstance(block, Facts) else block
            for block in section.blocks
        ),
    )


def _act_by(fact: Fact) -> Fact:
    return replace(fact, label="Approved; act by") if fact.key == "decide_by" else fact


def _day(when: datetime) -> str:
    return amounts.day(when.astimezone(UTC).date())


def is_being_built(connection: Connection, stored: store.StoredReport, file_format: StoredFormat) -> bool:
    """Check whether a job is going to build a missing file of a report."""
    job = job_store.get(connection, stored.job_id)
    return (
        job is not None and job.state in job_store.UNFINISHED and file_format not in store.files(connection, stored.id)
    )


def documents_answer(connection: Connection, stored: store.StoredReport) -> DocumentsAnswer:
    """Return the state of a report's files, with the progress of the job that builds them."""
    job = job_store.get(connection, stored.job_id)
    made = store.files(connection, stored.id)
    lacking = len(_KEPT) - len(made)
    reason = None
    if lacking and job is not None:
        reason = "It was cancelled." if job.state == "cancelled" else job.reason
    return DocumentsAnswer(
        state="ready" if not lacking else "making" if reason is None else "failed",
        job_id=stored.job_id,
        done=STEPS - lacking,
        total=STEPS,
        formats=["json", *(each for each in _KEPT if each in made)],
        reason=reason,
    )


def written_content(report: Report) -> str:
    """Return a report in its stored form.

    Raises
    ------
    ValidationError
        The report could not be parsed again, for example because of a NaN.
    """
    content = _REPORT.dump_json(report).decode()
    read_content(content)
    return content


def read_content(content: str) -> Report:
    """Parse a report from its stored form."""
    return _REPORT.validate_json(content)


def _not_made(file_format: StoredFormat, documents: DocumentsAnswer, *, to_guest: bool) -> str:
    what = _NAMES[file_format]
    if documents.state == "failed" and to_guest:
        return f"There is no {what} of this report."
    if documents.state == "failed":
        return f"There is no {what}: {documents.reason} Have it made again."
    return f"The {what} is being made: ask again in a moment."
