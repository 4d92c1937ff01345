"""Chance of data loss, for copies on nodes or volumes and for objects in an object store.

Every copy is on a unit (a node or a volume). Units fail at a constant rate, independently of each other. The copies of
a failed unit are re-created in an exponentially distributed time. Correlated failures are not included: the outage of
a zone or a rack, an operator or a bug destroys many units at once, and no number of copies on these units helps.

The number of failed units is then a Markov chain that changes by one. Data is lost when the failed units hold all
copies of some block. No step subtracts numbers that nearly cancel, so that a chance of 1e-30 is as exact as a chance of
0.3.
"""

import math
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.figure import Number
from stowage.model.loss.chain import State, chances_of_absorption
from stowage.model.units import SECONDS_PER_YEAR, Quantity

Repairs = Literal["parallel", "serial"]
"""parallel: each failed unit is repaired at the full rate, regardless of their number (limited by detection or by the
replacement's own disk); serial: the cluster repairs the data of one unit at a time (limited by its bandwidth, which
several failures share)."""

NODE_FAILURES_PER_YEAR = Number("node_failures_per_year", 0.08, "1/a").estimated(
    "Assumed: of the order that studies of server fleets report (Vishwanath and Nagappan, SoCC 2010); "
    "AWS publishes no figure for instances, and none was measured",
    date(2010, 6, 10),
)

FAILURE_DETECTION_S = Number("failure_detection_s", 630.0, "s").published(
    "Apache Hadoop, hdfs-default.xml: dfs.namenode.heartbeat.recheck-interval 300,000 ms and "
    "dfs.heartbeat.interval 3 s; a DataNode is dead after 2 x recheck + 10 x heartbeat (DatanodeManager)",
    date(2026, 11, 20),
)
"""Time without heartbeats after which HDFS, with its defaults, begins to re-create the copies of a node."""

OBJECT_LOSS_PER_YEAR = Number("object_loss_per_year", 1e-11, "1").published(
    "Amazon S3 User Guide, Data protection in Amazon S3: designed to provide 99.999999999% durability of "
    "objects over a given year. A design goal, not a measurement",
    date(2026, 11, 20),
)
"""Chance that one object is lost within a year."""

FASTEST_REPAIR_S = 1e-6
"""Shortest repair time [s]: it keeps rates finite, and no real repair is that fast."""

MOST_STATES = 128
"""Most states of a chain whose transient is computed: enough for 100 copies."""

MOST_STEPS = 10_000
"""Most states for which the mean time to loss is computed."""

MOST_UNITS = 100_000
"""Most units for which the chance of few sets without repair is summed over the number of failed units."""

_NEGLIGIBLE = 1e-16


@frozen
class CopiedData:
    """Data in blocks, with copies of each block on several units (nodes or volumes)."""

    units: int
    """Nodes or volumes, at least `copies`."""
    copies: int
    """Copies of each block, at least 1."""
    failures_per_year: float
    """Failure rate of one unit [1/a], at least 0."""
    repair_s: float = math.inf
    """Mean time until the copies of a failed unit are re-created [s], at least 0; infinite without repairs, as for
    scratch data."""
    repairs: Repairs = "parallel"
    """Whether failed units are repaired at the same time, or one after the other."""
    sets: float | None = None
    """Number of different sets of units whose loss destroys a block, since they hold all its copies [1], at least 1
    (`sets_of_blocks`, or copysets by design); None if every set of `copies` units holds all copies of a block."""


