"""Rate columns: rates, prices and orderable volumes of all instance types of a region, as arrays.

They are inputs of a search. Rates come from the hardware columns (`columns.hardware`), which all regions share, and
prices from the catalog's columns. They depend neither on the amount of data, nor on the number of copies, nor on the
limits. So they are cached by the settings on which they depend.

A lane is an instance type with one storage layout over a range of node counts (`space`). The kernel is the compiled
search (`kernel`); it reads lanes as records of the type `LANE`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stowage.model.choice import Selection
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.head import shared_head
from stowage.model.jobs.workload import Workload
from stowage.model.loss.durability import NODE_FAILURES_PER_YEAR
from stowage.optimizer.arrays import Flags, Floats, Ints, Records
from stowage.optimizer.cache import Cache
from stowage.optimizer.columns.hardware import HardwareColumns, hardware_columns, rates_key
from stowage.optimizer.columns.prices import price_columns
from stowage.optimizer.kernel import PRICES, dominators_of
from stowage.optimizer.volume_grid import Grid, grids_of

KEPT = 128
"""Cached rate columns of a process: about 0.1 MB each for all types of a region.

Enough for three storage kinds (instance store, EBS, object store) in each of 34 regions: a comparison of all regions
with an open durability would otherwise recompute them every time.
"""

_WINNERS = 256
"""Types, each with a volume type, whose figures are cached per rate columns: those of all types would be megabytes."""

_DOMINATORS = 2

_NUMBERS = np.dtype((np.float64, PRICES.itemsize // 8))
"""Prices as plain numbers."""


@dataclass(slots=True)
class RateColumns:
    """Rates, prices and orderable volumes of all instance types of a region.

    One instance holds them for one combination of a workload's settings. Arrays with one element for each type have
    shape (types,); the types are sorted by name.
    """

    hardware: HardwareColumns
    places: Ints
    """Index of each type in the hardware columns, ascending."""
    instances: tuple[InstanceType, ...]
    """Hardware of the instance types, with or without prices."""
    names: NDArray[np.object_]
    """Name of each type."""
    prices: Records
    """Prices of each type, as records of `kernel.PRICES`; 0 for types with unknown figures."""
    head: InstanceType | None
    """Type of the head node; None if there is no head node, or if it has the type of the workers."""
    classes: NDArray[np.int32]
    """Class of each type. All types of a class have equal memory and vCPUs."""
    members: tuple[int, ...]
    """Index of one type of each class."""
    grids: Mapping[tuple[str, bool], Grid]
    """Orderable volumes, by volume type and by whether the instance is built on Nitro."""
    counts: tuple[int, ...]
    """Numbers of volumes per node in the search."""
    disks: Ints
    """Number of local disks of each type [1]."""
    disk_mb: Floats
    """Size of one local disk of each type [MB]."""
    most_volumes: Ints
    """Maximum number of data volumes of each type [1]."""
    on_nitro: Flags
    """Whether each type is built on Nitro."""
    no_network: Flags
    """Whether the network rate of each type is unknown."""
    measured: Flags
    """Whether all rates of each type are known, and measured or given."""
    vcpus: Floats
    """Number of vCPUs of each type [1]."""
    memory_gib: Floats
    """Memory of each type [GiB]."""
    node_failures: float
    """Failure rate of a node [1/a]."""
    unknown: Mapping[Limit, Flags]
    """Types that lack a figure which is required at every node count, by the reason for excluding them. Each array has
    a Boolean for each type."""
    divisions: tuple[Ints, Ints, Ints]
    """Every division of the disks of every type, as three arrays of equal length: index of the type, number of disks
    for input and output, number of scratch disks."""
    _gather: Callable[[int, str | None], Inputs | Infeasible]
    _dominators: Cache[tuple[bool, bool], NDArray[np.int32]] = field(default_factory=lambda: Cache(most=_DOMINATORS))

    def lanes(self, types: Ints | slice = slice(None)) -> Records:
        """Return the figures of some instance types as new records of `kernel.LANE`.

        Fields for the layout, the node counts and the class are not filled in.
        """
        # `take` and views as plain numbers are faster: brackets and assignments would copy field by field.
        lanes = self.hardware.lanes.take(self.places[types])
        lanes["prices"].view(_NUMBERS)[:] = self.prices.view(_NUMBERS)[types]
        return lanes

    def position_of(self, name: str) -> int:
        """Return the index of an instance type."""
        return int(self.places.searchsorted(self.hardware.place_of[name]))

    def refused(self, selection: Selection) -> Flags:
        """Return which instance types a selection excludes.

        A selection is a user's filter of instance and volume types. The result has a Boolean for each type.
        """
        refused = self.hardware.refused(selection)[self.places]
        return refused | ~self.measured if selection.measured_only else refused

    def dominators(self, *, scratch: bool, by_memory: bool) -> NDArray[np.int32]:
        """Return the types that, on the same volumes, are no slower and cost no more than each type.

        ``scratch`` is whether the disks hold intermediate data, ``by_memory`` whether memory matters. The result is
        that of `kernel.dominators_of`; it is cached.
        """

        def make() -> NDArray[np.int32]:
            types = self.lanes()
            types["inner"] = self.disks if scratch else 0.0
            return dominators_of(types, self.memory_gib if by_memory else None)

        return self._dominators.get((scratch, by_memory), make)

    def inputs(self, position: int, volume: str | None = None) -> Inputs:
        """Return the model inputs of an instance type.

        ``position`` is the index of the type. ``volume`` is the name of its volume type; with None, any volume type is
        used. Recently used inputs are cached.

        Raises
        ------
        ValueError
            A figure that is required at every node count is unknown.
        """
        found = self._gather(position, volume)
        if isinstance(found, Infeasible):
            raise ValueError(found.reason)  # noqa: TRY004 - what is not known is never searched
        return found


_rate_columns: Cache[Hashable, tuple[object, RateColumns]] = Cache(most=KEPT)


def columns_of(workload: Workload, catalog: Catalog, profiles: Profiles, steps: Steps) -> RateColumns:
    """Return the rate columns for the settings of a workload.

    They are built at the first call and then cached. The cache key has every setting that `gather` uses. Of the job, it
    has only the properties that decide which figures are required.
    """
    # Amounts of data that share a head node's type share its price.
    head = shared_head(workload, catalog.instance_types) if workload.head_nodes else None
    key = (
        (id(catalog), id(profiles), steps, workload.place, workload.measured, workload.assume, workload.framework),
        (workload.calibrated, workload.tasks),
        rates_key(workload),
        None if head is None else head.name,
        workload.runs_per_month if workload.bears_commitment else None,
    )
    # Cached with the columns, so that the catalog's id is not reused.
    return _rate_columns.get(key, lambda: ((catalog, profiles), _make(workload, catalog, profiles, steps)))[1]


def _make(workload: Workload, catalog: Catalog, profiles: Profiles, steps: Steps) -> RateColumns:
    on_ebs = workload.job.durability.model == "infrastructure"
    grids = grids_of(catalog.volume_types, steps, workload.job.random_io_kib or 16.0) if on_ebs else {}
    volumes_of = {name: grid.volume for (name, _), grid in grids.items()}
    any_volume = next(iter(volumes_of.values()), None)

    def look_up(position: int, volume: str | None = None) -> Inputs | Infeasible:
        found = any_volume if volume is None else volumes_of[volume]
        return gather(catalog.instance_types[names[position]], found, workload, catalog, profiles)

    names = sorted(catalog.instance_types)
    hardware = hardware_columns(workload, catalog, profiles, any_volume)
    places = np.array([hardware.place_of[name] for name in names], np.int64)
    priced = price_columns(workload, catalog, names, hardware.link_gap[places] if any_volume is not None else None)
    unknown, known = _excluded(hardware, places, priced.known)
    prices = hardware.lanes["prices"].take(places)
    for name, usd in priced.columns.items():
        prices[name] = usd
    prices[~known] = 0.0
    classes, members = _classes(hardware.classes[places], known)
    volumes = hardware.most_volumes[places]
    return RateColumns(
        hardware=hardware,
        places=places,
        instances=tuple(hardware.instances[place] for place in places),
        names=np.array(names, np.object_),
        prices=prices,
        head=priced.head,
        classes=classes,
        members=members,
        grids=grids,
        counts=steps.counts(int(volumes.max(initial=0))),
        disks=hardware.disks[places],
        disk_mb=hardware.disk_mb[places],
        most_volumes=volumes,
        on_nitro=hardware.on_nitro[places],
        no_network=hardware.no_network[places] & known,
        measured=hardware.measured[places] & known,
        vcpus=hardware.vcpus[places],
        memory_gib=hardware.memory_gib[places],
        node_failures=NODE_FAILURES_PER_YEAR.value,
        unknown=unknown,
        divisions=_divisions(hardware, places),
        _gather=lru_cache(_WINNERS)(look_up),
    )


def _excluded(hardware: HardwareColumns, places: Ints, priced: Flags) -> tuple[Mapping[Limit, Flags], Flags]:
    """Return the types with unknown figures by the first reason that `gather` finds, and which types have none."""
    reasons: list[tuple[Limit, Flags]] = [
        ("task memory", hardware.too_small[places]),
        ("price unknown", ~priced),
        *((limit, lacking[places]) for limit, lacking in hardware.unknown.items()),
    ]
    known = np.ones(places.size, np.bool_)
    excluded: list[tuple[Limit, Flags]] = []
    for limit, lacking in reasons:
        excluded.append((limit, lacking & known))
        known &= ~lacking
    found = ((limit, which) for limit, which in excluded if which.any())
    # The reason of the first type comes first.
    return dict(sorted(found, key=lambda row: int(row[1].argmax()))), known


def _classes(classes: Ints, known: Flags) -> tuple[NDArray[np.int32], tuple[int, ...]]:
    """Return the class of each type, and the first type of each class.

    Classes are numbered in the order of their first known types; unknown types are in class 0.
    """
    first = np.full(int(classes.max(initial=-1)) + 1, classes.size)
    which = np.flatnonzero(known)
    np.minimum.at(first, classes[which], which)
    there = np.argsort(first, kind="stable")[: int(np.count_nonzero(first < classes.size))]
    numbers = np.zeros(first.size, np.int32)
    numbers[there] = np.arange(there.size)
    return np.where(known, numbers[classes], 0).astype(np.int32), tuple(first[there].tolist())


def _divisions(hardware: HardwareColumns, places: Ints) -> tuple[Ints, Ints, Ints]:
    position_of = np.full(len(hardware.instances), -1)
    position_of[places] = np.arange(places.size)
    types, outer, inner = hardware.divisions
    here = position_of[types] >= 0
    return position_of[types[here]], outer[here], inner[here]
