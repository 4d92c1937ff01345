"""Scheduled sending of a report to named members, weekly or monthly.

Each sending has the newest version of the report, and states which version it is. Mails go to verified addresses of
members only: a team must not mail others in the operator's name. A job of kind `alert` sends them, one part a member.

An id that is unknown or of another team raises `NotFound`.
"""

import logging
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from stowage.features.reports import files as report_files
from stowage.features.reports.schemas import NewSchedule, RecipientAnswer, ScheduleAnswer, ScheduleListAnswer
from stowage.features.reports.store import approvals as approval_store
from stowage.features.reports.store import reports as report_store
from stowage.features.reports.store import schedules as store
from stowage.features.reports.tables import ScheduleEvery
from stowage.features.teams.sign_in.store import team
from stowage.platform import letters
from stowage.platform.access import must_exist
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.rows import lock_team
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import NewJob
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.platform.outside import Attachment, Mailer
from stowage.workloads import amounts

log = logging.getLogger(__name__)

MOST_SCHEDULES = 20
"""Most schedules of one team: with the most recipients, 400 mails a week."""
MOST_NEW_A_DAY = 20
"""Most schedules that a team creates in 24 hours, ended ones included: the first mails are sent at once."""
MOST_AT_ONCE = 50
"""Schedules of all teams that are started at a time."""
LARGEST_ATTACHED = 7_000_000
"""Largest PDF that is attached [bytes]; a larger one is only linked. Many mail servers accept 10 MB, in base64."""
ASKED_BY = "Stowage"


def create_schedule(
    database: Database, org_id: UUID, report_id: UUID, asked: NewSchedule, *, by: str, mail: bool, now: datetime
) -> ScheduleListAnswer:
    """Schedule the sending of a report; it is sent first within a minute.

    Raises
    ------
    BadInput
        The service sends no mail, or a recipient is not a member with a verified address.
    Conflict
        The team has the maximum number of schedules, created too many in 24 hours, or a newer version replaced the
        report.
    """
    with database.transaction(org_id) as connection:
        report = report_store.demand_summary(connection, report_id)
        if not mail:
            raise BadInput([Problem("recipients", "this service sends no mail")])
        if report_id in report_store.successors(connection, [report_id]):
            raise Conflict("A newer version replaced this report: schedule that one.")
        for place, person_id in enumerate(asked.recipients):
            if _address(connection, person_id) is None:
                message = "is not that of a member with a verified e-mail address"
                raise BadInput([Problem(f"recipients.{place}", message)])
        lock_team(connection, "stowage.report_schedules")
        if store.count_open(connection) >= MOST_SCHEDULES:
            raise Conflict(f"The team has {MOST_SCHEDULES} schedules; end one first.")
        if store.count_since(connection, now - timedelta(days=1)) >= MOST_NEW_A_DAY:
            raise Conflict(f"The team created {MOST_NEW_A_DAY} schedules within 24 hours; create more tomorrow.")
        new = store.StoredSchedule(
            id=uuid4(),
            report_id=report_id,
            name=report.name,
            every=asked.every,
            content=asked.content,
            recipients=[str(each) for each in dict.fromkeys(asked.recipients)],
            created_by=by,
            created_at=now,
            next_at=now,
            sent_at=None,
            sent=None,
            ended_at=None,
        )
        store.add(connection, new)
        return _listed(connection, report_id)


def list_schedules(database: Database, org_id: UUID, report_id: UUID) -> ScheduleListAnswer:
    """List the schedules of a report, oldest first."""
    with database.transaction(org_id) as connection:
        report_store.demand_summary(connection, report_id)
        return _listed(connection, report_id)


def end_schedule(
    database: Database, org_id: UUID, report_id: UUID, schedule_id: UUID, now: datetime
) -> ScheduleListAnswer:
    """End a schedule, so that nothing is sent any more."""
    with database.transaction(org_id) as connection:
        store.demand_open(connection, report_id, schedule_id)
        store.change(connection, schedule_id, {"ended_at": now})
        return _listed(connection, report_id)


def stop_for(
    database: Database, org_id: UUID, report_id: UUID, schedule_id: UUID, person_id: UUID, now: datetime
) -> ScheduleListAnswer:
    """Remove a member from the recipients of a schedule; without recipients, the schedule ends."""
    with database.transaction(org_id) as connection:
        found = store.demand_open(connection, report_id, schedule_id)
        must_exist(str(person_id) in found.recipients)
        rest = [each for each in found.recipients if each != str(person_id)]
        store.change(connection, schedule_id, {"recipients": rest} | ({} if rest else {"ended_at": now}))
        return _listed(connection, report_id)


def start_due(gate: Database, database: Database, queue: Queue, now: datetime) -> None:
    """Start the sendings that are due, each once."""
    with gate.transaction(None) as connection:
        due = store.due(connection, MOST_AT_ONCE)
    for org_id, schedule_id in due:
        job_id = _start(database, org_id, schedule_id, now)
        if job_id is not None:
            jobs.enqueue(database, org_id, queue, job_id, "alert")