@lru_cache(maxsize=1 << 14)
def chance_of_loss(data: CopiedData, exposure_s: float) -> float:
    """Return the chance that some block loses all its copies within a time.

    The time starts without failed units.

    Parameters
    ----------
    data : CopiedData
    exposure_s : float
        Exposure of the data [s], at least 0.

    Returns
    -------
    float
        Chance in [0, 1], with a relative error of at most 1e-12; the notes state where it is an upper bound.

    Notes
    -----
    With j of n units failed, the next unit fails at rate (n - j) lambda, and one is repaired at rate j mu
    (parallel) or mu (serial). The j-th failure destroys the last copy of a block with chance

        q(j) = 1 - ((1 - p(j)) / (1 - p(j - 1)))^blocks,   p(j) = C(j, r) / C(n, r),

    where p(j) is the chance that all copies of one block placed at random are on j given units, and ``blocks`` is the
    number of blocks that cover ``sets`` sets on average. If every set is covered, q(r) = 1. To first order q(j) is
    sets x C(j - 1, r - 1) / C(n, r), and q(n) = 1: if all units have failed, the data is lost. Re-created copies are
    placed at random. If they return to the units that held them before, the chance is slightly smaller, because the
    sets that failed before are known to hold no block.

    The matrix of the chain is exponentiated by uniformization over a short time and repeated squaring.
    All terms are positive. The rows of each square are divided by their sum; otherwise, rounding errors
    would double with every square.

    States that cannot matter are left out: a path to them counts as loss, which changes the chance
    by less than a relative 1e-16. If more than `MOST_STATES` states matter (few sets, and failures
    about as frequent as repairs), the result is the smaller of two upper bounds: the chance without repair, and
    exposure / mean time to loss. The second holds because the time to loss is "new better than used", which implies
    P(T <= t) <= t / E[T]. Without repair, few sets on more than `MOST_UNITS` units yield the sum of the
    chances of the sets, also an upper bound.

    **Source**: uniformization: A. Jensen, Skand. Aktuarietidskr. 36 (1953); accuracy: J. Xue and Q. Ye,
    Computing exponentials of essentially non-negative matrices entrywise to high relative accuracy,
    Math. Comp. 82 (2013); sets of copies: A. Cidon et al., Copysets, USENIX ATC 2013; the bound: R. E.
    Barlow and F. Proschan, Statistical Theory of Reliability and Life Testing, 1975, chapter 6.

    Examples
    --------
    >>> scratch = CopiedData(units=178, copies=2, failures_per_year=0.08)
    >>> print(f"{chance_of_loss(scratch, 1_000.0):.3g}")
    1.01e-07
    >>> kept = CopiedData(units=178, copies=3, failures_per_year=0.08, repair_s=3_600.0)
    >>> print(f"{chance_of_loss(kept, SECONDS_PER_YEAR):.2g}")
    1.8e-05
    """
    found = _without_chain(data, exposure_s)
    return found if isinstance(found, float) else chances_of_absorption([found], [exposure_s])[0]


def chances_of_loss(pairs: Sequence[tuple[CopiedData, float]]) -> list[float]:
    """Return `chance_of_loss` for many pairs of data and exposure.

    This function takes a fraction of the time of separate calls, but has no cache. The results equal those of
    `chance_of_loss` bit for bit.

    Parameters
    ----------
    pairs : sequence of (CopiedData, float)
        Data, and the exposure of the data [s], at least 0.
    """
    found = {pair: _without_chain(*pair) for pair in dict.fromkeys(pairs)}
    chains = {pair: states for pair, states in found.items() if not isinstance(states, float)}
    absorbed = dict(
        zip(chains, chances_of_absorption(list(chains.values()), [exposure_s for _, exposure_s in chains]), strict=True)
    )
    plain = {pair: chance for pair, chance in found.items() if isinstance(chance, float)}
    return [absorbed[pair] if pair in absorbed else plain[pair] for pair in pairs]


def _without_chain(data: CopiedData, exposure_s: float) -> float | list[State]:
    """Return the chance of loss or, if it has no closed formula, the states of the chain."""
    hazard = data.failures_per_year * exposure_s / SECONDS_PER_YEAR
    if hazard <= 0.0:
        return 0.0
    if data.copies == 1:
        return -math.expm1(-_holders(data) * hazard)
    if math.isinf(data.repair_s):
        return _chance_without_repair(data, hazard)
    states = _states(data, exposure_s, MOST_STATES + 1)
    if len(states) > MOST_STATES:
        return min(_chance_without_repair(data, hazard), exposure_s / mean_time_to_loss_s(data))
    return states


def mean_time_to_loss_s(data: CopiedData) -> float:
    """Return the mean time until some block has lost all its copies.

    The time starts without failed units.

    Returns
    -------
    float
        Mean time [s]; infinite if no unit fails, or if the mean exceeds 1e308 s. If more than `MOST_STEPS` states
        matter, it is a lower bound.

    Notes
    -----
    The time to pass from j to j + 1 failed units or to loss is D(j) = (1 + down D(j-1)) / (up + lost +
    down l(j-1)), where l(j-1) is the chance that the passage from j - 1 ends in loss. This is first-step analysis,
    arranged without subtractions (as W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper. Res.
    33 (1985), do for stationary chains). The mean is the sum of the D(j), each times the chance to reach
    state j.

    **Source**: first-step analysis of a birth-death chain, S. Karlin and H. M. Taylor, A First Course
    in Stochastic Processes, 2nd ed. 1975, section 4.7.

    Examples
    --------
    Two mirrored units, with one failure a year and a repair of a day: (mu + 3 lambda) / (2 lambda^2).

    >>> mirrored = CopiedData(units=2, copies=2, failures_per_year=1.0, repair_s=86_400.0)
    >>> round(mean_time_to_loss_s(mirrored) / SECONDS_PER_YEAR, 6)
    184.125
    """
    rate_per_s = data.failures_per_year / SECONDS_PER_YEAR
    if rate_per_s <= 0.0:
        return math.inf
    if data.copies == 1:
        return 1.0 / (_holders(data) * rate_per_s)
    mean_s, reached, passage_s, ends_in_loss = 0.0, 1.0, 0.0, 0.0
    for state in _states(data, math.inf, MOST_STEPS):
        onwards = state.up + state.lost + state.down * ends_in_loss
        passage_s = (1.0 + state.down * passage_s) / onwards
        ends_in_loss = (state.lost + state.down * ends_in_loss) / onwards
        mean_s += reached * passage_s
        reached *= state.up / onwards
    return mean_s


