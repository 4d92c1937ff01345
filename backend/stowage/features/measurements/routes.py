"""Routes of measurements and verdicts under /api/v1."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query

from stowage.features.measurements import measurements
from stowage.features.measurements.schemas import MeasurementAnswer, MeasurementListAnswer, NewVerdict
from stowage.features.measurements.store.measurements import Wanted
from stowage.features.measurements.tables import VerdictWord
from stowage.measure.tool import Tool
from stowage.platform.written import Key
from stowage.web.admission import needs
from stowage.web.parameters import Cursor, PageLimit
from stowage.web.responses import TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["measurements"], responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("measurements.read")]
Writing = Annotated[TeamServices, needs("measurements.write")]


@router.get("/measurements")
def list_measurements(
    services: Reading,
    limit: PageLimit = 50,
    cursor: Cursor = None,
    search: Annotated[
        str, Query(max_length=200, description="Words that name, tool, target, settings or source must all hold.")
    ] = "",
    tool: Tool | None = None,
    instance: Annotated[Key | None, Query(description="EC2 instance type.")] = None,
    verdict: Annotated[VerdictWord | None, Query(description="That counts.")] = None,
    upload: Annotated[UUID | None, Query(description="The file that they were read from.")] = None,
) -> MeasurementListAnswer:
    """List measurements, newest first."""
    wanted = Wanted(search, tool, instance, verdict, upload)
    return measurements.list_measurements(services.database, services.org_id, wanted, limit=limit, cursor=cursor)


@router.get("/measurements/{measurement_id}")
def read_measurement(measurement_id: UUID, services: Reading) -> MeasurementAnswer:
    """Return a measurement with all details."""
    return measurements.read_measurement(services.database, services.org_id, measurement_id)


@router.post(
    "/measurements/{measurement_id}/verdicts",
    status_code=201,
)
def say_verdict(measurement_id: UUID, verdict: NewVerdict, services: Writing) -> MeasurementAnswer:
    """Add a user's verdict to a measurement; earlier verdicts are kept."""
    return measurements.say_verdict(
        services.database,
        services.org_id,
        measurement_id,
        verdict,
        actor=services.actor,
        now=datetime.now(UTC),
    )
