"""Predictions of time and cost for one workload on one configuration.

`inputs.gather` looks up every figure of an instance type for a workload. `offer.offer_of` converts them into the
numbers of a node. `forecast.evaluate` is the arithmetic, for one configuration or for arrays of them. `predict` does
all three for one configuration, and adds the range and the provenance (the sources) of each number.
"""

import math
from dataclasses import field, replace

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs, capacity_groups_mb, check_layout, nodes_needed
from stowage.model.complete import Checked
from stowage.model.figure import Figure
from stowage.model.forecast import (
    REWORK,
    Evaluation,
    PhaseTime,
    evaluate,
    forecast_from,
    left,
    month_of,
    phases_of,
    with_cache,
)
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.resource import Resource, Trace, trace
from stowage.model.hardware.volume_limits import VolumeLimits
from stowage.model.infeasible import Infeasible, feasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import loss_probability
from stowage.model.money.cost import Cost, Prices
from stowage.model.money.price import Purchase
from stowage.model.offer import Offer, emptied, offer_of
from stowage.model.physical_limit import Cause, causes, physical_limit_s
from stowage.model.provenance import provenance
from stowage.model.rates import channel
from stowage.model.relevance import idle_figures, limits_that_matter
from stowage.model.uncertainty.range import Source, job_sources
from stowage.model.uncertainty.scale import Z90
from stowage.model.units import Quantity, longer

NOTICEABLE = 0.001
"""Smallest relative difference of times that a prediction reports [1]."""


@frozen
class Latency:
    """Latency of an I/O, by Little's law."""

    io_per_s: float
    """I/Os of one node [1/s]."""
    mean_s: float
    """Mean latency: queue depth / I/Os per second, at the rate that the limits allow [s]. With a short queue, a device
    may not reach this rate."""


@frozen
class OnEmpty(Checked):
    """Time and cost of a job that starts with empty burst buckets."""

    time_s: float
    """Time of the job [s]."""
    cost_usd: float
    """Cost of the job [USD]."""


@frozen
class Range(Checked):
    """Quantiles of a predicted quantity."""

    p10: float
    p50: float
    p90: float


@frozen
class Prediction:
    """Time and cost of one workload on one configuration."""

    configuration: Configuration
    time_s: Range
    """Time of the job [s]; it includes the launch only if `Assumptions.launch` is `counted`."""
    cost_usd: Range
    """Cost of one run [USD]."""
    cost: Cost
    """Median cost of one run, divided into its parts [USD]."""
    always_on: Cost
    """Cost of an always-on cluster for a month, divided into its parts [USD]."""
    billed_s: float
    """Median billed time, including the launch [s]."""
    physical_limit_s: float
    """Time below which no framework can run the job [s] (`physical_limit`)."""
    causes: tuple[Cause, ...]
    """Causes of the difference between the physical limit and the median time; empty if `sources` is False."""
    phases: tuple[PhaseTime, ...]
    """Phases of a median run, including the expected rework after interruptions; their times add up to the p50 of
    `time_s`."""
    courses: tuple[Trace, ...]
    """Course (progress over time) of each phase except launch, start-up and rework; empty if no resource has burst
    credit, or if `sources` is False."""
    on_empty: OnEmpty | None
    """Time and cost if the job starts with empty burst buckets; None if that makes no noticeable difference."""
    latency: Latency | None
    """Latency of random I/O; only the mean, as percentiles do not follow from limits. None for other jobs."""
    limits: VolumeLimits | None
    """Limits of the volumes and AWS design targets for them; None without volumes."""
    meets_deadline: float | None
    """Chance to meet the deadline [1]; None if there is no deadline."""
    meets_budget: float | None
    """Chance to meet the budget [1]; None if there is no budget."""
    loss_probability: float
    """Chance that data is lost during `loss_exposure_s` [1]."""
    loss_exposure_s: float
    """Exposure window of the data [s], at least 0."""
    range_sources: tuple[Source, ...]
    """Sources of the uncertainty that determines the width of the time's range."""
    provenance: tuple[Figure, ...]
    """Every number that the prediction uses; empty if `sources` is False."""
    purchase: Purchase = "on-demand"
    durability: Durability = field(default_factory=Durability)
    """Durability model, with the replication factor that applies at this number of nodes."""
    faster_error: float | None = None
    """The framework's error below the median [1]; None if it equals the error above the median."""
    head_instance: str | None = None
    """Instance type of the head node; None if there is no head node."""

    @property
    def always_on_usd(self) -> float:
        """Cost of a month in which the cluster always runs [USD]."""
        return float(self.always_on.total)


