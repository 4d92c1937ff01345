"""Detection of the times at which a measured target became faster or slower."""

import math
from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.measure.fits.robust import student_t
from stowage.measure.metrics import Better
from stowage.measure.profiling.facts import kind_of
from stowage.measure.profiling.profiles import TargetProfile
from stowage.model.uncertainty.scale import MAD_TO_SIGMA

Trend = Literal["regression", "improvement"]
Direction = Trend | Literal["neither"]
Floats = NDArray[np.float64]

FEWEST = 6
"""Minimum number of measurements needed to locate a change [1]."""
SHORTEST = 3
"""Minimum number of measurements before and after a change; two unusual values may be two outliers [1]."""
MOST = 500
"""Maximum number of measurements that are analyzed, the newest ones [1]."""
SMALLEST_CHANGE = 0.03
"""Smallest reported change; machines of one type differ by more, so a smaller one is not worth an alert [1]."""
PENALTY = 3.0
"""Penalty per change in the search, in units of variance x ln(n) [1].

The Bayesian information criterion uses at least 2: one for the position and one for the level.
"""
FALSE_ALARMS = 0.05
"""Accepted share of false alarms: series without a change in which a change is found [1]."""

_SMALLEST_SIGMA = 0.004
_FAR = 3.5
_HALF_WINDOW = 3


@frozen
class Change:
    """A lasting change in the performance of a target."""

    at: datetime
    """Time of the first measurement after the change."""
    before: float
    """Mean from the previous change to this one, in the metric's unit."""
    after: float
    """Mean from this change to the next one, in the metric's unit."""
    factor: float
    """Ratio of `after` to `before`."""
    low: float
    """Lower end of the 95% confidence interval of the factor."""
    high: float
    """Upper end of the 95% confidence interval of the factor."""
    direction: Direction
    """Whether the target became worse or better; "neither" for a metric of which no direction is better."""


def changes_in(profile: TargetProfile) -> tuple[Change, ...]:
    """Find the times at which the performance of a profile's target changed.

    Rejected measurements are excluded. Doubtful measurements and outliers are included, since the first measurement
    after a change looks like an outlier. Measurements with the same time are from one run or one upload, and only their
    median is used.
    """
    at_once: dict[datetime, list[float]] = {}
    for part in profile.parts:
        if part.weight > 0.0:
            at_once.setdefault(part.at, []).append(part.value)
    times = sorted(at_once)
    return changes_of(times, [median(at_once[at]) for at in times], kind_of(profile.metric).better)


def changes_of(at: Sequence[datetime], values: Sequence[float], better: Better) -> tuple[Change, ...]:
    """Find the lasting changes of level in a series of values.

    Parameters
    ----------
    at : sequence of datetime, shape (n,)
        Time of each value, in ascending order.
    values : sequence of float, shape (n,)
        Values, above 0.
    better : {"more", "less", "neither"}
        Whether higher or lower values are better.

    Returns
    -------
    tuple of Change
        Changes from the oldest to the newest; empty if n is below 6.

    Notes
    -----
    The logarithms are split into segments of at least three values. The split minimizes the squared distances to the
    segment means plus a penalty per cut (optimal partitioning; 500 values need no pruning). The noise is estimated from
    successive differences, which a change of level hardly affects. Before the split, single values more than 3.5
    deviations from the median of their neighbors are replaced by this median (Hampel filter). So one bad run is not a
    change. A cut is confirmed if the level changes by 3% or more, and if Student's t of the two adjacent segments is
    larger than chance makes it in 5% of all series. The 5% are for all positions of a series together (Bonferroni).

    **Source**: Jackson et al., IEEE Signal Processing Letters 12 (2005) 105 (optimal partitioning); Killick, Fearnhead
    and Eckley, J. Am. Stat. Assoc. 107 (2012) 1590 (its penalty); Hampel, J. Am. Stat. Assoc. 69 (1974) 383 (the
    filter).

    Examples
    --------
    >>> from datetime import UTC, timedelta
    >>> days = [datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day) for day in range(10)]
    >>> found = changes_of(days, [100, 101, 99, 100, 102, 82, 80, 81, 79, 82], "more")
    >>> [(change.at.day, round(change.factor, 2), change.direction) for change in found]
    [(6, 0.8, 'regression')]
    """
    at, values = at[-MOST:], values[-MOST:]
    if len(values) < FEWEST:
        return ()
    raw = np.log(np.asarray(values, dtype=np.float64))
    sigma = max(_noise(raw), _SMALLEST_SIGMA)
    logs = _drawn_in(raw, sigma)
    cuts = _confirmed(logs, _partition(logs, sigma), sigma)
    bounds = [0, *cuts, len(logs)]
    found = []
    for start, cut, end in zip(bounds, bounds[1:], bounds[2:], strict=False):
        step, error, degrees = _step(logs, start, cut, end, sigma)
        width = student_t(0.975, degrees) * error
        before, after = (math.exp(float(np.mean(logs[span]))) for span in (slice(start, cut), slice(cut, end)))
        of_step = math.exp(step), math.exp(step - width), math.exp(step + width)
        found.append(Change(at[cut], before, after, *of_step, _direction(step, better)))
    return tuple(found)


