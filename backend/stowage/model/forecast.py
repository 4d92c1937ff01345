"""Forecasts: time and cost of a job, with their ranges.

This module is the arithmetic of the model. It uses plain numbers only (`offer.Offer`), no catalog and no sources. The
same code computes one configuration or arrays of configurations.
"""

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.hardware.resource import Resource, Trace, trace
from stowage.model.jobs.flows import Nodes, Phase, PhaseKind, with_busiest_node
from stowage.model.jobs.workload import Workload
from stowage.model.money.cost import Cost, always_on_cost, run_cost, tariff
from stowage.model.offer import Offer
from stowage.model.rates import Channel, channel, node_resources
from stowage.model.uncertainty.range import (
    Quantiles,
    Ruling,
    chance_below,
    job_deviation,
    over_courses,
    quantiles,
    shares,
)
from stowage.model.units import Quantity, is_zero, longer

LAUNCH = "launch and set-up"
"""First phase of a run on a new cluster: the time until the cluster can work."""

REWORK = "rework after interruptions"
"""Last phase of a run on spot instances: the time that interruptions are expected to add."""

START_UP = "start-up and coordination"
"""Phase with the overhead of a framework. It comes after the job's phases, so it refills no credit."""


@frozen
class PhaseTime:
    """Time of one phase of a job."""

    name: str
    time_s: Quantity
    """Time of the phase [s]."""
    resource_times_s: tuple[tuple[str, Quantity], ...]
    """Name of each resource, and the time that it alone would take [s]."""
    kind: PhaseKind = "work"

    @property
    def bottleneck(self) -> str:
        """Resource that takes the longest time, of a single configuration."""
        return self.resource_times_s[int(self.slowest)][0]

    @property
    def slowest(self) -> int | NDArray[np.intp]:
        """Index of the resource that takes the longest time.

        If several resources take equally long, it is the first of them in the order of the node's resources.
        """
        times_s = [time_s for _, time_s in self.resource_times_s]
        shape = next((time_s.shape for time_s in times_s if isinstance(time_s, np.ndarray)), None)
        if shape is not None:
            alone_s = np.empty((len(times_s), *shape))
            for place, time_s in enumerate(times_s):
                alone_s[place] = time_s
            found: NDArray[np.intp] = alone_s.argmax(axis=0)
            return found
        return max(range(len(times_s)), key=times_s.__getitem__)


@frozen
class Evaluation:
    """Median time and cost of a job, for one configuration or an array of them."""

    resources: tuple[Resource, ...]
    """Resources of a node, at the start of the job."""
    phases: tuple[PhaseTime, ...]
    """Phases of a run without interruptions."""
    time_s: Quantity
    """Time of the whole job [s]; on spot instances it includes the time that interruptions are expected to add."""
    work_s: Quantity
    """Sum of the times of all phases [s]."""
    cost: Cost
    """Median cost of a run, divided into its parts [USD], at least 0."""

    @property
    def keeps_credit(self) -> bool:
        """Return whether a resource may have burst credit."""
        return any(resource.keeps_credit for resource in self.resources)


@frozen
class Forecast:
    """Ranges of time and cost of a job, and chances to meet its limits.

    The values are floats for one configuration, or arrays for an array of configurations.
    """

    evaluation: Evaluation
    """Median time and cost."""
    rulings: tuple[Ruling, ...]
    """One ruling for each channel (group of resources) that is a bottleneck: its share of the time, and the uncertainty
    of its rate."""
    log_deviation: Quantity
    """Standard deviation of ln(time) above the median [1]."""
    log_deviation_below: Quantity
    """Standard deviation of ln(time) below the median [1]; it equals `log_deviation` if the framework's error is the
    same on both sides of the median."""
    time_s: Quantiles
    """P10, p50 and p90 of the time of a run [s], at least 0."""
    cost_usd: Quantiles
    """P10, p50 and p90 of the cost of a run [USD], at least 0."""
    meets_deadline: Quantity | None
    """Chance to meet the deadline [1]; None if the workload has no deadline."""
    meets_budget: Quantity | None
    """Chance to meet the budget [1]; None if the workload has no budget."""


