"""Range of a predicted time, and the sources of its uncertainty.

The model assumes that a job's time is lognormal: the equations compute the median, and the actual time is the median
multiplied by many small random factors. Each reason for uncertainty is a `Source` with a name and a deviation. The
variances of independent sources add up. For the error of the closed forms, and where they fail, see `job_sources`.
"""

import math
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from operator import attrgetter
from typing import NamedTuple, cast

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Number
from stowage.model.uncertainty.scale import Z90, chance_within, exp_of, log_of, slowest_deviation
from stowage.model.units import Quantity, longer, smaller

AGE_PER_ROOT_YEAR = Number("age_doubt_per_root_year", 0.05, "1").estimated(
    "Default doubt of a measured rate after a year: 5%, about the spread between nodes of one type (0.0523), as if "
    "a fleet were exchanged once a year by one that differs from it as its own nodes do; no series of "
    "measurements over years is known to us",
    date(2026, 11, 20),
)
"""Standard deviation of the logarithm of a rate that was measured a year ago; see `age_doubt`."""

EXTRAPOLATION_PER_DOUBLING = Number("extrapolation_doubt_per_doubling", 0.05, "1").estimated(
    "Default doubt of a rate at half or twice the measured cluster size: 5%. The paper's network kept 81% at "
    "178 nodes, 0.028 of its logarithm for each of the 7.5 doublings from one node; a slope may be wrong by "
    "about twice itself (879 of 1,085 MB/s, section 5.1)",
    date(2026, 11, 20),
)
"""Standard deviation of the logarithm of a rate, for each factor of 2; see `extrapolation_doubt`."""


_HALVINGS = 40

FRAMEWORK_ERROR = "framework error"
"""Name of the source for a framework's error."""


class Source(NamedTuple):
    """One source of uncertainty of a predicted time."""

    name: str
    """`framework error`, `storage: age`."""
    log_deviation: Quantity
    """Standard deviation of ln(time) that this source alone would cause [1], at least 0."""


class Quantiles(NamedTuple):
    """Three quantiles of one quantity, in its unit."""

    p10: Quantity
    p50: Quantity
    p90: Quantity


@frozen
class Ruling:
    """One resource that limits a part of a job, with the uncertainty of its rate."""

    resource: str
    share: Quantity
    """Share of the median time during which the resource is the bottleneck [1], in [0, 1]; see `shares`. To first
    order, a relative change of the resource's rate changes the time by this share of the change."""
    spread: Quantity
    """Node-to-node standard deviation of the logarithm of the rate [1], at least 0; 0 if the rate is already that of
    the slowest node."""
    doubts: tuple[Source, ...] = ()
    """Uncertainty of the rate itself, common to all nodes: few measurements, age, extrapolation."""


def total_deviation(sources: Iterable[Source]) -> Quantity:
    """Compute the total deviation of independent sources.

    Returns
    -------
    float or array
        Root of the sum of squares [1]; 0 without sources.

    Examples
    --------
    >>> total_deviation([Source("framework error", 0.12), Source("storage: age", 0.05)])
    0.13
    """
    variance: Quantity = 0.0
    for _, deviation in sources:
        variance = variance + deviation * deviation
    return _root(variance)


def quantiles(median: Quantity, log_deviation: Quantity, below: Quantity | None = None) -> Quantiles:
    """Return p10, p50 and p90 of a lognormal quantity.

    Parameters
    ----------
    median : float or array
        Median in any unit, at least 0.
    log_deviation : float or array
        Standard deviation of the logarithm [1], at least 0.
    below : float or array, optional
        Standard deviation of the logarithm below the median [1], if it differs there.

    Returns
    -------
    Quantiles
        median x exp(-+Z90 d), in the unit of ``median``.

    Notes
    -----
    With two deviations, values below and above the median follow two different lognormal distributions: the logarithm
    is two-piece normal, divided at its median so that p50 remains the result of the equations.
    **Source**: K. F. Wallis, The two-piece normal, binormal, or double Gaussian distribution, Statistical Science 29
    (2014), which divides at the mode instead.

    Examples
    --------
    >>> [round(value) for value in quantiles(1000.0, 0.13)]
    [847, 1000, 1181]
    >>> [round(value) for value in quantiles(1000.0, 0.88, 0.37)]
    [622, 1000, 3089]
    """
    factor = exp_of(Z90 * log_deviation)
    return Quantiles(median / (factor if below is None else exp_of(Z90 * below)), median, median * factor)


