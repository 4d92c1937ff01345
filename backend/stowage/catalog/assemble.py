"""Assembly of a new catalog version from AWS' answers and the previous version. Pure functions."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from stowage.catalog.aws_prices import BETWEEN_ZONES, SNAPSHOTS, Price, SpotPrice, mean_spot_prices
from stowage.catalog.build import link_prices
from stowage.catalog.hardware import DESCRIBED
from stowage.catalog.hardware import instance_types as read_hardware
from stowage.catalog.sanity import Fault, Refusal, check
from stowage.catalog.units import INSTANCE_UNITS, VOLUME_UNITS
from stowage.frozen import frozen
from stowage.model.figure import Figure, figures_of
from stowage.model.hardware.catalog import CatalogVersion, Region, VolumeType, volume_type
from stowage.model.hardware.instance import PRICES, InstanceType
from stowage.model.hardware.volume_limits import volume_limits
from stowage.model.infeasible import Infeasible

FROM_PRICE_LIST = "AWS Price List API, GetProducts: Linux, shared tenancy, nothing installed"
FROM_VOLUME_LIST = "AWS Price List API, GetProducts: EBS"
FROM_SPOT = "EC2 DescribeSpotPriceHistory: mean over the region's zones of the latest Linux/UNIX price in each"

_MOST_NAMED = 8
_TOLERANCE = 1e-9

_MOST_LOST = 0.05
"""Maximum share of a region's types that may be missing: AWS retires fewer at once, so the answer must be wrong."""
_MOST_DOUBTED = 0.05
"""Maximum share of a region's types with implausible prices: AWS lists a few; with more, the list must be wrong."""
_LEAST_LISTED = 0.5
"""Minimum share of a region's previous prices in a price list: a list with fewer is incomplete."""

_LISTED = ("usd_per_hour", "one_year_usd_per_hour", "three_year_usd_per_hour")
_SPOT = ("spot_usd_per_hour",)
_ODD: tuple[Fault, ...] = ("value", "unit")

_EBS_PRICES = {
    "usd_per_gib_month": "prices of volumes' capacity",
    "usd_per_iops_month": "prices of volumes' IOPS",
    "usd_per_mib_per_s_month": "prices of volumes' throughput",
}
_KNOWN_BY = {"ebs_mb_per_s": "ebs_baseline_mb_per_s", "network_mb_per_s": "network_baseline_mb_per_s"}
"""Gap -> the field that fills it, if it has another name."""


@frozen
class Answers:
    """Answers of AWS for one region."""

    region: str
    types: Sequence[Mapping[str, Any]]
    """Entries of `InstanceTypes` from `describe_instance_types`."""
    sold: frozenset[str]
    """Names of the types offered in the region."""
    prices: Sequence[Price]
    """Prices of instance types."""
    spot: Sequence[SpotPrice]
    volumes: Sequence[Price]
    """Prices of volume types, of snapshots, and of traffic between zones."""


@frozen
class Assembled:
    """Result of a refresh."""

    version: CatalogVersion | None
    """The new version, without a digest, because the store may have to rename it. None if the version would differ from
    the previous version only in its date."""
    notes: tuple[str, ...]
    """Messages for users on figures that were left out, kept or added."""
    refusals: tuple[str, ...] = ()
    """Reasons why the answers as a whole are implausible; the version must not be stored if there are any."""


