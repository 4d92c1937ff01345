"""The chance that data is lost while a job runs."""

import math
from datetime import date

from stowage.model.figure import Figure
from stowage.model.units import SECONDS_PER_YEAR

NODE_FAILURES_PER_YEAR = Figure(
    quantity="node_failures_per_year",
    value=0.08,
    unit="1/a",
    source=(
        "Assumed: of the order that studies of server fleets report (Vishwanath and Nagappan, SoCC 2010); "
        "AWS publishes no figure for instances, and none was measured"
    ),
    kind="estimated",
    as_of=date(2010, 6, 10),
)


def chance_of_failures(units: int, copies: int, failures_per_year: float, exposure_s: float) -> float:
    """Give the chance that at least ``copies`` of ``units`` fail within a time, nothing being repaired.

    With many blocks spread at random every set of ``copies`` nodes holds all copies of some block, so
    this is the chance that data is lost; with few blocks it is an upper bound.

    Parameters
    ----------
    units : int
        Nodes or volumes, at least ``copies``.
    copies : int
        Copies of each block on different units, at least 1.
    failures_per_year : float
        Of one unit [1/a], at least 0.
    exposure_s : float
        [s], at least 0.

    Returns
    -------
    float
        In [0, 1].

    Notes
    -----
    **Source**: upper tail of the binomial distribution with p = 1 - exp(-rate x time). It is summed
    from its largest terms on, since 1 - (lower tail) would cancel to 0 for small chances.

    Examples
    --------
    >>> 0.0 < chance_of_failures(178, 2, 0.08, 1000.0) < chance_of_failures(178, 1, 0.08, 1000.0) < 1.0
    True
    """
    hazard = failures_per_year * exposure_s / SECONDS_PER_YEAR
    if hazard <= 0.0:
        return 0.0
    if copies == 1:
        return -math.expm1(-units * hazard)
    log_fail, log_survive = math.log(-math.expm1(-hazard)), -hazard
    if units * math.exp(log_fail) > copies:
        lower = math.fsum(_binomial_term(units, k, log_fail, log_survive) for k in range(copies))
        return max(0.0, 1.0 - lower)
    chance = 0.0
    for failed in range(copies, units + 1):
        term = _binomial_term(units, failed, log_fail, log_survive)
        chance += term
        if term < chance * 1e-17:
            break
    return min(1.0, chance)


def _binomial_term(units: int, failed: int, log_fail: float, log_survive: float) -> float:
    log_sets = math.lgamma(units + 1) - math.lgamma(failed + 1) - math.lgamma(units - failed + 1)
    return math.exp(log_sets + failed * log_fail + (units - failed) * log_survive)