def chance_below(limit: Quantity, median: Quantity, log_deviation: Quantity, below: Quantity | None = None) -> Quantity:
    """Return the chance that a quantity stays at or below a limit.

    The quantity has the distribution of `quantiles`.

    Parameters
    ----------
    limit, median : float or array
        Limit and median in the same unit.
    log_deviation : float or array
        Standard deviation of the logarithm [1], at least 0.
    below : float or array, optional
        Standard deviation of the logarithm below the median [1], if it differs there.

    Examples
    --------
    >>> [round(chance_below(limit, 1000.0, 0.88, 0.37), 3) for limit in (622.0, 1000.0, 3089.0)]
    [0.1, 0.5, 0.9]
    """
    if below is None:
        return chance_within(limit, median, log_deviation)
    is_below = limit < median
    if isinstance(is_below, np.ndarray):
        return chance_within(limit, median, np.where(is_below, below, log_deviation))
    return chance_within(limit, median, below if is_below else log_deviation)


def over_courses(
    courses: Sequence[Quantity], log_deviation: Quantity, median: Quantity, below: Quantity | None = None
) -> Quantiles:
    """Return the quantiles of a quantity that has several equally likely medians.

    A job with slow nodes has several possible courses. Each course has a median, about which the quantity is lognormal.

    Parameters
    ----------
    courses : sequence of float or array
        Median of the quantity in each course [any unit], above 0.
    log_deviation : float or array
        Standard deviation of the logarithm in each course [1], at least 0.
    median : float or array
        Value that is returned as p50; p10 is at most this value, and p90 at least.
    below : float or array, optional
        Standard deviation of the logarithm below the median of each course [1], if it differs there.

    Returns
    -------
    Quantiles

    Notes
    -----
    The mean of the courses' distribution functions is inverted by bisection: p10 and p90 are between the lowest p10 and
    the highest p90 of any course.

    Examples
    --------
    >>> [round(value) for value in over_courses([100.0] * 5 + [300.0] * 5, 0.05, 100.0)]
    [96, 100, 313]
    """
    found = []
    for part in (0.1, 0.9):
        low, high = quantiles(courses[0], log_deviation, below)[0::2]
        for course in courses[1:]:
            own = quantiles(course, log_deviation, below)
            low, high = smaller(low, own.p10), longer(high, own.p90)
        for _ in range(_HALVINGS):
            middle = (low + high) * 0.5
            reached: Quantity = 0.0
            for course in courses:
                reached = reached + chance_below(middle, course, log_deviation, below)
            if isinstance(middle, np.ndarray):
                enough = reached >= part * len(courses)
                low, high = np.where(enough, low, middle), np.where(enough, middle, high)
            elif reached >= part * len(courses):
                high = middle
            else:
                low = middle
        found.append(high)
    return Quantiles(smaller(found[0], median), median, longer(found[1], median))