def evaluate(offered: Offer, workload: Workload, nodes: Quantity) -> Evaluation:
    """Compute the median time and cost of a job.

    The result is for one configuration, or for an array of configurations.

    Parameters
    ----------
    offered : Offer
        Rates and prices of the nodes: floats, or arrays of shape (n,) with one value for each configuration.
    workload : Workload
        Its data must fit each configuration: this function does not check that.
    nodes : float or array, shape (n,)
        Whole numbers, at least 1.

    Returns
    -------
    Evaluation
        Floats if ``nodes`` is a float, else arrays of shape (n,), whose elements equal the floats for the single
        configurations.

    Notes
    -----
    **Source**: SoCC 2015 paper, Eq. 1-11: each phase takes as long as its slowest resource, the
    job as long as its phases one after the other. Credits are carried from phase to phase.
    """
    resources = found = node_resources(offered.rates, offered.framework)
    phases: list[PhaseTime] = []
    work_s: Quantity = 0.0
    moves = phases_of(offered, workload, nodes)
    for index, phase in enumerate(moves):
        timed = with_cache(resources, offered, phase)
        times = tuple([(resource.name, resource.time_s(phase.flows_mb)) for resource in timed])
        slowest = times[0][1] if times else 0.0
        for _, alone_s in times[1:]:
            slowest = longer(slowest, alone_s)
        phases.append(PhaseTime(phase.name, slowest, times, phase.kind))
        work_s = work_s + slowest
        if index + 1 < len(moves):
            resources = left(resources, phase, slowest)
    overhead_s = offered.framework.overhead_s(nodes)
    if overhead_s is not None:
        phases.append(PhaseTime(START_UP, overhead_s, (("framework", overhead_s),), "start-up"))
        work_s = work_s + overhead_s
    if not is_zero(offered.start_s):
        phases.insert(0, PhaseTime(LAUNCH, offered.start_s, (("launch", offered.start_s),), "launch"))
        work_s = work_s + offered.start_s
    time_s: Quantity = work_s
    rework_s: Quantity = 0.0
    if offered.spot is not None:
        time_s = offered.spot.expected_s(nodes, work_s)
        rework_s = time_s - work_s
    cost = run_cost(offered.prices, nodes, work_s, offered.charges, rework_s)
    return Evaluation(found, tuple(phases), time_s, work_s, cost)


def forecast(offered: Offer, workload: Workload, nodes: Quantity) -> Forecast:
    """Compute the ranges of time and cost, and the chances to meet the limits.

    Parameters
    ----------
    offered, workload, nodes
        As for `evaluate`.

    Returns
    -------
    Forecast
        Floats if ``nodes`` is a float, else arrays of shape (n,), whose elements equal the floats for the single
        configurations.

    Notes
    -----
    The range has a closed form. `range.job_sources` describes its width, and its deviation from simulation. Cost is a
    function of time that never falls (`cost.tariff`). The quantiles of cost therefore follow from those of time. The
    chance to meet the budget is the chance to end within the time that the budget pays for.
    """
    return forecast_from(evaluate(offered, workload, nodes), offered, workload, nodes)


def forecast_from(found: Evaluation, offered: Offer, workload: Workload, nodes: Quantity) -> Forecast:
    """Return the result of `forecast`, computed from an evaluation."""
    framework = offered.framework
    ruled = _rulings(offered, found.phases)
    deviation = job_deviation(ruled, nodes, framework.error_at(nodes))
    below = None if framework.faster is None else job_deviation(ruled, nodes, framework.faster_error_at(nodes))
    courses_s = tuple(evaluate(course, workload, nodes).time_s for course in offered.courses) or (found.time_s,)
    times = (
        over_courses(courses_s, deviation, found.time_s, below)
        if offered.courses
        else quantiles(found.time_s, deviation, below)
    )
    straight = tariff(offered.prices, nodes, offered.charges)
    limits = workload.limits
    return Forecast(
        evaluation=found,
        rulings=ruled,
        log_deviation=deviation,
        log_deviation_below=deviation if below is None else below,
        time_s=times,
        cost_usd=Quantiles(straight.usd(times.p10), found.cost.total, straight.usd(times.p90)),
        meets_deadline=None if limits.deadline_s is None else _chance(limits.deadline_s, courses_s, deviation, below),
        meets_budget=None
        if limits.budget_usd is None
        else _chance(straight.longest_s(limits.budget_usd), courses_s, deviation, below),
    )


