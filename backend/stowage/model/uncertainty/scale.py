"""Scale: slowdown of a phase by the slowest of many nodes.

Every function accepts one node count or an array, and returns the same floats in both cases. Sums, products and
quotients of floats and of arrays are always equal bit for bit; exponentials and logarithms are not, so the functions
use `exp_of` and `log_of`.
"""

import math
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from statistics import NormalDist
from typing import overload

import numpy as np
from numpy.typing import NDArray

from stowage.model.figure import Number
from stowage.model.units import Quantity, longer, smaller

_NORMAL = NormalDist()

Z90 = _NORMAL.inv_cdf(0.9)
"""The 90% quantile of the standard normal distribution."""

MAD_TO_SIGMA = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation [1]."""

STORAGE_SPREAD = Number("storage_spread", 0.0523, "1").estimated(
    "SoCC 2015 paper, section 5.1: the slowest of 178 i2.8xlarge reached 87% of the mean; "
    "-ln(0.87) / z with z = 2.66, the median of the slowest of 178. Carried over to all types.",
    date(2015, 8, 27),
)
"""Default node-to-node standard deviation of the logarithm of disk bandwidth, for profiles without their own."""

SMALLEST_TABLE = 1 << 10
"""Node counts in the smallest table [1]."""
LARGEST_TABLE = 1 << 17
"""Node counts in the largest table [1]; larger counts are computed one by one."""
_FEW = 512
"""Counts beyond the smallest table for which no larger one is built: it takes 0.1 s for 30,000 counts [1]."""

_HART_ABOVE = (
    0.03526249659989109,
    0.7003830644436881,
    6.373962203531650,
    33.91286607838300,
    112.0792914978709,
    221.2135961699311,
    220.2068679123761,
)
_HART_BELOW = (
    0.08838834764831844,
    1.755667163182642,
    16.06417757920695,
    86.78073220294608,
    296.5642487796737,
    637.3336333788311,
    793.8265125199484,
    440.4137358247522,
)
_TINY = float(np.finfo(np.float64).tiny)
"""Replaces 0 in a divisor: a quantity of 0 meets every limit but that of 0."""

_NO_TAIL = 40.0
"""Where exp(-x^2 / 2) is 0 in double precision."""


@overload
def exp_of(x: float) -> float: ...
@overload
def exp_of(x: Quantity) -> Quantity: ...
def exp_of(x: Quantity) -> Quantity:
    """Return e^x.

    The result for a float equals, bit for bit, the result for the same value in an array.
    """
    # For arrays that run backwards in memory numpy uses another code path, with different last bits. Those are copied,
    # which costs little; all others are not. Subclasses of arrays stay what they are (`optimizer.bulk.recording`).
    return np.exp(np.asanyarray(x, order="C")) if isinstance(x, np.ndarray) else float(np.exp(x))


@overload
def log_of(x: float) -> float: ...
@overload
def log_of(x: Quantity) -> Quantity: ...
def log_of(x: Quantity) -> Quantity:
    """Return ln x.

    The result for a float equals, bit for bit, the result for the same value in an array.
    """
    return np.log(np.asanyarray(x, order="C")) if isinstance(x, np.ndarray) else float(np.log(x))


@overload
def normal_cdf(x: float) -> float: ...
@overload
def normal_cdf(x: Quantity) -> Quantity: ...
def normal_cdf(x: Quantity) -> Quantity:
    """Return the standard normal distribution function Phi.

    Parameters
    ----------
    x : float or array
        Any number, including infinities.

    Returns
    -------
    float or array
        Phi(x) [1], in [0, 1]. The absolute error is below 1e-15. In the lower tail the relative error is below 1e-13
        down to x = -3, 1e-10 to -5, 1e-8 to -7, and 1e-5 as far as doubles reach.

    Notes
    -----
    The function is exp(-x^2 / 2) times a ratio of two polynomials, for all |x|. It needs no branches, because the ratio
    approaches 0.39894 / x for large x, as the tail of the distribution does.

    **Source**: J. F. Hart et al., Computer Approximations, 1968, function 5666; as in G. West, Better
    approximations to cumulative normal functions, Wilmott Magazine, May 2005. West's second region
    (|x| above 7.07, probabilities below 1e-12) is left out.

    Examples
    --------
    >>> normal_cdf(0.0)
    0.5
    >>> round(normal_cdf(Z90), 15)
    0.9
    """
    size = smaller(np.abs(x) if isinstance(x, np.ndarray) else abs(x), _NO_TAIL)
    above: Quantity = _HART_ABOVE[0] * size
    for coefficient in _HART_ABOVE[1:-1]:
        above += coefficient
        above *= size
    above += _HART_ABOVE[-1]
    below: Quantity = _HART_BELOW[0] * size
    for coefficient in _HART_BELOW[1:-1]:
        below += coefficient
        below *= size
    below += _HART_BELOW[-1]
    size *= size
    size *= -0.5
    tail = exp_of(size)
    tail *= above
    tail /= below
    if isinstance(x, np.ndarray):
        return np.where(x > 0.0, 1.0 - tail, tail)
    return 1.0 - tail if x > 0.0 else tail


@overload
def chance_within(limit: float, median: float, log_deviation: float) -> float: ...
@overload
def chance_within(limit: Quantity, median: Quantity, log_deviation: Quantity) -> Quantity: ...
def chance_within(limit: Quantity, median: Quantity, log_deviation: Quantity) -> Quantity:
    """Return the chance that a lognormal quantity stays at or below a limit.

    Parameters
    ----------
    limit, median : float or array
        Limit and median in the same unit; ``limit`` may be infinite, ``median`` is finite and at least 0.
    log_deviation : float or array
        Standard deviation of the logarithm [1], at least 0.

    Returns
    -------
    float or array
        In [0, 1]; 0 or 1 without deviation.

    Examples
    --------
    >>> chance_within(1800.0, 1800.0, 0.13)
    0.5
    >>> chance_within(1800.0, 1801.0, 0.0)
    0.0
    """
    if isinstance(limit, np.ndarray) or isinstance(median, np.ndarray) or isinstance(log_deviation, np.ndarray):
        # For a deviation of 0 the quotient is infinite or undefined, and its chance is not used.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            chance = normal_cdf(log_of(longer(limit, 0.0) / longer(median, _TINY)) / log_deviation)
        return np.where(np.asanyarray(log_deviation) > 0.0, chance, np.asanyarray(median <= limit))
    if log_deviation == 0.0:
        return 1.0 if median <= limit else 0.0
    part = limit / max(median, _TINY)
    return normal_cdf(log_of(part) / log_deviation) if part > 0.0 else 0.0


@overload
def slowest_z(nodes: float, quantile: float = ...) -> float: ...
@overload
def slowest_z(nodes: Quantity, quantile: float = ...) -> Quantity: ...
def slowest_z(nodes: Quantity, quantile: float = 0.5) -> Quantity:
    """Return a quantile of the largest of ``nodes`` standard normal values.

    Parameters
    ----------
    nodes : float or array
        Whole numbers, at least 1.
    quantile : float
        Quantile to return, in (0, 1).

    Returns
    -------
    float or array
        z with P(max <= z) = Phi(z)^nodes = quantile [1].

    Notes
    -----
    Arrays are looked up in a table of all counts, which is computed once for each quantile.

    **Source**: distribution of the largest order statistic, H. A. David and H. N. Nagaraja,
    Order Statistics, 3rd ed. 2003, eq. 2.1.1.

    Examples
    --------
    >>> slowest_z(1)
    0.0
    >>> round(slowest_z(178), 2)
    2.66
    """
    if isinstance(nodes, np.ndarray):
        return looked_up(nodes, lambda size: _z_table(size, quantile), lambda count: _z_kept(count, quantile))
    return _z_kept(nodes, quantile)


@overload
def slowdown(spread: float, nodes: float, quantile: float = ...) -> float: ...
@overload
def slowdown(spread: Quantity, nodes: Quantity, quantile: float = ...) -> Quantity: ...
def slowdown(spread: Quantity, nodes: Quantity, quantile: float = 0.5) -> Quantity:
    """Return the factor by which the slowest of ``nodes`` nodes is slower than the typical node.

    Parameters
    ----------
    spread : float or array
        Rates are lognormal with this standard deviation of their logarithm [1], at least 0.
    nodes : float or array
        Whole numbers, at least 1.
    quantile : float
        Quantile of the slowest node's time, in (0, 1).

    Returns
    -------
    float or array
        Factor [1]; at least 1 for the median.

    Examples
    --------
    >>> round(slowdown(0.0523, 178), 3)
    1.149
    """
    return exp_of(spread * slowest_z(nodes, quantile))


@overload
def slowest_deviation(nodes: float) -> float: ...
@overload
def slowest_deviation(nodes: Quantity) -> Quantity: ...
def slowest_deviation(nodes: Quantity) -> Quantity:
    """Return the standard deviation of ln(time of the slowest of ``nodes`` nodes) for a spread of 1.

    Parameters
    ----------
    nodes : float or array
        Whole numbers, at least 1.

    Returns
    -------
    float or array
        (z90 - z10) / (2 Z90) [1]: the deviation of the normal distribution with the same p10 and p90; 1 for one node.

    Examples
    --------
    >>> slowest_deviation(1)
    1.0
    >>> round(slowest_deviation(178), 2)
    0.39
    """
    if isinstance(nodes, np.ndarray):
        return looked_up(nodes, _deviation_table, _deviation_kept)
    return _deviation_kept(nodes)


def looked_up(
    nodes: NDArray[np.float64], table: Callable[[int], NDArray[np.float64]], alone: Callable[[float], float]
) -> NDArray[np.float64]:
    """Return the values of a function of the node count from a cached table.

    The result has a value for each node count in an array.

    Parameters
    ----------
    nodes : array
        Whole numbers, at least 1.
    table : callable
        Returns the values for the counts 0 (never used), 1, 2, ... up to the count that is passed, which is a power of
        two, so that few tables serve all callers. The callable caches its tables.
    alone : callable
        Returns the value for one count, used for counts beyond the largest table, and for a few beyond the smallest; it
        must compute the same values as ``table``.

    Returns
    -------
    array
        Values, with the shape of ``nodes``.
    """
    index = nodes.astype(np.intp)
    largest = int(index.max(initial=1))
    size = max(SMALLEST_TABLE, 1 << (min(largest, LARGEST_TABLE) - 1).bit_length())
    if type(nodes) is np.ndarray and np.count_nonzero(index > SMALLEST_TABLE) <= _FEW:
        size = SMALLEST_TABLE
    if largest <= size:
        # Not `take`: of numpy's look-ups, only this one lets an index that is a subclass of arrays take part.
        return np.take_along_axis(table(size), index.ravel(), axis=0).reshape(index.shape)
    beyond = index > size
    index[beyond] = size
    found = table(size).take(index)
    found[beyond] = [alone(float(count)) for count in nodes[beyond]]
    return found


def kept(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Build a read-only table from the values for 1, 2, ... nodes.

    The index of the table is the node count.
    """
    table = np.concatenate(([np.nan], values))
    table.setflags(write=False)
    return table


def _z_of(nodes: float, quantile: float) -> float:
    # Invert the tail instead of quantile ** (1 / nodes), which rounds to 1 for many nodes.
    tail = -math.expm1(math.log(quantile) / nodes)
    return -_NORMAL.inv_cdf(tail) if tail != 0.5 else 0.0


_z_kept = lru_cache(maxsize=1 << 12)(_z_of)


@lru_cache(maxsize=64)
def _z_table(size: int, quantile: float) -> NDArray[np.float64]:
    return kept(np.array([_z_of(count, quantile) for count in range(1, size + 1)]))


def _deviation_of(nodes: float) -> float:
    return (_z_of(nodes, 0.9) - _z_of(nodes, 0.1)) / (2.0 * Z90)


_deviation_kept = lru_cache(maxsize=1 << 12)(_deviation_of)


@lru_cache(maxsize=16)
def _deviation_table(size: int) -> NDArray[np.float64]:
    return kept((_z_table(size, 0.9)[1:] - _z_table(size, 0.1)[1:]) / (2.0 * Z90))
