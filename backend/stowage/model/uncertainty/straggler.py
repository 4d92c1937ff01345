"""Stragglers (slow nodes), and spare nodes that replace them.

Rates differ a little between all nodes (lognormal). In addition, a few nodes may be slow by a whole factor: in the
paper, 95% of the nodes read from EBS in under 1,400 s, and the rest took three times as long. A user may launch spare
nodes, measure all nodes and release the slowest, as the paper did (section 5.1). The spare nodes are then paid for
during the measurement, but slow nodes do not slow the job.
"""

import math
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import overload

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.figure import Number
from stowage.model.uncertainty.scale import SMALLEST_TABLE, Z90, kept, log_of, looked_up, normal_cdf, slowdown
from stowage.model.units import Quantity

_FIGURE_12 = "SoCC 2015 paper, section 5.3 and Figure 12: 100 TB read from 1,304 gp2 volumes by 326 c3.4xlarge"

STRAGGLER_SHARE = Number("c3.4xlarge.straggler_share", 0.05, "1").published(
    f"{_FIGURE_12}; about 95% of the nodes by the text, of the volumes by the figure. "
    "Not seen on r3.4xlarge in another zone.",
    date(2015, 8, 27),
)
"""Share of the units that took `STRAGGLER_FACTOR` times as long, where stragglers were observed."""

STRAGGLER_FACTOR = Number("c3.4xlarge.straggler_factor", 3.0, "1").published(
    f"{_FIGURE_12}: the remaining nodes take three times longer than the 1,400 s of most", date(2015, 8, 27)
)

SCREENING_S = Number("screening_s", 120.0, "s").estimated(
    "Default for measuring all nodes before the job: a minute of disks and a minute of network. "
    "Burst credits last longer, so what is slow only without them is not found",
    date(2026, 11, 20),
)

_HALVINGS = 60
"""Bisection steps after which the two sides of a bracket are neighbors in double precision."""

_NO_SPREAD = 1e-12
"""A smaller spread counts as none: it changes no digit that is shown."""


@frozen
class Stragglers:
    """A share of the nodes of a cluster that are slow by a factor."""

    share: float
    """Share of the nodes that are slow [1], in [0, 1]."""
    factor: float
    """Factor by which slow nodes take longer than other nodes [1], at least 1."""

    @classmethod
    def of_volumes(cls, share: float, factor: float, volumes: int) -> "Stragglers":
        """Return the stragglers among nodes, given a share of slow volumes.

        A node waits for its slowest volume.

        Examples
        --------
        >>> round(Stragglers.of_volumes(0.05, 3.0, 4).share, 4)
        0.1855
        """
        # 1 - (1 - p)^v, exact for small p too; p = 1 has no logarithm.
        slow = -math.expm1(volumes * math.log1p(-share)) if share < 1.0 else 1.0
        return cls(slow, factor)


NO_STRAGGLERS = Stragglers(0.0, 1.0)


@overload
def slowest(
    spread: float, nodes: float, quantile: float = ..., *, stragglers: Stragglers = ..., spares: int = ...
) -> float: ...
@overload
def slowest(
    spread: float, nodes: Quantity, quantile: float = ..., *, stragglers: Stragglers = ..., spares: int = ...
) -> Quantity: ...
def slowest(
    spread: float,
    nodes: Quantity,
    quantile: float = 0.5,
    *,
    stragglers: Stragglers = NO_STRAGGLERS,
    spares: int = 0,
) -> Quantity:
    """Return the factor by which the slowest remaining node is slower than the typical node.

    Parameters
    ----------
    spread : float
        Node-to-node standard deviation of the logarithm of the rate [1], at least 0.
    nodes : float or array
        Remaining nodes; whole numbers, at least 1.
    quantile : float
        Quantile of the slowest remaining node's time, in (0, 1).
    stragglers : Stragglers
    spares : int
        Number of spare nodes, at least 0: of ``nodes + spares`` launched nodes, the slowest ``spares`` nodes are
        released before the job.

    Returns
    -------
    float or array
        Factor [1]; equal to `scale.slowdown` if there are neither stragglers nor spare nodes.

    Notes
    -----
    A node takes longer than t with chance (1 - p) Q(ln t / s) + p Q(ln(t / f) / s), where Q = 1 - Phi, p and
    f are the stragglers' share and factor and s is the spread. The n-th fastest of n + k takes at most t
    if at most k of them take longer, a binomial chance. Both are inverted by bisection.

    Arrays of up to 131,072 nodes are looked up in tables. Building one takes some milliseconds for each
    1,000 entries; the last 64 combinations are cached.

    **Source**: H. A. David and H. N. Nagaraja, Order Statistics, 3rd ed. 2003, eq. 2.1.3 (the r-th of n); the
    mixture is the paper's Figure 12.

    Examples
    --------
    >>> round(slowest(0.0, 326, stragglers=Stragglers(0.05, 3.0)), 9)
    3.0
    >>> round(slowest(0.0523, 178, spares=9), 3)
    1.089
    """
    if not spares and (stragglers.share == 0.0 or stragglers.factor == 1.0):
        return slowdown(spread, nodes, quantile)
    if isinstance(nodes, np.ndarray):
        return looked_up(
            nodes,
            lambda size: _slowest_table(size, spread, quantile, stragglers, spares),
            lambda count: _slowest_of(count, spread, quantile, stragglers, spares),
        )
    if nodes <= SMALLEST_TABLE:
        # Computing the whole smallest table takes hardly longer than one count.
        return float(_slowest_table(SMALLEST_TABLE, spread, quantile, stragglers, spares)[int(nodes)])
    return _slowest_of(nodes, spread, quantile, stragglers, spares)


