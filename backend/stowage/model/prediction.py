"""(configuration, workload, catalogue, profiles) -> time, cost, bottlenecks, range, provenance.

`inputs.gather` looks up every figure that an instance type needs for a workload, `offer.offer_of` turns them
into the numbers of a node, `evaluate` is the arithmetic, for one configuration or for arrays of them, and
`predict` is all of it for one configuration, with its range and the provenance of each number that went in.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stowage.model.catalogue import Catalogue
from stowage.model.cluster import (
    Channel,
    Configuration,
    Ebs,
    ObjectStore,
    capacity_groups_mb,
    channel,
    check_layout,
    node_resources,
    nodes_needed,
)
from stowage.model.cost import Cost, always_on_cost, run_cost, tariff
from stowage.model.durability import CopiedData, chance_of_loss, chance_of_object_loss, repair_time_s, sets_of_blocks
from stowage.model.figure import Figure
from stowage.model.flows import Hdfs, Nodes, Phase, RandomIo
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.offer import Offer, offer_of
from stowage.model.profile import Profiles
from stowage.model.provenance import credit_level, provenance
from stowage.model.range import Quantiles, Ruling, Source, job_deviation, job_sources, quantiles, shares
from stowage.model.resource import Resource, Trace, trace
from stowage.model.scale import chance_within
from stowage.model.units import Quantity, longer
from stowage.model.volume_limits import VolumeLimits
from stowage.model.workload import Workload

FAR = (1e-3, 1e3)
"""Factors by which a figure is varied to see whether an answer rests on it [1]."""

NOTICEABLE = 0.001
"""Part by which a time must differ to be worth a word [1]."""


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
    """Median time and cost, for one configuration or an array of them.

    Parameters
    ----------
    phases : tuple of PhaseTime
        Of a run that nothing interrupts.
    time_s : float or array
        Of the whole job [s]; on spot instances with what interruptions are expected to add.
    work_s : float or array
        The phases added up [s].
    cost : Cost
    """

    phases: tuple[PhaseTime, ...]
    time_s: Quantity
    work_s: Quantity
    cost: Cost


@dataclass(frozen=True, slots=True)
class Forecast:
    """Ranges and chances, for one configuration or an array of them.

    Parameters
    ----------
    evaluation : Evaluation
        The medians.
    log_deviation : float or array
        Standard deviation of ln(time) [1].
    time_s, cost_usd : Quantiles
        [s], [USD].
    meets_deadline, meets_budget : float, array or None
        Chance [1]; None without that limit.
    """

    evaluation: Evaluation
    log_deviation: Quantity
    time_s: Quantiles
    cost_usd: Quantiles
    meets_deadline: Quantity | None
    meets_budget: Quantity | None


@dataclass(frozen=True, slots=True)
class Latency:
    """How long an I/O takes, by Little's law.

    Parameters
    ----------
    io_per_s : float
        I/Os of one node [1/s].
    mean_s : float
        Queue depth / I/Os per second [s]: what the limits let through; a device may be slower at low depth.
    """

    io_per_s: float
    mean_s: float


@dataclass(frozen=True, slots=True)
class OnEmpty:
    """What a job takes that starts with empty burst buckets [s], [USD]."""

    time_s: float
    cost_usd: float


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
    always_on_usd : float
        Of a month of a cluster that stays [USD].
    billed_s : float
        At p50, launch included [s].
    phases : tuple of PhaseTime
        At p50.
    courses : tuple of Trace
        Of each phase, where some resource keeps credit; empty where none does.
    on_empty : OnEmpty or None
        With empty burst buckets, where that makes a difference.
    latency : Latency or None
        Of random I/O. Percentiles of it are not known: they follow from no limit.
    limits : VolumeLimits or None
        What the volumes may be and do, and what AWS promises of them; None without volumes.
    meets_deadline, meets_budget : float or None
        Chance [1]; None without that limit.
    loss_probability : float
        Chance that data is lost during ``loss_exposure_s`` [1].
    loss_exposure_s : float
    range_sources : tuple of Source
        What the width of the range comes from.
    provenance : tuple of Figure
        Every number that went in.
    """

    configuration: Configuration
    time_s: Range
    cost_usd: Range
    cost: Cost
    always_on_usd: float
    billed_s: float
    phases: tuple[PhaseTime, ...]
    courses: tuple[Trace, ...]
    on_empty: OnEmpty | None
    latency: Latency | None
    limits: VolumeLimits | None
    meets_deadline: float | None
    meets_budget: float | None
    loss_probability: float
    loss_exposure_s: float
    range_sources: tuple[Source, ...]
    provenance: tuple[Figure, ...]


