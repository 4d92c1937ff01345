"""Queries of approvals of reports, and of the PDFs that state them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, column, select, table
from sqlalchemy.dialects.postgresql import distinct_on

from stowage.features.reports.store.reports import StoredFile
from stowage.features.reports.tables import ApprovalState, report_approval, report_approval_file
from stowage.frozen import frozen
from stowage.model.team import Role
from stowage.platform.database.rows import Rows, read_rows


@frozen
class StoredApproval:
    """A request to approve a report, and the decision on it."""

    id: UUID
    report_id: UUID
    name: str
    """Title of the report."""
    requested_by_id: UUID
    """Person who requested the approval, whose account may have been deleted."""
    requested_by: str
    """Name at the time of the request."""
    approver_id: UUID
    """Person who is asked, whose account may have been deleted."""
    approver: str
    """Name at the time of the request."""
    created_at: datetime
    """Time of the request, with a time zone."""
    state: ApprovalState
    comment: str
    """Comment of the approver; may be empty."""
    decided_at: datetime | None
    """Time of the decision; None while it is open."""


@frozen
class Approval(StoredApproval):
    """A request to approve a report, with the approver's role."""

    role: Role | None
    """Role of the approver in the team now; None if the approver has left it."""


# A table of another feature: only the needed columns are declared here.
_MEMBERSHIP = table("membership", column("org_id"), column("person_id"), column("role"))
_APPROVALS = Rows(report_approval, StoredApproval)
_FILES = Rows(report_approval_file, StoredFile)
add = _APPROVALS.store


def count(connection: Connection, report_id: UUID) -> int:
    """Count the requests to approve a report."""
    return _APPROVALS.count(connection, report_approval.c.report_id == report_id)


def count_of(connection: Connection, approver_id: UUID, since: datetime) -> int:
    """Count the requests to a person since a time, withdrawn and decided ones included."""
    return _APPROVALS.count(
        connection, report_approval.c.approver_id == approver_id, report_approval.c.created_at > since
    )


def latest(connection: Connection, report_ids: Sequence[UUID]) -> dict[UUID, Approval]:
    """Load the newest request of each report. Reports whose approval was never requested are left out."""
    of = report_approval.c.report_id
    is_member = (_MEMBERSHIP.c.org_id == report_approval.c.org_id) & (
        _MEMBERSHIP.c.person_id == report_approval.c.approver_id
    )
    query = (
        select(*_APPROVALS.columns, _MEMBERSHIP.c.role)
        .ext(distinct_on(of))
        .outerjoin(_MEMBERSHIP, is_member)
        .where(of.in_(report_ids), report_approval.c.state != "withdrawn")
        .order_by(of, report_approval.c.created_at.desc(), report_approval.c.id)
    )
    return {each.report_id: each for each in read_rows(connection, query, Approval)}


def decide(connection: Connection, approval_id: UUID, state: ApprovalState, comment: str, now: datetime) -> bool:
    """Store the decision on an open request; return False if it is no longer open."""
    values = {"state": state, "comment": comment, "decided_at": now}
    return _APPROVALS.change(connection, approval_id, values, report_approval.c.state == "requested")


def add_file(connection: Connection, approval_id: UUID, made: StoredFile) -> bool:
    """Store the PDF that states a decision; return False if it is stored already."""
    return _FILES.add(connection, made, report_approval_id=approval_id)


def file(connection: Connection, approval_id: UUID) -> StoredFile | None:
    """Load the PDF that states a decision; None if it is not built yet."""
    return _FILES.find(connection, report_approval_file.c.report_approval_id == approval_id)