def assemble(
    before: CatalogVersion,
    answers: Sequence[Answers],
    *,
    name: str,
    as_of: date,
) -> Assembled:
    """Assemble a version: AWS' answers for the requested regions, and the previous version for the others.

    Hardware and profiles of the previous version stay unless AWS reports other values. A price that the answers lack
    stays too, with its date and source. A type that is no longer offered is removed from its region. A region without
    changes stays as it was, including dates.

    Prices that `sanity.check` refuses are left out and noted, if they are few: the previous price stays, or the price
    is unknown. The new version as a whole is refused if many prices of a region are implausible, if a region loses many
    types, or if AWS' price list has less than half of the previous prices.

    Parameters
    ----------
    before : CatalogVersion
    answers : sequence of Answers
        At most one per region.
    name : str
        Name of the new version.
    as_of : date
        Date of the answers.

    Raises
    ------
    KeyError
        The description of a type lacks a required field.
    """
    notes: list[str] = []
    described = {entry["InstanceType"]: entry for answer in answers for entry in answer.types}
    types = dict(before.instance_types)
    for type_name, read in read_hardware(described.values(), as_of=as_of).items():
        types[type_name] = _hardware(before.instance_types.get(type_name), read)
    links = link_prices(described.values(), DESCRIBED, as_of)
    regions = dict(before.regions)
    refusals: list[str] = []
    for answer in answers:
        old = before.regions.get(answer.region)
        regions[answer.region], of_region = _region(answer, old, before, types, links, as_of)
        notes += [f"{answer.region}: {note}" for note in of_region]
        refusals += [f"{answer.region}: {words}" for words in ([] if old is None else _short(answer, old))]
    asked = [answer.region for answer in answers]
    version = CatalogVersion(
        version=name,
        title=f"Amazon EC2 and EBS; {', '.join(asked)} as of {as_of}",
        as_of=as_of,
        provider=before.provider,
        instance_types=types,
        regions={region: _on(row, as_of) for region, row in regions.items()},
        profiles=before.profiles,
        digest="",
    )
    believed = _believed(version, before, asked)
    version, notes, refusals = believed.version, notes + believed.notes, refusals + believed.refusals
    return Assembled(_if_changed(version, before, asked), tuple(notes), tuple(refusals))


def _short(answer: Answers, old: Region) -> list[str]:
    """Check AWS' price list; return a message for each kind of price that it lacks for over half of the known types."""
    on_demand = {
        name
        for name in old.prices.keys() & answer.sold
        if "usd_per_hour" in old.prices[name] and old.prices[name]["usd_per_hour"].kind != "estimated"
    }
    compared = [("on-demand prices", on_demand, _targets(answer.prices, "usd_per_hour"))]
    for quantity, words in _EBS_PRICES.items():
        had = {name for name, volume in old.volume_types.items() if getattr(volume, quantity) is not None}
        compared.append((words, had, _targets(answer.volumes, quantity)))
    return [
        f"the price list has {len(had & listed):,} of the {len(had):,} {words} that the catalog has"
        for words, had, listed in compared
        if len(had & listed) < _LEAST_LISTED * len(had)
    ]


def _targets(prices: Iterable[Price], quantity: str) -> set[str]:
    return {price.target for price in prices if price.quantity == quantity}


@dataclass(slots=True)
class _Believed:
    """A version without its implausible figures in the requested regions, and messages on these figures."""

    version: CatalogVersion
    notes: list[str]
    refusals: list[str]


def _believed(version: CatalogVersion, before: CatalogVersion, asked: Sequence[str]) -> _Believed:
    """Remove implausible figures of instance types in the requested regions.

    Faults that concern a whole region are not removed, but returned as refusals.
    """
    then = replace(before, regions={name: before.regions[name] for name in asked if name in before.regions})
    now = replace(version, regions={name: version.regions[name] for name in asked})
    # The same faults in the previous version were accepted, and replacing a price by an equal one changes nothing.
    stood = {(refusal.fault, refusal.what) for refusal in check(then).refusals}
    now, notes = _without_odd_hardware(now, then)
    doubted: dict[tuple[str, str], list[str]] = {}
    now = _without(now, then, _odd(now, ("proportion",)), _LISTED, doubted)
    for quantities in (_SPOT, _LISTED, (*_SPOT, *_LISTED)):
        odd = _odd(now, _ODD)
        # Remove as little as possible: an implausible on-demand price makes the spot price look implausible, too.
        in_vain = {row.what for row in _odd(_without(now, then, odd, quantities, {}), _ODD)}
        now = _without(now, then, [row for row in odd if row.what not in in_vain], quantities, doubted)
    left = [row for row in _odd(now, ("proportion", *_ODD)) if (row.fault, row.what) not in stood]
    now = _without(now, replace(then, regions={}), left, (*_LISTED, *_SPOT), doubted)
    notes += [f"{region}: {name}: {'; '.join(words)}" for (region, name), words in doubted.items()]
    refusals = []
    for name, region in now.regions.items():
        of_region = [f"{sold}: {words[0]}" for (of, sold), words in doubted.items() if of == name]
        if len(of_region) > _MOST_DOUBTED * len(region.prices):
            many = f"{len(of_region):,} of its {len(region.prices):,} types have odd prices"
            refusals.append(f"{name}: {many}, as {of_region[0]}")
        was = {} if name not in then.regions else then.regions[name].prices
        lost = len(was.keys() - region.prices.keys())
        if lost > _MOST_LOST * len(was):
            refusals.append(f"{name}: {lost:,} of its {len(was):,} types would be gone")
    refusals += [
        refusal.sentence
        for refusal in check(now, then).refusals
        if refusal.fault != "lost" and (refusal.fault, refusal.what) not in stood
    ]
    return _Believed(replace(now, regions={**version.regions, **now.regions}), notes, refusals)