def predict(
    configuration: Configuration, workload: Workload, catalogue: Catalogue, profiles: Profiles
) -> Prediction | Infeasible:
    """Predict time and cost of a workload on a configuration.

    Parameters
    ----------
    configuration : Configuration
        Its instance and volume type must be in the catalogue.
    workload : Workload
        Limits do not make a configuration infeasible here; chances to meet them are given instead.
    catalogue : Catalogue
    profiles : Profiles

    Returns
    -------
    Prediction or Infeasible

    Raises
    ------
    KeyError
        The catalogue does not have the instance or volume type.
    """
    layout, workload = configuration.layout, workload.at(configuration.nodes)
    volume = catalogue.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    instance = catalogue.instance_types[configuration.instance]
    impossible = check_layout(layout, instance, volume, workload.job)
    if impossible is not None:
        return impossible
    inputs = gather(instance, volume, workload, catalogue, profiles)
    if isinstance(inputs, Infeasible):
        return inputs
    return predict_from(inputs, configuration, workload)


def predict_from(inputs: Inputs, configuration: Configuration, workload: Workload) -> Prediction | Infeasible:
    """Predict from figures that `gather` found; otherwise as `predict`."""
    obstacle = _obstacle(inputs, configuration, workload)
    if obstacle is not None:
        return obstacle
    layout, nodes = configuration.layout, float(configuration.nodes)
    offered = offer_of(inputs, layout, workload, nodes)
    found = forecast(offered, workload, nodes)
    middle = found.evaluation
    median_s = float(middle.time_s)
    sources = job_sources(_rulings(offered, middle.phases), nodes, offered.framework.error.value)
    exposure_s = workload.exposure_s(median_s)
    return Prediction(
        configuration=configuration,
        time_s=Range(*map(float, found.time_s)),
        cost_usd=Range(*map(float, found.cost_usd)),
        cost=middle.cost,
        always_on_usd=float(always_on_cost(offered.prices, nodes, offered.volume_gib_per_node).total),
        billed_s=max(median_s + offered.prices.launch_s, offered.prices.minimum_billed_s),
        phases=middle.phases,
        courses=_courses(offered, workload, nodes),
        on_empty=_on_empty(inputs, configuration, workload, median_s),
        limits=None if inputs.volume is None else inputs.volume.limits,
        latency=_latency(workload, nodes, float(middle.work_s)),
        meets_deadline=None if found.meets_deadline is None else float(found.meets_deadline),
        meets_budget=None if found.meets_budget is None else float(found.meets_budget),
        loss_probability=_loss(inputs, offered, configuration, workload, exposure_s),
        loss_exposure_s=exposure_s,
        range_sources=sources,
        provenance=provenance(
            inputs,
            configuration,
            workload,
            {channel(phase.bottleneck) for phase in middle.phases},
            _limits_that_matter(inputs, configuration, workload, middle),
            _idle(inputs, configuration, workload, middle),
        ),
    )


