"""Catalogs under price terms: all prices of a catalog after a customer's discounts."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog, VolumeType
from stowage.model.hardware.offered import Floats, OfferedTypes, Prices, prices_of
from stowage.model.lazy import Lazy
from stowage.model.money.object_prices import ObjectPrices
from stowage.model.money.price import emr_fee
from stowage.model.money.price_terms import PriceTerms, Service

_SERVICE_OF: Mapping[str, Service] = {
    "usd_per_hour": "on_demand",
    "ebs_usd_per_hour": "on_demand",
    "spot_usd_per_hour": "spot",
    "one_year_usd_per_hour": "commitments",
    "three_year_usd_per_hour": "commitments",
}
_VOLUME_PRICES = (
    "usd_per_gib_month",
    "usd_per_iops_month",
    "usd_per_iops_month_above_32000",
    "usd_per_iops_month_above_64000",
    "usd_per_mib_per_s_month",
    "usd_per_million_io",
)


def under_terms(catalog: Catalog, terms: PriceTerms) -> Catalog:
    """Return a catalog with its prices after discounts.

    Parameters
    ----------
    catalog : Catalog
        Catalog with published prices.
    terms : PriceTerms

    Returns
    -------
    Catalog
        Every discounted price is a given figure, whose source names the published price and the terms. If no service
        has a discount, it is ``catalog`` itself.

    Raises
    ------
    ValueError
        The prices of ``catalog`` are already discounted.
    """
    if not terms.discounts:
        return catalog
    if catalog.price_terms is not None:
        raise ValueError(f"catalog {catalog.version} in {catalog.region}: its prices are already discounted")
    on_demand = dict(zip(catalog.instance_types, catalog.usd("usd_per_hour").tolist(), strict=True))
    return replace(
        catalog,
        instance_types=OfferedTypes(catalog.hardware, _Discounted(catalog, terms)),
        volume_types={name: _volume(each, terms) for name, each in catalog.volume_types.items()},
        object_prices=ObjectPrices(
            put=terms.apply(catalog.object_prices.put, "s3"),
            get=terms.apply(catalog.object_prices.get, "s3"),
            stored=tuple(terms.apply(price, "s3") for price in catalog.object_prices.stored),
        ),
        between_zones=terms.apply(catalog.between_zones, "data_transfer"),
        # EMR's fee follows the published price, not the customer's.
        emr_fees=Lazy(
            {name: usd for name, usd in on_demand.items() if not math.isnan(usd)},
            lambda _, usd: terms.apply(emr_fee(usd), "emr"),
        ),
        price_terms=terms,
    )


class _Discounted(Prices):
    """Prices of a catalog after discounts."""

    def __init__(self, published: Catalog, terms: PriceTerms) -> None:
        self._published, self._terms = published, terms

    def usd(self, quantity: str) -> Floats:
        """Return the price of each type after the discount, in their order [USD/h]; NaN if it is unknown."""
        return self._terms.discounted(self._published.usd(quantity), _SERVICE_OF[quantity])

    def __getitem__(self, name: str) -> dict[str, Figure]:
        """Return the known prices of a type."""
        published = prices_of(self._published.instance_types[name])
        return {quantity: self._terms.apply(price, _SERVICE_OF[quantity]) for quantity, price in published.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._published.instance_types)

    def __len__(self) -> int:
        return len(self._published.instance_types)


def _volume(volume: VolumeType, terms: PriceTerms) -> VolumeType:
    prices: dict[str, Any] = {name: getattr(volume, name) for name in _VOLUME_PRICES}
    known: dict[str, Any] = {name: terms.apply(price, "ebs") for name, price in prices.items() if price is not None}
    return replace(volume, **known)
