"""Reading and setting of a team's price terms."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from stowage.features.calibration.price_terms import store
from stowage.features.calibration.price_terms.schemas import (
    ExamplePrice,
    NewPriceTerms,
    PriceTermsAnswer,
    TermsOfTime,
)
from stowage.features.catalog.catalogs import newest_catalog
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog
from stowage.model.money.price import emr_fee
from stowage.model.money.price_terms import Service
from stowage.platform.database.database import Database
from stowage.platform.database.rows import lock_team
from stowage.platform.errors import Conflict

_SHOWN = 50
_MOST_A_TEAM = 1_000
_EXAMPLES = ("r8gd.16xlarge", "i3.8xlarge")
"""Instance types for the examples: of each price, the first that has it."""
_INSTANCE_PRICES: tuple[tuple[str, Service, str], ...] = (
    ("", "on_demand", "usd_per_hour"),
    (", Spot", "spot", "spot_usd_per_hour"),
    (", 1-year commitment", "commitments", "one_year_usd_per_hour"),
    (", 3-year commitment", "commitments", "three_year_usd_per_hour"),
)


def read_terms(database: Database, org_id: UUID) -> PriceTermsAnswer:
    """Return the team's price terms with their history, and published prices to show their effect."""
    with database.transaction(org_id) as connection:
        rows = store.newest(connection, _SHOWN)
    catalog = newest_catalog(database)
    return PriceTermsAnswer(
        history=[TermsOfTime.from_fields(row, details=row.terms.details) for row in rows],
        examples=list(_examples(catalog)),
        region=catalog.region,
    )


def set_terms(database: Database, org_id: UUID, new: NewPriceTerms, *, person: str, now: datetime) -> PriceTermsAnswer:
    """Set the team's price terms; they apply to all answers from now on.

    Terms that already apply are not stored again.

    Raises
    ------
    Conflict
        The team has changed its terms too often.
    """
    percents = new.percents()
    with database.transaction(org_id) as connection:
        lock_team(connection, "price terms")
        last = next(iter(store.newest(connection, 1)), None)
        before = {"overall": 0.0} if last is None else last.percents
        if percents != before:
            if store.count(connection) >= _MOST_A_TEAM:
                raise Conflict(f"The price terms have been changed {_MOST_A_TEAM:,} times, the most that is stored.")
            store.add(connection, percents, person=person, now=now)
    return read_terms(database, org_id)


def _examples(catalog: Catalog) -> Iterator[ExamplePrice]:
    """Yield published prices of each service, as far as the catalog has them."""
    types = [catalog.instance_types[name] for name in _EXAMPLES if name in catalog.instance_types]
    for words, service, field in _INSTANCE_PRICES:
        priced = ((each.name, getattr(each, field)) for each in types)
        name, figure = next(((name, price) for name, price in priced if price is not None), ("", None))
        yield from _example(f"{name}{words}", service, figure)
    volume = catalog.volume_types.get("gp3")
    yield from _example("EBS gp3", "ebs", None if volume is None else volume.usd_per_gib_month)
    yield from _example("S3 Standard, first 50 TB", "s3", catalog.object_prices.stored[0])
    yield from _example("Traffic between zones, each direction", "data_transfer", catalog.between_zones)
    for instance in types[:1]:
        if instance.usd_per_hour is not None:
            fee = emr_fee(instance.usd_per_hour.value)
            yield from _example(f"EMR fee of {instance.name} (estimated)", "emr", fee)


def _example(name: str, service: Service, figure: Figure | None) -> Iterator[ExamplePrice]:
    if figure is not None:
        yield ExamplePrice(name=name, service=service, usd=figure.value, unit=figure.unit)
