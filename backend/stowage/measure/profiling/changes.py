"""Change detection: the times at which a target became faster or slower."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stowage.measure.fits.robust import student_t
from stowage.measure.metrics import Better
from stowage.measure.profiling.facts import kind_of
from stowage.measure.profiling.profiles import TargetProfile

Trend = Literal["regression", "improvement"]
Direction = Trend | Literal["neither"]
Floats = NDArray[np.float64]

FEWEST = 6
"""With fewer measurements the time of a change cannot be determined [1]."""
SHORTEST = 3
"""Least number of measurements before and after a change: two unusual values may be two outliers [1]."""
MOST = 500
"""Number of newest measurements that are analyzed [1]."""
SMALLEST_CHANGE = 0.03
"""Machines of one type differ by more, so a smaller change is not worth an alert [1]."""
PENALTY = 3.0
"""Of a change, in units of variance x ln(n): where the search proposes one; Bayes' information criterion takes 2 at
least, one for the place and one for the level [1]."""
FALSE_ALARMS = 0.05
"""Accepted share of false alarms: series without a change in which one is found [1]."""

_MAD_TO_SIGMA = 1.4826
_SMALLEST_SIGMA = 0.004
_FAR = 3.5
_HALF_WINDOW = 3


@dataclass(frozen=True, slots=True)
class Change:
    """A lasting change in the performance of a target.

    Parameters
    ----------
    at : datetime
        Time of the first measurement after it.
    before, after : float
        Means since the previous change, and until the next one, in the metric's unit.
    factor : float
        After over before [1].
    low, high : float
        95% interval of the factor [1].
    direction : {"regression", "improvement", "neither"}
        Depends on whether more of the metric is better, or less.
    """

    at: datetime
    before: float
    after: float
    factor: float
    low: float
    high: float
    direction: Direction


def changes_in(profile: TargetProfile) -> tuple[Change, ...]:
    """Find the changes in the measurements of a profile.

    Rejected measurements are left out, doubtful ones and outliers are not: a change begins as an outlier. Measurements
    with the same time are of one run, or of one upload: their median is one point.
    """
    at_once: dict[datetime, list[float]] = {}
    for part in profile.parts:
        if part.weight > 0.0:
            at_once.setdefault(part.at, []).append(part.value)
    times = sorted(at_once)
    return changes_of(times, [median(at_once[at]) for at in times], kind_of(profile.metric).better)


def changes_of(at: Sequence[datetime], values: Sequence[float], better: Better) -> tuple[Change, ...]:
    """Find the changes of level in a series.

    Parameters
    ----------
    at : sequence of datetime, shape (n,)
        Rising.
    values : sequence of float, shape (n,)
        Above 0.
    better : {"more", "less", "neither"}

    Returns
    -------
    tuple of Change
        From the oldest to the newest; none where n is below 6.

    Notes
    -----
    Logarithms are cut into spans of at least three, so that the squared distances to the spans' means, plus a penalty
    for each cut, are the least there is: optimal partitioning, which needs no pruning for 500 values. The noise is that
    of successive differences, which a change of level leaves alone; single values further off than 3.5 deviations from
    the median of their neighbourhood are drawn in before, so that one bad run is no change. A cut stays if Student's t
    of the two spans beside it is beyond what chance does in 5% of series, all places of the series considered
    (Bonferroni), and if it changes the level by 3% or more.

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
    """Estimate the standard deviation from successive differences, which a change of level hardly affects."""
    return _MAD_TO_SIGMA * float(np.median(np.abs(np.diff(logs)))) / math.sqrt(2.0)


def _drawn_in(logs: Floats, sigma: float) -> Floats:
    """Replace single values far from their neighborhood with its median; steps of three values and more stay."""
    drawn = logs.copy()
    for here, value in enumerate(logs):
        near = np.sort(logs[max(0, here - _HALF_WINDOW) : here + _HALF_WINDOW + 1])
        # For an even number, the closer middle value: at the ends of a series half of the window may be another level.
        middles = near[[(len(near) - 1) // 2, len(near) // 2]]
        middle = float(middles[np.argmin(np.abs(middles - value))])
        if abs(value - middle) > _FAR * sigma:
            drawn[here] = middle
    return drawn


def _partition(logs: Floats, sigma: float) -> list[int]:
    """Return the cuts of a series that minimize squared distances plus penalties."""
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
    """Return the step between two spans, its standard error and the degrees of freedom of that."""
    before, after = logs[start:cut], logs[cut:end]
    step = float(np.mean(after) - np.mean(before))
    degrees = float(len(before) + len(after) - 2)
    squares = float(np.sum((before - np.mean(before)) ** 2) + np.sum((after - np.mean(after)) ** 2))
    # Replaced values make a span look steadier than it is, so the series' noise is the minimum.
    deviation = max(math.sqrt(squares / degrees), sigma)
    return step, deviation * math.sqrt(1.0 / len(before) + 1.0 / len(after)), degrees


def _confirmed(logs: Floats, cuts: list[int], sigma: float) -> list[int]:
    """Remove the least certain cut until the remaining ones are significant."""
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
