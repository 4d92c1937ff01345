"""AWS' price list and its spot prices as plain figures: what an entry says, in the catalog's units, or why not.

An entry is one string of `PriceList` in an answer of `pricing.get_products`, parsed: a product with its attributes
and, for each way to buy it, terms with dimensions, each of which has a unit and a price. The unit is checked, since it
is not always the one that the description speaks of: throughput of gp3 is priced per GiB/s and described per MiB/s.

**Source**: AWS Billing user guide, "Reading the service price list file for an AWS service" (products, terms,
dimensions) and the Price List API reference, GetProducts; AWS EBS user guide and the Cost and Usage Report's usage
types (``EBS:VolumeUsage.gp3``, ``EBS:VolumeP-IOPS.io2.tier2``, ``EBS:VolumeP-Throughput.gp3``, its unit ``GiBps-mo`` at
40.96 USD = 0.04 USD x 1,024); all as of 2026-11-20.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from stowage.catalog.numbers import NUMBER

T = TypeVar("T")

CURRENCY = "USD"

_MOST_USD = Decimal(1_000_000_000)
"""Of anything: what is above it was not meant."""

_HOURS_A_YEAR = Decimal(8760)
_MIB_PER_GIB = Decimal(1024)
_A_MILLION = Decimal(1_000_000)

_HOURS = {"hrs": Decimal(1), "hours": Decimal(1)}
_GIB_MONTHS = {"gb-mo": Decimal(1), "gb-month": Decimal(1)}
"""AWS writes GB and counts GiB: a volume is asked for, and billed, in GiB."""
_IOPS_MONTHS = {"iops-mo": Decimal(1), "iops-month": Decimal(1)}
_THROUGHPUT_MONTHS = {"gibps-mo": 1 / _MIB_PER_GIB, "mibps-mo": Decimal(1)}
_REQUESTS = {"ios": _A_MILLION}
_GB = {"gb": Decimal(1)}

_VOLUMES = {"piops": "io1", "": "standard"}
"""Names of volume types in usage types, where they are others than in the API."""

_USAGE = re.compile(
    r"(?:[A-Z0-9]+-)?EBS:"
    r"(VolumeUsage|VolumeP-IOPS|VolumeP-Throughput|VolumeIOUsage|SnapshotUsage)(?:\.(.+))?"
)
_REGIONAL_BYTES = re.compile(r"(?:[A-Z0-9]+-)?DataTransfer-Regional-Bytes")

_MEANT: Mapping[str, tuple[str, Mapping[str, Decimal]]] = {
    "VolumeUsage": ("usd_per_gib_month", _GIB_MONTHS),
    "VolumeP-IOPS": ("usd_per_iops_month", _IOPS_MONTHS),
    "VolumeP-Throughput": ("usd_per_mib_per_s_month", _THROUGHPUT_MONTHS),
    "VolumeIOUsage": ("usd_per_million_io", _REQUESTS),
    "SnapshotUsage": ("usd_per_gib_month", _GIB_MONTHS),
}
_TIERS = {
    "tier1": "usd_per_iops_month",
    "tier2": "usd_per_iops_month_above_32000",
    "tier3": "usd_per_iops_month_above_64000",
}

_TERMS = {
    ("1yr", "standard", "No Upfront"): ("one_year_usd_per_hour", 1),
    ("3yr", "standard", "All Upfront"): ("three_year_usd_per_hour", 3),
}
"""Ways to reserve that the catalog has a place for: quantity, and years."""

SNAPSHOTS, BETWEEN_ZONES = "snapshots", "between zones"
"""What is priced and is neither an instance nor a volume type."""


class UnreadablePrice(Exception):
    """A price is written in a way that is not understood; which, and how."""


@dataclass(frozen=True, slots=True)
class Price:
    """A price as it was read.

    Parameters
    ----------
    target : str
        Instance type, volume type, or one of `SNAPSHOTS`, `BETWEEN_ZONES`.
    quantity : str
        The figure's name in the catalog, which also says its unit: ``usd_per_mib_per_s_month``.
    value : float
        Above 0.
    """

    target: str
    quantity: str
    value: float


@dataclass(frozen=True, slots=True)
class SpotPrice:
    """Latest spot price of a type in one zone.

    Parameters
    ----------
    target, zone : str
    at : str
        Time of the change, ISO 8601 in UTC: later ones sort behind earlier ones.
    usd_per_hour : float
    """

    target: str
    zone: str
    at: str
    usd_per_hour: float


def instance_prices(entry: object) -> tuple[Price, ...]:
    """Read what an instance type costs by the hour: on demand, and reserved in the two ways the catalog knows.

    A reserved price is what the whole term costs divided by its hours: one year with nothing and three years with all
    of it paid in advance, both of the standard class. What is free or of a Local Zone is no price of the region.

    Returns
    -------
    tuple of Price
        [USD/h]; empty where the entry is about something else.

    Raises
    ------
    UnreadablePrice
        The unit is not hours, the currency not USD, a number none, or a field is not there.
    """
    product = _product(entry)
    name = product.attribute("instanceType")
    if not name or not product.of_the_region or product.attribute("marketoption", "OnDemand") != "OnDemand":
        return ()
    found = [("usd_per_hour", _by_the_hour(product, name, term, Decimal(1))) for term in product.terms("OnDemand")]
    for term in product.terms("Reserved"):
        way = product.field(term, "termAttributes", dict)
        option = (
            product.field(way, "LeaseContractLength", str),
            product.field(way, "OfferingClass", str),
            product.field(way, "PurchaseOption", str),
        )
        if option in _TERMS:
            quantity, years = _TERMS[option]
            found.append((quantity, _by_the_hour(product, name, term, years * _HOURS_A_YEAR)))
    return tuple(Price(name, quantity, float(usd)) for quantity, usd in found if float(usd) > 0)


def volume_prices(entry: object) -> tuple[Price, ...]:
    """Read what a volume type costs: capacity, IOPS and their tiers, throughput, requests; and what snapshots cost.

    Returns
    -------
    tuple of Price
        Empty where the entry is about something else. The name of a type that Stowage does not know is AWS' own, and
        so is that of a tier.

    Raises
    ------
    UnreadablePrice
        The unit is none of those that this sort of price is known in, the currency not USD, a number none, or a field
        is not there.
    """
    product = _product(entry)
    usage = _USAGE.fullmatch(product.attribute("usagetype"))
    if usage is None or not product.of_the_region:
        return ()
    sort, rest = usage.group(1), usage.group(2) or ""
    if sort == "SnapshotUsage" and rest:
        return ()
    name, _, tier = rest.partition(".")
    quantity, units = _MEANT[sort]
    if sort == "VolumeP-IOPS" and tier in _TIERS:
        quantity = _TIERS[tier]
    elif tier:
        quantity = f"{quantity} of {tier}"
    target = SNAPSHOTS if sort == "SnapshotUsage" else _VOLUMES.get(name, name)
    return _only_price(product, target, quantity, units)


def transfer_prices(entry: object) -> tuple[Price, ...]:
    """Read what traffic between the zones of a region costs in each direction [USD/GB]; as `volume_prices`."""
    product = _product(entry)
    if _REGIONAL_BYTES.fullmatch(product.attribute("usagetype")) is None:
        return ()
    return _only_price(product, BETWEEN_ZONES, "usd_per_gb", _GB)


def spot_price(row: Mapping[str, object]) -> SpotPrice:
    """Read an entry of EC2's `SpotPriceHistory`, its time as text.

    Raises
    ------
    UnreadablePrice
        A field is not there, or the price is no number.
    """
    told = {field: row.get(field) for field in ("InstanceType", "AvailabilityZone", "Timestamp", "SpotPrice")}
    name, zone, at, usd = told.values()
    if not (isinstance(name, str) and isinstance(zone, str) and isinstance(at, str)):
        raise UnreadablePrice(f"a spot price lacks a field: {told}")
    return SpotPrice(name, zone, at, float(_number(usd, f"the spot price of {name} in {zone}")))


def mean_spot_prices(prices: Iterable[SpotPrice]) -> dict[str, float]:
    """Average over the zones of a region what a type last cost in each [USD/h].

    The zones count alike: what is asked for is where a planner will land who does not choose a zone.

    >>> mean_spot_prices([
    ...     SpotPrice("m5.large", "us-east-1a", "2026-11-20T10:00:00Z", 0.03),
    ...     SpotPrice("m5.large", "us-east-1a", "2026-11-20T11:00:00Z", 0.04),
    ...     SpotPrice("m5.large", "us-east-1b", "2026-11-20T09:00:00Z", 0.05),
    ... ])
    {'m5.large': 0.045}
    """
    latest: dict[str, dict[str, SpotPrice]] = {}
    for price in prices:
        zones = latest.setdefault(price.target, {})
        if price.zone not in zones or zones[price.zone].at < price.at:
            zones[price.zone] = price
    return {
        target: float(_mean([Decimal(str(price.usd_per_hour)) for price in zones.values()]))
        for target, zones in latest.items()
    }


@dataclass(frozen=True, slots=True)
class _Product:
    """An entry of the price list, whose fields are there and of their kind, or it says which is not."""

    entry: Mapping[str, object]
    attributes: Mapping[str, object]
    sku: str

    def field(self, of: Mapping[str, object], name: str, kind: type[T]) -> T:
        found = of.get(name)
        if not isinstance(found, kind):
            state = "is missing" if found is None else f"is {found!a:.40}, where something else was expected"
            raise UnreadablePrice(f"{name} of SKU {self.sku} {state}")
        return found

    def attribute(self, name: str, otherwise: str = "") -> str:
        return self.field(self.attributes, name, str) if name in self.attributes else otherwise

    @property
    def of_the_region(self) -> bool:
        return self.attribute("locationType", "AWS Region") == "AWS Region"

    def terms(self, sort: str) -> list[Mapping[str, object]]:
        of_all = self.field(self.entry, "terms", dict)
        of_sort = self.field(of_all, sort, dict) if sort in of_all else {}
        return [self.field(of_sort, name, dict) for name in of_sort]

    def dimensions(self, term: Mapping[str, object]) -> list[Mapping[str, object]]:
        found = self.field(term, "priceDimensions", dict)
        return [self.field(found, name, dict) for name in found]

    def usd(self, dimension: Mapping[str, object], target: str) -> Decimal:
        prices = self.field(dimension, "pricePerUnit", dict)
        if CURRENCY not in prices:
            raise UnreadablePrice(
                f"{target} is priced in {', '.join(map(str, prices)) or 'nothing'} "
                f"({dimension.get('description')}), not in USD (SKU {self.sku})"
            )
        return _number(prices[CURRENCY], f"pricePerUnit of SKU {self.sku} ({target})")


def _product(entry: object) -> _Product:
    unnamed = _Product(entry if isinstance(entry, dict) else {}, {}, "without a name")
    product = unnamed.field(unnamed.entry, "product", dict)
    sku = unnamed.field(product, "sku", str)
    named = _Product(unnamed.entry, {}, sku)
    return _Product(unnamed.entry, named.field(product, "attributes", dict), sku)


def _number(said: object, what: str) -> Decimal:
    """Parse a price that AWS writes as text. JSON numbers are refused: Python would read NaN."""
    value = Decimal(said) if isinstance(said, str) and NUMBER.fullmatch(said) else None
    if value is None or not 0 <= value <= _MOST_USD:
        raise UnreadablePrice(f"{what} is {said!a:.40}, which is no price")
    return value


def _only_price(product: _Product, target: str, quantity: str, units: Mapping[str, Decimal]) -> tuple[Price, ...]:
    terms = product.terms("OnDemand")
    steps = sum(len(product.dimensions(term)) for term in terms)
    if steps > 1:
        # Free amounts and steps are never charged for on volumes today; a first step alone would be wrong silently.
        raise UnreadablePrice(f"{target} has {steps} steps in {quantity}, where one was expected (SKU {product.sku})")
    value = sum((_in_units(product, target, term, units) for term in terms), Decimal())
    return (Price(target, quantity, float(value)),) if float(value) > 0 else ()


def _by_the_hour(product: _Product, name: str, term: Mapping[str, object], hours: Decimal) -> Decimal:
    """Return what an hour of a term costs; of a reservation also its share of what is paid once."""
    once = {"quantity": 1 / hours} if hours > 1 else {}
    return _in_units(product, name, term, {**_HOURS, **once})


def _in_units(product: _Product, target: str, term: Mapping[str, object], units: Mapping[str, Decimal]) -> Decimal:
    """Add up the prices of a term, each of another unit, turned into the catalog's."""
    found: dict[Decimal, Decimal] = {}
    for dimension in product.dimensions(term):
        unit = product.field(dimension, "unit", str)
        factor = units.get(unit.lower())
        described = dimension.get("description")
        if factor is None:
            known = " or ".join(units)
            raise UnreadablePrice(f"{target} is priced per {unit!r} ({described}), not per {known} (SKU {product.sku})")
        if factor in found:
            raise UnreadablePrice(f"{target} has several prices per {unit!r} in one term (SKU {product.sku})")
        found[factor] = product.usd(dimension, target) * factor
    return sum(found.values(), Decimal())


def _mean(values: Sequence[Decimal]) -> Decimal:
    return sum(values, Decimal()) / len(values)
