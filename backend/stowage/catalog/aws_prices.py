"""AWS' price list and its spot prices as plain figures: what an entry says, in the catalogue's units, or why not.

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
from typing import Any

CURRENCY = "USD"

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
"""Ways to reserve that the catalogue has a place for: quantity, and years."""

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
        The figure's name in the catalogue, which also says its unit: ``usd_per_mib_per_s_month``.
    value : float
        Above 0.
    """

    target: str
    quantity: str
    value: float


@dataclass(frozen=True, slots=True)
class SpotPrice:
    """What a type last cost in one zone.

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


def instance_prices(entry: Mapping[str, Any]) -> tuple[Price, ...]:
    """Read what an instance type costs by the hour: on demand, and reserved in the two ways the catalogue knows.

    A reserved price is what the whole term costs divided by its hours: one year with nothing and three years with all
    of it paid in advance, both of the standard class. What is free or of a Local Zone is no price of the region.

    Returns
    -------
    tuple of Price
        [USD/h]; empty where the entry is about something else.

    Raises
    ------
    UnreadablePrice
        The unit is not hours, or the currency not USD.
    """
    attributes = entry["product"]["attributes"]
    name = attributes.get("instanceType")
    of_the_region = attributes.get("locationType", "AWS Region") == "AWS Region"
    if not name or not of_the_region or attributes.get("marketoption", "OnDemand") != "OnDemand":
        return ()
    found: dict[str, Decimal] = {}
    for term in entry["terms"].get("OnDemand", {}).values():
        found["usd_per_hour"] = sum(_by_unit(name, term, _HOURS).values(), Decimal())
    for term in entry["terms"].get("Reserved", {}).values():
        way = term["termAttributes"]
        known = _TERMS.get((way["LeaseContractLength"], way["OfferingClass"], way["PurchaseOption"]))
        if known is not None:
            quantity, years = known
            found[quantity] = _by_the_hour(name, term, years * _HOURS_A_YEAR)
    return tuple(Price(name, quantity, float(usd)) for quantity, usd in found.items() if usd > 0)


def volume_prices(entry: Mapping[str, Any]) -> tuple[Price, ...]:
    """Read what a volume type costs: capacity, IOPS and their tiers, throughput, requests; and what snapshots cost.

    Returns
    -------
    tuple of Price
        Empty where the entry is about something else. The name of a type that Stowage does not know is AWS' own.

    Raises
    ------
    UnreadablePrice
        The unit is none of those that this sort of price is known in, or the currency not USD.
    """
    attributes = entry["product"]["attributes"]
    of_the_region = attributes.get("locationType", "AWS Region") == "AWS Region"
    usage = _USAGE.fullmatch(attributes.get("usagetype", ""))
    if usage is None or not of_the_region:
        return ()
    sort, rest = usage.group(1), usage.group(2) or ""
    if sort == "SnapshotUsage" and rest:
        return ()
    name, _, tier = rest.partition(".")
    quantity, units = _MEANT[sort]
    if tier:
        quantity = _TIERS.get(tier, f"{quantity} of {tier}")
    target = SNAPSHOTS if sort == "SnapshotUsage" else _VOLUMES.get(name, name)
    return _only_price(target, quantity, entry, units)


def transfer_prices(entry: Mapping[str, Any]) -> tuple[Price, ...]:
    """Read what traffic between the zones of a region costs in each direction [USD/GB]; as `volume_prices`."""
    if _REGIONAL_BYTES.fullmatch(entry["product"]["attributes"].get("usagetype", "")) is None:
        return ()
    return _only_price(BETWEEN_ZONES, "usd_per_gb", entry, _GB)


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


def _only_price(
    target: str, quantity: str, entry: Mapping[str, Any], units: Mapping[str, Decimal]
) -> tuple[Price, ...]:
    terms = list(entry["terms"].get("OnDemand", {}).values())
    dimensions = [dimension for term in terms for dimension in term["priceDimensions"].values()]
    if len(dimensions) > 1:
        # Free amounts and steps are never charged for on volumes today; a first step alone would be wrong silently.
        raise UnreadablePrice(f"{target} has {len(dimensions)} steps in {quantity}, where one was expected")
    value = sum((usd for term in terms for usd in _by_unit(target, term, units).values()), Decimal())
    return (Price(target, quantity, float(value)),) if value > 0 else ()


def _by_the_hour(name: str, term: Mapping[str, Any], hours: Decimal) -> Decimal:
    of_unit = _by_unit(name, term, {**_HOURS, "quantity": 1 / hours})
    return sum(of_unit.values(), Decimal())


def _by_unit(target: str, term: Mapping[str, Any], units: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """Give the price of each unit of a term, turned into the catalogue's."""
    found: dict[str, Decimal] = {}
    for dimension in term["priceDimensions"].values():
        unit, prices = dimension["unit"], dimension["pricePerUnit"]
        factor = units.get(unit.lower())
        if factor is None:
            known = " or ".join(units)
            raise UnreadablePrice(f"{target} is priced per {unit!r} ({dimension['description']}), not per {known}")
        if CURRENCY not in prices:
            raise UnreadablePrice(f"{target} is priced in {', '.join(prices)} ({dimension['description']}), not in USD")
        found[unit] = Decimal(prices[CURRENCY]) * factor
    return found


def _mean(values: Sequence[Decimal]) -> Decimal:
    return sum(values, Decimal()) / len(values)
