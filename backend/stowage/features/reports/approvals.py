"""Approval of a report: requested of a person who may approve, and approved or refused by this person.

An approval is of one published report. A newer version of the report has none until it is requested again.

An id that is unknown or of another team raises `NotFound`.
"""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from stowage.features.reports import files as report_files
from stowage.features.reports.schemas import ApprovalAnswer, ApprovalDecision, NewApproval
from stowage.features.reports.store import approvals as store
from stowage.features.reports.store import reports as report_store
from stowage.features.teams.sign_in.store import team
from stowage.frozen import frozen
from stowage.platform import letters
from stowage.platform.access import DENIED, GRANTS, Principal
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.rows import lock_team
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import NewJob
from stowage.platform.jobs.queue import Queue
from stowage.platform.outside import Mailer
from stowage.workloads import wording

MOST_REQUESTS = 20
"""Most requests to approve one report."""
MOST_A_DAY = 50
"""Most requests to one member in 24 hours; each is mailed at once."""
_LOCK = "stowage.report_approvals"


@frozen
class Notice:
    """Means to notify a member by mail."""

    mail: Mailer | None
    """None if the service sends no mail."""
    page: str
    """Address of the web page, without a slash at the end."""


def request_approval(
    database: Database,
    org_id: UUID,
    principal: Principal,
    report_id: UUID,
    asked: NewApproval,
    *,
    notice: Notice,
    now: datetime,
) -> None:
    """Request the approval of a report from a member, who gets a mail.

    An open request to another member is withdrawn.

    Raises
    ------
    BadInput
        The person is not a member who may approve, or is the one who asks.
    Conflict
        The report is approved already, was replaced, waits for the decision of this member, or its approval was
        requested too often; or this member was asked too often in 24 hours.
    """
    with database.transaction(org_id) as connection:
        lock_team(connection, _LOCK)
        report = report_store.demand_summary(connection, report_id)
        _refuse_replaced(connection, report_id)
        approver = _approver(connection, principal, asked.person_id)
        last = store.latest(connection, [report_id]).get(report_id)
        if last is not None and last.state == "approved":
            raise Conflict(f"The report is approved already, by {last.approver}.")
        _refuse_flood(connection, report_id, approver, now)
        if last is not None and last.state == "requested":
            if last.approver_id == approver.person_id:
                raise Conflict(f"The report waits for the decision of {last.approver} already.")
            store.decide(connection, last.id, "withdrawn", "", now)
        new = store.StoredApproval(
            id=uuid4(),
            report_id=report_id,
            name=report.name,
            requested_by_id=principal.person_id,
            requested_by=principal.name,
            approver_id=approver.person_id,
            approver=approver.name,
            created_at=now,
            state="requested",
            comment="",
            decided_at=None,
        )
        store.add(connection, new)
        address = _address(connection, approver)
    link = f"{notice.page}/reports/{report_id}"
    letter = letters.approval_requested(by=principal.name, report=report.name, link=link)
    letters.send(notice.mail, address, letter)


def decide_approval(
    database: Database,
    org_id: UUID,
    queue: Queue,
    principal: Principal,
    report_id: UUID,
    asked: ApprovalDecision,
    *,
    notice: Notice,
    now: datetime,
) -> None:
    """Approve or refuse a report, as the person who is asked; the person who requested it gets a mail.

    A worker builds a PDF that states the decision.

    Raises
    ------
    BadInput
        The report is refused without a comment.
    Conflict
        The report was replaced, or the request is no longer open.
    NotFound
        The approval was not requested of the caller; the response does not say which.
    """
    if asked.state == "refused" and not asked.comment:
        raise BadInput([Problem("comment", "is missing: say why the report is refused")])
    # The job also builds the files that are missing if the report's own job failed or has not run yet.
    job = NewJob(uuid4(), "document", report_id, principal.name, now, report_files.STEPS)
    with database.transaction(org_id) as connection:
        lock_team(connection, _LOCK)
        report_store.demand_summary(connection, report_id)
        last = store.latest(connection, [report_id]).get(report_id)
        if last is None or last.approver_id != principal.person_id:
            raise NotFound(DENIED)
        _refuse_replaced(connection, report_id)
        if not store.decide(connection, last.id, asked.state, asked.comment, now):
            raise Conflict(f"The report is {last.state} already.")
        job_store.insert(connection, job)
        requester = team.member(connection, last.requested_by_id)
        address = None if requester is None else _address(connection, requester)
    jobs.enqueue(database, org_id, queue, job.id, "document")
    letter = letters.approval_decided(
        by=principal.name,
        report=last.name,
        decision=asked.state,
        comment=asked.comment,
        link=f"{notice.page}/reports/{report_id}",
    )
    letters.send(notice.mail, address, letter)


def answer_of(approval: store.Approval | None, *, to_guest: bool = False) -> ApprovalAnswer | None:
    """Return an approval as the team sees it, or as a guest does: without ids and comment."""
    if approval is None:
        return None
    return ApprovalAnswer(
        state=approval.state,
        requested_by=approval.requested_by,
        requested_at=approval.created_at,
        approver=approval.approver,
        approver_id=None if to_guest else approval.approver_id,
        decided_at=approval.decided_at,
        comment="" if to_guest else approval.comment,
        sentence=report_files.approval_words(approval),
    )


def _approver(connection: Connection, principal: Principal, person_id: UUID) -> team.Member:
    if person_id == principal.person_id:
        raise BadInput([Problem("person_id", "is your own; accepted: another member who may approve")])
    member = team.member(connection, person_id)
    if member is None or "reports.approve" not in GRANTS[member.role]:
        raise BadInput([Problem("person_id", "is not that of a member who may approve; accepted: a planner or owner")])
    return member


def _refuse_flood(connection: Connection, report_id: UUID, approver: team.Member, now: datetime) -> None:
    if store.count(connection, report_id) >= MOST_REQUESTS:
        raise Conflict(f"The approval of this report was requested {MOST_REQUESTS} times; publish a newer version.")
    if store.count_of(connection, approver.person_id, now - timedelta(days=1)) >= MOST_A_DAY:
        raise Conflict(f"{approver.name} was asked for {MOST_A_DAY} approvals within 24 hours; ask another member.")


def _address(connection: Connection, member: team.Member) -> str | None:
    """Return the verified address of a member; None if there is none."""
    return member.email if member.email is not None and team.is_verified(connection, member.email) else None


def _refuse_replaced(connection: Connection, report_id: UUID) -> None:
    after = report_store.successors(connection, [report_id]).get(report_id)
    if after is not None:
        when = wording.moment(after.created_at)
        raise Conflict(f"A newer version replaced this report on {when}; its approval is requested there.")
