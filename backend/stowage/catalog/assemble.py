"""A new version of the catalogue from what AWS was asked and the version before; pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from stowage.catalog.aws_prices import BETWEEN_ZONES, SNAPSHOTS, Price, SpotPrice, mean_spot_prices
from stowage.catalog.build import link_prices
from stowage.catalog.hardware import DESCRIBED
from stowage.catalog.hardware import instance_types as read_hardware
from stowage.catalog.snapshot import with_digest
from stowage.catalog.units import INSTANCE_UNITS, VOLUME_UNITS
from stowage.model.catalogue import CatalogueVersion, Region, VolumeType, volume_type
from stowage.model.figure import Figure
from stowage.model.infeasible import Infeasible
from stowage.model.instance import PRICES, InstanceType
from stowage.model.volume_limits import volume_limits

FROM_PRICE_LIST = "AWS Price List API, GetProducts: Linux, shared tenancy, nothing installed"
FROM_VOLUME_LIST = "AWS Price List API, GetProducts: EBS"
FROM_SPOT = "EC2 DescribeSpotPriceHistory: mean over the region's zones of the latest Linux/UNIX price in each"

_MOST_NAMED = 8
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Answers:
    """What AWS answered about one region.

    Parameters
    ----------
    region : str
    types : sequence of Mapping
        Entries of `InstanceTypes`, as ``describe_instance_types`` gives them.
    sold : frozenset of str
        Names of the types that are offered in the region.
    prices : sequence of Price
        Of instance types.
    spot : sequence of SpotPrice
    volumes : sequence of Price
        Of volume types, and of what belongs to none of them.
    """

    region: str
    types: Sequence[Mapping[str, Any]]
    sold: frozenset[str]
    prices: Sequence[Price]
    spot: Sequence[SpotPrice]
    volumes: Sequence[Price]


@dataclass(frozen=True, slots=True)
class Assembled:
    """What came of a refresh.

    Parameters
    ----------
    version : CatalogueVersion or None
        None where nothing differs from the version before but the day.
    notes : tuple of str
        What was left out, kept or found besides, in words for people.
    """

    version: CatalogueVersion | None
    notes: tuple[str, ...]


def assemble(
    before: CatalogueVersion,
    answers: Sequence[Answers],
    *,
    name: str,
    as_of: date,
) -> Assembled:
    """Put a version together: what AWS says of the regions that were asked about, and the version before for the rest.

    Hardware and profiles of the version before stay where AWS says nothing else; so does a price that the answers lack,
    with the day and the source that it had. A type that is not offered any more is left out of its region. A region in
    which nothing changed stays as it was, dates included.

    Parameters
    ----------
    before : CatalogueVersion
    answers : sequence of Answers
        At most one for a region.
    name : str
        Of the new version.
    as_of : date
        Day of the answers.

    Raises
    ------
    KeyError
        A description of a type lacks what every type has.
    """
    notes: list[str] = []
    described = {entry["InstanceType"]: entry for answer in answers for entry in answer.types}
    types = dict(before.instance_types)
    for type_name, read in read_hardware(described.values(), as_of=as_of).items():
        types[type_name] = _hardware(before.instance_types.get(type_name), read)
    links = link_prices(described.values(), DESCRIBED, as_of)
    regions = dict(before.regions)
    changed = types != dict(before.instance_types)
    for answer in answers:
        old = before.regions.get(answer.region)
        new, of_region = _region(answer, old, before, types, links, as_of)
        notes += [f"{answer.region}: {note}" for note in of_region]
        if old is None or not _equal(old, new):
            regions[answer.region] = new
            changed = True
    if not changed:
        return Assembled(None, tuple(notes))
    asked = ", ".join(answer.region for answer in answers)
    version = CatalogueVersion(
        version=name,
        title=f"Amazon EC2 and EBS; {asked} as of {as_of}",
        as_of=as_of,
        provider=before.provider,
        instance_types=types,
        regions={region: _on(row, as_of) for region, row in regions.items()},
        profiles=before.profiles,
        digest="",
    )
    return Assembled(with_digest(version), tuple(notes))


def _on(region: Region, as_of: date) -> Region:
    """Give the region's volume types the limits of a date, as every version has those of its own."""
    volumes = {name: volume_type(name, _named(volume), as_of) for name, volume in region.volume_types.items()}
    return replace(region, volume_types=volumes)


def _hardware(old: InstanceType | None, new: InstanceType) -> InstanceType:
    """Take over what differs from the type before."""
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
    return replace(old, **changed) if changed else old


def _region(
    answer: Answers,
    old: Region | None,
    before: CatalogueVersion,
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
    # In the order of the version before, so that an unchanged region is equal to it.
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
    answer: Answers, old: Region | None, before: CatalogueVersion, as_of: date
) -> tuple[Mapping[str, VolumeType], list[str]]:
    notes: list[str] = []
    listed, unclear = _unambiguous(answer.volumes)
    if unclear:
        notes.append(f"listed with several prices, the one before stays: {_listed(unclear)}")
    notes += [
        f"{besides} cost USD {value:g} {words}: read, and not kept, since no catalogue has a place for it"
        for besides, words in ((SNAPSHOTS, "per GiB and month"), (BETWEEN_ZONES, "per GB in each direction"))
        for value in listed.pop(besides, {}).values()
    ]
    volumes = {} if old is None else dict(old.volume_types)
    for name, prices in listed.items():
        if isinstance(volume_limits(name, as_of), Infeasible):
            notes.append(f"the volume type {name!r} is unknown to this version of Stowage: left out")
            continue
        known = _figures_before(name, old, before)
        figures = dict(known)
        strange = [quantity for quantity in prices if quantity not in VOLUME_UNITS]
        if strange:
            notes.append(f"{name}: {_listed(strange)} has no place in the catalogue: left out")
        for quantity, value in prices.items():
            if quantity in VOLUME_UNITS:
                figures[quantity] = _figure(quantity, value, VOLUME_UNITS, FROM_VOLUME_LIST, as_of)
        if "annual_failure_rate" not in figures or "usd_per_gib_month" not in figures:
            notes.append(f"the volume type {name!r} has no price of capacity or no known failure rate: left out")
            continue
        volumes[name] = volume_type(name, figures, as_of)
    return volumes, notes


def _figures_before(name: str, old: Region | None, before: CatalogueVersion) -> Mapping[str, Figure]:
    """Give the figures of a volume type in the version before; of another region's only what is no price."""
    here = None if old is None else old.volume_types.get(name)
    if here is not None:
        return _named(here)
    elsewhere = (region.volume_types[name] for region in before.regions.values() if name in region.volume_types)
    other = next(elsewhere, None)
    return {} if other is None else {"annual_failure_rate": other.annual_failure_rate}


def _named(volume: VolumeType) -> dict[str, Figure]:
    found = ((field.name, getattr(volume, field.name)) for field in fields(VolumeType))
    return {quantity: figure for quantity, figure in found if isinstance(figure, Figure)}


def _unambiguous(prices: Iterable[Price]) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Sort prices by target and quantity; what is listed with several values is left out and named."""
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
    """Whether two states of a region differ in nothing but the days of their figures."""
    if old.prices.keys() != new.prices.keys() or old.volume_types.keys() != new.volume_types.keys():
        return False
    prices = (_all_same(old.prices[name], new.prices[name]) for name in new.prices)
    volumes = (_all_same(_named(old.volume_types[name]), _named(new.volume_types[name])) for name in new.volume_types)
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
