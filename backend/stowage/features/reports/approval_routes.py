"""Routes of approvals of reports under /api/v1. Each route calls one use case, and returns the report."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Request

from stowage.features.reports import approvals, reports
from stowage.features.reports.schemas import ApprovalDecision, NewApproval, ReportAnswer
from stowage.web.addresses import page_address
from stowage.web.admission import needs
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["reports"], responses=NOT_FOUND | NOT_SIGNED_IN | NOT_ACCEPTED | CONFLICT)

Writing = Annotated[TeamServices, needs("reports.write")]
Approving = Annotated[TeamServices, needs("reports.approve")]


@router.post("/reports/{report_id}/approval", status_code=201)
def request_approval(report_id: UUID, asked: NewApproval, request: Request, services: Writing) -> ReportAnswer:
    """Request the approval of a report from a member, who gets a mail."""
    approvals.request_approval(
        services.database,
        services.org_id,
        services.asker,
        report_id,
        asked,
        notice=approvals.Notice(services.outside.mail, page_address(request, services)),
        now=datetime.now(UTC),
    )
    return reports.read_report(services.database, services.org_id, report_id)


@router.put("/reports/{report_id}/approval")
def decide_approval(report_id: UUID, asked: ApprovalDecision, request: Request, services: Approving) -> ReportAnswer:
    """Approve or refuse a report, as the person who is asked."""
    approvals.decide_approval(
        services.database,
        services.org_id,
        services.queue,
        services.asker,
        report_id,
        asked,
        notice=approvals.Notice(services.outside.mail, page_address(request, services)),
        now=datetime.now(UTC),
    )
    return reports.read_report(services.database, services.org_id, report_id)