@overload
def slowest_log_deviation(spread: float, nodes: float, *, stragglers: Stragglers = ..., spares: int = ...) -> float: ...
@overload
def slowest_log_deviation(
    spread: float, nodes: Quantity, *, stragglers: Stragglers = ..., spares: int = ...
) -> Quantity: ...
def slowest_log_deviation(
    spread: float, nodes: Quantity, *, stragglers: Stragglers = NO_STRAGGLERS, spares: int = 0
) -> Quantity:
    """Return the standard deviation of ln(time of the slowest remaining node).

    Parameters
    ----------
    spread, nodes, stragglers, spares
        As for `slowest`.

    Returns
    -------
    float or array
        ln(p90 / p10) / (2 Z90) [1]. If few stragglers are expected, the distribution has two peaks: the
        slowest node is a straggler, or it is not.

    Examples
    --------
    >>> round(slowest_log_deviation(0.0523, 178), 4), round(slowest_log_deviation(0.0523, 178, spares=9), 4)
    (0.0207, 0.008)
    """
    late = slowest(spread, nodes, 0.9, stragglers=stragglers, spares=spares)
    early = slowest(spread, nodes, 0.1, stragglers=stragglers, spares=spares)
    return log_of(late / early) / (2.0 * Z90)


def _slowest_of(nodes: float, spread: float, quantile: float, stragglers: Stragglers, spares: int) -> float:
    return float(_slowest(np.array([nodes], dtype=np.float64), spread, quantile, stragglers, spares)[0])


@lru_cache(maxsize=64)
def _slowest_table(
    size: int, spread: float, quantile: float, stragglers: Stragglers, spares: int
) -> NDArray[np.float64]:
    return kept(_slowest(np.arange(1.0, size + 1.0), spread, quantile, stragglers, spares))


def _slowest(
    nodes: NDArray[np.float64], spread: float, quantile: float, stragglers: Stragglers, spares: int
) -> NDArray[np.float64]:
    return _time_exceeded(_chance_late(nodes, quantile, spares), spread, stragglers)


def _chance_late(nodes: NDArray[np.float64], quantile: float, spares: int) -> NDArray[np.float64]:
    """Return the chance that a single node is late.

    The chance is such that at most ``spares`` nodes of the cluster are late with the chance ``quantile``. The number of
    launched nodes is ``nodes`` + ``spares``.
    """
    if not spares:
        return -np.expm1(math.log(quantile) / nodes)
    launched = nodes + float(spares)
    # Logarithms of the binomial coefficients, and of the terms below, as (1 - u)^n underflows for many nodes.
    log_ways = [np.zeros_like(launched)]
    for late in range(1, spares + 1):
        log_ways.append(log_ways[-1] + np.log((launched - (late - 1.0)) / late))

    def few_are_late(chance: NDArray[np.float64]) -> NDArray[np.bool_]:
        log_late, log_early = np.log(chance), np.log1p(-chance)
        few = np.zeros_like(chance)
        for late, log_way in enumerate(log_ways):
            few += np.exp(log_way + late * log_late + (launched - late) * log_early)
        return few >= quantile

    return _end_of(few_are_late, np.zeros_like(nodes), np.ones_like(nodes))


def _time_exceeded(chance: NDArray[np.float64], spread: float, stragglers: Stragglers) -> NDArray[np.float64]:
    """Return the time that a node exceeds with a given chance.

    The time is relative to that of the typical node.
    """
    share = stragglers.share
    if spread < _NO_SPREAD:
        return np.where(chance >= share, 1.0, stragglers.factor)
    shift = math.log(stragglers.factor) / spread

    def is_exceeded(score: NDArray[np.float64]) -> NDArray[np.bool_]:
        later = (1.0 - share) * normal_cdf(-score) + share * normal_cdf(shift - score)
        return np.asarray(later > chance)

    # 40 standard deviations around either kind of node cover every chance that a double can represent.
    score = _end_of(is_exceeded, np.full_like(chance, -40.0), np.full_like(chance, 40.0 + shift))
    return np.exp(spread * score)


def _end_of(
    condition: Callable[[NDArray[np.float64]], NDArray[np.bool_]], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Find the values up to which a condition is true, by bisection.

    There is one value between ``low`` and ``high`` for each element of these arrays.
    """
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        holds = condition(middle)
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return 0.5 * (low + high)
