"""Routes for the team's price terms under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated

from stowage.features.calibration.price_terms import setting
from stowage.features.calibration.price_terms.schemas import NewPriceTerms, PriceTermsAnswer
from stowage.web.admission import needs
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["team"], responses=NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN)


@router.get("/price-terms")
def read_price_terms(services: Annotated[TeamServices, needs("team.read")]) -> PriceTermsAnswer:
    """Return the team's price terms with their history."""
    return setting.read_terms(services.database, services.org_id)


@router.put("/price-terms", responses=CONFLICT)
def set_price_terms(terms: NewPriceTerms, services: Annotated[TeamServices, needs("team.write")]) -> PriceTermsAnswer:
    """Set the team's price terms.

    All prices of the team's answers include these discounts from now on. Saved plans and published reports do not
    change.
    """
    now = datetime.now(UTC)
    return setting.set_terms(services.database, services.org_id, terms, person=services.actor.name, now=now)
