"""Work in the background under /api/v1: sweeps, and the jobs that compute them. Each route calls one use case."""

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Depends, Query, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from stowage.api.admission import needs
from stowage.api.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.api.routes import OnceOnly, Renaming
from stowage.api.services import TeamServices
from stowage.jobs.changes import changes
from stowage.usecases import jobs, sweeps
from stowage.usecases.errors import NotFound
from stowage.usecases.job_answers import JobAnswer, SweepAnswer, SweepListAnswer
from stowage.usecases.sweep_file import SweepFile
from stowage.usecases.sweeps import NewIds

router = APIRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("plans.read")]
Writing = Annotated[TeamServices, needs("plans.write")]

_LOOK_EVERY_S = 1.0
_ADMIT_EVERY_S = 10.0
"""How long a stream goes on after its session has ended, or its person was taken out of the team."""
_RECONNECT_MS = 1_000
_ENDED = ("done", "failed", "cancelled")


@router.post("/sweeps", status_code=201, responses=NOT_ACCEPTED, tags=["sweeps"])
def start_sweep(file: SweepFile, services: Writing, response: Response, key: OnceOnly = None) -> SweepAnswer:
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
def cancel_job(job_id: UUID, services: Writing) -> JobAnswer:
    """End a job; what is stored of its results stays."""
    return jobs.cancel_job(services.database, services.org_id, services.queue, job_id)


@router.post("/jobs/{job_id}/retry", responses=NOT_FOUND | CONFLICT | NOT_ACCEPTED, tags=["jobs"])
def retry_job(job_id: UUID, services: Writing) -> JobAnswer:
    """Go on with what a failed or cancelled job still lacks."""
    return jobs.retry_job(services.database, services.org_id, services.queue, job_id)


def _job(job_id: UUID, services: Reading) -> JobAnswer:
    return jobs.read_job(services.database, services.org_id, job_id)


@router.get(
    "/jobs/{job_id}/events",
    responses=NOT_FOUND | NOT_ACCEPTED,
    tags=["jobs"],
    response_class=EventSourceResponse,
)
async def job_events(job: Annotated[JobAnswer, Depends(_job)], services: Reading) -> AsyncIterator[ServerSentEvent]:
    """Follow a job: each event is the whole of it, so that a reconnect loses nothing; the last has its end."""
    latest: JobAnswer | None = None
    asked_at = time.monotonic()
    async with changes(services.queue.url, job.id, at_least_every_s=_LOOK_EVERY_S) as heard:
        async for _ in heard:
            if services.stopping.is_set():
                return
            if time.monotonic() - asked_at >= _ADMIT_EVERY_S:
                if not await run_in_threadpool(services.admitted):
                    return
                asked_at = time.monotonic()
            try:
                now = await run_in_threadpool(jobs.read_job, services.database, services.org_id, job.id)
            except NotFound:
                # With the team that it was of.
                return
            if now != latest:
                yield ServerSentEvent(event="job", data=now, retry=_RECONNECT_MS)
                latest = now
            if now.state in _ENDED:
                return
