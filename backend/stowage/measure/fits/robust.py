"""Robust mean and spread of measured rates.

Some of the rates may be wrong, or may have been measured on the same machine. All statistics use logarithms: a rate
that is 2x too high is as far off as one that is 2x too low.
"""

import math
from collections.abc import Hashable, Sequence
from datetime import date
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.figure import Number
from stowage.model.uncertainty.scale import MAD_TO_SIGMA, STORAGE_SPREAD

SAME_MACHINE = Number("same_machine_correlation", 0.5, "1").estimated(
    "Assumed: half of the variance between measurements is between machines, half between times", date(2026, 11, 20)
)
"""A machine counts as at most two measurements, however many it has."""

ASSUMED_COUNT = 2.0
"""Number of measurements that the prior spread counts as [1]."""

_HUBER = 1.5
_OUTLYING = NormalDist().cdf(3.5)
"""Probability of 3.5 deviations, the limit for outliers among many rates. The limit for few rates is larger, with the
same probability."""
_FEWEST_FOR_OUTLIERS = 4
_MOST_OUTLIERS = 0.25
"""Largest share of the weight that outliers can have; more are a second level, and either may be right [1]."""
_CALMEST = STORAGE_SPREAD.value
"""Minimum deviation [1]. Without it, values that agree better than machines usually do would turn an ordinary value
into an outlier."""
_NORMAL = NormalDist()
_ROUNDS = 60

Floats = NDArray[np.float64]
SpreadOf = Literal["nodes", "measurements", "assumed"]


@frozen
class Location:
    """Robust mean of several rates, with its interval and the spread of the rates."""

    mean: float
    """Exponential of the Huber location (a robust mean) of the rates' logarithms, in the rates' unit."""
    low: float
    """Lower end of the 95% confidence interval of the mean."""
    high: float
    """Upper end of the 95% confidence interval of the mean."""
    spread: float
    """Standard deviation of the logarithm of one rate, without unit."""
    spread_of: SpreadOf
    """Source of the spread: `nodes` (differences between machines) if rates of three or more machines are known and one
    of the machines has several; `assumed` if there is a single rate; else `measurements`."""
    effective_count: float
    """Equivalent number of independent measurements of full weight."""
    outliers: tuple[int, ...]
    """Positions of the outliers, which are left out of the mean."""


def location(values: Sequence[float], weights: Sequence[float], machines: Sequence[Hashable | None]) -> Location:
    """Compute the robust mean of rates, and their spread.

    Parameters
    ----------
    values : sequence of float, shape (n,)
        Rates, above 0.
    weights : sequence of float, shape (n,)
        Weight of each rate, from 0 to 1; at least one of them above 0.
    machines : sequence, shape (n,)
        Machine on which each rate was measured; None if unknown. An unknown machine counts as a separate machine.

    Notes
    -----
    Outliers lie more than 3.5 deviations from the weighted median. The deviation is derived from the median absolute
    deviation, and is at least the published deviation of disks. For few rates Student's t gives a larger limit. Only
    four or more rates can have outliers. Outliers have at most a quarter of the weight: distant rates with more weight
    are a second level of performance.

    The mean of the other rates is Huber's location with k = 1.5. Its standard error is that of the clipped residuals.
    Measurements of one machine count less (`_shares`). Two rates may agree by chance. Therefore the spread is shrunk
    towards the published spread, which counts as two measurements (a scaled inverse chi-square prior of the variance).
    The interval is Student's t with the degrees of freedom of prior and rates together.

    For normal rates with the published spread, the interval contains the truth in 94% to 100% of cases, for 1 to 100
    rates; for rates with twice that spread, in 89% to 98%.

    **Source**: Huber, Robust Statistics (1981), ch. 4 and 6; Leys et al., J. Exp. Soc. Psychol. 49 (2013) 764, on
    3.5 deviations; Gelman et al., Bayesian Data Analysis, 3rd ed., section 2.6; Kish, Survey Sampling (1965), ch. 5.

    >>> found = location([100.0, 102.0, 98.0, 101.0, 300.0], [1.0] * 5, [None] * 5)
    >>> round(found.mean, 1), found.outliers
    (100.2, (4,))
    """
    logs = np.log(np.asarray(values, dtype=np.float64))
    weight = np.asarray(weights, dtype=np.float64).copy()
    groups = _groups(machines)
    outliers = _outliers(logs, weight)
    weight[list(outliers)] = 0.0
    share = _shares(groups, weight)
    seen = _deviation(logs, weight, weighted_median(logs, weight))
    sigma = max(seen, _CALMEST)
    # Normal values are clipped beyond this many of their own deviations.
    drawn = _HUBER * sigma / max(seen, _TINY)
    middle = _huber(logs, share, sigma)
    effective = _effective(share, groups)
    own, count, spread_of = _own_spread(logs, share, groups, middle, sigma, _kept_variance(drawn))
    degrees = ASSUMED_COUNT + count - 1.0
    spread = math.sqrt((ASSUMED_COUNT * STORAGE_SPREAD.value**2 + (count - 1.0) * own**2) / degrees)
    error = spread * math.sqrt(_kept_variance(drawn)) / (2.0 * _NORMAL.cdf(drawn) - 1.0) if count > 2.0 else spread
    width = student_t(0.975, degrees) * error / math.sqrt(effective)
    return Location(
        mean=_within(math.exp(middle), [value for value, one in zip(values, weight, strict=True) if one > 0.0]),
        low=math.exp(middle - width),
        high=math.exp(middle + width),
        spread=spread,
        spread_of=spread_of,
        effective_count=effective,
        outliers=outliers,
    )


