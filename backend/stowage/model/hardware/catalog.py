"""Catalogs: instance types, volume types and their prices on one date."""

from collections.abc import Collection, Mapping
from dataclasses import field, fields, replace
from datetime import date
from typing import Any, Literal

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Figure, value_of
from stowage.model.hardware.instance import PRICE_OF, InstanceType, Media, Trait
from stowage.model.hardware.offered import Floats, OfferedTypes, prices_of, usd_of
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.volume_limits import IopsAndThroughput, Typical, VolumeLimits, volume_limits
from stowage.model.infeasible import Infeasible
from stowage.model.money.object_prices import S3_PRICES, ObjectPrices
from stowage.model.money.price import BETWEEN_ZONES_USD_PER_GB, IOPS_TIERS, Purchase, Tier, VolumePrices
from stowage.model.money.price_terms import PriceTerms

Provider = Literal["aws", "gce"]

_REQUIRED = ("vcpus", "memory_gib", "disk_count")
# Derived from the class, so that a new field is included automatically.
_OPTIONAL = tuple(
    field.name
    for field in fields(InstanceType)
    if field.name not in {"name", "disk_media", "placement_group", "gaps", "traits", *_REQUIRED}
)

_WITHOUT_END = float("inf")


@frozen
class VolumeType:
    """One EBS volume type in a catalog, with its limits and prices."""

    name: str
    limits: VolumeLimits
    """As of the catalog's date."""
    usd_per_gib_month: Figure
    """Price of capacity [USD per GiB and month]."""
    annual_failure_rate: Figure
    """Chance that a volume is lost within a year [1/a]."""
    usd_per_iops_month: Figure | None = None
    """Price of provisioned IOPS beyond the included IOPS, in the first of three tiers [USD per IOPS and month]; if only
    this price is known, it applies to all tiers."""
    usd_per_iops_month_above_32000: Figure | None = None
    """Price of provisioned IOPS in the second tier, above 32,000 IOPS [USD per IOPS and month]."""
    usd_per_iops_month_above_64000: Figure | None = None
    """Price of provisioned IOPS in the third tier, above 64,000 IOPS [USD per IOPS and month]."""
    usd_per_mib_per_s_month: Figure | None = None
    """Price of provisioned throughput beyond the included throughput [USD per MiB/s and month]."""
    usd_per_million_io: Figure | None = None
    """Price of I/O operations, for volume types that charge for them [USD per million I/O]."""

    @property
    def searched(self) -> bool:
        """Return whether a search may choose the type.

        The result is False for a previous-generation type, for which AWS publishes typical values only. Typical values
        are no promise, so a search must not recommend the type. It is used only if the user names it.
        """
        return not isinstance(self.limits.performance, Typical)

    def prices(self) -> VolumePrices:
        """Return the prices as numbers."""
        first, second, third = (
            self.usd_per_iops_month,
            self.usd_per_iops_month_above_32000,
            self.usd_per_iops_month_above_64000,
        )
        if first is None:
            tiers: tuple[Tier, ...] = ()
        elif second is None or third is None:
            tiers = (Tier(_WITHOUT_END, first.value),)
        else:
            tiers = (
                Tier(IOPS_TIERS[0], first.value),
                Tier(IOPS_TIERS[1], second.value),
                Tier(_WITHOUT_END, third.value),
            )
        performance = self.limits.performance
        includes = performance if isinstance(performance, IopsAndThroughput) else None
        return VolumePrices(
            usd_per_gib_month=self.usd_per_gib_month.value,
            iops_month=tiers,
            included_iops=0.0 if includes is None else includes.included_iops.value,
            usd_per_mib_per_s_month=value_of(self.usd_per_mib_per_s_month),
            included_mib_per_s=0.0 if includes is None else includes.included_mib_per_s.value,
            usd_per_million_io=value_of(self.usd_per_million_io),
        )


