"""Routes for catalog refreshes from AWS. Each calls one use case."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Body, Response
from pydantic import ConfigDict, Field

from stowage.features.catalog import refresh
from stowage.features.catalog.refresh_answers import RefreshAnswer
from stowage.platform.described import Described
from stowage.platform.jobs.job import Job
from stowage.web.admission import needs, starts
from stowage.web.responses import TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["catalogs"], responses=TEAM_REFUSALS)

Knowing = Annotated[TeamServices, needs("catalog.read")]
Refreshing = Annotated[TeamServices, starts("refresh")]


class RefreshRequest(Described):
    """Request to refresh the catalog from AWS for some regions."""

    model_config = ConfigDict(extra="forbid")

    regions: Annotated[list[Annotated[str, Field(max_length=40)]], Field(min_length=1, max_length=100)] | None = None
    """Names of regions in the newest catalog; by default those of the schedule."""


@router.post("/catalogs/refresh", status_code=202)
def start_refresh(
    services: Refreshing, response: Response, request: Annotated[RefreshRequest | None, Body()] = None
) -> Job:
    """Refresh the catalog from AWS; if a refresh is in progress, return that refresh."""
    named = None if request is None else request.regions
    job = refresh.start_refresh(
        services.database,
        services.org_id,
        services.queue,
        services.outside.refresh.regions if named is None else named,
        asked_by=services.actor.name,
        now=datetime.now(UTC),
    )
    response.headers["Location"] = f"/api/v1/jobs/{job.id}"
    return job


@router.get("/catalogs/refresh")
def read_refresh(services: Knowing) -> RefreshAnswer:
    """Return the result of the last refresh, and the requirements of the next refresh.

    The job of the refresh is null for all teams except the team that runs the service.
    """
    runs_it = services.outside.org_ids["local"]
    answer = refresh.read_refresh(services.database, runs_it, services.queue, services.outside.refresh)
    return answer if services.org_id == runs_it else answer.model_copy(update={"job": None})