def predict(
    configuration: Configuration,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    *,
    sources: bool = True,
) -> Prediction | Infeasible:
    """Predict time and cost of a workload on a configuration.

    Parameters
    ----------
    configuration : Configuration
        Its instance and volume type must be in the catalog.
    workload : Workload
        Its limits do not make a configuration infeasible; the prediction states the chances to meet the limits.
    catalog : Catalog
    profiles : Profiles
    sources : bool
        Whether to list the sources of the numbers, which takes most of the time; if False, ``provenance`` is empty, and
        so are ``causes`` and ``courses``.

    Returns
    -------
    Prediction or Infeasible

    Raises
    ------
    KeyError
        The catalog does not have the instance or volume type.
    """
    layout, workload = configuration.layout, workload.at(configuration.nodes)
    volume = catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    instance = catalog.instance_types[configuration.instance]
    impossible = check_layout(layout, instance, volume, workload.job)
    if impossible is not None:
        return impossible
    inputs = gather(instance, volume, workload, catalog, profiles)
    if isinstance(inputs, Infeasible):
        return inputs
    return predict_from(inputs, configuration, workload, sources=sources)


def predict_from(
    inputs: Inputs, configuration: Configuration, workload: Workload, *, sources: bool = True
) -> Prediction | Infeasible:
    """Return the result of `predict`, computed from figures that `gather` already found."""
    obstacle = obstacle_of(inputs, configuration, workload)
    if obstacle is not None:
        return obstacle
    nodes = float(configuration.nodes)
    offered = offer_of(inputs, configuration.layout, workload, nodes)
    found = evaluate(offered, workload, nodes)
    made = assembled(inputs, configuration, workload, _figures(inputs, configuration, workload, offered, found))
    return _with_sources(made, inputs, workload, offered, found) if sources else made


def with_sources(made: Prediction, workload: Workload, catalog: Catalog, profiles: Profiles) -> Prediction:
    """Return the result of `predict` for the configuration of a prediction without sources."""
    configuration, nodes = made.configuration, float(made.configuration.nodes)
    layout, workload = configuration.layout, workload.at(configuration.nodes)
    volume = catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    instance = catalog.instance_types[configuration.instance]
    inputs = feasible(gather(instance, volume, workload, catalog, profiles))
    offered = offer_of(inputs, layout, workload, nodes)
    return _with_sources(made, inputs, workload, offered, evaluate(offered, workload, nodes))


def _with_sources(
    made: Prediction, inputs: Inputs, workload: Workload, offered: Offer, found: Evaluation
) -> Prediction:
    configuration = made.configuration
    return replace(
        made,
        causes=causes(inputs, configuration, workload, made.physical_limit_s, made.time_s.p50),
        courses=_courses(found.resources, offered, workload, float(configuration.nodes)) if keeps_credit(found) else (),
        provenance=provenance(
            inputs,
            configuration,
            workload,
            {channel(phase.bottleneck) for phase in found.phases},
            limits_that_matter(inputs, configuration, workload, offered, found),
            idle_figures(inputs, configuration, workload, offered, found),
        ),
    )