def _direction(step: float, better: Better) -> Direction:
    if better == "neither":
        return "neither"
    return "improvement" if (step > 0.0) == (better == "more") else "regression"


def _noise(logs: Floats) -> float:
    """Estimate the standard deviation of a series, apart from changes of its level.

    It is derived from differences between successive values, which a change of level hardly affects.
    """
    return MAD_TO_SIGMA * float(np.median(np.abs(np.diff(logs)))) / math.sqrt(2.0)


def _drawn_in(logs: Floats, sigma: float) -> Floats:
    """Replace isolated values that are far from their neighbors.

    Such a value is replaced with the median of its neighbors. Lasting changes of level stay.
    """
    drawn = logs.copy()
    for here, value in enumerate(logs):
        near = np.sort(logs[max(0, here - _HALF_WINDOW) : here + _HALF_WINDOW + 1])
        # For an even count, use the closer middle value: at the ends of a series half the window may be another level.
        middles = near[[(len(near) - 1) // 2, len(near) // 2]]
        middle = float(middles[np.argmin(np.abs(middles - value))])
        if abs(value - middle) > _FAR * sigma:
            drawn[here] = middle
    return drawn


def _partition(logs: Floats, sigma: float) -> list[int]:
    """Return the best cuts of a series into segments.

    They minimize the squared distances to the segment means plus a penalty for each cut.
    """
    size = len(logs)
    sums = np.concatenate(([0.0], np.cumsum(logs)))
    squares = np.concatenate(([0.0], np.cumsum(logs**2)))
    penalty = PENALTY * sigma**2 * math.log(size)
    least = np.full(size + 1, math.inf)
    least[0] = -penalty
    last = np.zeros(size + 1, dtype=np.int64)
    for end in range(SHORTEST, size + 1):
        starts = np.arange(end - SHORTEST + 1)
        totals = sums[end] - sums[starts]
        costs = least[starts] + squares[end] - squares[starts] - totals**2 / (end - starts) + penalty
        last[end] = int(np.argmin(costs))
        least[end] = costs[last[end]]
    cuts: list[int] = []
    end = size
    while last[end] > 0:
        end = int(last[end])
        cuts.append(end)
    return cuts[::-1]


def _step(logs: Floats, start: int, cut: int, end: int, sigma: float) -> tuple[float, float, float]:
    """Compare the means of two adjacent segments of a series.

    The segments are from ``start`` to ``cut`` and from ``cut`` to ``end``. The argument ``sigma`` is the minimum
    assumed for the standard deviation within a segment.

    Returns
    -------
    tuple of float
        Difference of the means, its standard error, and the degrees of freedom of this error.
    """
    before, after = logs[start:cut], logs[cut:end]
    step = float(np.mean(after) - np.mean(before))
    degrees = float(len(before) + len(after) - 2)
    squares = float(np.sum((before - np.mean(before)) ** 2) + np.sum((after - np.mean(after)) ** 2))
    # Replaced values make a segment look steadier than it is, so the noise of the series is the minimum.
    deviation = max(math.sqrt(squares / degrees), sigma)
    return step, deviation * math.sqrt(1.0 / len(before) + 1.0 / len(after)), degrees


def _confirmed(logs: Floats, cuts: list[int], sigma: float) -> list[int]:
    """Return the cuts that are significant.

    The least certain cut is removed repeatedly, until all remaining cuts are significant.
    """
    places = max(1, len(logs) - 2 * SHORTEST + 1)
    quantile = 1.0 - FALSE_ALARMS / 2.0 / places
    while cuts:
        bounds = [0, *cuts, len(logs)]
        weakest, least = 0, math.inf
        for position, (start, cut, end) in enumerate(zip(bounds, bounds[1:], bounds[2:], strict=False)):
            step, error, degrees = _step(logs, start, cut, end, sigma)
            strength = abs(step) / error / student_t(quantile, degrees)
            if abs(math.expm1(step)) < SMALLEST_CHANGE:
                strength = 0.0
            if strength < least:
                weakest, least = position, strength
        if least >= 1.0:
            return cuts
        cuts = [cut for position, cut in enumerate(cuts) if position != weakest]
    return cuts
