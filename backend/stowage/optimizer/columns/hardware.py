"""Hardware columns: rates of all instance types of a catalog version, as arrays.

They have everything that a search needs of an instance type but its prices. All regions share them: looking up the
rates of 1,400 types takes longer than a search, and they differ between regions only by the types that are offered.
They depend neither on the amount of data, nor on the number of copies, nor on the limits. So they are cached by the
settings on which they depend.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stowage.model.choice import Selection
from stowage.model.cluster import data_volumes, divisions
from stowage.model.figure import Figure, given, value_of
from stowage.model.hardware.catalog import Catalog, VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles, ScalingCurve
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.inputs import Inputs, NodePrices, gather_at
from stowage.model.jobs.workload import Workload
from stowage.model.sizes import MB_PER_GB
from stowage.model.uncertainty.range import extrapolation_doubt
from stowage.model.units import Quantity
from stowage.optimizer.arrays import Flags, Floats, Ints, Records
from stowage.optimizer.cache import Cache
from stowage.optimizer.kernel import LANE

KEPT = 64
"""Cached hardware columns of a process: below 1 MB each for all types of a version."""

_CHANNELS = ("network", "EBS link", "EBS volumes", "object store", "storage", "CPU", "data link")
_SELECTIONS, _TABLES = 64, 4

_UNPRICED = NodePrices(given("usd_per_hour", 0.0, "USD/h"))


@dataclass(slots=True)
class HardwareColumns:
    """Rates of all instance types of a catalog version, for one combination of a workload's settings."""

    instances: tuple[InstanceType, ...]
    """Instance types, sorted by name. Their prices, if they have any, are not used."""
    place_of: Mapping[str, int]
    """Index of each type, by name."""
    lanes: Records
    """Figures of each type. Prices, and fields for the layout, the node counts and the class are not filled in. The
    rows of types with unknown figures are empty. Shape (types,)."""
    spreads: tuple[float, ...]
    """Node-to-node spreads of rates. A slowdown table has, for each node count, the slowdown of the slowest node. Lanes
    refer to slowdown tables by number: table t is that of `spreads[t]`."""
    curves: tuple[ScalingCurve, ...]
    """Network rates that change with the number of nodes. Their tables follow the tables of the spreads."""
    classes: Ints
    """Class of each type. All types of a class have equal memory and vCPUs. Shape (types,)."""
    disks: Ints
    """Number of local disks of each type [1]. Shape (types,)."""
    disk_mb: Floats
    """Size of one local disk of each type [MB]. Shape (types,)."""
    most_volumes: Ints
    """Maximum number of data volumes of each type [1]; 0 if data is not on EBS. Shape (types,)."""
    on_nitro: Flags
    """Whether each type is built on Nitro. Shape (types,)."""
    no_network: Flags
    """Whether the network rate of each type is unknown. Shape (types,)."""
    measured: Flags
    """Whether all rates of each type are measured or given. Shape (types,)."""
    vcpus: Floats
    """Number of vCPUs of each type [1]. Shape (types,)."""
    memory_gib: Floats
    """Memory of each type [GiB]. Shape (types,)."""
    link_gap: Flags
    """Whether the EBS link of each type costs extra, at a price that the catalog may not know. Shape (types,)."""
    too_small: Flags
    """Whether the memory of each type is too small for one task. Shape (types,)."""
    unknown: Mapping[Limit, Flags]
    """Types that lack a figure which is required at every node count, by the reason for excluding them."""
    divisions: tuple[Ints, Ints, Ints]
    """Every division of the disks of every type, as three arrays of equal length: index of the type, number of disks
    for input and output, number of scratch disks."""
    _refused: Cache[Selection, Flags] = field(default_factory=lambda: Cache(most=_SELECTIONS))
    _tables: Cache[Hashable, Floats] = field(default_factory=lambda: Cache(most=_TABLES))

    def refused(self, selection: Selection) -> Flags:
        """Return which instance types the rules of a selection exclude, apart from `Selection.measured_only`."""

        def look() -> Flags:
            taken = np.ones(len(self.instances), np.bool_)
            for _, judged, accepts in selection.rules():
                taken &= np.fromiter(map(accepts, map(judged, self.instances)), np.bool_, taken.size)
            return ~taken

        return self._refused.get(selection, look)

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


_hardware: Cache[Hashable, tuple[object, HardwareColumns]] = Cache(most=KEPT)