def shares(phases: Sequence[tuple[Quantity, Sequence[tuple[str, Quantity]]]]) -> dict[str, Quantity]:
    """Return the share of a job's time in which each resource is the bottleneck.

    Parameters
    ----------
    phases : sequence
        For each phase: its time [s], and the names of its resources, each with the time that it would take alone [s],
        at least 0. The longest of the times alone is the time of the phase.

    Returns
    -------
    dict
        Share of the time [1] for each resource that is ever the bottleneck, in the order of first appearance. The
        shares add up to 1, or to 0 if the job takes no time. The bottleneck of a phase is its slowest resource; in a
        tie, the first of the slowest.

    Examples
    --------
    >>> shares([(60.0, [("storage", 60.0), ("network", 40.0)]), (30.0, [("storage", 20.0), ("network", 30.0)])])
    {'storage': 0.6666666666666666, 'network': 0.3333333333333333}
    """
    ruled_s: dict[str, Quantity] = {}
    total_s: Quantity = 0.0
    for slowest_s, resources in phases:
        total_s = total_s + slowest_s
        left_s = slowest_s
        for name, time_s in resources:
            rules = time_s >= slowest_s
            # Most resources limit none of many configurations: skip their arithmetic.
            if rules is False or (rules is not True and not np.any(rules)):
                continue
            # The whole phase where no earlier resource has taken it, 0 elsewhere.
            taken_s = cast("Quantity", left_s * rules)
            ruled_s[name] = ruled_s.get(name, 0.0) + taken_s
            if rules is True or np.all(rules):
                break
            left_s = left_s - taken_s
    whole_s = longer(total_s, sys.float_info.min)
    return {name: time_s / whole_s for name, time_s in ruled_s.items()}


def job_sources(rulings: Iterable[Ruling], nodes: Quantity, framework_error: Quantity) -> tuple[Source, ...]:
    """List the sources of uncertainty of a job's time.

    Parameters
    ----------
    rulings : iterable of Ruling
        One ruling for each resource, for all phases that the resource limits.
    nodes : float or array
        Whole numbers, at least 1.
    framework_error : float or array
        Standard deviation of the logarithm of the whole time [1].

    Returns
    -------
    tuple of Source
        The framework's error; then, for each resource, a source named ``RESOURCE: slowest node`` and a source named
        ``RESOURCE: DOUBT`` for each of its doubts. The `total_deviation` of all these sources is `job_deviation`.

    Notes
    -----
    With the shares w, doubts u and spreads s of the resources r, the slowest of n deviating by d(n) and the
    error e of the framework,

        variance of ln(time) = e^2 + sum over r of w_r^2 (u_r^2 + s_r^2 d(n)^2).

    All phases that a resource limits share one draw of the nodes: a slow disk is slow in each of these
    phases, so their shares add up before they are squared. The draws of different resources are independent: the
    spread is that of devices (a worn disk, a busy uplink), the slowest disk and the slowest link of a
    cluster are usually in different nodes, and no measurement known to us shows a correlation.
    With a correlation, shares times spreads would add up before they are squared; for two resources that limit half
    the time each, stragglers would then have sqrt(2) times the weight. Doubts come from different measurements,
    and are independent like those.

    Compared with Monte Carlo (`tests/model`: up to 178 nodes, spreads of 0.05, doubts to 0.1), p10, p50
    and p90 are within 1% if one resource clearly limits each phase. If two resources of a phase tie,
    each with a deviation of v, the phase takes the longer one. Its median is higher by a factor of
    about exp(0.545 v) than the median of either, which the closed form uses. For equal medians, n = 100 and a
    spread of 0.0523, p50 is 1.2% too low with stragglers alone, and 5.7% with doubts of 0.1 on each.

    **Source**: propagation of errors to first order, JCGM 100:2008 (GUM), eq. 10.

    Examples
    --------
    >>> storage = Ruling("storage", 0.8, 0.0523, (Source("age", 0.05),))
    >>> network = Ruling("network", 0.2, 0.0)
    >>> for name, deviation in job_sources([storage, network], 178, 0.13):
    ...     print(f"{name} {deviation:.4f}")
    framework error 0.1300
    storage: slowest node 0.0165
    storage: age 0.0400
    network: slowest node 0.0000
    """
    straggling = slowest_deviation(nodes)
    found = [Source(FRAMEWORK_ERROR, framework_error)]
    for ruling in rulings:
        found.append(Source(f"{ruling.resource}: slowest node", ruling.share * (ruling.spread * straggling)))
        found += [Source(f"{ruling.resource}: {name}", ruling.share * doubt) for name, doubt in ruling.doubts]
    return tuple(found)


