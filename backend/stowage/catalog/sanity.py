"""Plausibility checks of a catalog, before it is used for planning."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from stowage.catalog.units import INSTANCE_UNITS, VOLUME_UNITS
from stowage.frozen import frozen
from stowage.model.figure import Figure, figures_of
from stowage.model.hardware.catalog import CatalogVersion, Region
from stowage.model.hardware.instance import PRICES, InstanceType

Fault = Literal["value", "unit", "proportion", "jump", "lost"]
"""value: not a valid number; unit: wrong unit, or a value that implies one; proportion: a price that does not fit its
family; jump: prices of a whole region that differ from the previous version; lost: entries that the previous version
had."""

_MAY_BE_NONE = {"disk_count", "ebs_usd_per_hour"}
_CHEAPEST_USD_PER_HOUR, _DEAREST_USD_PER_HOUR = 0.001, 2_000.0
_OF_ON_DEMAND = {
    "spot_usd_per_hour": (0.01, 10.0),
    "one_year_usd_per_hour": (0.1, 1.2),
    "three_year_usd_per_hour": (0.05, 1.2),
}
_DEAREST_USD_PER_GIB_MONTH = 1.0

_UNEVEN = 1.02
_OFF, _OFF_WITH_ACCELERATORS = 2.0, 4.0
_JUMP = 3.0


@frozen
class Refusal:
    """Reason to refuse a catalog."""

    fault: Fault
    what: str
    """Type, region or type in a region: `m5.large`, `us-east-1`, `us-east-1/m5.large` or `us-east-1/gp3`."""
    words: str

    @property
    def sentence(self) -> str:
        """Return the refusal as one line of text."""
        return f"{self.what}: {self.words}"


@frozen
class Verdict:
    """Result of a check."""

    refusals: tuple[Refusal, ...]
    """Empty if the catalog is plausible."""
    uneven: tuple[str, ...]
    """Families whose sizes cost nearly, but not exactly, the same per vCPU or per GiB of memory in some region."""


def check(version: CatalogVersion, before: CatalogVersion | None = None) -> Verdict:
    """Check whether a version is plausible, alone and compared with the previous version.

    Parameters
    ----------
    version : CatalogVersion
    before : CatalogVersion, optional
        The previous version. None of its entries may be missing in `version`. Two figures may not have changed by an
        implausible factor: the price of a volume type, and the median price of a region's instance types.

    Notes
    -----
    An on-demand price is plausible if it is within a factor of 2 of the median over the family's sizes in the region,
    either per vCPU or per GiB of memory. One of the two is enough: burstable sizes have the same vCPUs and are priced
    by memory; high-performance sizes with disabled cores all cost the same. With accelerators the factor is 4: the
    smallest size has a whole accelerator (g5.xlarge costs 2.7 times the median per vCPU).
    """
    families = {region.name: _families(version, region) for region in version.regions.values()}
    refusals = [*_wrong_values(version), *_other_units(version), *_out_of_proportion(families)]
    if before is not None:
        refusals += [*_lost(version, before), *_jumps(version, before)]
    return Verdict(tuple(refusals), tuple(_uneven(families)))


def _figures(version: CatalogVersion) -> Iterator[tuple[str, str, Figure, str]]:
    """Yield each figure of a version with its target (as in `Refusal`), its field and the unit of the field."""
    for name, hardware in version.instance_types.items():
        for quantity, figure in figures_of(hardware).items():
            yield name, quantity, figure, INSTANCE_UNITS[quantity]
    for region in version.regions.values():
        for name, prices in region.prices.items():
            for quantity, figure in prices.items():
                yield f"{region.name}/{name}", quantity, figure, INSTANCE_UNITS[quantity]
        for name, volume in region.volume_types.items():
            for quantity, figure in figures_of(volume).items():
                yield f"{region.name}/{name}", quantity, figure, VOLUME_UNITS[quantity]


def _wrong_values(version: CatalogVersion) -> Iterator[Refusal]:
    for what, quantity, figure, unit in _figures(version):
        lowest_fits = figure.value >= 0 if quantity in _MAY_BE_NONE else figure.value > 0
        if not (math.isfinite(figure.value) and lowest_fits):
            yield Refusal("value", what, f"{quantity} of {figure.value!r} {unit}")
        if figure.unit != unit:
            yield Refusal("unit", what, f"{quantity} in {figure.unit!a}, not in {unit}")
        if not figure.source or figure.as_of is None:
            yield Refusal("value", what, f"{quantity} without a source or a date")
    for row in version.profiles.rows:
        if not (math.isfinite(row.mean) and row.mean > 0):
            yield Refusal("value", row.target, f"{row.metric} of {row.mean!r}")


def _other_units(version: CatalogVersion) -> Iterator[Refusal]:
    for region in version.regions.values():
        for name, prices in region.prices.items():
            listed = prices.get("usd_per_hour")
            if listed is not None and not _CHEAPEST_USD_PER_HOUR <= listed.value <= _DEAREST_USD_PER_HOUR:
                yield Refusal("unit", f"{region.name}/{name}", f"{listed.value!r} USD/h: is it a price per hour?")
            for quantity, (lowest, highest) in _OF_ON_DEMAND.items():
                other = prices.get(quantity)
                if listed is None or other is None or listed.kind == "estimated":
                    continue
                if not lowest * listed.value <= other.value <= highest * listed.value:
                    words = f"{quantity} of {other.value!r} USD/h with {listed.value!r} on demand: is it per hour?"
                    yield Refusal("unit", f"{region.name}/{name}", words)
        for name, volume in region.volume_types.items():
            price = volume.usd_per_gib_month.value
            if price > _DEAREST_USD_PER_GIB_MONTH:
                yield Refusal("unit", f"{region.name}/{name}", f"{price!r} USD per GiB: is it per month?")


_Families = Mapping[str, Mapping[str, tuple[float, InstanceType]]]
"""Family -> type -> (on-demand price, hardware)."""


def _out_of_proportion(families: Mapping[str, _Families]) -> Iterator[Refusal]:
    for region, of_region in families.items():
        for family, sizes in of_region.items():
            for name, off in _off(sizes).items():
                usd, hardware = sizes[name]
                if off > (_OFF_WITH_ACCELERATORS if "accelerators" in hardware.traits else _OFF):
                    words = f"{usd:g} USD/h is out of proportion: {off:.2f} times off the other sizes of {family}"
                    yield Refusal("proportion", f"{region}/{name}", words)


def _uneven(families: Mapping[str, _Families]) -> list[str]:
    return sorted(
        {
            family
            for of_region in families.values()
            for family, sizes in of_region.items()
            if any(off > _UNEVEN for off in _off(sizes).values())
        }
    )


def _families(version: CatalogVersion, region: Region) -> _Families:
    """Return the types of a region that have a price, by family."""
    found: dict[str, dict[str, tuple[float, InstanceType]]] = defaultdict(dict)
    for name, prices in region.prices.items():
        hardware = version.instance_types[name]
        price = prices.get("usd_per_hour")
        # Invalid numbers are refused elsewhere, and must not affect the median of the others.
        if price is not None and all(_is_number(figure) for figure in (price, hardware.vcpus, hardware.memory_gib)):
            found[hardware.family][name] = (price.value, hardware)
    return found


def _is_number(figure: Figure) -> bool:
    return math.isfinite(figure.value) and figure.value > 0


def _off(sizes: Mapping[str, tuple[float, InstanceType]]) -> dict[str, float]:
    """Return, for each size of a family, the factor between its price and the family's median price.

    Prices are compared per vCPU and per GiB of memory; the smaller of the two factors is returned.
    """
    measures: tuple[Callable[[InstanceType], float], ...] = (
        lambda hardware: hardware.vcpus.value,
        lambda hardware: hardware.memory_gib.value,
    )
    found = dict.fromkeys(sizes, math.inf)
    for measure in measures:
        rates = {name: usd / measure(hardware) for name, (usd, hardware) in sizes.items()}
        median = statistics.median(rates.values())
        for name, rate in rates.items():
            found[name] = min(found[name], max(rate / median, median / rate))
    return found


def _lost(version: CatalogVersion, before: CatalogVersion) -> Iterator[Refusal]:
    for name, region in before.regions.items():
        if name not in version.regions:
            yield Refusal("lost", name, f"{before.version} had this region, with {len(region.prices):,} types")
            continue
        now = version.regions[name]
        for sold in sorted(region.prices.keys() - now.prices.keys()):
            yield Refusal("lost", f"{name}/{sold}", f"{before.version} had it")
        for sold in sorted(region.prices.keys() & now.prices.keys()):
            if "usd_per_hour" in region.prices[sold] and "usd_per_hour" not in now.prices[sold]:
                yield Refusal("lost", f"{name}/{sold}", f"{before.version} had a price of it")
        for volume in sorted(region.volume_types.keys() - now.volume_types.keys()):
            yield Refusal("lost", f"{name}/{volume}", f"{before.version} had it")


def _ratios(before: Region, now: Region) -> dict[str, list[float]]:
    """Return, for each price of types that both versions of a region have, the ratios of the newer to the older one."""
    found: dict[str, list[float]] = defaultdict(list)
    for sold, then in before.prices.items():
        today = now.prices.get(sold, {})
        for quantity in PRICES:
            old, new = then.get(quantity), today.get(quantity)
            if old is not None and new is not None and _is_number(old) and _is_number(new):
                found[quantity].append(new.value / old.value)
    return found


def _jumps(version: CatalogVersion, before: CatalogVersion) -> Iterator[Refusal]:
    for name, region in before.regions.items():
        now = version.regions.get(name)
        if now is None:
            continue
        for quantity, ratios in _ratios(region, now).items():
            if not 1.0 / _JUMP <= statistics.median(ratios) <= _JUMP:
                words = f"{quantity} is {statistics.median(ratios):.3g} times what {before.version} says, by the median"
                yield Refusal("jump", name, words)
        for volume, then_volume in region.volume_types.items():
            now_volume = now.volume_types.get(volume)
            if now_volume is None:
                continue
            told = figures_of(now_volume)
            for quantity, figure in figures_of(then_volume).items():
                if quantity.startswith("usd_") and quantity in told and figure.value > 0:
                    ratio = told[quantity].value / figure.value
                    if not 1.0 / _JUMP <= ratio <= _JUMP:
                        words = f"{quantity} is {ratio:.3g} times what {before.version} says"
                        yield Refusal("jump", f"{name}/{volume}", words)
