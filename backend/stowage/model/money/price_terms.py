"""Price terms: discounts that a customer has agreed with AWS, by service."""

import re
from datetime import date
from typing import Literal, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.complete import Checked
from stowage.model.figure import Figure

Service: TypeAlias = Literal["on_demand", "spot", "commitments", "ebs", "s3", "data_transfer", "emr"]
"""Service with a discount of its own. ``on_demand`` includes the surcharge for a dedicated EBS link."""

Price = TypeVar("Price", float, NDArray[np.float64])

SERVICES: tuple[Service, ...] = get_args(Service)

LARGEST_PERCENT = 95.0
"""Largest discount [%]."""

IN_WORDS: dict[Service, str] = {
    "on_demand": "EC2 on-demand",
    "spot": "EC2 Spot",
    "commitments": "EC2 commitments",
    "ebs": "EBS",
    "s3": "S3",
    "data_transfer": "data transfer",
    "emr": "EMR fee",
}
"""Names of the services."""


@frozen
class PriceTerms(Checked):
    """Discounts on published prices.

    Raises
    ------
    ValueError
        A discount is not from 0 to `LARGEST_PERCENT`.

    Examples
    --------
    >>> terms = PriceTerms(overall=12.0, ebs=20.0)
    >>> terms.percent("on_demand"), terms.percent("ebs"), terms.percent("spot")
    (12.0, 20.0, 0.0)
    """

    overall: float = 0.0
    """Discount on each service that has none of its own, except Spot [%], 0 to 95."""
    on_demand: float | None = None
    """Discount on on-demand instances [%]; None, as below, for the overall discount."""
    spot: float | None = None
    """Discount on Spot instances [%]; None for no discount, as AWS' discount programs exclude Spot."""
    commitments: float | None = None
    """Discount on Savings Plans and Reserved Instances [%]."""
    ebs: float | None = None
    """Discount on EBS volumes [%]."""
    s3: float | None = None
    """Discount on storage and requests of S3 [%]."""
    data_transfer: float | None = None
    """Discount on traffic between availability zones [%]."""
    emr: float | None = None
    """Discount on the EMR fee [%]."""
    since: date | None = None
    """Day on which a team set the terms; None for terms that are given with a single question."""

    def __post_init__(self) -> None:
        for name in ("overall", *SERVICES):
            percent = getattr(self, name)
            if percent is not None and not 0.0 <= percent <= LARGEST_PERCENT:
                raise ValueError(f"{name} {percent!r}: a discount is from 0 to {LARGEST_PERCENT:g} percent")

    def percent(self, service: Service) -> float:
        """Return the discount on a service [%]."""
        own: float | None = getattr(self, service)
        if own is not None:
            return own
        return 0.0 if service == "spot" else self.overall

    def discounted(self, usd: Price, service: Service) -> Price:
        """Return prices after the discount on their service, in the unit of ``usd``."""
        percent = self.percent(service)
        return usd if percent == 0.0 else usd * (1.0 - percent / 100.0)

    @property
    def discounts(self) -> bool:
        """Return whether any service has a discount."""
        return any(self.percent(service) for service in SERVICES)

    @property
    def origin(self) -> str:
        """Origin of the terms in words."""
        return "the price terms given" if self.since is None else f"the team's price terms of {self.since.isoformat()}"

    @property
    def words(self) -> str:
        """Short description, to name the terms beside a sum.

        Examples
        --------
        >>> PriceTerms(overall=12.0).words, PriceTerms(overall=12.0, ebs=20.0).words
        ('12% discount', 'discounts up to 20%')
        """
        percents = {self.percent(service) for service in SERVICES if service != "spot"}
        if len(percents) == 1 and self.percent("spot") in {0.0, *percents}:
            return f"{max(percents):g}% discount"
        return f"discounts up to {max(*percents, self.percent('spot')):g}%"

    @property
    def details(self) -> str:
        """Discounts by service.

        Examples
        --------
        >>> PriceTerms(overall=12.0, ebs=20.0, s3=0.0).details
        '12% on EC2 on-demand, EC2 commitments, data transfer and EMR fee; 20% on EBS; none on EC2 Spot and S3'
        """
        services: dict[float, list[str]] = {}
        for service in SERVICES:
            services.setdefault(self.percent(service), []).append(IN_WORDS[service])
        without = services.pop(0.0, [])
        parts = [f"{percent:g}% on {_listed(names)}" for percent, names in services.items()]
        return "; ".join([*parts, *([f"none on {_listed(without)}"] if without else [])])

    def apply(self, price: Figure, service: Service) -> Figure:
        """Return a price after the discount on its service.

        Its source names the price before the discount.

        Examples
        --------
        >>> published = Figure("usd_per_hour", 1.0, "USD/h", "price list", "published", date(2026, 11, 1))
        >>> PriceTerms(overall=12.0).apply(published, "on_demand").source
        'published 1 USD/h, less 12% by the price terms given; price list'
        """
        percent = self.percent(service)
        if percent == 0.0:
            return price
        source = f"{price.kind} {price.value:.10g} {price.unit}, less {percent:g}% by {self.origin}; {price.source}"
        value = self.discounted(price.value, service)
        return Figure(price.quantity, value, price.unit, source, "given", price.as_of)


_BEFORE = re.compile(r"^[a-z]+ [0-9.e+-]+ USD[^,]*, (less [0-9.]+% by )")


def without_published_price(source: str) -> str:
    """Return the source of a discounted price without the published price, so that many prices share one source.

    Other sources are returned unchanged.

    Examples
    --------
    >>> without_published_price("published 1 USD/h, less 12% by the price terms given; price list")
    'less 12% by the price terms given; price list'
    """
    return _BEFORE.sub(r"\1", source)


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