def send_part(part: ClaimedPart, mail: Mailer | None, page: str | None) -> bool:
    """Mail a report to one member, as one part of a sending.

    Returns False if the job is not of a schedule. A mail that the server does not accept is logged and not repeated:
    one address must not stop the mails to the others. If a worker ends after a mail was accepted and before this is
    stored, the mail is sent a second time.

    Parameters
    ----------
    mail : Mailer or None
        None if the service sends no mail.
    page : str or None
        Address of the web page, without a slash at the end.

    Raises
    ------
    ClaimLost
        The job was cancelled, or another worker has claimed the part.
    """
    with part.database.transaction(part.org_id) as connection:
        found = store.get(connection, part.job.subject_id)
        if found is None or found.sent is None:
            return False
        report_id = UUID(found.sent["report_id"])
        address = _recipient(connection, found, part)
        letter = _letter(connection, found, report_id, page)
    if address is not None and letter is not None:
        attached = _attached(part, report_id) if found.content == "pdf" else None
        if not letters.send(mail, address, letter, attached):
            log.warning("a scheduled report was not mailed to a member")
    with part.database.transaction(part.org_id) as connection:
        job_store.advance(connection, part.claim, 1)
        job_store.finish(connection, part.claim)
    return True


def _start(database: Database, org_id: UUID, schedule_id: UUID, now: datetime) -> UUID | None:
    with database.transaction(org_id) as connection:
        found = store.get(connection, schedule_id, lock=True)
        if found is None or found.ended_at is not None or found.next_at > now:
            return None
        values: dict[str, object] = {"next_at": next_sending(found.every, now)}
        report = report_store.get(connection, found.report_id)
        if report is None:
            # The report was deleted and may be restored; the sending then continues.
            store.change(connection, schedule_id, values)
            return None
        if found.content == "pdf" and report_files.is_being_built(connection, report, "pdf"):
            # Looked for again within a minute, when the PDF may be built.
            return None
        job = NewJob(uuid4(), "alert", schedule_id, ASKED_BY, now, len(found.recipients))
        sent = {"report_id": str(found.report_id), "recipients": list(found.recipients), "job_id": str(job.id)}
        store.change(connection, schedule_id, values | {"sent_at": now, "sent": sent})
        job_store.insert(connection, job, len(found.recipients))
    return job.id


def next_sending(every: ScheduleEvery, now: datetime) -> datetime:
    """Return the time of the next sending: a week later, or on the same day of the next month, up to the 28th."""
    if every == "week":
        return now + timedelta(days=7)
    first = (now.replace(day=1) + timedelta(days=32)).replace(day=1)
    return first.replace(day=min(now.day, 28))


def _recipient(connection: Connection, found: store.StoredSchedule, part: ClaimedPart) -> str | None:
    """Return the address to which a part of a sending is mailed.

    Return None for a member who has stopped the mails, left the team or has no verified address, and for parts of a
    sending that a later one has replaced.
    """
    if found.sent is None or found.sent.get("job_id") != str(part.job.id):
        return None
    person: str = found.sent["recipients"][part.claim.number]
    return _address(connection, UUID(person)) if person in found.recipients and found.ended_at is None else None


def _letter(
    connection: Connection, found: store.StoredSchedule, report_id: UUID, page: str | None
) -> letters.Letter | None:
    """Write the mail about a version of a report; None if the report was deleted meanwhile."""
    report = report_store.get(connection, report_id)
    if report is None:
        return None
    approval = approval_store.latest(connection, [report_id]).get(report_id)
    return letters.scheduled_report(
        report=report.name,
        sentence=report.sentence,
        version=f"{amounts.day(report.created_at.astimezone(UTC).date())}, digest {report.digest[:12]}",
        approval="Not approved." if approval is None else report_files.approval_words(approval),
        every=found.every,
        link=None if page is None else f"{page}/reports/{report_id}",
    )


def _attached(part: ClaimedPart, report_id: UUID) -> Attachment | None:
    """Return the PDF of a report; None if it is too large to attach, or could not be built."""
    try:
        ready = report_files.ready(part.database, part.org_id, report_id, "pdf")
    except (Conflict, NotFound) as error:
        log.warning("a report is sent without its PDF: %s", error)
        return None
    return Attachment("report.pdf", ready.content) if len(ready.content) <= LARGEST_ATTACHED else None


def _address(connection: Connection, person_id: UUID) -> str | None:
    """Return the verified address of a member; None if there is none."""
    member = team.member(connection, person_id)
    if member is None or member.email is None or not team.is_verified(connection, member.email):
        return None
    return member.email


def _listed(connection: Connection, report_id: UUID) -> ScheduleListAnswer:
    names = {str(each.person_id): each.name for each in team.members(connection)}
    return ScheduleListAnswer(
        schedules=[
            ScheduleAnswer(
                id=each.id,
                every=each.every,
                content=each.content,
                recipients=[
                    RecipientAnswer(person_id=UUID(person), name=names.get(person, "a former member"))
                    for person in each.recipients
                ],
                created_by=each.created_by,
                next_at=each.next_at,
                sent_at=each.sent_at,
                sent_report_id=None if each.sent is None else UUID(each.sent["report_id"]),
            )
            for each in store.list_open(connection, report_id)
        ]
    )