def student_t(quantile: float, degrees: float) -> float:
    """Return a quantile of Student's t distribution.

    Parameters
    ----------
    quantile : float
        Above 0.5 and below 1.
    degrees : float
        Degrees of freedom, at least 1; need not be whole.

    Notes
    -----
    With t = sqrt(degrees) tan(x) the density is proportional to cos(x)^(degrees - 1), which is integrated numerically.

    Examples
    --------
    >>> round(student_t(0.975, 10.0), 3), round(student_t(0.975, 2.0), 3)
    (2.228, 4.303)
    """
    if degrees > _AS_GOOD_AS_NORMAL:
        return NormalDist().inv_cdf(quantile)
    angles = np.linspace(0.0, math.pi / 2.0, _STEPS)
    density = np.cos(angles) ** (degrees - 1.0)
    below = np.concatenate(([0.0], np.cumsum((density[1:] + density[:-1]) / 2.0)))
    angle = float(np.interp((2.0 * quantile - 1.0) * below[-1], below, angles))
    return math.sqrt(degrees) * math.tan(angle)


_AS_GOOD_AS_NORMAL = 2_000.0
_STEPS = 8_001


def weighted_median(values: Floats, weights: Floats) -> float:
    """Return the weighted median of values.

    Half of the total weight is on either side of it.
    """
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(weights[order])
    half = summed[-1] / 2.0
    at = int(np.searchsorted(summed, half))
    # If the weight is split exactly in half between two values, return their mean.
    if at + 1 < len(order) and math.isclose(summed[at], half, rel_tol=1e-12):
        later = order[np.flatnonzero(summed > summed[at])[0]]
        return float(values[order[at]] + values[later]) / 2.0
    return float(values[order[at]])


def _groups(machines: Sequence[Hashable | None]) -> NDArray[np.int64]:
    numbers: dict[Hashable, int] = {}
    keys = (("alone", at) if machine is None else ("machine", machine) for at, machine in enumerate(machines))
    return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _sizes(groups: NDArray[np.int64], weights: Floats) -> Floats:
    """Return the number of measurements on the machine of each measurement.

    The number includes the measurement itself. It is weighted: a measurement with the largest weight counts as 1.
    """
    relative = weights / max(float(weights.max()), _TINY)
    return np.maximum(np.bincount(groups, relative)[groups], 1.0)


_TINY = 1e-300


def _outliers(logs: Floats, weights: Floats) -> tuple[int, ...]:
    counted = np.flatnonzero(weights > 0.0)
    if len(counted) < _FEWEST_FOR_OUTLIERS:
        return ()
    middle = weighted_median(logs[counted], weights[counted])
    sigma = max(_deviation(logs, weights, middle), _CALMEST)
    far = student_t(_OUTLYING, len(counted) - 1.0) * sigma
    found = tuple(int(at) for at in counted if abs(logs[at] - middle) > far)
    return found if np.sum(weights[list(found)]) <= _MOST_OUTLIERS * np.sum(weights) + 1e-12 else ()