def hardware_columns(
    workload: Workload, catalog: Catalog, profiles: Profiles, volume: VolumeType | None
) -> HardwareColumns:
    """Return the hardware columns for the settings of a workload.

    They are built at the first call and then cached. The cache key has every setting that `gather_at` uses. Of the job,
    it has only the properties that decide which figures are required.

    Parameters
    ----------
    workload : Workload
    catalog : Catalog
        Catalog of any region of the version.
    profiles : Profiles
    volume : VolumeType or None
        Any volume type if input and output are on EBS.
    """
    hardware = catalog.hardware
    key = (
        (id(hardware), id(profiles), catalog.as_of),
        (workload.measured, workload.assume, workload.framework, workload.calibrated, workload.tasks),
        rates_key(workload),
        (workload.place.placement_group, workload.place.purchase == "spot", volume is None),
    )
    # Cached with the columns, so that no id is reused.
    return _hardware.get(key, lambda: ((hardware, profiles), _make(workload, catalog, profiles, volume)))[1]


def rates_key(workload: Workload) -> Hashable:
    """Return the properties of a workload's job and nodes that decide which rates are required."""
    job = workload.job
    # Replicated data is on the instances' disks, as a single copy is.
    elsewhere = job.durability.model in {"infrastructure", "object-store"}
    return (
        (job.kind, job.intermediate_mb > 0.0, job.random_io_kib, job.durability.model if elsewhere else "none"),
        (workload.uses_object_store, workload.talks_elsewhere),
        (workload.stragglers is None, workload.spares == 0),
    )


def _make(workload: Workload, catalog: Catalog, profiles: Profiles, volume: VolumeType | None) -> HardwareColumns:
    instances = tuple(catalog.hardware[name] for name in sorted(catalog.hardware))
    size = len(instances)
    filler = _LaneFiller(workload)
    lanes = np.zeros(size, LANE)
    lanes["weight"] = 1.0
    no_network, measured, too_small = (np.zeros(size, np.bool_) for _ in range(3))
    unknown: dict[Limit, Flags] = {}
    for place, instance in enumerate(instances):
        too_small[place] = workload.tasks.obstacle(instance) is not None
        inputs = gather_at(_UNPRICED, instance, volume, workload, catalog, profiles)
        if isinstance(inputs, Infeasible):
            unknown.setdefault(inputs.limit, np.zeros(size, np.bool_))[place] = True
            continue
        filler.fill(lanes[place : place + 1], inputs)
        no_network[place], measured[place] = inputs.network_gap is not None, all_measured(inputs)
    filler.number(lanes)

    def numbers(figure_of: Callable[[InstanceType], float], kind: type) -> NDArray[Any]:
        return np.array([figure_of(instance) for instance in instances], kind)

    disks = numbers(lambda one: one.disk_count.value, np.int64)
    return HardwareColumns(
        instances=instances,
        place_of={instance.name: place for place, instance in enumerate(instances)},
        lanes=lanes,
        spreads=tuple(filler.spreads),
        curves=tuple(filler.curves),
        classes=np.fromiter(_classes(instances), np.int64, size),
        disks=disks,
        disk_mb=numbers(lambda one: value_of(one.disk_size_gb) * MB_PER_GB, np.float64),
        most_volumes=numbers(data_volumes, np.int64) if volume is not None else np.zeros(size, np.int64),
        on_nitro=numbers(lambda one: one.on_nitro, np.bool_),
        no_network=no_network,
        measured=measured,
        vcpus=numbers(lambda one: one.vcpus.value, np.float64),
        memory_gib=numbers(lambda one: one.memory_gib.value, np.float64),
        link_gap=numbers(lambda one: "ebs_usd_per_hour" in one.gaps, np.bool_),
        too_small=too_small,
        unknown=unknown,
        divisions=_divisions(disks, intermediate=workload.job.intermediate_mb > 0.0),
    )


def _classes(instances: tuple[InstanceType, ...]) -> Iterator[int]:
    like: dict[tuple[float, float], int] = {}
    for instance in instances:
        yield like.setdefault((instance.memory_gib.value, instance.vcpus.value), len(like))


def _divisions(disks: Ints, *, intermediate: bool) -> tuple[Ints, Ints, Ints]:
    rows = [
        (place, layout.input_output_disks, layout.intermediate_disks)
        for place, count in enumerate(disks)
        if count > 0
        for layout in divisions(int(count), intermediate=intermediate)
    ]
    types, outer, inner = np.ascontiguousarray(np.array(rows, np.int64).reshape(len(rows), 3).T)
    return types, outer, inner


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


class _LaneFiller:
    """Builder that fills lanes with the figures of instance types.

    The methods for network and disks have the names of the corresponding functions in `stowage.model.offer`.
    """

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.plain = workload.stragglers is None and workload.spares == 0
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
        launch_s = value_of(inputs.launch)
        counted = workload.assume.launch == "counted"
        prices = lane["prices"]
        lane["start_s"], prices["launch_s"] = (launch_s, 0.0) if counted else (0.0, launch_s)
        prices["minimum_s"] = value_of(inputs.minimum_billed)

    def number(self, lanes: Records) -> None:
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