def evaluate(offered: Offer, workload: Workload, nodes: Quantity) -> Evaluation:
    """Give median time and cost, for one configuration or for arrays of them.

    Parameters
    ----------
    offered : Offer
        What the nodes offer: floats, or arrays of shape (n,) with one value for each configuration.
    workload : Workload
        Must fit each configuration: nothing is checked here.
    nodes : float or array, shape (n,)
        Whole numbers, at least 1.

    Returns
    -------
    Evaluation
        Of the same shape; element by element the same floats as for single configurations.

    Notes
    -----
    **Source**: SoCC 2015 paper, Eq. 1-11: each phase takes as long as its slowest resource, the
    job as long as its phases one after the other. Credits are carried from phase to phase.
    """
    resources = node_resources(offered.rates, offered.framework)
    phases: list[PhaseTime] = []
    work_s: Quantity = 0.0
    moves = _phases(offered, workload, nodes)
    for index, phase in enumerate(moves):
        timed = _with_cache(resources, offered, phase)
        times = tuple((resource.name, resource.time_s(phase.flows_mb)) for resource in timed)
        slowest = times[0][1] if times else 0.0
        for _, alone_s in times[1:]:
            slowest = longer(slowest, alone_s)
        phases.append(PhaseTime(phase.name, slowest, times))
        work_s = work_s + slowest
        if index + 1 < len(moves):
            resources = _left(resources, phase, slowest)
    time_s: Quantity = work_s
    rework_s: Quantity = 0.0
    if offered.spot is not None:
        time_s = offered.spot.expected_s(nodes, work_s)
        rework_s = time_s - work_s
    cost = run_cost(offered.prices, nodes, offered.volume_gib_per_node, work_s, offered.charges, rework_s)
    return Evaluation(tuple(phases), time_s, work_s, cost)


def forecast(offered: Offer, workload: Workload, nodes: Quantity) -> Forecast:
    """Give the range of time and cost and the chances to meet the limits, beside the medians.

    Parameters
    ----------
    offered, workload, nodes
        As for `evaluate`.

    Returns
    -------
    Forecast
        Of the same shape; element by element the same floats as for single configurations.

    Notes
    -----
    Closed form: see `range.job_sources` for the width and how far it is from simulation. Cost follows time
    along a straight line (`cost.tariff`), so its quantiles and the chance to keep a budget do too.
    """
    found = evaluate(offered, workload, nodes)
    error = offered.framework.error.value
    deviation = job_deviation(_rulings(offered, found.phases), nodes, error)
    times = quantiles(found.time_s, deviation)
    straight = tariff(offered.prices, nodes, offered.volume_gib_per_node, offered.charges)
    limits = workload.limits
    return Forecast(
        evaluation=found,
        log_deviation=deviation,
        time_s=times,
        cost_usd=Quantiles(straight.usd(times.p10), found.cost.total, straight.usd(times.p90)),
        meets_deadline=None if limits.deadline_s is None else chance_within(limits.deadline_s, found.time_s, deviation),
        meets_budget=None
        if limits.budget_usd is None
        else chance_within(straight.longest_s(limits.budget_usd), found.time_s, deviation),
    )


def _rulings(offered: Offer, phases: tuple[PhaseTime, ...]) -> list[Ruling]:
    """Say which channel rules which part of the time, and how sure its rate is."""
    ruled: dict[Channel, Quantity] = {}
    for resource, share in shares([(phase.time_s, phase.resource_times_s) for phase in phases]).items():
        name = channel(resource)
        ruled[name] = ruled.get(name, 0.0) + share
    return [
        Ruling(name, share, offered.spreads.get(name, 0.0), offered.doubts.get(name, ()))
        for name, share in ruled.items()
    ]


def _phases(offered: Offer, workload: Workload, nodes: Quantity) -> tuple[Phase, ...]:
    whole = workload.assume.shuffle == "whole"
    cluster = Nodes(nodes, offered.memory_mb, offered.vcpus, whole_shuffle=whole, spills=offered.framework.spills)
    return workload.job.phases(cluster)


def _with_cache(resources: tuple[Resource, ...], offered: Offer, phase: Phase) -> tuple[Resource, ...]:
    """Put the page cache before the disks, in a phase that has one."""
    if isinstance(phase.cache_mb, float) and phase.cache_mb == 0.0:
        return resources
    return node_resources(offered.rates, offered.framework, phase.cache_mb)


