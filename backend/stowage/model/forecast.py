"""Forecasts: times of a job's phases, cost, and the range of both.

This module is the arithmetic of the model. It uses plain numbers only (`offer.Offer`), no catalog and no sources. The
same code computes one configuration or arrays of configurations.
"""

from dataclasses import dataclass

import numpy as np

from stowage.model.hardware.resource import Resource
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
from stowage.model.units import Quantity, longer

LAUNCH = "launch and set-up"
"""First phase of a run on a new cluster: the time until the cluster can work."""

REWORK = "rework after interruptions"
"""Last phase of a run on spot instances: the time that interruptions are expected to add."""

START_UP = "start-up and coordination"
"""Phase with the overhead of a framework. It comes after the job's phases, so it refills no credit."""


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """Time of a phase, and the time that each resource alone would take [s]."""

    name: str
    time_s: Quantity
    resource_times_s: tuple[tuple[str, Quantity], ...]
    kind: PhaseKind = "work"

    @property
    def bottleneck(self) -> str:
        """Resource that takes longest; of several that tie, the first in the order of the node's resources."""
        return max(self.resource_times_s, key=lambda pair: _largest(pair[1]))[0]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Median time and cost, for one configuration or an array of them.

    Parameters
    ----------
    resources : tuple of Resource
        Resources of a node, at the start of the job.
    phases : tuple of PhaseTime
        Phases of a run without interruptions.
    time_s : float or array
        Time of the whole job [s]; on spot instances it includes the time that interruptions are expected to add.
    work_s : float or array
        Sum of the times of all phases [s].
    cost : Cost
        Median cost of a run, divided into its parts [USD], at least 0.
    """

    resources: tuple[Resource, ...]
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
        Median time and cost.
    rulings : tuple of Ruling
        For each channel, the share of the time in which it is the bottleneck, and the uncertainty of its rate.
    log_deviation : float or array
        Standard deviation of ln(time) above the median [1].
    log_deviation_below : float or array
        Standard deviation of ln(time) below the median [1]; it equals ``log_deviation`` if the framework's error is
        the same on both sides of the median.
    time_s : Quantiles
        P10, p50 and p90 of the time of a run [s], at least 0.
    cost_usd : Quantiles
        P10, p50 and p90 of the cost of a run [USD], at least 0.
    meets_deadline, meets_budget : float, array or None
        Chance to meet the deadline, and chance to meet the budget [1]; None if the workload has no such limit.
    """

    evaluation: Evaluation
    rulings: tuple[Ruling, ...]
    log_deviation: Quantity
    log_deviation_below: Quantity
    time_s: Quantiles
    cost_usd: Quantiles
    meets_deadline: Quantity | None
    meets_budget: Quantity | None


def evaluate(offered: Offer, workload: Workload, nodes: Quantity) -> Evaluation:
    """Return median time and cost, for one configuration or for arrays of them.

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
    if offered.start_s > 0.0:
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
    """Return medians and ranges of time and cost, and the chances to meet the limits.

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
    The range has a closed form: see `range.job_sources` for its width, and for its deviation from simulation. Cost is a
    function of time that never falls (`cost.tariff`), so the quantiles of cost follow from those of time, and the
    chance to meet the budget is the chance to end within the time that the budget pays for.
    """
    found = evaluate(offered, workload, nodes)
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
    """Return the cost of an always-on cluster for a month, divided into its parts; parameters as for `evaluate`."""
    return always_on_cost(offered.prices, nodes, offered.charges, workload.runs_per_month)


def _chance(
    limit_s: Quantity, courses_s: tuple[Quantity, ...], deviation: Quantity, below: Quantity | None
) -> Quantity:
    """Return the chance that a job ends within a time limit, averaged over the equally likely ways in which it can run.

    Each such way is a course; ``courses_s`` has the median time of the job in each.
    """
    chance: Quantity = 0.0
    for course_s in courses_s:
        chance = chance + chance_below(limit_s, course_s, deviation, below)
    return chance if len(courses_s) == 1 else chance / float(len(courses_s))


def _rulings(offered: Offer, phases: tuple[PhaseTime, ...]) -> tuple[Ruling, ...]:
    """Return, for each channel, the share of time in which it is the bottleneck, and the uncertainty of its rate."""
    ruled: dict[Channel, Quantity] = {}
    for resource, share in shares([(phase.time_s, phase.resource_times_s) for phase in phases]).items():
        name = channel(resource)
        ruled[name] = ruled.get(name, 0.0) + share
    return tuple(
        Ruling(name, share, offered.spreads.get(name, 0.0), offered.doubts.get(name, ()))
        for name, share in ruled.items()
    )


def phases_of(offered: Offer, workload: Workload, nodes: Quantity) -> tuple[Phase, ...]:
    """Return the phases of a job on a number of nodes."""
    whole = workload.assume.shuffle == "whole"
    cluster = Nodes(nodes, offered.memory_mb, offered.vcpus, whole_shuffle=whole, engine=offered.framework.engine)
    return with_busiest_node(workload.phases(cluster), offered.framework.grown(nodes))


def with_cache(resources: tuple[Resource, ...], offered: Offer, phase: Phase) -> tuple[Resource, ...]:
    """Return the resources of a phase; if the phase uses the page cache, with the cache in front of the disks."""
    if isinstance(phase.cache_mb, float) and phase.cache_mb == 0.0:
        return resources
    return node_resources(offered.rates, offered.framework, phase.cache_mb)


def _largest(quantity: Quantity) -> float:
    return quantity if isinstance(quantity, float) else float(np.max(quantity))


def left(resources: tuple[Resource, ...], phase: Phase, time_s: Quantity) -> tuple[Resource, ...]:
    """Return the resources after a phase, with the burst credits that remain."""
    return tuple(
        resource.after(phase.flows_mb, time_s) if resource.keeps_credit else resource for resource in resources
    )
