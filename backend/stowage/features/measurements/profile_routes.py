"""Routes for a team's profiles under /api/v1. Each route calls one service."""

from typing import Annotated, Literal

from fastapi import Path, Query

from stowage.features.measurements import profile_views
from stowage.features.measurements.profile_answers import (
    ChangeListAnswer,
    ProfileAnswer,
    ProfileListAnswer,
    RecipeListAnswer,
)
from stowage.web.admission import needs
from stowage.web.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["profiles"], responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("measurements.read")]
Named = Annotated[str | None, Query(max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]


@router.get("/profiles", responses=NOT_ACCEPTED)
def list_profiles(services: Reading) -> ProfileListAnswer:
    """List the team's profile of each target, with published values for comparison."""
    return profile_views.list_profiles(services.database, services.org_id)


@router.get("/profiles/{key}", responses=NOT_ACCEPTED)
def read_profile(
    key: Annotated[str, Path(max_length=100, pattern=r"^[A-Za-z0-9._-]+$")], services: Reading
) -> ProfileAnswer:
    """Return a profile with its measurements."""
    return profile_views.read_profile(services.database, services.org_id, key)


@router.get("/changes", responses=NOT_ACCEPTED)
def list_changes(services: Reading, only: Literal["regressions", "improvements"] | None = None) -> ChangeListAnswer:
    """List changes of rates, newest first."""
    wanted: dict[str | None, Literal["regression", "improvement"]] = {
        "regressions": "regression",
        "improvements": "improvement",
    }
    return profile_views.list_changes(services.database, services.org_id, wanted.get(only))


@router.get("/recipes", responses=NOT_ACCEPTED)
def list_recipes(services: Reading, instance: Named = None, region: Named = None) -> RecipeListAnswer:
    """List commands for reliable measurements, each with its duration and, if an instance type is given, its price."""
    return profile_views.list_recipes(services.database, instance, region)