def _left(resources: tuple[Resource, ...], phase: Phase, time_s: Quantity) -> tuple[Resource, ...]:
    """Carry credits over to the next phase; where none are kept there is nothing to do."""
    return tuple(
        resource.after(phase.flows_mb, time_s)
        if any(not isinstance(line.full, float) or line.full > 0.0 for line in resource.lines)
        else resource
        for resource in resources
    )


def _courses(offered: Offer, workload: Workload, nodes: float) -> tuple[Trace, ...]:
    resources = node_resources(offered.rates, offered.framework)
    if not any(line.full > 0.0 for resource in resources for line in resource.lines):
        return ()
    courses = []
    for phase in _phases(offered, workload, nodes):
        flows = {role: float(flow) for role, flow in phase.flows_mb.items()}
        courses.append(trace(_with_cache(resources, offered, phase), flows))
        resources = _left(resources, phase, courses[-1].times_s[-1])
    return tuple(courses)


def _on_empty(inputs: Inputs, configuration: Configuration, workload: Workload, median_s: float) -> OnEmpty | None:
    empty = replace(workload, credits=0.0)
    nodes = float(configuration.nodes)
    offered = offer_of(inputs, configuration.layout, empty, nodes)
    found = evaluate(offered, empty, nodes)
    if float(found.time_s) <= median_s * (1.0 + NOTICEABLE):
        return None
    return OnEmpty(float(found.time_s), float(found.cost.total))


def _limits_that_matter(
    inputs: Inputs, configuration: Configuration, workload: Workload, found: Evaluation
) -> tuple[Figure, ...]:
    """Find which limits of the volume the answer rests on: those that change it when they are far worse or better.

    AWS' rules have thresholds and caps of which a volume meets a few; to tell which, each is tried.
    """
    if inputs.volume is None:
        return ()
    volume, layout, nodes = inputs.volume, configuration.layout, float(configuration.nodes)

    def matters(changed: VolumeLimits) -> bool:
        varied = replace(inputs, volume=replace(volume, limits=changed))
        if check_layout(layout, inputs.instance, varied.volume, workload.job) is not None:
            return True
        outcome = evaluate(offer_of(varied, layout, workload, nodes), workload, nodes)
        return bool(outcome.time_s != found.time_s or outcome.cost.total != found.cost.total)

    return tuple(
        figure for figure, variants in volume.limits.variants(FAR) if any(matters(variant) for variant in variants)
    )


_FALLBACKS = (
    *("network", "network_baseline", "network_credit", "single_flow", "between_zones", "cpu"),
    *("ebs_maximum", "ebs_baseline", "ebs_maximum_iops", "ebs_baseline_iops"),
)
_VOLUME_PRICES = (
    "usd_per_iops_month",
    "usd_per_iops_month_above_32000",
    "usd_per_iops_month_above_64000",
    "usd_per_mib_per_s_month",
    "usd_per_million_io",
)


def _idle(inputs: Inputs, configuration: Configuration, workload: Workload, found: Evaluation) -> tuple[Figure, ...]:
    """Find what was looked up and changes nothing here: prices of tiers that are not reached, and the like."""
    layout, nodes = configuration.layout, float(configuration.nodes)

    def outcome(of: Inputs, evaluation: Evaluation, offered: Offer) -> tuple[object, ...]:
        exposure_s = workload.exposure_s(float(evaluation.time_s))
        lost = _loss(of, offered, configuration, workload, exposure_s)
        return evaluation.time_s, evaluation.cost.total, lost

    before = outcome(inputs, found, offer_of(inputs, layout, workload, nodes))

    def changes(varied: Inputs) -> bool:
        offered = offer_of(varied, layout, workload, nodes)
        return outcome(varied, evaluate(offered, workload, nodes), offered) != before

    idle = [figure for figure, variants in _variants(inputs) if not any(map(changes, variants))]
    times = {
        float(evaluate(offer_of(inputs, layout, varied, nodes), varied, nodes).time_s)
        for varied in (workload, replace(workload, credits=0.0), replace(workload, credits=1.0))
    }
    return tuple(idle) if len(times) > 1 else (*idle, credit_level(workload))


