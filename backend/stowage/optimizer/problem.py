"""Search problem: the input of the kernel, which is the compiled search.

The input has flows, slowdown tables and volume types. A flow is the data that a node moves in one way during a phase;
its role says in which way, e.g. "input read". A slowdown table has, for each node count, the slowdown of the slowest
node. A lane is an instance type with one storage layout over a range of node counts (`space`).
"""

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.choice import Objective, VolumeQuota
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.figure import value_of
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.inputs import Inputs
from stowage.model.jobs.flows import READS, Phase
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.workload import Workload
from stowage.model.offer import offer_of
from stowage.model.plan import FRONTIER_RESOLUTION, POWERS, SCALES
from stowage.model.sizes import MB_PER_GIB, MB_PER_MIB
from stowage.model.uncertainty.scale import slowest_deviation
from stowage.model.units import Quantity
from stowage.optimizer.arrays import Floats, Indices, Records
from stowage.optimizer.columns.rates import RateColumns, columns_of
from stowage.optimizer.kernel import FOUND, VOLUME, Answer, address, solve
from stowage.optimizer.slowness import tables_of
from stowage.optimizer.space import NODES_WITHOUT_LIMIT, Lanes, lay_out
from stowage.optimizer.stairs_kernel import Stairs, solve_stairs
from stowage.optimizer.volume_grid import ROLES, Grid

_OBJECTIVES: Mapping[Objective, int] = {"cost": 0, "time": 1, "month": 2}
_EXCESS = 3
_FEW = 100
"""Node counts from one to the next of those at which flows are compared first."""

NOTHING = np.zeros(0, FOUND)


@frozen
class Excess:
    """Weights for the excess over limits, which a search for near misses minimizes.

    The excess of a candidate is the largest of its weighted time, cost, node count and number of units. Units are the
    nodes or volumes that can lose data. If several candidates have the same excess, the search may return any of them.
    """

    time: float = 0.0
    """Weight of time [1/s]; 0 ignores the time."""
    cost: float = 0.0
    """Weight of cost [1/USD]; 0 ignores the cost."""
    nodes: float = 0.0
    """Weight of the node count [1]; 0 ignores the node count."""
    units: float = 0.0
    """Weight of the number of units [1]; 0 ignores the number of units. If data lives only as long as the job, the
    number of units is multiplied by the job's time [s]."""
    by_vcpus: bool = False
    """Whether nodes are counted by their vCPUs."""


