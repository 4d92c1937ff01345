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
from stowage.web.responses import TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["profiles"], responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("measurements.read")]
Named = Annotated[str | None, Query(max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]


@router.get("/profiles")
def list_profiles(services: Reading) -> ProfileListAnswer:
    """List the team's profiles, one per target (measured hardware), with published values for comparison."""
    return profile_views.list_profiles(services.database, services.org_id)


@router.get("/profiles/{key}")
def read_profile(
    key: Annotated[str, Path(max_length=100, pattern=r"^[A-Za-z0-9._-]+$")], services: Reading
) -> ProfileAnswer:
    """Return a profile with its measurements."""
    return profile_views.read_profile(services.database, services.org_id, key)


@router.get("/changes")
def list_changes(services: Reading, only: Literal["regressions", "improvements"] | None = None) -> ChangeListAnswer:
    """List changes of rates, newest first."""
    wanted: dict[str | None, Literal["regression", "improvement"]] = {
        "regressions": "regression",
        "improvements": "improvement",
    }
    return profile_views.list_changes(services.database, services.org_id, wanted.get(only))


@router.get("/recipes")
def list_recipes(services: Reading, instance: Named = None, region: Named = None) -> RecipeListAnswer:
    """List commands for reliable measurements, each with its duration.

    If an instance type is given, each command also has its price.
    """
    return profile_views.list_recipes(services.database, instance, region)