def sets_of_blocks(units: int, copies: int, blocks: float) -> float:
    """Return the mean number of different sets of units that hold all copies of some block.

    Blocks are placed at random.

    Parameters
    ----------
    units : int
        Number of nodes or volumes, at least ``copies``.
    copies : int
        Number of copies of each block, at least 1.
    blocks : float
        Number of blocks, at least 1.

    Returns
    -------
    float
        Number of sets [1], from 1 to the lesser of ``blocks`` and C(units, copies).

    Notes
    -----
    **Source**: occupancy, C (1 - (1 - 1/C)^blocks) with C = C(units, copies). Only 1/C is computed, so
    that C may be beyond the largest float.

    Examples
    --------
    >>> sets_of_blocks(10, 2, 1e6)
    45.0
    >>> round(sets_of_blocks(1_000, 3, 1e6))
    996997
    """
    single = _chance_within(copies, units, copies)
    if single == 1.0:
        return 1.0
    hit = -math.expm1(blocks * math.log1p(-single))
    return max(1.0, hit / single) if single * blocks > _NEGLIGIBLE else float(blocks)


def repair_time_s(
    kept_mb: Quantity,
    units: Quantity,
    survivor_mb_per_s: Quantity,
    detection_s: float = FAILURE_DETECTION_S.value,
) -> Quantity:
    """Return the time until the copies of a failed unit are re-created.

    Parameters
    ----------
    kept_mb : float or array
        Data on the failed unit [MB], at least 0.
    units : float or array
        Number of units, including the failed unit; whole numbers, at least 1.
    survivor_mb_per_s : float or array
        Rate at which one surviving unit re-creates copies [MB/s], above 0. All survivors take part, since copies are
        spread over all units.
    detection_s : float
        Time from the failure to the first copy [s], at least 0.

    Returns
    -------
    float or array
        Time [s], at least ``detection_s``; infinite for a single unit, whose failure leaves no copy.

    Examples
    --------
    >>> repair_time_s(800_000.0, 101, 80.0)
    730.0
    """
    copied = (units - 1) * survivor_mb_per_s
    if not isinstance(copied, np.ndarray):
        return math.inf if units == 1 else detection_s + kept_mb / copied
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Quantity = np.where(np.equal(units, 1), math.inf, detection_s + kept_mb / copied)
    return found


def chance_of_object_loss(
    objects: float, exposure_s: float, loss_per_year: float = OBJECT_LOSS_PER_YEAR.value
) -> float:
    """Return the chance that at least one object of an object store is lost within a time.

    Parameters
    ----------
    objects : float
        Number of objects, at least 0.
    exposure_s : float
        Exposure of the objects [s], at least 0.
    loss_per_year : float
        Chance that one object is lost within a year [1], from 0 to below 1.

    Returns
    -------
    float
        Chance in [0, 1].

    Notes
    -----
    Objects are assumed to be lost independently and at a constant rate, which the published figure does not
    state. Correlated losses make the chance of any loss smaller.

    Examples
    --------
    >>> print(f"{chance_of_object_loss(10_000_000, SECONDS_PER_YEAR):.4g}")
    0.0001
    """
    return -math.expm1(objects * math.log1p(-loss_per_year) * (exposure_s / SECONDS_PER_YEAR))


def _holders(data: CopiedData) -> float:
    """Return the number of units that store data, if each block has a single copy."""
    return data.units if data.sets is None else min(data.sets, data.units)


def _chance_within(failed: int, units: int, copies: int) -> float:
    """Return the chance that all copies of a random block are on failed units.

    The chance is C(failed, copies) / C(units, copies).
    """
    return math.prod((failed - taken) / (units - taken) for taken in range(copies))


def _blocks(data: CopiedData) -> float:
    """Return the number of random blocks that occupy ``data.sets`` sets of units on average.

    The number is infinite if every possible set of units is occupied.
    """
    single = _chance_within(data.copies, data.units, data.copies)
    if data.sets is None or data.sets * single >= 1.0:
        return math.inf
    # If 1 / C is below the resolution of floats, each block has its own set.
    return math.log1p(-data.sets * single) / math.log1p(-single) if single > 0.0 else data.sets


