"""Comparison of a plan with the result of a plain loop: rows bit for bit, and the certificate of its frontier.

The frontier is exact to a resolution: its points are candidates, and no candidate beats one of them by more than the
resolution in both time and cost.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.typing import NDArray

from optimizer.oracle import Answer, Computed
from stowage.model.plan import FRONTIER_RESOLUTION, Plan
from stowage.optimizer import problem

Numbers = NDArray[np.float64]

ROUNDED = 2e-8
"""Times and costs on the frontier are rounded to nine digits."""


@contextmanager
def resolution_of(resolution: float) -> Iterator[None]:
    """Search with another resolution of the frontier."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problem, "FRONTIER_RESOLUTION", resolution)
        yield


def assert_equal(
    found: Plan, expected: Answer, most_rows: int | None = None, resolution: float = FRONTIER_RESOLUTION
) -> None:
    """Compare a plan with the loop's result.

    The search need not count exclusions by the workload's limits: it may exclude by a bound, and by another limit.
    """
    assert list(found.ranked) == expected.rows[:most_rows]
    points, every = (
        np.array([(point.time_s, point.sought_usd) for point in frontier]).reshape(-1, 2).T
        for frontier in (found.frontier, expected.frontier)
    )
    assert_certified(points, every, resolution)
    for point in found.frontier:
        of_run = (point.time_s, point.cost_usd, point.month_usd)
        assert any(is_candidate(computed, *of_run) for computed in expected.within), "all are candidates"
    assert found.candidates == found.computed + found.excluded_by_bound == expected.candidates
    counted: Counter[str] = Counter({row.limit: row.count for row in found.rejected})
    for limit in counted.keys() | expected.refused.keys():
        least = expected.refused[limit]
        assert least <= counted[limit] <= least + expected.broken[limit], limit


def assert_certified(found: Numbers, every: Numbers, resolution: float = FRONTIER_RESOLUTION) -> None:
    """Check a frontier against the exact one; both have times in the first row, and costs in the second."""
    assert np.all(np.diff(found[0]) > 0.0), "points of ascending times"
    assert np.all(np.diff(found[1]) < 0.0), "points of descending costs"
    most = 1.0 + resolution + ROUNDED
    for time_s, cost_usd in every.T:
        assert np.any((found[0] <= time_s * most) & (found[1] <= cost_usd * most)), "each candidate is covered"
    for time_s, cost_usd in found.T:
        assert not np.any((every[0] * most < time_s) & (every[1] * most < cost_usd)), "none is beaten"


def is_candidate(computed: Computed, time_s: float, cost_usd: float, month_usd: float | None) -> bool:
    """Return whether some candidate within the limits has this time and cost."""
    same = computed.within & (computed.time_s == time_s) & (computed.cost_usd == cost_usd)
    return bool(np.any(same if month_usd is None else same & (computed.month_usd == month_usd)))
