"""(configuration, workload, catalogue, profiles) -> time, cost, bottlenecks, range, provenance.

Three steps: `inputs.gather` looks up every figure that an instance type needs for a workload,
`evaluate` is the arithmetic, for one node count or for an array of them, and `predict` is both for
one configuration, with its range and the provenance of each number that went in.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stowage.model.cluster import (
    Configuration,
    Ebs,
    Layout,
    Rates,
    capacity_groups_mb,
    check_layout,
    node_resources,
    nodes_needed,
)
from stowage.model.cost import Cost, Prices, run_cost
from stowage.model.durability import chance_of_failures
from stowage.model.figure import Figure
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.instance import Catalogue
from stowage.model.profile import Profiles, ScalingCurve
from stowage.model.provenance import provenance
from stowage.model.scale import Z90, chance_within, slowdown
from stowage.model.units import SECONDS_PER_YEAR, Quantity, longer
from stowage.model.workload import Workload

FEWEST_VOLUMES = 3
"""From three SSD volumes on the EBS link is the limit, not the volumes (paper, section 4.4.2)."""


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """How long a phase takes, and each of its resources alone [s]."""

    name: str
    time_s: Quantity
    resource_times_s: tuple[tuple[str, Quantity], ...]

    @property
    def bottleneck(self) -> str:
        """Name the resource that takes longest; the first of the node's order where some tie."""
        return max(self.resource_times_s, key=lambda pair: float(np.max(pair[1])))[0]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Time and cost at one level of stragglers, for one node count or an array of them."""

    phases: tuple[PhaseTime, ...]
    time_s: Quantity
    cost: Cost


@dataclass(frozen=True, slots=True)
class Range:
    """Quantiles of a predicted quantity."""

    p10: float
    p50: float
    p90: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """Time and cost of one workload on one configuration.

    Parameters
    ----------
    configuration : Configuration
    time_s : Range
        The job's own time [s].
    cost_usd : Range
        Of one run [USD].
    cost : Cost
        By part, at p50 [USD].
    billed_s : float
        At p50, launch included [s].
    phases : tuple of PhaseTime
        At p50.
    meets_deadline, meets_budget : float or None
        Chance [1]; None without that limit.
    loss_probability : float
        Chance that input or output is lost during ``loss_exposure_s`` [1].
    loss_exposure_s : float
    range_sources : tuple of (str, float)
        What the width of the range comes from: name and standard deviation of ln(time) [1].
    provenance : tuple of Figure
        Every number that went in.
    """

    configuration: Configuration
    time_s: Range
    cost_usd: Range
    cost: Cost
    billed_s: float
    phases: tuple[PhaseTime, ...]
    meets_deadline: float | None
    meets_budget: float | None
    loss_probability: float
    loss_exposure_s: float
    range_sources: tuple[tuple[str, float], ...]
    provenance: tuple[Figure, ...]


def predict(
    configuration: Configuration, workload: Workload, catalogue: Catalogue, profiles: Profiles
) -> Prediction | Infeasible:
    """Predict one workload on one configuration.

    Parameters
    ----------
    configuration : Configuration
        Its instance type must be in the catalogue; at least one node.
    workload : Workload
    catalogue : Catalogue
    profiles : Profiles

    Returns
    -------
    Prediction or Infeasible
        Limits of the workload (deadline, budget, most nodes) do not make it infeasible.

    Raises
    ------
    KeyError
        The instance type or volume type is not in the catalogue.
    """
    instance = catalogue.instance_types[configuration.instance]
    layout = configuration.layout
    volume = catalogue.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    inputs = gather(instance, volume, workload, profiles)
    if isinstance(inputs, Infeasible):
        return inputs
    return predict_from(inputs, configuration, workload)


def predict_from(inputs: Inputs, configuration: Configuration, workload: Workload) -> Prediction | Infeasible:
    """Predict from figures that `gather` found; otherwise as `predict`."""
    obstacle = _obstacle(inputs, configuration, workload)
    if obstacle is not None:
        return obstacle
    layout, nodes = configuration.layout, configuration.nodes
    counted = float(nodes)
    gib = _gib_per_node(layout)
    low, middle, high = (
        evaluate(inputs, layout, workload, counted, gib, quantile=quantile) for quantile in (0.1, 0.5, 0.9)
    )
    median_s = float(middle.time_s)
    stragglers = math.log(float(high.time_s) / float(low.time_s)) / (2.0 * Z90)
    error = inputs.framework_error.value
    deviation = math.hypot(stragglers, error)
    times = Range(median_s * math.exp(-Z90 * deviation), median_s, median_s * math.exp(Z90 * deviation))
    prices = inputs.prices()
    costs = Range(*(float(run_cost(prices, counted, gib, t).total) for t in (times.p10, times.p50, times.p90)))
    limits = workload.limits
    loss_probability = _loss(inputs, configuration, workload, median_s)
    return Prediction(
        configuration=configuration,
        time_s=times,
        cost_usd=costs,
        cost=middle.cost,
        billed_s=max(median_s + prices.launch_s, prices.minimum_billed_s),
        phases=middle.phases,
        meets_deadline=None if limits.deadline_s is None else chance_within(limits.deadline_s, median_s, deviation),
        meets_budget=None
        if limits.budget_usd is None
        else chance_within(_longest_s(prices, counted, gib, limits.budget_usd), median_s, deviation),
        loss_probability=loss_probability,
        loss_exposure_s=median_s,
        range_sources=(("framework error", error), ("slowest node", stragglers)),
        provenance=provenance(inputs, configuration, workload),
    )


def evaluate(
    inputs: Inputs,
    layout: Layout,
    workload: Workload,
    nodes: Quantity,
    ebs_gib_per_node: Quantity = 0.0,
    *,
    quantile: float = 0.5,
) -> Evaluation:
    """Give time and cost for one node count, or for an array of them.

    Parameters
    ----------
    inputs : Inputs
    layout : Layout
        Must fit the instance type and hold the job at each node count: nothing is checked here.
    workload : Workload
    nodes : float or array, shape (n,)
        Whole numbers, at least 1; above 1 only where `Inputs.network_gap` is None.
    ebs_gib_per_node : float or array, shape (n,)
        [GiB].
    quantile : float
        Of the slowest node, in (0, 1).

    Returns
    -------
    Evaluation
        Of the same shape; element by element the same floats as for single node counts.

    Notes
    -----
    **Source**: SoCC 2015 paper, Eq. 1-11: each phase takes as long as its slowest resource, the
    job as long as its phases one after the other.
    """
    rates = _rates(inputs, nodes, quantile)
    resources = node_resources(layout, inputs.instance, rates)
    whole = workload.assume.shuffle == "whole"
    phases: list[PhaseTime] = []
    total: Quantity = 0.0
    for phase in workload.job.phases():
        flows = phase.per_node_mb(nodes, whole_shuffle=whole)
        times = tuple((resource.name, resource.time_s(flows)) for resource in resources)
        slowest: Quantity = 0.0
        for _, time_s in times:
            slowest = longer(slowest, time_s)
        phases.append(PhaseTime(phase.name, slowest, times))
        total = total + slowest
    cost = run_cost(inputs.prices(), nodes, ebs_gib_per_node, total)
    return Evaluation(tuple(phases), total, cost)


def _rates(inputs: Inputs, nodes: Quantity, quantile: float) -> Rates:
    """Resolve the rates of a node in clusters of some sizes.

    Powers and quantiles are computed by scalar functions, one node count at a time: numpy's
    vectorised ones round differently, and an array must give what its elements give.
    """
    storage: Quantity = inputs.storage.value
    if inputs.storage_spread is not None:
        spread = inputs.storage_spread.value
        storage = storage / _each(nodes, lambda count: slowdown(spread, count, quantile))
    network: Quantity | None = None
    if isinstance(inputs.network, ScalingCurve):
        network = _each(nodes, inputs.network.rate_mb_per_s)
    elif inputs.network is not None:
        network = inputs.network.value
    return Rates(
        storage=storage,
        network=network,
        ebs_read=None if inputs.ebs_read is None else inputs.ebs_read.value,
        ebs_write=None if inputs.ebs_write is None else inputs.ebs_write.value,
        cpu=None if inputs.cpu is None else inputs.instance.vcpus.value * inputs.cpu.value,
    )


def _each(nodes: Quantity, function: Callable[[int], float]) -> Quantity:
    if isinstance(nodes, float):
        return function(int(nodes))
    return np.fromiter((function(int(count)) for count in nodes), dtype=np.float64, count=nodes.size)


def _obstacle(inputs: Inputs, configuration: Configuration, workload: Workload) -> Infeasible | None:
    """Say what makes a configuration impossible, apart from the limits of the workload."""
    layout, nodes, job = configuration.layout, configuration.nodes, workload.job
    if nodes < 1:
        return Infeasible("capacity", f"{nodes} nodes hold nothing", "at least 1 node")
    wrong_layout = check_layout(layout, inputs.instance, inputs.volume)
    if wrong_layout is not None:
        return wrong_layout
    link_given = inputs.ebs_read is not None and inputs.ebs_read.kind == "given"
    if isinstance(layout, Ebs) and layout.count < FEWEST_VOLUMES and not link_given:
        return Infeasible(
            "EBS bandwidth unknown",
            f"{layout.count} volumes a node: the EBS bandwidth was measured where the link is the limit",
            f"at least {FEWEST_VOLUMES} volumes a node, or a bandwidth under measured",
        )
    if nodes < job.durability.replicas:
        return Infeasible(
            "copies",
            f"{job.durability.replicas} copies need as many nodes; there are {nodes}",
            f"{job.durability.replicas} nodes",
        )
    groups = capacity_groups_mb(layout, inputs.instance, job, workload.assume.capacity)
    needed = nodes_needed(groups, job.durability.replicas)
    if nodes < needed:
        return Infeasible(
            "capacity",
            f"{nodes} x {inputs.instance.name} cannot hold input, intermediate data and output",
            f"{needed:,} nodes with this layout",
            needed_nodes=needed,
        )
    if nodes > 1 and inputs.network_gap is not None:
        return Infeasible(
            "network bandwidth unknown",
            inputs.network_gap,
            "measured.network_mb_per_s, or assume.network: unlimited, or a single node",
        )
    return None


def _loss(inputs: Inputs, configuration: Configuration, workload: Workload, exposure_s: float) -> float:
    layout = configuration.layout
    if isinstance(layout, Ebs) and inputs.volume is not None:
        volumes = configuration.nodes * layout.count
        return chance_of_failures(volumes, 1, inputs.volume.annual_failure_rate.value, exposure_s)
    copies = workload.job.durability.replicas
    return chance_of_failures(configuration.nodes, copies, inputs.node_failures.value, exposure_s)


def _longest_s(prices: Prices, nodes: float, ebs_gib_per_node: float, budget_usd: float) -> float:
    """Give the longest job time that a budget pays for [s]; 0 where it does not pay for the minimum."""
    # Every part grows with the billed time alone, so any duration tells the price of a second.
    usd_per_s = float(run_cost(prices, nodes, ebs_gib_per_node, SECONDS_PER_YEAR).total) / (
        SECONDS_PER_YEAR + prices.launch_s
    )
    billed_s = budget_usd / usd_per_s
    return billed_s - prices.launch_s if billed_s >= prices.minimum_billed_s else 0.0


def _gib_per_node(layout: Layout) -> float:
    return float(layout.count * layout.size_gib) if isinstance(layout, Ebs) else 0.0