def job_deviation(rulings: Iterable[Ruling], nodes: Quantity, framework_error: Quantity) -> Quantity:
    """Return the standard deviation of ln(time) of a job.

    It is the total deviation of the sources in `job_sources`.

    Parameters
    ----------
    rulings, nodes, framework_error
        As for `job_sources`.

    Returns
    -------
    float or array
        Standard deviation [1]; the last digits may differ from those of ``total_deviation(job_sources(...))``.

    Examples
    --------
    >>> round(job_deviation([Ruling("storage", 1.0, 0.0523)], 178, 0.13), 4)
    0.1316
    """
    straggling = slowest_deviation(nodes)
    straggling = straggling * straggling
    variance: Quantity = framework_error * framework_error
    # In one order, whichever resource is the bottleneck first: a sum in another order may have other last digits.
    for ruling in sorted(rulings, key=attrgetter("resource")):
        own: Quantity = 0.0
        for _, doubt in ruling.doubts:
            own = own + doubt * doubt
        if not isinstance(ruling.spread, float) or ruling.spread > 0.0:
            own = own + ruling.spread * ruling.spread * straggling
        variance = variance + ruling.share * ruling.share * own
    return _root(variance)


def measurement_doubt(spread: float, count: float | None) -> float:
    """Return the uncertainty of the mean of a few measurements.

    Parameters
    ----------
    spread : float
        Standard deviation of the logarithm of one measurement [1], at least 0.
    count : float or None
        Number of measurements, at least 1; None if unknown, which counts as one.

    Returns
    -------
    float
        spread / sqrt(count) [1].

    Examples
    --------
    >>> measurement_doubt(0.05, 25), measurement_doubt(0.05, None)
    (0.01, 0.05)
    """
    return spread / math.sqrt(1.0 if count is None else count)


def age_doubt(years: float, per_root_year: float = AGE_PER_ROOT_YEAR.value) -> float:
    """Return the uncertainty of a rate due to the age of its measurement.

    Parameters
    ----------
    years : float
        Years since the measurement [a]; a negative number causes no doubt.
    per_root_year : float
        Uncertainty for each square root of a year [1 / sqrt(a)].

    Returns
    -------
    float
        per_root_year x sqrt(years) [1].

    Notes
    -----
    Fleets, firmware and neighbors change for independent reasons. Each change moves the rate up or down, so the
    variance grows in proportion to time. This applies to measured rates: a limit that AWS publishes and enforces does
    not drift.

    Examples
    --------
    >>> age_doubt(4.0)
    0.1
    """
    return per_root_year * math.sqrt(max(years, 0.0))


def extrapolation_doubt(
    nodes: Quantity, measured_nodes: Sequence[int], per_doubling: float = EXTRAPOLATION_PER_DOUBLING.value
) -> Quantity:
    """Return the uncertainty of a rate at a cluster size without measurements.

    Parameters
    ----------
    nodes : float or array
        Whole numbers, at least 1.
    measured_nodes : sequence of int
        Cluster sizes of the measurements; at least one.
    per_doubling : float
        Uncertainty for each doubling of the cluster size [1].

    Returns
    -------
    float or array
        ``per_doubling`` times the number of doublings to the nearest measured size [1], between measured sizes as well
        as beyond them; 0 at a measured size.

    Examples
    --------
    >>> extrapolation_doubt(178.0, (1, 178)), round(extrapolation_doubt(712.0, (1, 178)), 3)
    (0.0, 0.1)
    """
    log_nodes = log_of(nodes)
    nearest: Quantity = math.inf
    for measured in measured_nodes:
        away = log_nodes - log_of(float(measured))
        nearest = smaller(nearest, np.abs(away) if isinstance(away, np.ndarray) else abs(away))
    return nearest * (per_doubling / math.log(2.0))


def _root(variance: Quantity) -> Quantity:
    return np.sqrt(variance) if isinstance(variance, np.ndarray) else math.sqrt(variance)