def month_of(offered: Offer, workload: Workload, nodes: Quantity) -> Cost:
    """Return the cost of an always-on cluster for a month, divided into its parts.

    The parameters are those of `evaluate`.
    """
    return always_on_cost(offered.prices, nodes, offered.charges, workload.runs_per_month)


def _chance(
    limit_s: Quantity, courses_s: tuple[Quantity, ...], deviation: Quantity, below: Quantity | None
) -> Quantity:
    """Return the chance that a job ends within a time limit.

    A job with slow nodes can run in several equally likely ways, called courses. ``courses_s`` has the median time of
    each course. The result is the average of the chances of all courses.
    """
    chance: Quantity = 0.0
    for course_s in courses_s:
        chance = chance + chance_below(limit_s, course_s, deviation, below)
    return chance if len(courses_s) == 1 else chance / float(len(courses_s))


def _rulings(offered: Offer, phases: tuple[PhaseTime, ...]) -> tuple[Ruling, ...]:
    """Return a ruling for each channel that is the bottleneck of a phase.

    A channel is a group of resources, such as the network or the disks. A ruling has the share of time in which the
    channel is the bottleneck, and the uncertainty of its rate.
    """
    ruled: dict[Channel, Quantity] = {}
    for resource, share in shares([(phase.time_s, phase.resource_times_s) for phase in phases]).items():
        name = channel(resource)
        ruled[name] = ruled.get(name, 0.0) + share
    return tuple(
        Ruling(name, share, offered.spreads.get(name, 0.0), offered.doubts.get(name, ()))
        for name, share in ruled.items()
    )


def phases_of(offered: Offer, workload: Workload, nodes: Quantity) -> tuple[Phase, ...]:
    """Return the phases of a job on a cluster of ``nodes`` nodes."""
    whole = workload.assume.shuffle == "whole"
    cluster = Nodes(nodes, offered.memory_mb, offered.vcpus, whole_shuffle=whole, engine=offered.framework.engine)
    return with_busiest_node(workload.phases(cluster), offered.framework.grown(nodes))


def with_cache(resources: tuple[Resource, ...], offered: Offer, phase: Phase) -> tuple[Resource, ...]:
    """Return the resources of a phase, including the page cache.

    If the phase uses the page cache, the cache is in front of the disks. Otherwise, ``resources`` is returned
    unchanged.
    """
    if isinstance(phase.cache_mb, float) and phase.cache_mb == 0.0:
        return resources
    return node_resources(offered.rates, offered.framework, phase.cache_mb)


def courses_of(found: Evaluation, offered: Offer, workload: Workload, nodes: float) -> tuple[Trace, ...]:
    """Return the course of each phase of a job, of a single configuration; empty if nothing has burst credit."""
    if not found.keeps_credit:
        return ()
    resources, courses = found.resources, list[Trace]()
    for phase in phases_of(offered, workload, nodes):
        flows = {role: float(flow) for role, flow in phase.flows_mb.items()}
        courses.append(trace(with_cache(resources, offered, phase), flows))
        resources = left(resources, phase, courses[-1].times_s[-1])
    return tuple(courses)


def left(resources: tuple[Resource, ...], phase: Phase, time_s: Quantity) -> tuple[Resource, ...]:
    """Return the resources after a phase, with the burst credits that remain."""
    return tuple(
        resource.after(phase.flows_mb, time_s) if resource.keeps_credit else resource for resource in resources
    )