@frozen
class Figures:
    """Times, costs and chances of one configuration: what the arithmetic computes, and what a prediction is made of."""

    median: Evaluation
    """Median time and cost. Its resources are not used."""
    always_on: Cost
    """Cost of an always-on cluster for a month [USD]."""
    billed_s: float
    """Median billed time [s]."""
    physical_limit_s: float
    """Physical limit of the job [s]."""
    empty: OnEmpty | None
    """Time and cost with empty burst buckets, even if they differ little; None if no resource has burst credit."""
    time_s: Range
    """Time of the job [s]."""
    cost_usd: Range
    """Cost of one run [USD]."""
    range_sources: tuple[Source, ...]
    meets_deadline: float | None
    """Chance to meet the deadline [1]."""
    meets_budget: float | None
    """Chance to meet the budget [1]."""
    loss_probability: float
    """Chance of data loss [1]."""
    loss_exposure_s: float
    """Exposure window of the data [s]."""
    faster_error: float | None


def _figures(
    inputs: Inputs, configuration: Configuration, workload: Workload, offered: Offer, middle: Evaluation
) -> Figures:
    """Return the figures of one configuration from its median time and cost."""
    nodes = float(configuration.nodes)
    found = forecast_from(middle, offered, workload, nodes)
    median_s = float(middle.time_s)
    widths = job_sources(found.rulings, nodes, offered.framework.error_at(nodes))
    if offered.courses:
        width = math.log(float(found.time_s.p90) / float(found.time_s.p10)) / (2.0 * Z90) if median_s > 0.0 else 0.0
        rest = 0.5 * (float(found.log_deviation) + float(found.log_deviation_below))
        widths = (*widths, Source("slow nodes", math.sqrt(max(0.0, width * width - rest * rest))))
    exposure_s = workload.exposure_s(median_s)
    return Figures(
        median=middle,
        always_on=month_of(offered, workload, nodes),
        billed_s=float(billed_s(offered.prices, median_s)),
        physical_limit_s=physical_limit_s(inputs, configuration, workload),
        empty=_on_empty(offered, workload, nodes) if keeps_credit(middle) else None,
        time_s=Range(*map(float, found.time_s)),
        cost_usd=Range(*map(float, found.cost_usd)),
        range_sources=widths,
        meets_deadline=None if found.meets_deadline is None else float(found.meets_deadline),
        meets_budget=None if found.meets_budget is None else float(found.meets_budget),
        loss_probability=loss_probability(inputs, offered.repair_mb_per_s, configuration, workload, exposure_s),
        loss_exposure_s=exposure_s,
        faster_error=None if offered.framework.faster is None else float(offered.framework.faster_error_at(nodes)),
    )


def billed_s(prices: Prices, time_s: Quantity) -> Quantity:
    """Return the billed time of a run, including the launch [s]."""
    return longer(time_s + prices.launch_s, prices.minimum_billed_s)


def assembled(inputs: Inputs, configuration: Configuration, workload: Workload, figures: Figures) -> Prediction:
    """Return a prediction without sources, made of the figures of its configuration."""
    middle, empty = figures.median, figures.empty
    noticed = empty is not None and empty.time_s > float(middle.time_s) * (1.0 + NOTICEABLE)
    # Launch and set-up, which may count as time of the run, do no I/O.
    launch_s = sum(float(phase.time_s) for phase in middle.phases if phase.kind == "launch")
    return Prediction(
        configuration=configuration,
        time_s=figures.time_s,
        cost_usd=figures.cost_usd,
        cost=middle.cost,
        always_on=figures.always_on,
        billed_s=figures.billed_s,
        physical_limit_s=figures.physical_limit_s,
        causes=(),
        phases=_with_rework(middle),
        courses=(),
        on_empty=empty if noticed else None,
        limits=None if inputs.volume is None else inputs.volume.limits,
        latency=_latency(workload, float(configuration.nodes), float(middle.work_s) - launch_s),
        meets_deadline=figures.meets_deadline,
        meets_budget=figures.meets_budget,
        loss_probability=figures.loss_probability,
        loss_exposure_s=figures.loss_exposure_s,
        range_sources=figures.range_sources,
        provenance=(),
        purchase=workload.place.paid_by,
        durability=workload.job.durability,
        head_instance=inputs.head_instance,
        faster_error=figures.faster_error,
    )


