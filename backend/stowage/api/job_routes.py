"""Work in the background under /api/v1: sweeps, and the jobs that compute them. Each route calls one use case."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Depends, Query, Response

from stowage.api.admission import changes_job, needs, starts
from stowage.api.following import EventStream, News, followed, news
from stowage.api.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, OVER_QUOTA
from stowage.api.router import ApiRouter
from stowage.api.routes import OnceOnly, Renaming
from stowage.api.services import TeamServices
from stowage.features.alerts import alerts
from stowage.features.catalog import refresh
from stowage.features.sweeps import sweeps
from stowage.features.sweeps.schemas import SweepAnswer, SweepListAnswer
from stowage.features.sweeps.sweep_file import SweepFile
from stowage.features.sweeps.sweeps import NewIds
from stowage.platform.jobs import jobs
from stowage.platform.jobs.job_answers import JobAnswer

router = ApiRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("plans.read")]
Writing = Annotated[TeamServices, needs("plans.write")]
Starting = Annotated[TeamServices, starts("sweep")]
Changing = Annotated[TeamServices, changes_job()]


@router.post("/sweeps", status_code=201, responses=NOT_ACCEPTED | OVER_QUOTA, tags=["sweeps"])
def start_sweep(file: SweepFile, services: Starting, response: Response, key: OnceOnly = None) -> SweepAnswer:
    """Store a sweep and let the workers compute it."""
    sweep = sweeps.start_sweep(
        services.database,
        services.org_id,
        services.queue,
        file,
        ids=NewIds(sweep=key or uuid4(), job=uuid4()),
        asked_by=services.actor.name,
        now=datetime.now(UTC),
    )
    response.headers["Location"] = f"/api/v1/sweeps/{sweep.id}"
    return sweep


@router.get("/sweeps", responses=NOT_ACCEPTED, tags=["sweeps"])
def list_sweeps(
    services: Reading,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
) -> SweepListAnswer:
    """List sweeps, newest first."""
    return sweeps.list_sweeps(services.database, services.org_id, limit=limit, cursor=cursor)


@router.get("/sweeps/{sweep_id}", responses=NOT_FOUND | NOT_ACCEPTED, tags=["sweeps"])
def read_sweep(sweep_id: UUID, services: Reading) -> SweepAnswer:
    """Read a sweep with the cells that are computed so far."""
    return sweeps.read_sweep(services.database, services.org_id, sweep_id)


@router.patch("/sweeps/{sweep_id}", responses=NOT_FOUND | NOT_ACCEPTED, tags=["sweeps"])
def rename_sweep(sweep_id: UUID, renaming: Renaming, services: Writing) -> SweepAnswer:
    """Give a sweep another name."""
    return sweeps.rename_sweep(services.database, services.org_id, sweep_id, renaming.name)


@router.delete("/sweeps/{sweep_id}", status_code=204, responses=NOT_FOUND | NOT_ACCEPTED, tags=["sweeps"])
def delete_sweep(sweep_id: UUID, services: Writing) -> None:
    """Remove a sweep and end its job; for 30 days it can be brought back."""
    sweeps.delete_sweep(services.database, services.org_id, services.queue, sweep_id, datetime.now(UTC))


@router.post("/sweeps/{sweep_id}/restore", responses=NOT_FOUND | NOT_ACCEPTED, tags=["sweeps"])
def restore_sweep(sweep_id: UUID, services: Writing) -> SweepAnswer:
    """Bring a removed sweep back, with what was computed of it."""
    return sweeps.restore_sweep(services.database, services.org_id, sweep_id)


@router.get("/jobs/{job_id}", responses=NOT_FOUND | NOT_ACCEPTED, tags=["jobs"])
def read_job(job_id: UUID, services: Reading) -> JobAnswer:
    """Say how far a job is."""
    return jobs.read_job(services.database, services.org_id, job_id)


@router.post("/jobs/{job_id}/cancel", responses=NOT_FOUND | NOT_ACCEPTED, tags=["jobs"])
def cancel_job(job_id: UUID, services: Changing) -> JobAnswer:
    """End a job; what is stored of its results stays."""
    return jobs.cancel_job(services.database, services.org_id, services.queue, job_id)


@router.post("/jobs/{job_id}/retry", responses=NOT_FOUND | CONFLICT | NOT_ACCEPTED, tags=["jobs"])
def retry_job(job_id: UUID, services: Changing) -> JobAnswer:
    """Go on with what a failed or cancelled job still lacks."""
    kind = jobs.kind_of(services.database, services.org_id, job_id)
    if kind == "alert":
        now = datetime.now(UTC)
        return alerts.retry(services.database, services.gate, services.org_id, services.queue, job_id, now=now)
    if kind == "refresh":
        return refresh.retry_refresh(services.database, services.org_id, services.queue, job_id)
    return jobs.retry_job(services.database, services.org_id, services.queue, job_id)


def _job(job_id: UUID, services: Reading) -> JobAnswer:
    return jobs.read_job(services.database, services.org_id, job_id)


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
    job: Annotated[JobAnswer, Depends(_job)], heard: Annotated[News, Depends(_heard)], services: Reading
) -> EventStream:
    """Follow a job: each event is the whole of it, so that a reconnect loses nothing; the last has its end."""

    def read() -> JobAnswer:
        return jobs.read_job(services.database, services.org_id, job.id)

    return followed("job", read, heard, services)
