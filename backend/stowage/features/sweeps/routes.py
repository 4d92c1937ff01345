"""Routes for sweeps under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Response

from stowage.features.sweeps import sweeps
from stowage.features.sweeps.schemas import SweepAnswer, SweepListAnswer, SweepSizeAnswer
from stowage.features.sweeps.sweep_file import SweepFile
from stowage.features.sweeps.sweeps import NewIds
from stowage.web.admission import needs, starts
from stowage.web.parameters import Cursor, OnceOnly, PageLimit, Renaming
from stowage.web.responses import OVER_QUOTA, TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["sweeps"], responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("plans.read")]
Asking = Annotated[TeamServices, needs("plans.ask")]
Writing = Annotated[TeamServices, needs("plans.write")]
Starting = Annotated[TeamServices, starts("sweep")]


@router.post("/sweeps", status_code=201, responses=OVER_QUOTA)
def start_sweep(file: SweepFile, services: Starting, response: Response, key: OnceOnly = None) -> SweepAnswer:
    """Store a sweep, and queue the job that computes it."""
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


@router.post("/sweeps/check", responses=OVER_QUOTA)
def check_sweep(file: SweepFile, services: Asking) -> SweepSizeAnswer:
    """Check the values of a sweep as `start_sweep` does, without storing it."""
    _, cells = sweeps.check_sweep(services.database, services.org_id, file)
    return SweepSizeAnswer(cells=cells)


@router.get("/sweeps")
def list_sweeps(
    services: Reading,
    limit: PageLimit = 50,
    cursor: Cursor = None,
) -> SweepListAnswer:
    """List sweeps, newest first."""
    return sweeps.list_sweeps(services.database, services.org_id, limit=limit, cursor=cursor)


@router.get("/sweeps/{sweep_id}")
def read_sweep(sweep_id: UUID, services: Reading) -> SweepAnswer:
    """Return a sweep with the cells computed so far."""
    return sweeps.read_sweep(services.database, services.org_id, sweep_id)


@router.patch("/sweeps/{sweep_id}")
def rename_sweep(sweep_id: UUID, renaming: Renaming, services: Writing) -> SweepAnswer:
    """Rename a sweep."""
    return sweeps.rename_sweep(services.database, services.org_id, sweep_id, renaming.name)


@router.delete("/sweeps/{sweep_id}", status_code=204)
def delete_sweep(sweep_id: UUID, services: Writing) -> None:
    """Delete a sweep and cancel its job; it can be restored for 30 days."""
    sweeps.delete_sweep(services.database, services.org_id, services.queue, sweep_id, datetime.now(UTC))


@router.post("/sweeps/{sweep_id}/restore")
def restore_sweep(sweep_id: UUID, services: Writing) -> SweepAnswer:
    """Restore a deleted sweep with its computed cells."""
    return sweeps.restore_sweep(services.database, services.org_id, sweep_id)
