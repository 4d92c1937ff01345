"""Prices of an object store, with sources."""

from datetime import date

from stowage.frozen import frozen
from stowage.model.figure import Figure
from stowage.model.money.price import ObjectStorePrices, Tier


def _s3(quantity: str, value: float, unit: str, what: str) -> Figure:
    source = f"Amazon S3 pricing page, Standard, us-east-1: {what}; taken over on this day"
    return Figure(f"object_store.{quantity}", value, unit, source, "published", date(2026, 11, 20))


@frozen
class ObjectPrices:
    """Prices of one object store, as figures with sources."""

    put: Figure
    """Price of PUT requests [USD per 1,000], at least 0."""
    get: Figure
    """Price of GET requests [USD per 1,000], at least 0."""
    stored: tuple[Figure, ...]
    """Price of storage up to 51,200 GB, up to 512,000 GB, and beyond [USD per GB and month]."""

    def prices(self) -> ObjectStorePrices:
        """Return the prices as numbers."""
        ends_gb = (51_200.0, 512_000.0, float("inf"))
        tiers = tuple(Tier(end_gb, figure.value) for end_gb, figure in zip(ends_gb, self.stored, strict=True))
        return ObjectStorePrices(tiers, self.put.value, self.get.value)


S3_PRICES = ObjectPrices(
    put=_s3("put_usd_per_1000", 0.005, "USD per 1,000", "PUT and POST requests"),
    get=_s3("get_usd_per_1000", 0.0004, "USD per 1,000", "GET requests"),
    stored=(
        _s3("usd_per_gb_month", 0.023, "USD per GB and month", "the first 50 TB a month"),
        _s3("usd_per_gb_month_above_50_tb", 0.022, "USD per GB and month", "the next 450 TB a month"),
        _s3("usd_per_gb_month_above_500_tb", 0.021, "USD per GB and month", "over 500 TB a month"),
    ),
)