def _odd(version: CatalogVersion, faults: Sequence[Fault]) -> list[Refusal]:
    """Check the prices of instance types in a version.

    Returns the refusals of such prices, if their fault is one of `faults`.
    """
    types = {f"{region.name}/{name}" for region in version.regions.values() for name in region.prices}
    return [row for row in check(version).refusals if row.fault in faults and row.what in types]


def _without(
    now: CatalogVersion,
    then: CatalogVersion,
    odd: Iterable[Refusal],
    quantities: Sequence[str],
    doubted: dict[tuple[str, str], list[str]],
) -> CatalogVersion:
    """Return the version `now` with each refused price replaced by the price in `then`.

    A price that `then` does not have is removed. Each change is noted in `doubted`.
    """
    regions = dict(now.regions)
    for refusal in odd:
        region, _, name = refusal.what.partition("/")
        prices = regions[region].prices[name]
        old = then.regions[region].prices.get(name, {}) if region in then.regions else {}
        stays = {quantity: old[quantity] for quantity in quantities if quantity in old}
        if all(prices.get(quantity) == stays.get(quantity) for quantity in quantities):
            continue
        figures = {**{key: figure for key, figure in prices.items() if key not in quantities}, **stays}
        ordered = {quantity: figures[quantity] for quantity in PRICES if quantity in figures}
        regions[region] = replace(regions[region], prices={**regions[region].prices, name: ordered})
        outcome = "the one before stays" if stays else "its price is left unknown"
        doubted.setdefault((region, name), []).append(f"{refusal.words} (not believed, {outcome})")
    return replace(now, regions=regions)


def _without_odd_hardware(now: CatalogVersion, then: CatalogVersion) -> tuple[CatalogVersion, list[str]]:
    """Remove new types with an implausible description, and undo implausible changes to known types."""
    odd = {row.what: row.words for row in check(now).refusals if row.fault in _ODD and row.what in now.instance_types}
    news = {name: words for name, words in odd.items() if now.instance_types[name] != then.instance_types.get(name)}
    if not news or len(news) > _MOST_DOUBTED * len(now.instance_types):
        return now, []
    types = {
        name: then.instance_types[name] if name in news else hardware
        for name, hardware in now.instance_types.items()
        if name not in news or name in then.instance_types
    }
    regions = {
        name: replace(region, prices={sold: prices for sold, prices in region.prices.items() if sold in types})
        for name, region in now.regions.items()
    }
    notes = [f"{name}: EC2 describes it with {words}; not believed" for name, words in news.items()]
    return replace(now, instance_types=types, regions=regions), notes


def _on(region: Region, as_of: date) -> Region:
    """Return a region whose volume types have the limits that apply on a date."""
    volumes = {name: volume_type(name, figures_of(volume), as_of) for name, volume in region.volume_types.items()}
    return replace(region, volume_types=volumes)


