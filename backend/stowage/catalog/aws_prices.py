"""AWS' price list and spot prices, converted to figures in the catalog's units, with an error for unreadable entries.

An entry is a parsed string of `PriceList` in an answer of `pricing.get_products`: a product with its attributes and,
for each purchase option, terms with dimensions. Each dimension has a unit and a price. The unit is checked, since it
may differ from the unit in the description: throughput of gp3 is priced per GiB/s and described per MiB/s.

**Source**: AWS Billing user guide, "Reading the service price list file for an AWS service" (products, terms,
dimensions) and the Price List API reference, GetProducts; AWS EBS user guide and the Cost and Usage Report's usage
types (``EBS:VolumeUsage.gp3``, ``EBS:VolumeP-IOPS.io2.tier2``, ``EBS:VolumeP-Throughput.gp3``, its unit ``GiBps-mo`` at
40.96 USD = 0.04 USD x 1,024); all as of 2026-11-20.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

from stowage.catalog.tables import NUMBER
from stowage.frozen import frozen

T = TypeVar("T")

CURRENCY = "USD"

_MOST_USD = Decimal(1_000_000_000)
"""Maximum of any price: a higher value is an error."""

_HOURS_A_YEAR = Decimal(8760)
_MIB_PER_GIB = Decimal(1024)
_A_MILLION = Decimal(1_000_000)

_HOURS = {"hrs": Decimal(1), "hours": Decimal(1)}
_GIB_MONTHS = {"gb-mo": Decimal(1), "gb-month": Decimal(1)}
"""AWS writes GB but means GiB: volumes are ordered and billed in GiB."""
_IOPS_MONTHS = {"iops-mo": Decimal(1), "iops-month": Decimal(1)}
_THROUGHPUT_MONTHS = {"gibps-mo": 1 / _MIB_PER_GIB, "mibps-mo": Decimal(1)}
_REQUESTS = {"ios": _A_MILLION}
_GB = {"gb": Decimal(1)}

_VOLUMES = {"piops": "io1", "": "standard"}
"""Names of volume types in usage types that differ from those in the API."""

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
"""Reserved prices in the catalog: quantity, and years."""

SNAPSHOTS, BETWEEN_ZONES = "snapshots", "between zones"
"""Targets of prices that belong to neither an instance type nor a volume type."""


class UnreadablePrice(Exception):
    """A price in an unknown format; the message names the price and the problem."""


@frozen
class Price:
    """A price from the price list."""

    target: str
    """Instance type, volume type, or one of `SNAPSHOTS`, `BETWEEN_ZONES`."""
    quantity: str
    """Name of the figure in the catalog, which includes its unit: `usd_per_mib_per_s_month`."""
    value: float
    """Above 0."""


@frozen
class SpotPrice:
    """Latest spot price of a type in one zone."""

    target: str
    zone: str
    at: str
    """Time of the price change, ISO 8601 in UTC, so that times sort as text."""
    usd_per_hour: float


def instance_prices(entry: object) -> tuple[Price, ...]:
    """Parse the hourly prices of an instance type: on-demand, and reserved with the two terms in the catalog.

    A reserved price is the cost of the whole term divided by the hours of the term. The two terms are one year without
    upfront payment and three years paid in full upfront, both of the standard class. Entries that are free or of Local
    Zones are skipped.

    Returns
    -------
    tuple of Price
        [USD/h]; empty if the entry is about something else.

    Raises
    ------
    UnreadablePrice
        The unit is not hours, the currency is not USD, a number is invalid, or a field is missing.
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
    """Parse the prices of a volume type (capacity, IOPS with tiers, throughput, requests), or of snapshots.

    Returns
    -------
    tuple of Price
        Empty if the entry is about neither volumes nor snapshots. Types and tiers unknown to Stowage keep AWS' names.

    Raises
    ------
    UnreadablePrice
        The unit is unknown for this kind of price, the currency is not USD, a number is invalid, or a field is missing.
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
    """Parse the price of traffic between zones, for each direction [USD/GB].

    Returns an empty tuple if the entry is about something else. Raises the same errors as `volume_prices`.
    """
    product = _product(entry)
    if _REGIONAL_BYTES.fullmatch(product.attribute("usagetype")) is None:
        return ()
    return _only_price(product, BETWEEN_ZONES, "usd_per_gb", _GB)


def spot_price(row: Mapping[str, object]) -> SpotPrice:
    """Parse an entry of EC2's `SpotPriceHistory` whose timestamp is text.

    Raises
    ------
    UnreadablePrice
        A field is missing, or the price is not a number.
    """
    told = {field: row.get(field) for field in ("InstanceType", "AvailabilityZone", "Timestamp", "SpotPrice")}
    name, zone, at, usd = told.values()
    if not (isinstance(name, str) and isinstance(zone, str) and isinstance(at, str)):
        raise UnreadablePrice(f"a spot price lacks a field: {told}")
    return SpotPrice(name, zone, at, float(_number(usd, f"the spot price of {name} in {zone}")))


def mean_spot_prices(prices: Iterable[SpotPrice]) -> dict[str, float]:
    """Compute each type's spot price [USD/h]: the mean, over a region's zones, of the latest price in each zone.

    All zones have the same weight: the price is for users who do not choose a zone.

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


@frozen
class _Product:
    """An entry of the price list; its methods raise an error that names a missing or invalid field."""

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
    """Parse a price that AWS sends as text. JSON numbers are refused: Python would accept NaN."""
    value = Decimal(said) if isinstance(said, str) and NUMBER.fullmatch(said) else None
    if value is None or not 0 <= value <= _MOST_USD:
        raise UnreadablePrice(f"{what} is {said!a:.40}, which is no price")
    return value


def _only_price(product: _Product, target: str, quantity: str, units: Mapping[str, Decimal]) -> tuple[Price, ...]:
    terms = product.terms("OnDemand")
    steps = sum(len(product.dimensions(term)) for term in terms)
    if steps > 1:
        # No volume price has free amounts or steps today; using the first step alone would be wrong without an error.
        raise UnreadablePrice(f"{target} has {steps} steps in {quantity}, where one was expected (SKU {product.sku})")
    value = sum((_in_units(product, target, term, units) for term in terms), Decimal())
    return (Price(target, quantity, float(value)),) if float(value) > 0 else ()


def _by_the_hour(product: _Product, name: str, term: Mapping[str, object], hours: Decimal) -> Decimal:
    """Return the hourly price of a term, including an hour's share of the upfront payment of a reservation."""
    once = {"quantity": 1 / hours} if hours > 1 else {}
    return _in_units(product, name, term, {**_HOURS, **once})


def _in_units(product: _Product, target: str, term: Mapping[str, object], units: Mapping[str, Decimal]) -> Decimal:
    """Return the sum of a term's prices, each converted from its unit to the catalog's unit."""
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
