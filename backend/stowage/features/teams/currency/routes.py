"""Routes for the team's currency under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated

from stowage.features.teams.currency import setting
from stowage.features.teams.currency.schemas import NewCurrency, TeamCurrencyAnswer
from stowage.web.admission import needs
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["team"], responses=NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN)


@router.get("/currency")
def read_currency(services: Annotated[TeamServices, needs("team.read")]) -> TeamCurrencyAnswer:
    """Return the currency in which the team also sees its sums, with its history."""
    return setting.read_currency(services.database, services.org_id)


@router.put("/currency", responses=CONFLICT)
def set_currency(new: NewCurrency, services: Annotated[TeamServices, needs("team.write")]) -> TeamCurrencyAnswer:
    """Set the currency in which the team also sees its sums, with its rate.

    Computations stay in US dollars. Published reports keep the rate of their time.
    """
    now = datetime.now(UTC)
    return setting.set_currency(services.database, services.org_id, new, person=services.actor.name, now=now)