def _hardware(old: InstanceType | None, new: InstanceType) -> InstanceType:
    """Return the description of an instance type, updated with the figures that have changed.

    Parameters
    ----------
    old : InstanceType or None
        Description in the previous version; None for a new type, which keeps its new description.
    new : InstanceType
        Description by EC2.
    """
    if old is None:
        return new
    changed: dict[str, Any] = {}
    for field in fields(InstanceType):
        was, now = getattr(old, field.name), getattr(new, field.name)
        if field.name not in PRICES and isinstance(now, Figure) and not _same_value(was, now):
            changed[field.name] = now
    for field_name in ("disk_media", "placement_group"):
        now = getattr(new, field_name)
        if now is not None and now != getattr(old, field_name):
            changed[field_name] = now
    if new.traits - old.traits:
        changed["traits"] = old.traits | new.traits
    merged = replace(old, **changed) if changed else old
    # Keep the wording of the previous gaps; figures that are known now are no longer gaps.
    gaps = {
        gap: why
        for gap, why in {**new.gaps, **old.gaps}.items()
        if getattr(merged, _KNOWN_BY.get(gap, gap), None) is None
    }
    return merged if gaps == old.gaps else replace(merged, gaps=gaps)


def _region(
    answer: Answers,
    old: Region | None,
    before: CatalogVersion,
    types: Mapping[str, InstanceType],
    links: Mapping[str, Figure | None],
    as_of: date,
) -> tuple[Region, list[str]]:
    notes: list[str] = []
    old_prices = {} if old is None else old.prices
    undescribed = sorted(answer.sold - types.keys())
    if undescribed:
        notes.append(f"offered and not described, left out: {_listed(undescribed)}")
    gone = sorted(old_prices.keys() - answer.sold)
    if gone:
        notes.append(f"not offered any more: {_listed(gone)}")
    listed, unclear = _unambiguous(answer.prices)
    if unclear:
        notes.append(f"listed with several prices, the one before stays: {_listed(unclear)}")
    spot = mean_spot_prices(answer.spot)
    prices: dict[str, Mapping[str, Figure]] = {}
    kept = 0
    # In the order of the previous version, so that an unchanged region compares equal to it.
    for name in (*(row for row in old_prices if row in answer.sold), *sorted(answer.sold - old_prices.keys())):
        if name not in types:
            continue
        figures = dict(old_prices.get(name, {}))
        new = dict(listed.get(name, {}))
        kept += "usd_per_hour" in figures and "usd_per_hour" not in new
        for quantity, value in new.items():
            figures[quantity] = _figure(quantity, value, INSTANCE_UNITS, FROM_PRICE_LIST, as_of)
        link = links.get(name)
        if link is not None:
            figures.setdefault("ebs_usd_per_hour", link)
        if name in spot:
            figures["spot_usd_per_hour"] = _figure("spot_usd_per_hour", spot[name], INSTANCE_UNITS, FROM_SPOT, as_of)
        prices[name] = {quantity: figures[quantity] for quantity in PRICES if quantity in figures}
    if kept:
        notes.append(f"{kept} on-demand prices were not in the list; those before stay")
    volumes, of_volumes = _volume_types(answer, old, before, as_of)
    return Region(answer.region, prices, volumes), notes + of_volumes


