"""Routes of the scheduled sending of reports under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from stowage.features.reports import schedules
from stowage.features.reports.schemas import NewSchedule, ScheduleListAnswer
from stowage.web.admission import needs
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["reports"], responses=NOT_FOUND | NOT_SIGNED_IN | NOT_ACCEPTED)

Reading = Annotated[TeamServices, needs("reports.read")]
Commenting = Annotated[TeamServices, needs("comments.write")]
Writing = Annotated[TeamServices, needs("reports.write")]


@router.get("/reports/{report_id}/schedules")
def list_schedules(report_id: UUID, services: Reading) -> ScheduleListAnswer:
    """List the schedules by which a report is sent."""
    return schedules.list_schedules(services.database, services.org_id, report_id)


@router.post("/reports/{report_id}/schedules", status_code=201, responses=CONFLICT)
def schedule_report(report_id: UUID, asked: NewSchedule, services: Writing) -> ScheduleListAnswer:
    """Schedule the sending of a report by mail; the first one is sent within a minute."""
    return schedules.create_schedule(
        services.database,
        services.org_id,
        report_id,
        asked,
        by=services.actor.name,
        mail=services.outside.mail is not None,
        now=datetime.now(UTC),
    )


@router.delete("/reports/{report_id}/schedules/{schedule_id}")
def end_schedule(report_id: UUID, schedule_id: UUID, services: Writing) -> ScheduleListAnswer:
    """End a schedule."""
    return schedules.end_schedule(services.database, services.org_id, report_id, schedule_id, datetime.now(UTC))


@router.post("/reports/{report_id}/schedules/{schedule_id}/stop")
def stop_schedule_for_me(report_id: UUID, schedule_id: UUID, services: Commenting) -> ScheduleListAnswer:
    """Stop the mails of a schedule to the caller; the other recipients still get them."""
    person_id = services.asker.person_id
    now = datetime.now(UTC)
    return schedules.stop_for(services.database, services.org_id, report_id, schedule_id, person_id, now)