class SearchProblem:
    """One search: a workload with a catalog, converted to the input of the kernel.

    Parameters
    ----------
    workload : Workload
    catalog : Catalog
    profiles : Profiles
    steps : Steps
    last_nodes : int
        Maximum node count of a type if the workload sets no limit.
    most_nodes : Mapping[tuple of (str, int), int]
        Lower maximum node counts of some instance types, which keep these types within the limit on loss. The keys are
        the type's name and the index of the replication factor.
    """

    def __init__(
        self,
        workload: Workload,
        catalog: Catalog,
        profiles: Profiles,
        steps: Steps,
        last_nodes: int = NODES_WITHOUT_LIMIT,
        most_nodes: Mapping[tuple[str, int], int] | None = None,
    ) -> None:
        self.workload = workload
        self._of = catalog, profiles, steps, last_nodes
        self.rate_columns: RateColumns = columns_of(workload, catalog, profiles, steps)
        self.lanes: Lanes = lay_out(workload, self.rate_columns, last_nodes, most_nodes or {})
        flows, flows_of, cache, role = _flows(self.lanes, [inputs.instance for inputs in self._members()])
        charged = self._charges()
        alike, kept = _alike(flows_of, cache, charged)
        if alike.size > 1:
            self.lanes.rows["klass"] = alike[self.lanes.rows["klass"]]
        most_volumes = int(self.lanes.counts.max(initial=0))
        tables, late_table = tables_of(workload, self.rate_columns, self.lanes.nodes, most_volumes)
        self._volumes, self._kept = _volumes(workload, self.rate_columns, self.lanes, flows, role, late_table)
        nodes, framework = self.lanes.nodes, self.lanes.framework
        nothing = np.zeros((nodes.size, 2))
        below = workload.limits.chance is not None and workload.limits.chance < 0.5
        self._arrays: dict[str, NDArray[Any] | None] = {
            "nodes": nodes,
            "flows": flows,
            "flows_of": flows_of[kept],
            "cache": None if cache is None else cache[kept],
            "role": role,
            "table": tables,
            "charges": np.stack([charged.get(each, nothing) for each in kept.tolist()]),
            "held_mb": self.lanes.held_mb,
            # The deviation of the slowest node is needed only for a required confidence.
            "deviation": nodes if workload.limits.chance is None else np.ascontiguousarray(slowest_deviation(nodes)),
            "overhead": _along(nodes, framework.overhead_s(nodes)),
            # For a confidence below one half, the errors below the median apply.
            "error": _along(nodes, (framework.faster_error_at if below else framework.error_at)(nodes)),
            "counts": self.lanes.counts,
            "powers": POWERS,
            "scales": SCALES,
            "dominators": self._dominators(),
        }

    def with_fewer(self, most_nodes: Mapping[tuple[str, int], int]) -> "SearchProblem":
        """Return this search problem with lower maximum node counts of some instance types."""
        return SearchProblem(self.workload, *self._of, most_nodes)

    def answer(
        self,
        most_rows: int | None,
        *,
        frontier: bool = True,
        counted: bool = True,
        excess: Excess | None = None,
        banned: Records = NOTHING,
    ) -> Answer:
        """Solve the search problem with the kernel.

        Parameters
        ----------
        most_rows : int or None
            How many of the first rows of the ranking must be optimal; None for all rows.
        frontier : bool
        counted : bool
            Whether to count the candidates, and those that break a limit.
        excess : Excess, optional
            Minimize the excess over limits, instead of the workload's objective.
        banned : array of FOUND
            Candidates to leave out. The model rejects them, but the kernel accepts them because of rounding: they are
            very close to the required confidence.
        """
        workload, lanes = self.workload, self.lanes.rows
        if excess is not None and excess.by_vcpus:
            # A copy: another thread may be searching.
            lanes = lanes.copy()
            lanes["weight"] = self.rate_columns.vcpus[lanes["type"]]
        return solve(
            lanes,
            self._volumes,
            self._arrays,
            self._numbers(excess or Excess()),
            rows=self.lanes.row_count,
            most_rows=most_rows or 0,
            objective=_OBJECTIVES[workload.objective] if excess is None else _EXCESS,
            frontier=frontier,
            counted=counted,
            stays=self.lanes.units_stay,
            banned=banned,
        )

    def stairs(self, limits: Floats, quantiles: Floats, most_rows: int) -> Stairs | None:
        """Find the best rows under each of many limits, in one search.

        Parameters
        ----------
        limits : array, shape (limits,)
            Ascending limits of the time [s], or of the cost if the objective is the time [USD]; the last may be
            infinite.
        quantiles : array, shape (levels,)
            Standard normal quantiles of the confidences of meeting a limit of the time; the workload of this search
            problem must require the highest confidence, and no deadline.
        most_rows : int
            Length of each list of rows.

        Returns
        -------
        Stairs or None
            None if the search would take too long.
        """
        framework = self.lanes.framework
        nodes = self.lanes.nodes
        faster = None if framework.faster is None else _along(nodes, framework.faster_error_at(nodes))
        return solve_stairs(
            self.lanes.rows,
            self._volumes,
            self._arrays,
            # The kernel skips more candidates if no confidence is required.
            {**self._numbers(Excess()), "chance_z": float(quantiles.max())},
            rows=self.lanes.row_count,
            objective=_OBJECTIVES[self.workload.objective],
            stays=self.lanes.units_stay,
            limits=limits,
            quantiles=quantiles,
            least_factors=np.exp(quantiles * framework.error.value) * (1.0 - 1e-6),
            faster=faster,
            most_rows=most_rows,
        )

    def _numbers(self, wanted: Excess) -> dict[str, float]:
        """Return the scalar inputs of the kernel; ``wanted`` has the weights of excesses over limits."""
        workload = self.workload
        limits, framework = workload.limits, self.lanes.framework
        deadline_s = np.inf if limits.deadline_s is None else limits.deadline_s
        relaxed_s, z = deadline_s, -np.inf
        if limits.chance is not None and limits.deadline_s is not None:
            z = NormalDist().inv_cdf(limits.chance)
            # The framework's smallest error is a lower bound of the uncertainty of any time.
            relaxed_s = deadline_s * float(np.exp(-z * framework.error.value)) * (1.0 + 1e-6) if z > 0.0 else np.inf
        return {
            **_slowdowns(framework),
            **_of_job(workload),
            "deadline_s": deadline_s,
            "relaxed_deadline_s": relaxed_s,
            "chance_z": z,
            "budget_usd": np.inf if limits.budget_usd is None else limits.budget_usd,
            "loss_limit": self.lanes.most_units[0],
            # A little less, since times and costs on the frontier are rounded.
            "resolved": (1.0 + FRONTIER_RESOLUTION) * (1.0 - 1e-8),
            "excess_time": wanted.time,
            "excess_cost": wanted.cost,
            "excess_nodes": wanted.nodes,
            "excess_units": wanted.units,
        }

    def _dominators(self) -> Indices | None:
        # With several replication factors a type has several lanes; without volumes, divisions of its disks.
        if not self.lanes.volume_keys or len(self.lanes.workloads) > 1:
            return None
        scratch = self.workload.job.intermediate_mb > 0.0
        return self.rate_columns.dominators(scratch=scratch, by_memory=len(self.lanes.members) > 1)

    def workload_of(self, lane: int) -> Workload:
        """Return the workload with the replication factor of a lane."""
        return self.lanes.workloads[int(self.lanes.workload_of[lane])]

    def configurations(self, found: Records) -> list[Configuration]:
        """Return the configurations of candidates that the kernel found."""
        lane = found["lane"]
        names = self.rate_columns.names[self.lanes.rows["type"][lane]]
        columns = names, found["nodes"].astype(np.int64), self.lanes.rows["volume"][lane], found["layout"]
        return [
            Configuration(name, nodes, self._layout(volume, *layout))
            for name, nodes, volume, layout in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def inputs(self, instance: str, layout: Layout) -> Inputs:
        """Return the model inputs of an instance type with the volume type of a layout."""
        volume = layout.volume_type if isinstance(layout, Ebs) else None
        return self.rate_columns.inputs(self.rate_columns.position_of(instance), volume)

    def grid(self, layout: Ebs, inputs: Inputs) -> Grid:
        """Return the grid for a layout on EBS.

        A grid has all options for ordering the layout's volume type.
        """
        grids = self.rate_columns.grids
        return grids.get((layout.volume_type, inputs.instance.on_nitro)) or grids[layout.volume_type, True]

    def _layout(self, volume: int, first: int, second: int, iops: int, throughput: int) -> Layout:
        if volume >= 0:
            return Ebs(self.lanes.volume_keys[volume][0], second, first, iops or None, throughput or None)
        if self.workload.job.durability.model == "object-store":
            return ObjectStore()
        return InstanceStore(first, second)

    def _members(self) -> list[Inputs]:
        """Return the model inputs of one instance type from each class.

        The types of a class have equal flows. If flows depend on the node count alone, all types are in one class.
        """
        return [self.rate_columns.inputs(member) for member in self.lanes.members]

    def _charges(self) -> dict[int, Floats]:
        """Return the cost of object store and traffic [USD] of each class that pays any, shape (places, 2)."""
        charged: dict[int, Floats] = {}
        for member, inputs in enumerate(self._members()):
            if inputs.object_prices is None and inputs.between_zones is None:
                continue
            charges = charged[member] = np.zeros((self.lanes.nodes.size, 2))
            for workload, within in zip(self.lanes.workloads, self.lanes.ranges, strict=True):
                nodes = np.ascontiguousarray(self.lanes.nodes[within])
                found = offer_of(inputs, ObjectStore(), workload, nodes, quantile=0.5).charges
                charges[within, 0], charges[within, 1] = found.object_store, found.traffic
        return charged


def _along(nodes: Floats, of_nodes: Quantity | None) -> Floats:
    """Return a quantity as an array with one value for each node count.

    All values are 0 if the quantity is None.
    """
    return np.ascontiguousarray(np.broadcast_to(0.0 if of_nodes is None else of_nodes, nodes.shape), np.float64)


def _flows(lanes: Lanes, members: Sequence[InstanceType]) -> tuple[Floats, Indices, Floats | None, Indices]:
    """Return the flows of a node in the form that the kernel reads.

    A slot is the position of a flow in its phase. Phases list their flows in different orders, and the kernel must sum
    the flows of a phase in the phase's own order. A place is the position of a node count in the array of node counts.

    Returns
    -------
    flows : array, shape (distinct, phases, places, slots)
        Size of each flow [MB], of the classes that differ in a flow.
    flows_of : array, shape (classes,)
        Index in ``flows`` of each class.
    cached : array, shape (classes, phases, places), or None
        Data that page caches take [MB]; None if they take none.
    role : array, shape (phases, slots)
        Index in `ROLES` of the role of each slot; -1 for unused slots.
    """
    of_ranges = [lanes.phases(members, of) for of in range(len(lanes.workloads))] if members else []
    count = len(of_ranges[0]) if of_ranges else 1
    slots: list[dict[Any, int]] = [{} for _ in range(count)]
    for phases in of_ranges:
        for taken, phase in zip(slots, phases, strict=True):
            for name in phase.flows_mb:
                # Flows are summed in the order in which a phase lists them.
                taken.setdefault(name, len(taken))
    role = np.full((count, len(ROLES)), -1, np.int32)
    for index, taken in enumerate(slots):
        for name, slot in taken.items():
            role[index, slot] = ROLES.index(name)
    flows_of = np.zeros(max(1, len(members)), np.int32)
    cached = np.zeros((flows_of.size, count, lanes.nodes.size))
    for within, phases in zip(lanes.ranges, of_ranges, strict=False):
        for index, phase in enumerate(phases):
            cached[:, index, within] = phase.cache_mb
    moved = [flow for phases in of_ranges for phase in phases for flow in phase.flows_mb.values()]
    distinct: list[Floats] = []
    # Classes with the same flows at a few node counts may have all the same; most have others at these too.
    similar: dict[bytes, list[int]] = {}
    for member in range(flows_of.size if any(np.ndim(flow) > 1 for flow in moved) else 1):
        flows = _flows_of(member, lanes, of_ranges, slots)
        known = similar.setdefault(flows[:, ::_FEW].tobytes(), [])
        same = [at for at in known if np.array_equal(distinct[at], flows)]
        if not same:
            known.append(len(distinct))
            distinct.append(flows)
        flows_of[member] = same[0] if same else known[-1]
    return np.stack(distinct), flows_of, cached if cached.any() else None, role


def _alike(flows_of: Indices, cache: Floats | None, charged: Mapping[int, Floats]) -> tuple[Indices, Indices]:
    """Return for each class the index of its like among the distinct ones, and the first class of each of these."""
    distinct: dict[tuple[int, bytes, bytes], int] = {}
    alike = np.zeros(flows_of.size, np.int32)
    kept: list[int] = []
    for each, flows in enumerate(flows_of.tolist()):
        charges = charged[each].tobytes() if each in charged else b""
        key = (flows, b"" if cache is None else cache[each].tobytes(), charges)
        alike[each] = distinct.setdefault(key, len(distinct))
        if alike[each] == len(kept):
            kept.append(each)
    return alike, np.array(kept, np.int32)


def _flows_of(
    member: int, lanes: Lanes, of_ranges: Sequence[Sequence[Phase]], slots: Sequence[Mapping[Any, int]]
) -> Floats:
    """Return the flows of a class, shape (phases, places, slots)."""
    flows = np.zeros((len(slots), lanes.nodes.size, len(ROLES)))
    for within, phases in zip(lanes.ranges, of_ranges, strict=False):
        for index, phase in enumerate(phases):
            for name, flow_mb in phase.flows_mb.items():
                own = flow_mb[member] if isinstance(flow_mb, np.ndarray) and flow_mb.ndim > 1 else flow_mb
                flows[index, within, slots[index][name]] = own
    return flows


def _volumes(
    workload: Workload, rate_columns: RateColumns, lanes: Lanes, flows: Floats, role: Indices, late_table: int
) -> tuple[Records, list[Any]]:
    """Return the volume types in the form that the kernel reads.

    Returns
    -------
    rows : array of VOLUME
        Volume types, with addresses of other arrays.
    kept : list
        Objects with these arrays, which must stay alive during the call of the kernel.
    """
    rows: Records = np.zeros(len(lanes.volume_keys), VOLUME)
    kept: list[Any] = []
    framework = lanes.framework
    streams = None if framework.streams is None else framework.streams.value
    # Volume types of the same medium have the same weights of flows.
    asked: dict[bytes, tuple[float, float]] = {}
    for at, key in enumerate(lanes.volume_keys):
        grid = rate_columns.grids[key]
        weights = grid.io_weight.tobytes() + grid.mb_weight.tobytes()
        if weights not in asked:
            asked[weights] = _io_per_mb(grid, flows, role, _slower(framework))
        chains = grid.chains(*asked[weights], streams)
        # The catalog's types may allow fewer volumes than the grid has.
        cut = np.ascontiguousarray(chains.cut[: lanes.counts.size, : lanes.counts.size])
        kept += [chains, cut]
        rows[at] = chains.row
        rows["cut"][at] = address(cut)
    quotas = [workload.quotas.volumes.get(name) or VolumeQuota() for name, _ in lanes.volume_keys]
    rows["gib_limit"] = [np.inf if quota.size_gib is None else quota.size_gib for quota in quotas]
    rows["iops_limit"] = [np.inf if quota.iops is None else quota.iops for quota in quotas]
    rows["loss_limit"], rows["late_table"] = lanes.most_units[1 : 1 + rows.size], late_table
    return rows, kept


def _slower(framework: Framework) -> Floats:
    """Compute the slowdown of a framework's reads and writes on volumes.

    It is relative to the burst rate of a volume. The result has one factor for each role of flows, shape (ROLES,).
    """
    read, write = (value_of(figure, 1.0) for figure in (framework.read_efficiency, framework.write_efficiency))
    return np.array([1.0 / (read if role in READS else write) for role in ROLES])


def _io_per_mb(grid: Grid, flows: Floats, role: Indices, slower: Floats) -> tuple[float, float]:
    """Compute the range of I/Os per MB over all phases [1/MB].

    The result has the minimum and the maximum, or (1, 1) if no phase has I/Os on volumes. A flow that reaches only a
    part of the volume's rate counts as more I/Os and more bytes.
    """
    lowest, highest = np.inf, 0.0
    for index in range(role.shape[0]):
        # Skip flows that have no weight on a volume.
        used = (role[index] >= 0) & ((grid.io_weight + grid.mb_weight)[role[index]] > 0.0)
        of_phase = flows[:, index][..., used] * slower[role[index][used]]
        ios = of_phase @ grid.io_weight[role[index][used]]
        megabytes = of_phase @ grid.mb_weight[role[index][used]]
        asked = megabytes > 0.0
        if asked.any():
            ratio = ios[asked] / megabytes[asked]
            lowest, highest = min(lowest, float(ratio.min())), max(highest, float(ratio.max()))
    if highest == 0.0:
        return 1.0, 1.0
    # Round: sums in another order differ in their last digits, and equal phases must stay equal.
    return float(f"{lowest:.12g}"), float(f"{highest:.12g}")


def _slowdowns(framework: Framework) -> dict[str, float]:
    """Return those inputs of the kernel that depend on the framework alone.

    These are the slowdown of each resource, the read efficiency, the write efficiency, and the number of concurrent
    requests.
    """
    return {
        "slowed": float(framework.slower("storage")),
        "slowed_network": float(framework.slower("network")),
        "slowed_link": float(framework.slower("EBS link")),
        "slowed_store": float(framework.slower("object store")),
        "slowed_cpu": float(framework.slower("CPU")),
        "reads": value_of(framework.read_efficiency, 1.0),
        "writes": value_of(framework.write_efficiency, 1.0),
        "streams": value_of(framework.streams),
    }


def _of_job(workload: Workload) -> dict[str, float]:
    """Return those inputs of the kernel that depend on the workload alone."""
    return {
        "credits": workload.credits,
        "random_io_mb": (workload.job.random_io_kib or 16.0) * MB_PER_MIB / 1024.0,
        "runs_per_month": workload.runs_per_month,
        "mb_per_gib": MB_PER_GIB,
        "link_in": workload.link_in_mb_per_s or 0.0,
        "link_out": workload.link_out_mb_per_s or 0.0,
    }