def _volume_types(
    answer: Answers, old: Region | None, before: CatalogVersion, as_of: date
) -> tuple[Mapping[str, VolumeType], list[str]]:
    notes: list[str] = []
    listed, unclear = _unambiguous(answer.volumes)
    if unclear:
        notes.append(f"listed with several prices, the one before stays: {_listed(unclear)}")
    notes += [
        f"{besides} cost USD {value:g} {words}: read, and not kept, since no catalog has a place for it"
        for besides, words in ((SNAPSHOTS, "per GiB and month"), (BETWEEN_ZONES, "per GB in each direction"))
        for value in listed.pop(besides, {}).values()
    ]
    volumes = {} if old is None else dict(old.volume_types)
    for name, prices in listed.items():
        limits = volume_limits(name, as_of)
        if isinstance(limits, Infeasible):
            notes.append(f"the volume type {name!r} is unknown to this version of Stowage: left out")
            continue
        known = _figures_before(name, old, before)
        rate = replace(limits.highest_annual_failure_rate, quantity="annual_failure_rate")
        figures = {"annual_failure_rate": rate, **known}
        strange = [quantity for quantity in prices if quantity not in VOLUME_UNITS]
        if strange:
            notes.append(f"{name}: {_listed(strange)} has no place in the catalog: left out")
        for quantity, value in prices.items():
            if quantity in VOLUME_UNITS:
                figures[quantity] = _figure(quantity, value, VOLUME_UNITS, FROM_VOLUME_LIST, as_of)
        if "usd_per_gib_month" not in figures:
            notes.append(f"the volume type {name!r} has no price of capacity: left out")
            continue
        if "annual_failure_rate" not in known:
            notes.append(f"the volume type {name!r} is new: it has the highest failure rate that AWS states")
        volumes[name] = volume_type(name, figures, as_of)
    return volumes, notes


def _figures_before(name: str, old: Region | None, before: CatalogVersion) -> Mapping[str, Figure]:
    """Return a volume type's previous figures in a region.

    If the volume type is new in the region, only the failure rate is returned, from another region.
    """
    here = None if old is None else old.volume_types.get(name)
    if here is not None:
        return figures_of(here)
    elsewhere = (region.volume_types[name] for region in before.regions.values() if name in region.volume_types)
    other = next(elsewhere, None)
    return {} if other is None else {"annual_failure_rate": other.annual_failure_rate}


def _unambiguous(prices: Iterable[Price]) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Separate contradictory prices from the others.

    Prices are contradictory if they have different values for the same figure.

    Returns
    -------
    dict of str to dict of str to float
        Target -> quantity -> price.
    list of str
        Target and quantity of the contradictory prices, which are left out of the mapping.
    """
    values: dict[str, dict[str, float]] = {}
    unclear: dict[tuple[str, str], None] = {}
    for price in prices:
        of_target = values.setdefault(price.target, {})
        if not math.isclose(of_target.setdefault(price.quantity, price.value), price.value, rel_tol=_TOLERANCE):
            unclear[price.target, price.quantity] = None
    for target, quantity in unclear:
        del values[target][quantity]
    return values, [f"{target} {quantity}" for target, quantity in unclear]


def _figure(quantity: str, value: float, units: Mapping[str, str], source: str, as_of: date) -> Figure:
    return Figure(quantity, value, units[quantity], source, "published", as_of)


def _equal(old: Region, new: Region) -> bool:
    """Return whether two states of a region are equal, except for the dates of their figures."""
    if old.prices.keys() != new.prices.keys() or old.volume_types.keys() != new.volume_types.keys():
        return False
    prices = (_all_same(old.prices[name], new.prices[name]) for name in new.prices)
    volumes = (
        _all_same(figures_of(old.volume_types[name]), figures_of(new.volume_types[name])) for name in new.volume_types
    )
    return all(prices) and all(volumes)


def _all_same(old: Mapping[str, Figure], new: Mapping[str, Figure]) -> bool:
    return old.keys() == new.keys() and all(
        _same_value(old[quantity], new[quantity])
        and (old[quantity].kind, old[quantity].source) == (new[quantity].kind, new[quantity].source)
        for quantity in new
    )


def _same_value(old: Figure | None, new: Figure) -> bool:
    return old is not None and math.isclose(old.value, new.value, rel_tol=_TOLERANCE)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _if_changed(version: CatalogVersion, before: CatalogVersion, asked: Sequence[str]) -> CatalogVersion | None:
    """Return the version, in which unchanged regions keep their previous dates.

    Returns None if nothing has changed at all.
    """
    unchanged = {
        region: before.regions[region]
        for region in asked
        if region in before.regions and _equal(before.regions[region], version.regions[region])
    }
    if len(unchanged) == len(asked) and version.instance_types == dict(before.instance_types):
        return None
    as_they_were = {region: _on(row, version.as_of) for region, row in unchanged.items()}
    return replace(version, regions={**version.regions, **as_they_were})