def _deviation(logs: Floats, weights: Floats, middle: float) -> float:
    counted = weights > 0.0
    return MAD_TO_SIGMA * weighted_median(np.abs(logs[counted] - middle), weights[counted])


def _huber(logs: Floats, weights: Floats, sigma: float) -> float:
    counted = weights > 0.0
    logs, weights = logs[counted], weights[counted]
    middle = weighted_median(logs, weights)
    for _ in range(_ROUNDS):
        far = np.abs(logs - middle) / sigma
        drawn = weights * np.minimum(1.0, _HUBER / np.maximum(far, _HUBER))
        after = float(np.sum(drawn * logs) / np.sum(drawn))
        if abs(after - middle) < 1e-12:
            break
        middle = after
    return middle


def _effective(weights: Floats, groups: NDArray[np.int64]) -> float:
    correlation = SAME_MACHINE.value
    of_machines = np.bincount(groups, weights)
    alone = (1.0 - correlation) * float(np.sum(weights**2))
    return float(np.sum(weights)) ** 2 / (alone + correlation * float(np.sum(of_machines**2)))


def _kept_variance(limit: float) -> float:
    """Return the variance that remains when a standard normal variable is clipped.

    It is clipped at plus and minus ``limit``.
    """
    beyond = 2.0 * (1.0 - _NORMAL.cdf(limit))
    return 1.0 - beyond - 2.0 * limit * _NORMAL.pdf(limit) + limit * limit * beyond if limit < _NO_TAIL else 1.0


_NO_TAIL = 8.0


def _own_spread(
    logs: Floats, weights: Floats, groups: NDArray[np.int64], middle: float, sigma: float, kept: float
) -> tuple[float, float, SpreadOf]:
    """Compute the spread of rates without the prior.

    ``groups`` is the number of each rate's machine, and ``kept`` the share of variance that clipping leaves.

    Returns
    -------
    spread : float
        Standard deviation of the rates' logarithms.
    count : float
        Effective number of rates.
    spread_of : SpreadOf
        Source of the spread.
    """
    counted = weights > 0.0
    logs, weights, groups = logs[counted], weights[counted], groups[counted]
    spread_of: SpreadOf = "measurements"
    machines = np.unique(groups)
    if _FEWEST_MACHINES <= len(machines) < len(logs):
        # The spread is between machines: measurements of one machine are averaged first.
        means = [float(np.average(logs[groups == one], weights=weights[groups == one])) for one in machines]
        totals = [float(np.sum(weights[groups == one])) for one in machines]
        logs, weights = np.asarray(means), np.asarray(totals)
        spread_of = "nodes"
    count = float(np.sum(weights)) ** 2 / float(np.sum(weights**2))
    if count <= 1.0 + 1e-9:
        return 0.0, 1.0, "assumed"
    drawn = np.clip((logs - middle) / sigma, -_HUBER, _HUBER) * sigma
    variance = float(np.sum(weights * drawn**2) / np.sum(weights)) * count / (count - 1.0)
    # Few values are rarely clipped; many normal values lose a known share of their variance by clipping.
    lost = (1.0 - kept) * min(1.0, (count - 1.0) / 10.0)
    return math.sqrt(variance / (1.0 - lost)), count, spread_of


_FEWEST_MACHINES = 3


def weighted_mean(values: Sequence[tuple[float, float]]) -> float:
    """Return the weighted geometric mean of values.

    Each pair is a value and its weight.
    """
    total = math.fsum(weight for _, weight in values)
    return math.exp(math.fsum(weight * math.log(value) for value, weight in values) / total)


def _within(mean: float, values: Sequence[float]) -> float:
    """Limit a mean to the range of its values.

    So the mean of equal values is exactly that value, in spite of rounding.
    """
    return min(max(mean, min(values)), max(values))


def _shares(groups: NDArray[np.int64], weight: Floats) -> Floats:
    """Reduce the weights of rates that were measured on the same machine.

    The weight of each of m rates of one machine is divided by 1 + (m - 1) r, where r is `SAME_MACHINE`.
    """
    return weight / (1.0 + (_sizes(groups, weight) - 1.0) * SAME_MACHINE.value)
