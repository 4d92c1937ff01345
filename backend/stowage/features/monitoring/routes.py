"""Routes of monitored volumes and CloudWatch metrics under /api/v1."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query

from stowage.features.monitoring import watches
from stowage.features.monitoring.schemas import MetricsAnswer, NewWatch, WatchAnswer, WatchListAnswer
from stowage.web.admission import needs
from stowage.web.parameters import Cursor, PageLimit
from stowage.web.responses import CONFLICT, TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["watches"], responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("runs.read")]
Writing = Annotated[TeamServices, needs("runs.write")]
Points = Annotated[int, Query(ge=1, le=watches.MOST_STEPS, description="Steps of the chart, at most.")]


@router.get("/watches")
def list_watches(
    services: Reading,
    limit: PageLimit = 50,
    cursor: Cursor = None,
    ended: Annotated[bool, Query(description="Whether those that ended are listed too.")] = False,  # noqa: FBT002 - a query
) -> WatchListAnswer:
    """Return monitored volumes, newest first."""
    return watches.list_watches(
        services.database, services.org_id, ended=ended, limit=limit, cursor=cursor, now=datetime.now(UTC)
    )


@router.post("/watches", status_code=201, responses=CONFLICT)
def add_watch(new: NewWatch, services: Writing) -> WatchAnswer:
    """Start to monitor a volume of a connected account."""
    return watches.add(services.database, services.org_id, new, by=services.actor.name, now=datetime.now(UTC))


@router.get("/watches/{watch_id}")
def read_watch(watch_id: UUID, services: Reading) -> WatchAnswer:
    """Return a monitored volume with its latest metrics."""
    return watches.read(services.database, services.org_id, watch_id, now=datetime.now(UTC))


@router.delete("/watches/{watch_id}", status_code=204)
def end_watch(watch_id: UUID, services: Writing) -> None:
    """Stop monitoring a volume; its metrics are kept."""
    watches.end(services.database, services.org_id, watch_id, now=datetime.now(UTC))


@router.get("/watches/{watch_id}/series")
def read_watch_series(
    watch_id: UUID,
    services: Reading,
    start: Annotated[datetime | None, Query(alias="from", description="Six hours before the end, unless said.")] = None,
    end: Annotated[datetime | None, Query(alias="to", description="Now, unless said.")] = None,
    points: Points = 400,
) -> MetricsAnswer:
    """Return the CloudWatch metrics of a volume, with the burst-credit balance that the model expects."""
    return watches.read_series(
        services.database, services.org_id, watch_id, start=start, end=end, most=points, now=datetime.now(UTC)
    )


@router.get("/runs/{run_id}/metrics")
def read_run_metrics(run_id: UUID, services: Reading, points: Points = 400) -> MetricsAnswer:
    """Return the CloudWatch metrics of a run, each combined over the run's volumes or nodes."""
    return watches.read_run_metrics(services.database, services.org_id, run_id, most=points, now=datetime.now(UTC))