def _states(data: CopiedData, exposure_s: float, most: int) -> list[State]:
    """List the states of the chain that matter, starting with 0 failed units.

    A failure in the last listed state counts as loss. There are at most ``most`` states.
    """
    units, copies, blocks = data.units, data.copies, _blocks(data)
    failure_per_s = data.failures_per_year / SECONDS_PER_YEAR
    repair_per_s = 1.0 / max(data.repair_s, FASTEST_REPAIR_S)
    states: list[State] = []
    # Upper bound of the visits to the state beyond the last one, for each loss before it. A state is entered from
    # below at most up / down times for each entry of the state below (a chain in balance), and at most rate x
    # time times. A share q of the entries is loss, so that there are at most 1 / q entries for each loss.
    beyond, entered = 1e300, 0.0
    for failed in range(min(units, most)):
        rate = (units - failed) * failure_per_s
        down = repair_per_s * (failed if data.repairs == "parallel" else min(failed, 1))
        lost = _completes(failed + 1, units, copies, blocks)
        states.append(State(rate * (1.0 - lost), rate * lost, down))
        climbs = min(rate / down, rate * exposure_s) if down > 0.0 else 1.0
        beyond = min(beyond, 1.0 / max(entered, 1e-300)) * (1.0 - entered) * climbs
        if lost == 1.0 or beyond < _NEGLIGIBLE:
            break
        entered = lost
    last = states[-1]
    states[-1] = State(0.0, last.up + last.lost, last.down)
    return states


def _completes(failed: int, units: int, copies: int, blocks: float) -> float:
    """Return the chance q that a failure is the first to destroy all copies of some block.

    The failure is the last of ``failed`` failures.
    """
    if failed < copies:
        return 0.0
    if math.isinf(blocks) or failed == units:
        return 1.0
    within = _chance_within(failed, units, copies)
    # p(j) - p(j - 1) = p(j) r / j, without the difference.
    newly = within * copies / failed / (1.0 - within * (failed - copies) / failed)
    return -math.expm1(blocks * math.log1p(-newly))


def _chance_without_repair(data: CopiedData, hazard: float) -> float:
    """Return the chance of data loss without repair.

    The failed units are a random set; their number has a binomial distribution.
    """
    units, copies, blocks = data.units, data.copies, _blocks(data)
    if math.isinf(blocks):
        return _chance_of_at_least(copies, units, hazard)
    if units > MOST_UNITS:
        each = (-math.expm1(-hazard)) ** copies
        return min(_chance_of_at_least(copies, units, hazard), blocks * each)
    failed = np.arange(copies, units)
    within = np.ones(units - copies)
    for taken in range(copies):
        within *= (failed - taken) / (units - taken)
    lost = np.append(-np.expm1(blocks * np.log1p(-within)), 1.0)
    share = _binomial(units, hazard)
    return min(1.0, float((share[copies:] * lost).sum()))


def _binomial(units: int, hazard: float) -> NDArray[np.float64]:
    """Return the chances that 0, 1, ... ``units`` units have failed."""
    # Computed relative to the most likely number, by ratios of neighbors, they neither overflow nor cancel.
    fail, survive = -math.expm1(-hazard), math.exp(-hazard)
    mode = min(units, int((units + 1) * fail))
    above, below = np.arange(mode + 1.0, units + 1.0), np.arange(mode, 0.0, -1.0)
    upwards = np.cumprod((units + 1.0 - above) / above * (fail / survive)) if mode < units else above
    downwards = np.cumprod(below / (units + 1.0 - below) * (survive / fail))
    relative = np.concatenate([downwards[::-1], [1.0], upwards])
    shares: NDArray[np.float64] = relative / relative.sum()
    return shares


def _chance_of_at_least(failed: int, units: int, hazard: float) -> float:
    """Return the chance that at least ``failed`` of ``units`` units have failed.

    It is the upper tail of a binomial distribution, summed from its largest terms.
    """
    log_fail, log_survive = math.log(-math.expm1(-hazard)), -hazard

    def chance_of(number: int) -> float:
        return math.exp(math.log(math.comb(units, number)) + number * log_fail + (units - number) * log_survive)

    if units * math.exp(log_fail) > failed:
        # The mean is above the bound: the tail is not small, and 1 - (lower tail) does not cancel.
        return max(0.0, 1.0 - math.fsum(chance_of(number) for number in range(failed)))
    chance = 0.0
    for number in range(failed, units + 1):
        term = chance_of(number)
        chance += term
        if term < chance * 1e-17:
            break
    return min(1.0, chance)
