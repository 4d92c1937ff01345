"""Rate columns: rates, prices and orderable volumes of all instance types of a catalog, as arrays.

They are inputs of a search. Looking them up for 1,400 instance types takes longer than the search itself. They do not
depend on the amount of data, the number of copies or the limits. So they are cached by the settings on which they
depend.

A lane is an instance type with one storage layout over a range of node counts (`space`). The kernel is the compiled
search (`kernel`); it reads lanes as records of the type `LANE`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stowage.model.choice import Selection
from stowage.model.cluster import data_volumes, divisions
from stowage.model.figure import Figure, value_of
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles, ScalingCurve
from stowage.model.hardware.steps import Steps
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.workload import Workload
from stowage.model.loss.durability import NODE_FAILURES_PER_YEAR
from stowage.model.money.price import SECONDS_PER_MONTH
from stowage.model.sizes import MB_PER_GB
from stowage.model.uncertainty.range import extrapolation_doubt
from stowage.model.units import Quantity
from stowage.optimizer.cache import Cache
from stowage.optimizer.kernel import LANE, dominators_of
from stowage.optimizer.volume_grid import Grid, grids_of

KEPT = 128
"""Cached rate columns of a process: below 1 MB each for all types of a region.

Enough for three storage kinds (instance store, EBS, object store) in each of 34 regions: a comparison of all regions
with an open durability would otherwise recompute them every time.
"""

_WINNERS = 256
"""Types, each with a volume type, whose figures are cached per rate columns: those of all types would be megabytes."""

_CHANNELS = ("network", "EBS link", "EBS volumes", "object store", "storage", "CPU", "data link")
_SELECTIONS, _TABLES, _DOMINATORS = 64, 4, 2

Floats = NDArray[np.float64]
Rows = NDArray[Any]


@dataclass(slots=True)
class RateColumns:
    """Rates, prices and orderable volumes of all instance types of a catalog.

    One instance holds them for one combination of a workload's settings.
    """

    instances: tuple[InstanceType, ...]
    """Instance types, sorted by name."""
    lanes: Rows
    """Figures of each type. Fields for the layout, the node counts and the class are not filled in. The rows of types
    with unknown figures are empty. Shape (types,)."""
    spreads: tuple[float, ...]
    """Node-to-node spreads of rates. A slowdown table has, for each node count, the slowdown of the slowest node. Lanes
    refer to slowdown tables by number: table t is that of `spreads[t]`."""
    curves: tuple[ScalingCurve, ...]
    """Network rates that change with the number of nodes. Their tables follow the tables of the spreads."""
    classes: NDArray[np.int32]
    """Class of each type. All types of a class have equal memory and vCPUs. Shape (types,)."""
    members: tuple[int, ...]
    """Index of one type of each class."""
    grids: Mapping[tuple[str, bool], Grid]
    """Orderable volumes, by volume type and by whether the instance is built on Nitro."""
    counts: tuple[int, ...]
    """Numbers of volumes per node in the search."""
    disks: NDArray[np.int64]
    """Number of local disks of each type [1]. Shape (types,)."""
    disk_mb: Floats
    """Size of one local disk of each type [MB]. Shape (types,)."""
    most_volumes: NDArray[np.int64]
    """Maximum number of data volumes of each type [1]. Shape (types,)."""
    on_nitro: NDArray[np.bool_]
    """Whether each type is built on Nitro. Shape (types,)."""
    no_network: NDArray[np.bool_]
    """Whether the network rate of each type is unknown. Shape (types,)."""
    measured: NDArray[np.bool_]
    """Whether all rates of each type are measured or given. Shape (types,)."""
    vcpus: Floats
    """Number of vCPUs of each type [1]. Shape (types,)."""
    node_failures: float
    """Failure rate of a node [1/a]."""
    unknown: Mapping[Limit, NDArray[np.bool_]]
    """Types that lack a figure which is required at every node count, by the reason for excluding them. Each array has
    a Boolean for each type."""
    divisions: tuple[NDArray[np.int64], ...]
    """Every division of the disks of every type, as three arrays of equal length: index of the type, number of disks
    for input and output, number of scratch disks."""
    type_of: Mapping[str, int]
    """Index of each type, by name."""
    _gather: Callable[[int, str | None], Inputs | Infeasible]
    _refused: Cache[Selection, NDArray[np.bool_]] = field(default_factory=lambda: Cache(most=_SELECTIONS))
    _tables: Cache[Hashable, Floats] = field(default_factory=lambda: Cache(most=_TABLES))
    _dominators: Cache[tuple[bool, bool], NDArray[np.int32]] = field(default_factory=lambda: Cache(most=_DOMINATORS))

    def refused(self, selection: Selection) -> NDArray[np.bool_]:
        """Return which instance types a selection excludes.

        A selection is a user's filter of instance and volume types. The result has a Boolean for each type.
        """

        def look() -> NDArray[np.bool_]:
            refused = np.array([selection.refuses(instance) is not None for instance in self.instances], np.bool_)
            return refused | ~self.measured if selection.measured_only else refused

        return self._refused.get(selection, look)

    def dominators(self, *, scratch: bool, by_memory: bool) -> NDArray[np.int32]:
        """Return the types that, on the same volumes, are no slower and cost no more than each type.

        ``scratch`` is whether the disks hold intermediate data, ``by_memory`` whether memory matters. The result is
        that of `kernel.dominators_of`; it is cached.
        """

        def make() -> NDArray[np.int32]:
            types = self.lanes.copy()
            types["inner"] = self.disks if scratch else 0.0
            memory_gib = np.array([instance.memory_gib.value for instance in self.instances])
            return dominators_of(types, memory_gib if by_memory else None)

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

    def tables(self, nodes: Floats, key: Hashable, slow: Callable[[float, Floats], Any]) -> Floats:
        """Return the tables to which lanes refer by number.

        Each table is a row of the result and has one value for each node count. The first tables have the slowdown for
        each spread. The next ones have the network rate for each scaling curve. The last ones have the uncertainty of
        each of these network rates. The last results are cached.

        Parameters
        ----------
        nodes : array, shape (places,)
            Node counts.
        key : hashable
            Identifies the function ``slow`` in the cache.
        slow : callable
            (spread, nodes) -> slowdown of the slowest of that many nodes.
        """

        def make() -> Floats:
            rows = [np.broadcast_to(slow(spread, nodes), nodes.shape) for spread in self.spreads]
            rows += [np.broadcast_to(curve.rate_mb_per_s(nodes), nodes.shape) for curve in self.curves]
            # A network rate is uncertain beyond the measured cluster sizes.
            rows += [np.broadcast_to(_extrapolation(curve, nodes), nodes.shape) for curve in self.curves]
            return np.ascontiguousarray(rows) if rows else np.zeros((0, nodes.size))

        return self._tables.get((key, nodes.tobytes()), make)


_rate_columns: Cache[Hashable, tuple[object, RateColumns]] = Cache(most=KEPT)


def columns_of(workload: Workload, catalog: Catalog, profiles: Profiles, steps: Steps) -> RateColumns:
    """Return the rate columns for the settings of a workload.

    They are built at the first call and then cached. The cache key has every setting that `gather` uses. Of the job, it
    has only the properties that decide which figures are required.
    """
    job = workload.job
    # Replicated data is on the instances' disks, as a single copy is.
    elsewhere = job.durability.model in {"infrastructure", "object-store"}
    key = (
        (id(catalog), id(profiles), steps, workload.place, workload.measured, workload.assume, workload.framework),
        workload.calibrated,
        (job.kind, job.intermediate_mb > 0.0, job.random_io_kib, job.durability.model if elsewhere else "none"),
        (workload.uses_object_store, workload.talks_elsewhere),
        workload.tasks,
        workload.head_memory_gib if workload.place.head == "general" else None,
        (workload.stragglers is None and workload.spares == 0,),
        workload.runs_per_month if workload.bears_commitment else None,
    )
    # Cached with the columns, so that the catalog's id is not reused.
    return _rate_columns.get(key, lambda: ((catalog, profiles), _make(workload, catalog, profiles, steps)))[1]


def _make(workload: Workload, catalog: Catalog, profiles: Profiles, steps: Steps) -> RateColumns:
    on_ebs = workload.job.durability.model == "infrastructure"
    grids = grids_of(catalog.volume_types, steps, workload.job.random_io_kib or 16.0) if on_ebs else {}
    any_volume = next((grid.volume for grid in grids.values()), None)

    volumes_of = {name: grid.volume for (name, _), grid in grids.items()}

    def look_up(position: int, volume: str | None = None) -> Inputs | Infeasible:
        found = any_volume if volume is None else volumes_of[volume]
        return gather(instances[position], found, workload, catalog, profiles)

    instances = tuple(catalog.instance_types[name] for name in sorted(catalog.instance_types))
    columns = _Columns(workload)
    size = len(instances)
    lanes, classes = np.zeros(size, LANE), np.zeros(size, np.int32)
    no_network, measured = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    like: dict[tuple[float, float], int] = {}
    members: list[int] = []
    unknown: dict[Limit, NDArray[np.bool_]] = {}
    for position, instance in enumerate(instances):
        inputs = look_up(position)
        if isinstance(inputs, Infeasible):
            unknown.setdefault(inputs.limit, np.zeros(size, np.bool_))[position] = True
            continue
        columns.fill(lanes[position : position + 1], inputs)
        no_network[position], measured[position] = inputs.network_gap is not None, all_measured(inputs)
        of_class = (instance.memory_gib.value, instance.vcpus.value)
        if of_class not in like:
            like[of_class] = len(members)
            members.append(position)
        classes[position] = like[of_class]
    columns.number(lanes)
    disks = np.array([int(instance.disk_count.value) for instance in instances], np.int64)
    volumes = np.array([data_volumes(instance) if on_ebs else 0 for instance in instances], np.int64)
    return RateColumns(
        instances=instances,
        lanes=lanes,
        spreads=tuple(columns.spreads),
        curves=tuple(columns.curves),
        classes=classes,
        members=tuple(members),
        grids=grids,
        counts=steps.counts(int(volumes.max(initial=0))),
        disks=disks,
        disk_mb=np.array([value_of(instance.disk_size_gb) * MB_PER_GB for instance in instances]),
        most_volumes=volumes,
        on_nitro=np.array([instance.on_nitro for instance in instances], np.bool_),
        no_network=no_network,
        measured=measured,
        vcpus=np.array([instance.vcpus.value for instance in instances]),
        node_failures=NODE_FAILURES_PER_YEAR.value,
        unknown=unknown,
        divisions=_divisions(disks, intermediate=workload.job.intermediate_mb > 0.0),
        type_of={instance.name: position for position, instance in enumerate(instances)},
        _gather=lru_cache(_WINNERS)(look_up),
    )


def _divisions(disks: NDArray[np.int64], *, intermediate: bool) -> tuple[NDArray[np.int64], ...]:
    rows = [
        (position, layout.input_output_disks, layout.intermediate_disks)
        for position, count in enumerate(disks)
        if count > 0
        for layout in divisions(int(count), intermediate=intermediate)
    ]
    columns = np.array(rows, np.int64).reshape(len(rows), 3).T
    return tuple(np.ascontiguousarray(column) for column in columns)


def all_measured(inputs: Inputs) -> bool:
    """Return whether every known rate of an instance type is measured or entered by the user."""
    rates: list[Figure] = [
        figure
        for figure in (
            *(inputs.storage, inputs.storage_read, inputs.storage_write),
            *(inputs.storage_iops, inputs.storage_read_iops, inputs.storage_write_iops),
            *(inputs.ebs_read, inputs.ebs_write, inputs.ebs_maximum, inputs.ebs_baseline),
        )
        if figure is not None
    ]
    if isinstance(inputs.network, ScalingCurve):
        rates += [point.figure() for point in inputs.network.points]
    elif inputs.network is not None:
        rates.append(inputs.network)
    return all(figure.kind in {"measured", "given"} for figure in rates)


class _Lane(Protocol):
    """Static type of a row of LANE.

    mypy checks it a hundred times faster than a numpy array.
    """

    def __setitem__(self, column: str, value: float | tuple[float, ...]) -> None: ...

    def __getitem__(self, column: str) -> Any: ...  # noqa: ANN401 - numbers, and structures of them


class _Columns:
    """Builder that fills lanes with the figures of instance types.

    The methods for network and disks have the names of the corresponding functions in `stowage.model.offer`.
    """

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.plain = workload.stragglers is None and workload.spares == 0
        self.nodes_straggle = workload.stragglers is not None and workload.straggling == "nodes"
        self.spreads: dict[float, int] = {}
        self.curves: list[ScalingCurve] = []

    def fill(self, lane: _Lane, inputs: Inputs) -> None:
        workload, vcpus = self.workload, inputs.instance.vcpus.value
        for table in ("network_table", "disk_table", "iops_table", "link_table", "link_write_table", "doubt_table"):
            lane[table] = -1
        lane["volume"] = -1
        self._network(lane, inputs)
        self._disks(lane, inputs)
        if inputs.ebs_read is not None and inputs.ebs_write is not None:
            lane["link_read"], lane["link_write"] = inputs.ebs_read.value, inputs.ebs_write.value
            lane["link_table"] = self._table(inputs.ebs_read.kind, inputs.ebs_spread)
            lane["link_write_table"] = self._table(inputs.ebs_write.kind, inputs.ebs_spread)
        elif inputs.ebs_maximum is not None and inputs.ebs_baseline is not None:
            lane["link_peak"], lane["link_base"] = inputs.ebs_maximum.value, inputs.ebs_baseline.value
            lane["link_table"] = self._table("given", None)
            lane["link_peak_iops"] = value_of(inputs.ebs_maximum_iops)
            lane["link_base_iops"] = value_of(inputs.ebs_baseline_iops)
        if inputs.object_store is not None:
            per_vcpu = vcpus if inputs.object_store.unit == "MB/s per vCPU" else 1.0
            lane["store"], lane["store_remote"] = inputs.object_store.value * per_vcpu, inputs.kind == "object-store"
        if inputs.processed_mb_per_s is not None:
            lane["cpu"] = inputs.processed_mb_per_s
        if inputs.interruptions is not None:
            lane["spot"], lane["interruptions"] = 1, inputs.interruptions.value
            lane["replacement_s"], lane["restart"] = value_of(inputs.launch), inputs.framework.recovery == "restart"
        if workload.stragglers is None:
            lane["spread_storage"], lane["spread_link"] = value_of(inputs.storage_spread), value_of(inputs.ebs_spread)
        doubts = dict.fromkeys(_CHANNELS, 0.0)
        for channel, _, figure in inputs.doubts:
            doubts[channel] += figure.value * figure.value
        lane["doubt"] = tuple(doubts.values())
        prices = lane["prices"]
        prices["usd_per_hour"] = prices["month_usd_per_hour"] = inputs.price.value
        prices["link"], prices["emr"] = value_of(inputs.ebs_link_price), value_of(inputs.emr_fee)
        prices["head_nodes"] = 0.0 if inputs.head_price is None else 1.0
        prices["head"], prices["head_emr"] = value_of(inputs.head_price), value_of(inputs.head_emr_fee)
        launch_s = value_of(inputs.launch)
        counted = workload.assume.launch == "counted"
        lane["start_s"], prices["launch_s"] = (launch_s, 0.0) if counted else (0.0, launch_s)
        prices["minimum_s"] = value_of(inputs.minimum_billed)
        prices["committed_s"] = SECONDS_PER_MONTH / workload.runs_per_month if workload.bears_commitment else 0.0

    def number(self, lanes: Rows) -> None:
        """Set the final table numbers of scaling curves in lanes.

        The tables of curves follow those of the spreads, whose number is known only after all lanes are filled. Until
        then, lanes refer to curves by provisional numbers. The tables of the curves' uncertainties come last.
        """
        of_curves = lanes["network_table"] < -1
        numbers = -2 - lanes["network_table"][of_curves] + len(self.spreads)
        lanes["network_table"][of_curves] = numbers
        extrapolated = self.workload.assume.spread == "modelled"
        lanes["doubt_table"][of_curves] = numbers + len(self.curves) if extrapolated else -1

    def _network(self, lane: _Lane, inputs: Inputs) -> None:
        if isinstance(inputs.network, ScalingCurve):
            # Tables of curves follow those of the spreads, whose number is not known yet: numbered down from -2.
            lane["network"], lane["network_table"] = 1.0, -2 - len(self.curves)
            self.curves.append(inputs.network)
        elif inputs.network is not None:
            lane["network"] = inputs.network.value
        if inputs.network_baseline is not None:
            lane["network_base"], lane["network_full"] = inputs.network_baseline.value, value_of(inputs.network_credit)
        lane["single_flow"] = value_of(inputs.single_flow)
        if inputs.outside is not None:
            lane["outside_share" if inputs.outside.unit == "1" else "outside"] = inputs.outside.value

    def _disks(self, lane: _Lane, inputs: Inputs) -> None:
        count = inputs.instance.disk_count.value
        if inputs.storage is not None:
            lane["disk"], lane["disk_divisor"] = inputs.storage.value, count / 2.0
            lane["disk_table"] = self._table(inputs.storage.kind, inputs.storage_spread)
        elif inputs.storage_read is not None and inputs.storage_write is not None:
            lane["disk_read"], lane["disk_write"] = inputs.storage_read.value, inputs.storage_write.value
            lane["disk_divisor"], lane["each_way"] = count, 1
            lane["disk_table"] = self._table(inputs.storage_read.kind, inputs.storage_spread)
        if inputs.storage_iops is not None:
            lane["iops"] = inputs.storage_iops.value
            lane["iops_table"] = self._table(inputs.storage_iops.kind, inputs.storage_spread)
        elif inputs.storage_read_iops is not None and inputs.storage_write_iops is not None:
            lane["iops_read"], lane["iops_write"] = inputs.storage_read_iops.value, inputs.storage_write_iops.value
            lane["iops_each_way"] = 1
            lane["iops_table"] = self._table(inputs.storage_read_iops.kind, inputs.storage_spread)

    def _table(self, kind: str, spread: Figure | None) -> int:
        # Given rates are used as they are: only averages get a slowdown for the slowest of many.
        value = None if spread is None or kind == "given" else float(spread.value)
        if self.plain and value is None:
            return -1
        return self.spreads.setdefault(0.0 if value is None else value, len(self.spreads))


def _extrapolation(curve: ScalingCurve, nodes: Floats) -> Quantity:
    measured = tuple(point.cluster_nodes for point in curve.points if point.cluster_nodes is not None)
    return extrapolation_doubt(nodes, measured)
