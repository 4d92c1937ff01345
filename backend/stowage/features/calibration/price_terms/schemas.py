"""Requests and answers about a team's price terms."""

from datetime import datetime

from stowage.model.money.price_terms import SERVICES, PriceTerms, Service
from stowage.platform.described import Answer, RequestBody
from stowage.platform.written import Discount, discount_percent


class NewPriceTerms(RequestBody):
    """Discounts on published prices. A service that is left out has the overall discount; Spot then has none."""

    overall: Discount = "none"
    on_demand: Discount | None = None
    spot: Discount | None = None
    commitments: Discount | None = None
    ebs: Discount | None = None
    s3: Discount | None = None
    data_transfer: Discount | None = None
    emr: Discount | None = None

    def percents(self) -> dict[str, float]:
        """Return the discounts that are set as fields of `PriceTerms` [%]."""
        written = {name: getattr(self, name) for name in ("overall", *SERVICES)}
        return {name: discount_percent(text) for name, text in written.items() if text is not None}


class ExamplePrice(Answer):
    """A published price, to show the effect of price terms."""

    name: str
    service: Service
    usd: float
    unit: str
    """As in `USD/h`."""


class TermsOfTime(Answer):
    """Price terms that a team set at one time. They applied until the next ones were set."""

    terms: PriceTerms
    words: str
    details: str
    """Discounts by service."""
    person: str
    """Name of the person who set them, at that time."""
    created_at: datetime


class PriceTermsAnswer(Answer):
    """Price terms of a team."""

    history: list[TermsOfTime]
    """The last 50 changes, newest first; the first one applies now. Empty if the team never had terms."""
    examples: list[ExamplePrice]
    """Published prices in one region of the newest catalog."""
    region: str
    """Region of the examples."""
