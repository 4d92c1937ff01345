"""Instance types that a region offers: hardware, which all regions share, and prices, which are columns of numbers.

A search reads the columns. The records of instance types and figures are built when they are accessed: a catalog has
34 regions with up to 1,400 types each, of which an answer names a few.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.model.figure import Figure, Kind
from stowage.model.hardware.instance import PRICES, InstanceType

Floats = NDArray[np.float64]
Source = tuple[str, Kind, date | None]

PRICE_UNIT = "USD/h"


class Prices(Mapping[str, Mapping[str, Figure]]):
    """Prices of instance types by their names: for each, a mapping from the names in `PRICES`.

    A price that is unknown is missing from the mapping of its type.
    """

    @abstractmethod
    def usd(self, quantity: str) -> Floats:
        """Return the price of each type, in their order [USD/h]; NaN if it is unknown."""


class PriceColumns(Prices):
    """Prices of the instance types of a region, by column.

    Parameters
    ----------
    names : sequence of str
    columns : Mapping[str, tuple of (sequence, sequence)]
        For each quantity the price of each type [USD/h], None if it is unknown, and the index of its source.
    sources : sequence or mapping of Source
        Sources by their index.
    """

    def __init__(
        self,
        names: Sequence[str],
        columns: Mapping[str, tuple[Sequence[float | None], Sequence[int | None]]],
        sources: Sequence[Source] | Mapping[int, Source],
    ) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._usd = {quantity: np.array(usd, np.float64) for quantity, (usd, _) in columns.items()}
        self._source = {
            quantity: np.array([0 if one is None else one for one in source], np.int32)
            for quantity, (_, source) in columns.items()
        }
        self._sources = sources

    def usd(self, quantity: str) -> Floats:
        """Return the price of each type, in their order [USD/h]; NaN if it is unknown."""
        found = self._usd.get(quantity)
        return np.full(len(self._places), np.nan) if found is None else found

    def __getitem__(self, name: str) -> dict[str, Figure]:
        """Return the known prices of a type."""
        place = self._places[name]
        return {
            quantity: Figure(
                quantity, float(usd[place]), PRICE_UNIT, *self._sources[int(self._source[quantity][place])]
            )
            for quantity, usd in self._usd.items()
            if not np.isnan(usd[place])
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class OfferedTypes(Mapping[str, InstanceType]):
    """Instance types of a region, each combined from its hardware and its prices on first access.

    Parameters
    ----------
    hardware : Mapping[str, InstanceType]
        Types that the region offers, and others.
    prices : Mapping[str, Mapping[str, Figure]]
        Prices of the types that the region offers; they replace those of ``hardware``.
    """

    def __init__(self, hardware: Mapping[str, InstanceType], prices: Mapping[str, Mapping[str, Figure]]) -> None:
        self.hardware, self.prices = hardware, prices
        self._made: dict[str, InstanceType] = {}

    def __getitem__(self, name: str) -> InstanceType:
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = _priced(self.hardware[name], self.prices[name])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.prices)

    def __len__(self) -> int:
        return len(self.prices)

    def __contains__(self, name: object) -> bool:
        return name in self.prices


def usd_of(types: Mapping[str, InstanceType], quantity: str) -> Floats:
    """Return a price of each instance type, in their order [USD/h]; NaN if it is unknown."""
    if isinstance(types, OfferedTypes) and isinstance(types.prices, Prices):
        return types.prices.usd(quantity)
    figures: list[Figure | None] = [getattr(instance, quantity) for instance in types.values()]
    return np.array([np.nan if figure is None else figure.value for figure in figures], np.float64)


def prices_of(instance: InstanceType) -> dict[str, Figure]:
    """Return the known prices of an instance type."""
    found = ((quantity, getattr(instance, quantity)) for quantity in PRICES)
    return {quantity: figure for quantity, figure in found if figure is not None}


def _priced(hardware: InstanceType, prices: Mapping[str, Any]) -> InstanceType:
    if hardware.gaps.keys() & prices.keys():
        # A price that is a gap in other regions may be known in this one.
        gaps = {quantity: why for quantity, why in hardware.gaps.items() if quantity not in prices}
        hardware = replace(hardware, gaps=gaps)
    return replace(hardware, **prices)
