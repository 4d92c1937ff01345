"""Build of a catalog of all regions: hardware from EC2, joined with prices and measurements."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import date
from typing import Any

from stowage.catalog.hardware import DESCRIBED, LINK_AT_EXTRA_COST, LINK_INCLUDED, Origin, instance_types, link_price
from stowage.catalog.price_table import Priced
from stowage.catalog.snapshot import with_digest
from stowage.frozen import frozen
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import CatalogVersion, Region, VolumeType
from stowage.model.hardware.instance import InstanceType, Trait
from stowage.model.hardware.profile import Profile, Profiles

Prices = Mapping[str, Mapping[str, Figure]]
"""Type -> one of `instance.PRICES` -> figure [USD/h], for one region."""

_SAME = 1.001
_SAME_IN_BOTH_REGIONS, _LISTED_IN_BOTH = 0.9, 100
_CLUSTER_TYPES = ("hs1.8xlarge", "cr1.8xlarge", "cc2.8xlarge", "hi1.4xlarge")
_TEN_GBIT_PER_S = Origin(
    "AWS, previous-generation instances, 10 Gigabit (no longer in DescribeInstanceTypes); taken over on this day",
    date(2026, 11, 20),
)
_MB_PER_S_OF_TEN_GBIT = 1250.0
_NOT_DESCRIBED = "DescribeInstanceTypes no longer has this type, and nobody recorded its link to EBS"


@frozen
class Ingredients:
    """Inputs of a catalog."""

    described: tuple[Mapping[str, Any], ...]
    """`InstanceTypeInfo` of every type, without duplicates."""
    described_on: date
    offered: Mapping[str, frozenset[str]]
    """Region -> types that EC2 offers there; a missing or empty region means unknown."""
    prices: tuple[Priced, ...]
    """Prices of all regions of the catalog."""
    volumes: Mapping[str, Mapping[str, VolumeType]]
    """Region -> name -> volume type."""
    profiles: tuple[Profile, ...]
    """Profiles of the disks."""
    old: CatalogVersion
    """Catalog of the SoCC 2015 paper. It has instance types that EC2 no longer describes, the prices of their links to
    EBS, and measurements."""
    described_by: str = DESCRIBED
    """Source of the descriptions."""
    doubted: frozenset[str] = frozenset()
    """Instance types whose prices are implausible; these prices are left out."""


@frozen
class LeftOut:
    """An input that the catalog does not include, and the reason."""

    what: str
    """The type, price or volumes concerned; regions are named if not all are concerned."""
    why: str


@frozen
class Built:
    """A new catalog, and the inputs that it does not include."""

    version: CatalogVersion
    left_out: tuple[LeftOut, ...]
    from_sizes: int
    """Number of prices estimated from other sizes of the family."""
    from_region: int
    """Number of prices estimated from another region."""


def build(name: str, title: str, as_of: date, ingredients: Ingredients) -> Built:
    """Build a catalog version from hardware, prices, volumes and measurements.

    A type is sold in a region if it has a price or EC2 offers it. A type without a price gets an estimate, marked as
    such, from `carried_over`, or else from `carried_across`; if neither has an estimate, the price is unknown.

    Parameters
    ----------
    name, title : str
        Name and title of the version.
    as_of : date
        Date of the newest prices in the version.
    ingredients : Ingredients
    """
    hardware = all_hardware(ingredients)
    links = link_prices(ingredients.described, ingredients.described_by, ingredients.described_on)
    listed: dict[str, dict[str, Mapping[str, Figure]]] = defaultdict(dict)
    undescribed: dict[str, set[str]] = defaultdict(set)
    for row in ingredients.prices:
        if row.instance not in hardware:
            undescribed[row.instance].add(row.region)
            continue
        listed[row.region][row.instance] = {} if row.instance in ingredients.doubted else row.prices
    reference = max(sorted(listed), key=lambda region: len(listed[region]), default="")
    regions = {}
    from_sizes = from_region = 0
    for region in sorted(listed):
        offered: Prices = {sold: {} for sold in ingredients.offered.get(region, frozenset()) if sold in hardware}
        prices, estimated = carried_over({**offered, **listed[region]}, hardware)
        from_sizes += estimated
        if region != reference:
            prices, estimated = carried_across(prices, listed[reference], reference)
            from_region += estimated
        priced = {sold: {**told, **_link_of(sold, region, links, ingredients.old)} for sold, told in prices.items()}
        regions[region] = Region(region, dict(sorted(priced.items())), ingredients.volumes.get(region, {}))
    version = CatalogVersion(
        version=name,
        title=title,
        as_of=as_of,
        provider="aws",
        instance_types=hardware,
        regions=regions,
        profiles=Profiles((*ingredients.old.profiles.rows, *ingredients.profiles)),
        digest="",
    )
    left_out = _left_out(ingredients, hardware.keys(), regions, undescribed)
    return Built(with_digest(version), left_out, from_sizes, from_region)


def link_prices(described: Iterable[Mapping[str, Any]], source: str, as_of: date) -> dict[str, Figure | None]:
    """Return the extra price of the link to EBS, by instance type.

    Parameters
    ----------
    described : iterable of mapping
        `InstanceTypeInfo`.
    source : str
        Source of the descriptions.
    as_of : date

    Returns
    -------
    dict of str to Figure or None
        0 if the price of the type includes the link, None if the link costs extra and its price is unknown. Types
        without a link are left out.
    """
    included = Origin(f"{source}: the link to EBS is included in the price", as_of).figure("ebs_usd_per_hour", 0.0)
    said = {item["InstanceType"]: link_price(item) for item in described}
    return {
        name: included if words == LINK_INCLUDED else None
        for name, words in said.items()
        if words in {LINK_INCLUDED, LINK_AT_EXTRA_COST}
    }


def carried_over(sold: Prices, hardware: Mapping[str, InstanceType]) -> tuple[Prices, int]:
    """Estimate missing on-demand prices in a region from other sizes of the same family.

    Returns
    -------
    Prices, int
        All prices including the estimates, and the number of estimates.

    Notes
    -----
    Prices are estimated only in families with at least two priced sizes that all cost the same per vCPU, within a
    thousandth. Types with accelerators and bare metal neither give nor get estimates: their prices are not proportional
    to their vCPUs.
    """
    per_vcpu: dict[str, list[tuple[float, Figure]]] = defaultdict(list)
    for name, prices in sold.items():
        figure = prices.get("usd_per_hour")
        if figure is not None and _is_plain(hardware[name]):
            per_vcpu[hardware[name].family].append((figure.value / hardware[name].vcpus.value, figure))
    found = dict(sold)
    estimates = 0
    for name, prices in sold.items():
        rates = per_vcpu.get(hardware[name].family, [])
        if "usd_per_hour" in prices or not _is_plain(hardware[name]) or len(rates) < 2:
            continue
        values = [rate for rate, _ in rates]
        if max(values) > _SAME * min(values):
            continue
        rate = statistics.median(values)
        words = (
            f"Not listed here: the {len(rates)} listed sizes of {hardware[name].family} cost {rate:.6g} USD per vCPU "
            f"and hour in this region, times {hardware[name].vcpus.value:g} vCPUs"
        )
        as_of = min(figure.as_of for _, figure in rates if figure.as_of is not None)
        usd = round(rate * hardware[name].vcpus.value, 6)
        found[name] = {**prices, "usd_per_hour": Figure("usd_per_hour", usd, "USD/h", words, "estimated", as_of)}
        estimates += 1
    return found, estimates


def carried_across(sold: Prices, reference: Prices, region: str) -> tuple[Prices, int]:
    """Estimate missing on-demand prices in a region from a reference region with mostly equal prices.

    Parameters
    ----------
    sold : Prices
    reference : Prices
        Prices listed in the reference region.
    region : str
        Name of the reference region.

    Returns
    -------
    Prices, int
        All prices including the estimates, and the number of estimates.

    Notes
    -----
    Two regions have mostly equal prices if at least 100 types are listed in both, and at least nine tenths of these
    have the same price within a thousandth. Regions with other prices do not differ by a constant factor, so no price
    is estimated from them.
    """
    both = [
        (prices["usd_per_hour"].value, reference[name]["usd_per_hour"].value)
        for name, prices in sold.items()
        if "usd_per_hour" in prices and "usd_per_hour" in reference.get(name, {})
    ]
    same = sum(max(pair) <= _SAME * min(pair) for pair in both)
    if len(both) < _LISTED_IN_BOTH or same < _SAME_IN_BOTH_REGIONS * len(both):
        return sold, 0
    found = dict(sold)
    estimates = 0
    for name, prices in sold.items():
        figure = reference.get(name, {}).get("usd_per_hour")
        if "usd_per_hour" in prices or figure is None:
            continue
        words = (
            f"Not listed here: the price in {region}; of {len(both):,} types listed in both regions {same:,} cost the "
            "same"
        )
        found[name] = {**prices, "usd_per_hour": replace(figure, source=words, kind="estimated")}
        estimates += 1
    return found, estimates


def all_hardware(ingredients: Ingredients) -> dict[str, InstanceType]:
    """Return every type that EC2 describes, and the types of the paper that EC2 no longer describes."""
    found = instance_types(ingredients.described, as_of=ingredients.described_on, source=ingredients.described_by)
    for name, hardware in ingredients.old.instance_types.items():
        if name not in found:
            found[name] = _no_longer_described(hardware)
    return dict(sorted(found.items()))


def _no_longer_described(hardware: InstanceType) -> InstanceType:
    gaps = {name: why for name, why in hardware.gaps.items() if name == "storage_mb_per_s"}
    gaps["ebs_mb_per_s"] = _NOT_DESCRIBED
    traits: frozenset[Trait] = hardware.traits | frozenset[Trait](("previous generation", "x86_64"))
    if hardware.name not in _CLUSTER_TYPES:
        return replace(hardware, gaps=gaps, traits=traits)
    rates = {
        quantity: _TEN_GBIT_PER_S.figure(quantity, _MB_PER_S_OF_TEN_GBIT)
        for quantity in ("network_baseline_mb_per_s", "network_peak_mb_per_s")
    }
    return replace(hardware, gaps=gaps, traits=traits, **rates)  # type: ignore[arg-type]  # the names are its fields


def _link_of(name: str, region: str, links: Mapping[str, Figure | None], old: CatalogVersion) -> dict[str, Figure]:
    figure = links.get(name)
    if name in links and figure is None and region in old.regions:
        figure = _old_link(name, old)
    return {} if figure is None else {"ebs_usd_per_hour": figure}


def _old_link(name: str, old: CatalogVersion) -> Figure | None:
    found = (region.prices.get(name, {}).get("ebs_usd_per_hour") for region in old.regions.values())
    return next((figure for figure in found if figure is not None), None)


def _is_plain(hardware: InstanceType) -> bool:
    return not hardware.traits & {"accelerators", "bare metal", "burstable"}


def _left_out(
    ingredients: Ingredients,
    described: AbstractSet[str],
    regions: Mapping[str, Region],
    undescribed: Mapping[str, set[str]],
) -> tuple[LeftOut, ...]:
    """Return the types, prices and volumes that the version does not include, each with the reason."""
    sold_somewhere = {sold for region in regions.values() for sold in region.prices}
    return (
        *(
            LeftOut(f"{sold} ({len(where)} regions)", "priced, but nobody describes it")
            for sold, where in sorted(undescribed.items())
        ),
        *(LeftOut(sold, "described, but sold in none of the regions") for sold in sorted(described - sold_somewhere)),
        *(LeftOut(f"the price of {sold}", "doubted") for sold in sorted(ingredients.doubted & described)),
        *(
            LeftOut(f"the volumes of {region}", "no instance type is priced there")
            for region in sorted(ingredients.volumes.keys() - regions.keys())
        ),
    )
