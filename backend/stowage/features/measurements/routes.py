"""Routes of measurements, verdicts and profiles under /api/v1."""

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Path, Query

from stowage.features.measurements import measurements, profile_views
from stowage.features.measurements import profile_answers as answers
from stowage.features.measurements.schemas import MeasurementAnswer, MeasurementListAnswer, NewVerdict
from stowage.features.measurements.store.measurements import Wanted
from stowage.features.measurements.tables import VerdictWord
from stowage.fields import Key
from stowage.measure.tool import Tool
from stowage.web.admission import needs
from stowage.web.parameters import Cursor, PageLimit
from stowage.web.responses import TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("measurements.read")]
Writing = Annotated[TeamServices, needs("measurements.write")]
Named = Annotated[str | None, Query(max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]


@router.get("/measurements", tags=["measurements"])
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


@router.get("/measurements/{measurement_id}", tags=["measurements"])
def read_measurement(measurement_id: UUID, services: Reading) -> MeasurementAnswer:
    """Return a measurement with all details."""
    return measurements.read_measurement(services.database, services.org_id, measurement_id)


@router.post(
    "/measurements/{measurement_id}/verdicts",
    status_code=201,
    tags=["measurements"],
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


@router.get("/profiles", tags=["profiles"])
def list_profiles(services: Reading) -> answers.ProfileListAnswer:
    """List the team's profiles, one per target (measured hardware), with published values for comparison."""
    return profile_views.list_profiles(services.database, services.org_id)


@router.get("/profiles/{key}", tags=["profiles"])
def read_profile(
    key: Annotated[str, Path(max_length=100, pattern=r"^[A-Za-z0-9._-]+$")], services: Reading
) -> answers.ProfileAnswer:
    """Return a profile with its measurements."""
    return profile_views.read_profile(services.database, services.org_id, key)


@router.get("/changes", tags=["profiles"])
def list_changes(
    services: Reading, only: Literal["regressions", "improvements"] | None = None
) -> answers.ChangeListAnswer:
    """List changes of rates, newest first."""
    wanted: dict[str | None, Literal["regression", "improvement"]] = {
        "regressions": "regression",
        "improvements": "improvement",
    }
    return profile_views.list_changes(services.database, services.org_id, wanted.get(only))


@router.get("/recipes", tags=["profiles"])
def list_recipes(services: Reading, instance: Named = None, region: Named = None) -> answers.RecipeListAnswer:
    """List commands for reliable measurements, each with its duration.

    If an instance type is given, each command also has its price.
    """
    return profile_views.list_recipes(services.database, instance, region)