def keeps_credit(found: Evaluation) -> bool:
    """Return whether a resource of a job may have burst credit."""
    return any(resource.keeps_credit for resource in found.resources)


def _with_rework(found: Evaluation) -> tuple[PhaseTime, ...]:
    """Return the phases of a run on spot instances, including the expected rework.

    The rework after interruptions is one more phase at the end.
    """
    rework_s = float(found.time_s - found.work_s)
    if rework_s <= 0.0:
        return found.phases
    return (*found.phases, PhaseTime(REWORK, rework_s, (("interruptions", rework_s),), "rework"))


def loss_from(inputs: Inputs, configuration: Configuration, workload: Workload) -> float | Infeasible:
    """Return the chance of data loss that `predict_from` would return.

    This function takes only a fraction of the time of `predict_from`.
    """
    obstacle = obstacle_of(inputs, configuration, workload)
    if obstacle is not None:
        return obstacle
    nodes = float(configuration.nodes)
    offered = offer_of(inputs, configuration.layout, workload, nodes, quantile=0.5)
    # Scratch data is exposed to loss for the time of the job.
    median_s = float(evaluate(offered, workload, nodes).time_s)
    return loss_probability(inputs, offered.repair_mb_per_s, configuration, workload, workload.exposure_s(median_s))


def _courses(resources: tuple[Resource, ...], offered: Offer, workload: Workload, nodes: float) -> tuple[Trace, ...]:
    courses = []
    for phase in phases_of(offered, workload, nodes):
        flows = {role: float(flow) for role, flow in phase.flows_mb.items()}
        courses.append(trace(with_cache(resources, offered, phase), flows))
        resources = left(resources, phase, courses[-1].times_s[-1])
    return tuple(courses)


def _on_empty(offered: Offer, workload: Workload, nodes: float) -> OnEmpty:
    found = evaluate(emptied(offered), workload, nodes)
    return OnEmpty(float(found.time_s), float(found.cost.total))


def _latency(workload: Workload, nodes: float, work_s: float) -> Latency | None:
    job = workload.job
    if not isinstance(job, RandomIo) or work_s <= 0.0:
        return None
    io_per_s = job.operations / nodes / work_s
    return Latency(io_per_s, job.queue_depth / io_per_s)


def obstacle_of(inputs: Inputs, configuration: Configuration, workload: Workload) -> Infeasible | None:
    """Return the obstacle that makes a configuration infeasible.

    The result is None if there is no obstacle. The limits of the workload are not checked.
    """
    layout, nodes, job = configuration.layout, configuration.nodes, workload.job
    if nodes < 1:
        return Infeasible("capacity", f"{nodes} nodes hold nothing", "at least 1 node")
    wrong_layout = check_layout(layout, inputs.instance, inputs.volume, job)
    if wrong_layout is not None:
        return wrong_layout
    too_small = inputs.tasks.obstacle(inputs.instance)
    if too_small is not None:
        return too_small
    replicas = job.durability.replicas
    if nodes < replicas:
        return Infeasible("copies", f"{replicas} copies need as many nodes; there are {nodes}", f"{replicas} nodes")
    groups = capacity_groups_mb(layout, inputs.instance, job, workload.assume.capacity)
    needed = nodes_needed(groups, replicas)
    if nodes < needed:
        return Infeasible(
            "capacity",
            f"{nodes} × {inputs.instance.name} cannot hold input, intermediate data and output",
            f"{needed:,} nodes with this layout",
            needed_nodes=needed,
        )
    if inputs.network_gap is not None and (nodes > 1 or workload.talks_outside):
        return Infeasible(
            "network bandwidth unknown",
            inputs.network_gap,
            "measured.network_mb_per_s, or assume.network: unlimited"
            + ("" if workload.talks_outside else ", or a single node"),
        )
    return None