@frozen
class Catalog:
    """One catalog: the instance types, volume types and prices of a region on a date.

    A catalog is immutable and named by its version.
    """

    version: str
    title: str
    as_of: date
    region: str
    """Region of the prices."""
    instance_types: Mapping[str, InstanceType]
    volume_types: Mapping[str, VolumeType]
    provider: Provider = "aws"
    object_prices: ObjectPrices = S3_PRICES
    """Prices of the object store."""
    between_zones: Figure = BETWEEN_ZONES_USD_PER_GB
    """Price of traffic between availability zones, in each direction [USD/GB]."""
    emr_fees: Mapping[str, Figure] = field(default_factory=dict)
    """EMR fee of instance types by name, if it does not follow from their price [USD/h]."""
    price_terms: PriceTerms | None = None
    """Discounts that all prices include (`stowage.model.money.discounts`); None for published prices."""
    _families: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def hardware(self) -> Mapping[str, InstanceType]:
        """Return instance types by name, with or without prices: those of all regions, as far as they are known."""
        types = self.instance_types
        return types.hardware if isinstance(types, OfferedTypes) else types

    def family(self, name: str) -> tuple[InstanceType, ...]:
        """Return the hardware of a family, such as all ``i2.*`` for ``i2``, whether the region offers it or not.

        They are in the order of the catalog.
        """
        hardware = self.hardware
        if not self._families:
            families: dict[str, list[str]] = {}
            for one in hardware:
                families.setdefault(one.partition(".")[0], []).append(one)
            self._families.update(families)
        return tuple(hardware[one] for one in self._families.get(name, ()))

    def usd(self, quantity: str) -> Floats:
        """Return a price of each instance type, in the order of the catalog [USD/h]; NaN if it is unknown."""
        return usd_of(self.instance_types, quantity)

    def sells(self, purchase: Purchase) -> bool:
        """Return whether an instance type has a price under a purchase option."""
        return not bool(np.isnan(self.usd(PRICE_OF[purchase])).all())

    def only(self, names: Collection[str]) -> "Catalog":
        """Return the catalog with some of its instance types."""
        hardware = {name: one for name in names if (one := self.hardware.get(name)) is not None}
        prices = {name: prices_of(self.instance_types[name]) for name in self.instance_types if name in names}
        return replace(self, instance_types=OfferedTypes(hardware, prices))


@frozen
class Region:
    """Instance types, volume types and prices that one region offers."""

    name: str
    """`us-east-1`."""
    prices: Mapping[str, Mapping[str, Figure]]
    """Prices of each instance type by its name: for each, a mapping from the names in `instance.PRICES` [USD/h]. A type
    that is not among the keys is not offered here; a type whose price is unknown has an empty mapping."""
    volume_types: Mapping[str, VolumeType]
    """Empty if no EBS price is known: configurations on EBS are then not offered."""


@frozen
class CatalogVersion:
    """One version of the catalog with all its regions.

    A version is immutable.
    """

    version: str
    title: str
    as_of: date
    """Date of the newest prices."""
    provider: Provider
    """Types of providers other than AWS are shown as published, but not searched."""
    instance_types: Mapping[str, InstanceType]
    """Instance types without prices, by name."""
    regions: Mapping[str, Region]
    profiles: Profiles
    """Profiles that are published with this version."""
    digest: str
    """SHA-256 of its source files, 64 lower-case hexadecimal digits: equal digests mean equal content."""

    def in_region(self, name: str) -> Catalog:
        """Return the catalog of a region, with its prices.

        Raises
        ------
        KeyError
            The version has no such region.
        """
        region = self.regions[name]
        return Catalog(
            version=self.version,
            title=self.title,
            as_of=self.as_of,
            region=name,
            instance_types=OfferedTypes(self.instance_types, region.prices),
            volume_types=region.volume_types,
            provider=self.provider,
        )


def instance_type(
    name: str,
    figures: Mapping[str, Figure],
    *,
    disk_media: Media | None,
    placement_group: bool,
    gaps: Mapping[str, str],
    traits: frozenset[Trait] = frozenset(),
) -> InstanceType:
    """Build an instance type from figures.

    Each figure has the name of the field that it is stored in.

    Raises
    ------
    KeyError
        Virtual CPUs, memory or the number of disks are missing.
    """
    required = {quantity: figures[quantity] for quantity in _REQUIRED}
    optional: dict[str, Any] = {name: figures.get(name) for name in _OPTIONAL}
    return InstanceType(
        name=name,
        disk_media=disk_media,
        placement_group=placement_group,
        gaps=gaps,
        traits=traits,
        **required,
        **optional,
    )


def volume_type(name: str, figures: Mapping[str, Figure], as_of: date) -> VolumeType:
    """Build a volume type from figures.

    Each figure has the name of the field that it is stored in. Sizes in the catalog take precedence over AWS'
    documentation of that date.

    Raises
    ------
    KeyError
        The type is unknown on that date, or its price or failure rate is missing.
    """
    limits = volume_limits(name, as_of)
    if isinstance(limits, Infeasible):
        raise KeyError(limits.reason)
    sizes: dict[str, Any] = {
        quantity: figures[quantity] for quantity in ("smallest_gib", "largest_gib") if quantity in figures
    }
    required = {quantity: figures[quantity] for quantity in ("usd_per_gib_month", "annual_failure_rate")}
    optional: dict[str, Any] = {
        field.name: figures.get(field.name)
        for field in fields(VolumeType)
        if field.name not in {"name", "limits", *required}
    }
    return VolumeType(name=name, limits=replace(limits, **sizes), **required, **optional)
