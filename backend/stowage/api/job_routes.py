"""Routes for background jobs: reading, cancelling, retrying and following a job."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Depends

from stowage.features.alerts import alerts
from stowage.features.catalog import refresh
from stowage.platform.jobs import jobs
from stowage.platform.jobs.job import Job
from stowage.web.admission import changes_job, needs
from stowage.web.following import EventStream, News, followed, news
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, OVER_QUOTA
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("plans.read")]
Changing = Annotated[TeamServices, changes_job()]


@router.get("/jobs/{job_id}", responses=NOT_FOUND | NOT_ACCEPTED, tags=["jobs"])
def read_job(job_id: UUID, services: Reading) -> Job:
    """Return a job with its progress."""
    return jobs.read_job(services.database, services.org_id, job_id)


@router.post("/jobs/{job_id}/cancel", responses=NOT_FOUND | NOT_ACCEPTED, tags=["jobs"])
def cancel_job(job_id: UUID, services: Changing) -> Job:
    """Cancel a job; its stored results stay."""
    return jobs.cancel_job(services.database, services.org_id, services.queue, job_id)


@router.post("/jobs/{job_id}/retry", responses=NOT_FOUND | CONFLICT | NOT_ACCEPTED, tags=["jobs"])
def retry_job(job_id: UUID, services: Changing) -> Job:
    """Resume a failed or cancelled job."""
    kind = jobs.kind_of(services.database, services.org_id, job_id)
    if kind == "alert":
        now = datetime.now(UTC)
        return alerts.retry(services.database, services.gate, services.org_id, services.queue, job_id, now=now)
    if kind == "refresh":
        return jobs.retry_job(services.database, services.org_id, services.queue, job_id, refresh.demand_newest)
    return jobs.retry_job(services.database, services.org_id, services.queue, job_id)


async def _heard(job_id: UUID, services: Reading) -> AsyncIterator[News]:
    async with news(job_id, services) as heard:
        yield heard


@router.get(
    "/jobs/{job_id}/events",
    responses=NOT_FOUND | NOT_ACCEPTED | OVER_QUOTA,
    tags=["jobs"],
    response_class=EventStream,
)
def job_events(
    job: Annotated[Job, Depends(read_job)], heard: Annotated[News, Depends(_heard)], services: Reading
) -> EventStream:
    """Stream the changes of a job as server-sent events.

    Each event has the whole state of the job, so a reconnect loses nothing. The last event has the final state.
    """
    read = partial(jobs.read_job, services.database, services.org_id, job.id)
    return followed("job", read, heard, services)
