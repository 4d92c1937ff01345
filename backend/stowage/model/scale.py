"""Many nodes: the slowest of them ends a phase."""

import math
from datetime import date
from functools import lru_cache
from statistics import NormalDist

from stowage.model.figure import Figure

_NORMAL = NormalDist()

Z90 = _NORMAL.inv_cdf(0.9)
"""The 90% quantile of the standard normal distribution."""

STORAGE_SPREAD = Figure(
    quantity="storage_spread",
    value=0.0523,
    unit="1",
    source=(
        "SoCC 2015 paper, section 5.1: the slowest of 178 i2.8xlarge reached 87% of the mean; "
        "-ln(0.87) / z with z = 2.66, the median of the slowest of 178. Carried over to all types."
    ),
    kind="estimated",
    as_of=date(2015, 8, 27),
)
"""Node-to-node standard deviation of the logarithm of disk bandwidth, where no profile says more."""


def slowest_z(nodes: int, quantile: float = 0.5) -> float:
    """Give a quantile of the largest of ``nodes`` standard normal values.

    Parameters
    ----------
    nodes : int
        At least 1.
    quantile : float
        In (0, 1).

    Returns
    -------
    float
        z with P(max <= z) = Phi(z)^nodes = quantile [1].

    Notes
    -----
    **Source**: distribution of the largest order statistic, H. A. David and H. N. Nagaraja,
    Order Statistics, 3rd ed. 2003, eq. 2.1.1.

    Examples
    --------
    >>> slowest_z(1)
    0.0
    >>> round(slowest_z(178), 2)
    2.66
    """
    # The tail is inverted, not quantile ** (1 / nodes), which rounds to 1 for many nodes.
    tail = -math.expm1(math.log(quantile) / nodes)
    return -_NORMAL.inv_cdf(tail) if tail != 0.5 else 0.0


@lru_cache(maxsize=1 << 17)
def slowdown(spread: float, nodes: int, quantile: float = 0.5) -> float:
    """Say by which factor the slowest of ``nodes`` is slower than the typical one [1], at least exp(0) for p50.

    Rates are lognormal with standard deviation ``spread`` of their logarithm.
    """
    return math.exp(spread * slowest_z(nodes, quantile))


def chance_within(limit: float, median: float, log_deviation: float) -> float:
    """Give the chance that a lognormal quantity stays at or below a limit.

    Parameters
    ----------
    limit, median : float
        In one unit; ``median`` above 0.
    log_deviation : float
        Standard deviation of the logarithm [1], at least 0.

    Returns
    -------
    float
        In [0, 1].
    """
    if limit <= 0.0:
        return 0.0
    if log_deviation == 0.0:
        return 1.0 if median <= limit else 0.0
    return _NORMAL.cdf(math.log(limit / median) / log_deviation)
