"""Queries of published reports and their files, and counts of their comments."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Text, cast, func, select
from sqlalchemy.dialects.postgresql import distinct_on

from stowage.features.reports.tables import StoredFormat, report, report_comment, report_file
from stowage.frozen import frozen
from stowage.model.report import ReportKind
from stowage.platform.database.lists import NamedObjects
from stowage.platform.database.rows import Rows


@frozen
class ReportSummary:
    """Summary of a report, for display in lists."""

    id: UUID
    name: str
    """Title of the report."""
    sentence: str
    kind: ReportKind
    origins: Sequence[str]
    """Names of the origins at the time of publication."""
    author: str
    """Name of the author at the time of publication."""
    replaces: UUID | None
    """Older report that this report replaces."""
    created_at: datetime
    """Time of creation, with a time zone."""


@frozen
class StoredReport(ReportSummary):
    """A published report of one team."""

    content: str
    """The report as JSON, byte for byte."""
    digest: str
    """SHA-256 of the content."""
    deployable: Sequence[Mapping[str, Any]]
    """Configurations of the report that can be deployed."""
    job_id: UUID
    """Job that builds the report's files."""


@frozen
class Successor:
    """The newest report that replaces another report, directly or through further reports."""

    id: UUID
    name: str
    created_at: datetime


@frozen
class StoredFile:
    """A file of a report."""

    content: bytes
    digest: str
    """SHA-256 of the content."""


REPORTS = NamedObjects(
    "report",
    report,
    StoredReport,
    ReportSummary,
    searched=(report.c.name, report.c.sentence, report.c.author, report.c.kind, cast(report.c.origins, Text)),
    has_job=True,
)
insert, get, demand = REPORTS.add, REPORTS.get, REPORTS.demand
summary, demand_summary = REPORTS.summaries.get, REPORTS.summaries.demand
discard, set_deleted = REPORTS.discard, REPORTS.set_deleted
list_newest, count, delete_all, purge = REPORTS.search, REPORTS.count, REPORTS.delete_all, REPORTS.purge

_ORIGIN = r'"origin":\{"kind":"[a-z]+","object_ids":\[[^]]*\]'
"""Identifiers of the origin in a stored report.

No text of a user matches, because its quotation marks are escaped. PostgreSQL cannot parse all stored reports: their
texts may contain escaped null characters.
"""
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_FILES = Rows(report_file, StoredFile)


def content(connection: Connection, report_id: UUID) -> str | None:
    """Load a report as JSON; None if it does not exist.

    Deleted reports are loaded too.
    """
    return connection.scalar(select(report.c.content).where(report.c.id == report_id))


def plans_of(connection: Connection, report_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """Return the plans that each report was made from. Reports of other objects are left out."""
    origin = func.substring(report.c.content, _ORIGIN)
    query = select(report.c.id, origin).where(report.c.id.in_(report_ids), report.c.kind.in_(("plan", "comparison")))
    return {row[0]: [UUID(each) for each in _ID.findall(row[1] or "")] for row in connection.execute(query)}


def successors(connection: Connection, report_ids: Sequence[UUID]) -> dict[UUID, Successor]:
    """Find the newest successor of each report.

    A successor replaces the report directly or through further reports. Reports without a successor are left out.
    """
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


def add_file(connection: Connection, report_id: UUID, file_format: StoredFormat, made: StoredFile) -> bool:
    """Store a file of a report; return False if a file of this format is already stored."""
    return _FILES.add(connection, made, report_id=report_id, format=file_format)


def file(connection: Connection, report_id: UUID, file_format: StoredFormat) -> StoredFile | None:
    """Load a file of a report; None if the file is not built yet."""
    return _FILES.find(connection, report_file.c.report_id == report_id, report_file.c.format == file_format)


def files(connection: Connection, report_id: UUID) -> frozenset[StoredFormat]:
    """Return the formats of a report's stored files."""
    query = select(report_file.c.format).where(report_file.c.report_id == report_id)
    return frozenset(connection.execute(query).scalars())


def comment_counts(connection: Connection, report_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Count the comments on each report. Reports without comments are left out."""
    query = (
        select(report_comment.c.report_id, func.count().label("number"))
        .where(report_comment.c.report_id.in_(report_ids))
        .group_by(report_comment.c.report_id)
    )
    return {row.report_id: row.number for row in connection.execute(query)}