def _variants(inputs: Inputs) -> Iterator[tuple[Figure, list[Inputs]]]:
    """Pair figures that may not matter with the inputs as they would be with far smaller and larger ones."""

    def of(part: str | None, names: tuple[str, ...]) -> Iterator[tuple[Figure, list[Inputs]]]:
        owner: Any = inputs if part is None else getattr(inputs, part)
        for name in names if owner is not None else ():
            figure = getattr(owner, name)
            if isinstance(figure, Figure):
                scaled = [replace(owner, **{name: replace(figure, value=figure.value * factor)}) for factor in FAR]
                yield figure, scaled if part is None else [replace(inputs, **{part: varied}) for varied in scaled]

    yield from of(None, _FALLBACKS)
    yield from of("framework", ("efficiency", "read_efficiency", "write_efficiency", "streams"))
    yield from of("volume", _VOLUME_PRICES)
    yield from of("object_prices", ("put", "get"))
    store = inputs.object_prices
    if store is not None:
        for index, figure in enumerate(store.stored):
            dearer = (replace(figure, value=figure.value * factor) for factor in FAR)
            tiers = ((*store.stored[:index], one, *store.stored[index + 1 :]) for one in dearer)
            yield figure, [replace(inputs, object_prices=replace(store, stored=tier)) for tier in tiers]


def _latency(workload: Workload, nodes: float, work_s: float) -> Latency | None:
    job = workload.job
    if not isinstance(job, RandomIo) or work_s <= 0.0:
        return None
    io_per_s = job.operations / nodes / work_s
    return Latency(io_per_s, job.queue_depth / io_per_s)


def _obstacle(inputs: Inputs, configuration: Configuration, workload: Workload) -> Infeasible | None:
    """Say what makes a configuration impossible, apart from the limits of the workload."""
    layout, nodes, job = configuration.layout, configuration.nodes, workload.job
    if nodes < 1:
        return Infeasible("capacity", f"{nodes} nodes hold nothing", "at least 1 node")
    wrong_layout = check_layout(layout, inputs.instance, inputs.volume, job)
    if wrong_layout is not None:
        return wrong_layout
    replicas = job.durability.replicas
    if nodes < replicas:
        return Infeasible("copies", f"{replicas} copies need as many nodes; there are {nodes}", f"{replicas} nodes")
    groups = capacity_groups_mb(layout, inputs.instance, job, workload.assume.capacity)
    needed = nodes_needed(groups, replicas)
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


def _loss(inputs: Inputs, offered: Offer, configuration: Configuration, workload: Workload, exposure_s: float) -> float:
    layout, nodes, job = configuration.layout, configuration.nodes, workload.job
    if isinstance(layout, ObjectStore):
        return chance_of_object_loss(max(1.0, job.input_output_mb / offered.object_mb), exposure_s)
    replicas = job.durability.replicas
    on_volumes = isinstance(layout, Ebs) and inputs.volume is not None
    units = nodes * layout.count if isinstance(layout, Ebs) else nodes
    failures = inputs.volume.annual_failure_rate if on_volumes and inputs.volume else inputs.node_failures
    if replicas == 1:
        return chance_of_loss(CopiedData(units, 1, failures.value), exposure_s)
    data = CopiedData(units, replicas, failures.value)
    if isinstance(job, Hdfs):
        data = replace(data, sets=sets_of_blocks(units, replicas, max(1.0, job.data_mb / job.block_mb)))
    if job.stays or workload.kept_s is not None:
        # Who stays repairs; a job that keeps copies for its own minutes does not.
        held_mb = job.input_output_mb / units
        # Several volumes of a node share what the node can give.
        survivor_mb_per_s = float(offered.repair_mb_per_s) * nodes / units
        data = replace(data, repair_s=repair_time_s(held_mb, units, survivor_mb_per_s))
    return chance_of_loss(data, exposure_s)
