"""Queries of published reports, their files, and the counts of their comments."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Text, cast, delete, func, select, true, tuple_, update
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.reports.tables import StoredFormat, report, report_comment, report_file
from stowage.model.report import ReportKind
from stowage.platform.database.columns import columns_of
from stowage.platform.database.tables import job


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report of one team.

    Parameters
    ----------
    id : UUID
    name : str
        Its title.
    sentence : str
    kind : ReportKind
    origins : sequence of str
        Names of the origins at the time of publication.
    author : str
        Name of the author at the time of publication.
    content : str
        The report as JSON, byte for byte.
    digest : str
        SHA-256 of the content.
    deployable : sequence of mapping
        Configurations in it that can be deployed.
    replaces : UUID or None
        The older report that it replaces.
    job_id : UUID
        The job that builds its files.
    created_at : datetime
        With a time zone.
    """

    id: UUID
    name: str
    sentence: str
    kind: ReportKind
    origins: Sequence[str]
    author: str
    content: str
    digest: str
    deployable: Sequence[Mapping[str, Any]]
    replaces: UUID | None
    job_id: UUID
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """A report in a list; fields as in `StoredReport`."""

    id: UUID
    name: str
    sentence: str
    kind: ReportKind
    origins: Sequence[str]
    author: str
    replaces: UUID | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Successor:
    """The newest report that replaces another one."""

    id: UUID
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a report.

    Parameters
    ----------
    content : bytes
    digest : str
        SHA-256 of the content.
    """

    content: bytes
    digest: str


def insert(connection: Connection, stored: StoredReport) -> bool:
    """Store a report for the team that the transaction runs for; False where its id is taken.

    Its job must exist when the transaction ends.
    """
    unless_there = insert_unless(report).values(asdict(stored)).on_conflict_do_nothing().returning(report.c.id)
    return connection.execute(unless_there).one_or_none() is not None


def get(connection: Connection, report_id: UUID) -> StoredReport | None:
    """Load a report; None where it does not exist, was deleted, or is another team's."""
    query = select(*columns_of(report, StoredReport)).where(report.c.id == report_id, report.c.deleted_at.is_(None))
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredReport(**row)


def summary(connection: Connection, report_id: UUID) -> ReportSummary | None:
    """Load a report's row for a list; None as for `get`."""
    query = select(*columns_of(report, ReportSummary)).where(report.c.id == report_id, report.c.deleted_at.is_(None))
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else ReportSummary(**row)


def content(connection: Connection, report_id: UUID) -> str | None:
    """Load a report as JSON, also a deleted one; None where it does not exist."""
    return connection.scalar(select(report.c.content).where(report.c.id == report_id))


def list_newest(
    connection: Connection,
    *,
    limit: int,
    before: tuple[datetime, UUID] | None = None,
    words: Sequence[str] = (),
) -> tuple[ReportSummary, ...]:
    """List reports, newest first, one page at a time; as `stowage.features.planning.store.list_newest`.

    Parameters
    ----------
    connection : Connection
    limit : int
    before : tuple of datetime and UUID, optional
    words : sequence of str
        Each must occur in the title, the sentence, the names of the origins, or the author's name.
    """
    newest = (report.c.created_at.desc(), report.c.id.desc())
    query = (
        select(*columns_of(report, ReportSummary)).where(report.c.deleted_at.is_(None)).order_by(*newest).limit(limit)
    )
    searched = func.concat_ws(
        "\n", report.c.name, report.c.sentence, report.c.author, report.c.kind, cast(report.c.origins, Text)
    )
    for word in words:
        query = query.where(searched.icontains(word, autoescape=True))
    if before is not None:
        query = query.where(tuple_(report.c.created_at, report.c.id) < before)
    return tuple(ReportSummary(**row) for row in connection.execute(query).mappings())


def successors(connection: Connection, report_ids: Sequence[UUID]) -> dict[UUID, Successor]:
    """Find the newest successor of each report, directly or through reports in between."""
    later = (
        select(report.c.replaces.label("first"), report.c.id)
        .where(report.c.replaces.in_(report_ids))
        .cte("later", recursive=True)
    )
    later = later.union(select(later.c.first, report.c.id).join(later, report.c.replaces == later.c.id))
    query = (
        select(later.c.first, report.c.id, report.c.name, report.c.created_at)
        .ext(distinct_on(later.c.first))
        .join(later, later.c.id == report.c.id)
        .where(report.c.deleted_at.is_(None))
        .order_by(later.c.first, report.c.created_at.desc(), report.c.id.desc())
    )
    return {row.first: Successor(row.id, row.name, row.created_at) for row in connection.execute(query)}


def set_deleted(connection: Connection, report_id: UUID, deleted_at: datetime | None) -> bool:
    """Mark a report as deleted, or restore it with None; False where it does not exist."""
    return bool(
        connection.execute(update(report).where(report.c.id == report_id).values(deleted_at=deleted_at)).rowcount
    )


def count(connection: Connection) -> int:
    """Count the reports of the team that the transaction runs for."""
    return connection.scalar(select(func.count()).where(report.c.deleted_at.is_(None))) or 0


def delete_all(connection: Connection) -> None:
    """Delete for good all reports of the team that the transaction runs for, and their jobs."""
    _delete(connection, true())


def purge(connection: Connection, deleted_before: datetime) -> None:
    """Delete for good the reports marked as deleted before a time, with their files, comments and jobs."""
    _delete(connection, report.c.deleted_at < deleted_before)


def add_file(connection: Connection, report_id: UUID, file_format: StoredFormat, made: StoredFile) -> bool:
    """Store a file; return False, and change nothing, where it exists."""
    values = {"report_id": report_id, "format": file_format, **asdict(made)}
    added = insert_unless(report_file).values(values).on_conflict_do_nothing().returning(report_file.c.format)
    return connection.execute(added).one_or_none() is not None


def file(connection: Connection, report_id: UUID, file_format: StoredFormat) -> StoredFile | None:
    """Load a file; None where it is not built yet."""
    query = select(*columns_of(report_file, StoredFile)).where(
        report_file.c.report_id == report_id, report_file.c.format == file_format
    )
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredFile(**row)


def files(connection: Connection, report_id: UUID) -> frozenset[StoredFormat]:
    """Return the formats of the stored files."""
    query = select(report_file.c.format).where(report_file.c.report_id == report_id)
    return frozenset(connection.execute(query).scalars())


def comment_counts(connection: Connection, report_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Count the comments on each report; reports without comments are left out."""
    query = (
        select(report_comment.c.report_id, func.count().label("number"))
        .where(report_comment.c.report_id.in_(report_ids))
        .group_by(report_comment.c.report_id)
    )
    return {row.report_id: row.number for row in connection.execute(query)}


def _delete(connection: Connection, which: ColumnElement[bool]) -> None:
    jobs = tuple(connection.execute(delete(report).where(which).returning(report.c.job_id)).scalars())
    connection.execute(delete(job).where(job.c.id.in_(jobs)))
