"""Differences between two versions of a catalog, in one region."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from stowage.frozen import frozen
from stowage.model.complete import Checked
from stowage.model.figure import Figure, figures_of
from stowage.model.hardware.catalog import Catalog, VolumeType
from stowage.model.hardware.instance import PRICES, InstanceType

T = TypeVar("T")

_TOLERANCE = 1e-9
"""Relative tolerance: the same price computed in another order is not a change."""


@frozen
class Change(Checked):
    """A figure that has changed."""

    name: str
    """Name of the instance or volume type."""
    quantity: str
    """Name of the figure."""
    then: float | None
    """Old value, in the figure's unit; None if unknown."""
    now: float | None
    """New value, in the figure's unit; None if unknown."""


@frozen
class PriceChange(Change):
    """A known price that has changed to another known price [USD/h]."""

    then: float
    now: float

    @property
    def change_pct(self) -> float:
        """Return the change relative to the previous price [%]; 0 if the previous price was zero."""
        return 100.0 * (self.now / self.then - 1.0) if self.then else 0.0


@frozen
class Difference:
    """Additions, removals and changes between two catalogs."""

    new: tuple[str, ...]
    """New instance types."""
    gone: tuple[str, ...]
    """Removed instance types."""
    cheaper: tuple[PriceChange, ...]
    """Price decreases of types that have the compared price in both catalogs."""
    dearer: tuple[PriceChange, ...]
    """Price increases of types that have the compared price in both catalogs."""
    priced: tuple[str, ...]
    """Types in both catalogs that have gained a price."""
    unpriced: tuple[str, ...]
    """Types in both catalogs that have lost their price."""
    new_volumes: tuple[str, ...]
    """New volume types."""
    gone_volumes: tuple[str, ...]
    """Removed volume types."""
    volumes: tuple[Change, ...]
    """Changed figures of volume types, including new and removed types."""
    hardware: tuple[Change, ...]
    """Changed figures, except prices, of instance types in both catalogs."""

    def counts(self) -> list[str]:
        """Return, in words, how many instance and volume types have each kind of change; leave out zeros.

        Examples
        --------
        >>> price = PriceChange("m5.large", "usd_per_hour", 0.1, 0.09)
        >>> Difference(("i9.large",), (), (price,), (), (), (), (), (), (), ()).counts()
        ['1 type new', '1 cheaper']
        """
        counted = (
            (len(self.new), "new"),
            (len(self.gone), "gone"),
            (len(self.cheaper), "cheaper"),
            (len(self.dearer), "dearer"),
            (len(self.priced), "with a price now"),
            (len(self.unpriced), "without a price now"),
            (len({change.name for change in self.hardware}), "with other hardware figures"),
        )
        volumes = {change.name for change in self.volumes}.difference(self.new_volumes, self.gone_volumes)
        of_volumes = ((len(self.new_volumes), "new"), (len(self.gone_volumes), "gone"), (len(volumes), "changed"))
        return [*_counted("type", counted), *_counted("volume type", of_volumes)]


def difference(then: Catalog, now: Catalog, price: str) -> Difference:
    """Compare two catalogs.

    Parameters
    ----------
    then, now : Catalog
        Catalogs of the same region.
    price : str
        The price figure that is compared, e.g. ``usd_per_hour``.
    """
    both = [name for name in now.instance_types if name in then.instance_types]
    prices = [
        (name, getattr(then.instance_types[name], price), getattr(now.instance_types[name], price)) for name in both
    ]
    moved = [
        PriceChange(name, price, old.value, new.value)
        for name, old, new in prices
        if old is not None and new is not None and not _same(old.value, new.value)
    ]
    return Difference(
        new=tuple(name for name in now.instance_types if name not in then.instance_types),
        gone=tuple(name for name in then.instance_types if name not in now.instance_types),
        cheaper=tuple(change for change in moved if change.now < change.then),
        dearer=tuple(change for change in moved if change.now > change.then),
        priced=tuple(name for name, old, new in prices if old is None and new is not None),
        unpriced=tuple(name for name, old, new in prices if old is not None and new is None),
        new_volumes=tuple(name for name in now.volume_types if name not in then.volume_types),
        gone_volumes=tuple(name for name in then.volume_types if name not in now.volume_types),
        volumes=tuple(_changes(then.volume_types, now.volume_types, _of_volume)),
        hardware=tuple(
            _changes(
                {name: then.instance_types[name] for name in both},
                {name: now.instance_types[name] for name in both},
                _of_hardware,
            )
        ),
    )


def figures_of_volume(volume: VolumeType) -> tuple[Figure, ...]:
    """Return the figures of a volume type: first its limits, then its prices."""
    limits = volume.limits.figures()
    prefix = f"{volume.limits.name}."
    bare = (replace(row, quantity=row.quantity.removeprefix(prefix)) for row in limits)
    return (*bare, *figures_of(volume).values())


def _of_volume(volume: VolumeType) -> dict[str, float]:
    return {figure.quantity: figure.value for figure in figures_of_volume(volume)}


def _of_hardware(instance: InstanceType) -> dict[str, float]:
    return {name: figure.value for name, figure in figures_of(instance).items() if name not in PRICES}


def _counted(what: str, counts: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield the non-zero counts in words, such as "2 types new" and then "1 gone": only the first has the noun."""
    named = False
    for count, words in counts:
        if count:
            yield f"{count:,} {words}" if named else f"{count:,} {what}{'' if count == 1 else 's'} {words}"
            named = True


def _changes(then: Mapping[str, T], now: Mapping[str, T], values: Callable[[T], dict[str, float]]) -> Iterator[Change]:
    for name in dict.fromkeys((*then, *now)):
        old = values(then[name]) if name in then else {}
        new = values(now[name]) if name in now else {}
        for quantity in dict.fromkeys((*old, *new)):
            before, after = old.get(quantity), new.get(quantity)
            if before is None or after is None or not _same(before, after):
                yield Change(name, quantity, before, after)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_TOLERANCE)
