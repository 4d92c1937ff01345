"""Spot instances: chance of interruptions, and the expected time of a job that is interrupted."""

import math
from typing import Any, Literal, TypeAlias

import numpy as np

from stowage.frozen import frozen
from stowage.model.money.price import absent
from stowage.model.units import SECONDS_PER_HOUR, Quantity, plain

NEVER_FINISHES = 1e6
"""Largest ratio of the expected time on spot instances to the job's own time; beyond it the job will not finish."""

_LARGEST_EXPONENT = 50.0  # exp(50) is far beyond NEVER_FINISHES, and no product with it overflows
_LARGEST_HAZARD = 1.0 - 2.0**-53
_LEAST = 1e-200  # stands for 0 in a divisor

Recovery: TypeAlias = Literal["restart", "tasks"]
"""Work that a framework repeats when a node is lost: the whole job, or the node's own share."""


@frozen
class Spot:
    """Interruptions of spot instances, and the time that they cost a job.

    Instances are interrupted independently, each at a constant rate i, so n instances are interrupted at the rate n i.
    A lost node is replaced; the time R until the replacement works is billed.

    Notes
    -----
    *restart*: an attempt of length T succeeds with chance exp(-n i T), so exp(n i T) - 1 attempts fail on average.
    With the time that they lose, **E = (exp(n i T) - 1) (1/(n i) + R) = T (1 + n i R) (exp(x) - 1)/x**, x = n i T. A
    node lost during the wait is replaced within the same wait.

    *tasks*: a node holds 1/n of the progress s (0 to T), so a loss costs s/n. Losses at the rate n i cost i s in each
    second: ds/dt = 1 - i s, which reaches T after -ln(1 - i T)/i. Each node is absent for R out of 1/i + R, which
    stretches time by 1 + i R: **E = -T (1 + i R) ln(1 - h)/h**, h = i T, to first order T (1 + i R + i T/2). This
    is exact for many nodes. For few nodes it is an upper bound: the terms of the exact series, i^(k-1) T^k/k, are each
    at least that of n nodes. A loss never costs more than all work, so the factor of *restart* is also an upper bound;
    it is exact for one node. The smaller of the two bounds applies. If h is 1 or more, many nodes never finish.

    Exponents are clipped at 50: they do not overflow, and the result is far beyond `NEVER_FINISHES` times T. For a
    job that restarts from the beginning of a phase, add up the results of its phases. AWS does not charge for a node
    that it interrupts in the node's first hour; the model does.

    **Source**: restart: J. T. Daly, Future Generation Computer Systems 22 (2006), pp. 303-312, with one
    segment and no dumps; tasks: derived here, compared with simulation in the tests. Billing: EC2 user
    guide, "Billing for interrupted Spot Instances" (2026).

    Examples
    --------
    >>> hourly = Spot(0.01, "restart", replacement_s=0.0)
    >>> round(hourly.expected_s(100.0, 3600.0) / 3600.0, 4)  # e - 1
    1.7183
    """

    interruptions_per_hour: Quantity
    """Interruption rate of one instance [1/h], at least 0; `price.INTERRUPTIONS_PER_HOUR` if unknown."""
    recovery: Recovery
    """Recovery of the framework: `restart` runs the whole job again when any node is lost; `tasks` repeats the work of
    the lost node, on all nodes (Hadoop, Spark)."""
    replacement_s: float
    """R, the time from an interruption until the replacement works [s]."""

    def expected_s(self, nodes: Quantity, work_s: Quantity) -> Quantity:
        """Return the expected time [s] of a job that takes ``work_s`` [s] without interruptions."""
        if absent(self.interruptions_per_hour):
            return work_s
        # Arrays use the functions of the C library too, as numpy's round differently: results must be equal for floats,
        # for arrays, and in the compiled search.
        rate = self.interruptions_per_hour / SECONDS_PER_HOUR
        hazard = np.maximum(rate * work_s, _LEAST)
        exponent = np.minimum(nodes * hazard, _LARGEST_EXPONENT)
        factor = _float(_EXPM1(exponent)) / exponent
        if self.recovery == "tasks":
            share = -_float(_LOG1P(-np.minimum(hazard, _LARGEST_HAZARD))) / hazard
            factor = np.where(hazard < 1.0, np.minimum(factor, share), factor)
        return plain(work_s * np.maximum(factor, 1.0) * self._waiting(nodes, rate))

    def _waiting(self, nodes: Quantity, rate: Quantity) -> Quantity:
        waited = rate * self.replacement_s
        return 1.0 + (nodes * waited if self.recovery == "restart" else waited)


_EXPM1, _LOG1P = np.frompyfunc(math.expm1, 1, 1), np.frompyfunc(math.log1p, 1, 1)
"""Functions of the C library, for one value or each element of an array."""


def _float(values: Any) -> Quantity:  # noqa: ANN401 - numpy makes objects of what such a function returns
    return values.astype(np.float64) if isinstance(values, np.ndarray) else float(values)
