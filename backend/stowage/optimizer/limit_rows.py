"""Best rows of a ranking under each of many limits, in one search.

For one workload, the best cost of each row as a function of the deadline is a step function, and so is its best time as
a function of the budget. This module finds the steps that matter: those of the rows that are among the first under some
limit. The rows of a limit then follow from a look-up: of the steps within the limit, the first of each row by rank.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.jobs.workload import Workload
from stowage.model.plan import rank_key
from stowage.model.prediction import Prediction, predict
from stowage.optimizer.arrays import Floats, Ints
from stowage.optimizer.problem import SearchProblem
from stowage.optimizer.search import STEPS
from stowage.optimizer.stairs_kernel import Stairs

_CUTS = (0.0, 0.25, 0.5)
"""Shares of the limits that are left out, tightest first, until a search is not too long. Tight limits take the
longest: few rows meet them, so that no bound excludes the others."""


@frozen
class LimitRows:
    """Steps of the best rows, best first, as a search for one of the limits ranks them."""

    problem: SearchProblem
    limits: Floats
    """Limits that were searched, ascending; the last is infinite. Shape (limits,)."""
    found: Stairs
    """Steps, in the order of the ranking."""
    since: Ints
    """Index of the first limit that a step meets with each confidence. Shape (levels, steps)."""


def rows_by_limit(
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    limits: Sequence[float],
    confidences: Sequence[float],
    most_rows: int,
) -> LimitRows | None:
    """Find the best rows under each limit.

    Parameters
    ----------
    workload : Workload
        Workload with one purchase option and one durability. Its deadline, budget and confidence are ignored.
    catalog : Catalog
    profiles : Profiles
    limits : sequence of float
        Deadlines [s], or budgets if the objective is the time [USD].
    confidences : sequence of float
        Confidences of meeting the deadline, from 0.5 to below 1. Budgets apply to the median at every confidence.
    most_rows : int
        Rows of the ranking that are found under each limit.

    Returns
    -------
    LimitRows or None
        None if no search of acceptable length finds the steps, or if the workload is not of this kind: it limits the
        loss of data, for which the kernel alone cannot decide, or it has slow nodes or spare nodes.
    """
    if workload.limits.loss is not None or workload.stragglers is not None or workload.spares > 0:
        return None
    by_cost = workload.objective == "time"
    quantiles = np.array([0.0] if by_cost else [_quantile(confidence) for confidence in confidences])
    # With a required confidence, the search problem has what the deviation of a time depends on.
    asked = replace(workload.limits, deadline_s=None, budget_usd=None, chance=max(confidences))
    problem = SearchProblem(replace(workload, limits=asked), catalog, profiles, STEPS)
    every = np.array([*sorted(limits), np.inf])
    for cut in _CUTS:
        kept = np.ascontiguousarray(every[int(cut * every.size) :])
        found = problem.stairs(kept, quantiles, most_rows)
        if found is not None:
            return _ranked(problem, kept, quantiles, found, catalog, profiles)
    return None


def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf(confidence) if confidence != 0.5 else 0.0


def _ranked(
    problem: SearchProblem,
    limits: Floats,
    quantiles: Floats,
    found: Stairs,
    catalog: Catalog,
    profiles: Profiles,
) -> LimitRows:
    candidates = found.stairs["found"]
    by_time = problem.workload.objective == "time"
    names = ("value9", "cost9", "nodes") if by_time else ("value9", "nodes", "time9")
    order = np.lexsort([candidates[name] for name in reversed(names)])
    order = _without_ties(problem, found, order, names, catalog, profiles)
    stairs = found.stairs[order]
    if by_time:
        reached = stairs["found"]["cost_usd"][None, :]
    else:
        reached = stairs["found"]["time_s"] * np.exp(quantiles[:, None] * stairs["deviation"])
    ordered = replace(found, stairs=stairs, phase_s=found.phase_s[order], channel=found.channel[order])
    return LimitRows(problem, limits, ordered, np.searchsorted(limits, reached))


def _without_ties(
    problem: SearchProblem,
    found: Stairs,
    order: NDArray[np.intp],
    names: tuple[str, ...],
    catalog: Catalog,
    profiles: Profiles,
) -> NDArray[np.intp]:
    """Return an order in which candidates that tie by the objective are sorted as in a ranking."""
    candidates = found.stairs["found"]
    sorted_by = np.stack([candidates[name][order] for name in names])
    tied = np.flatnonzero((sorted_by[:, 1:] == sorted_by[:, :-1]).all(axis=0))
    if tied.size == 0:
        return order
    order = order.copy()
    for group in np.split(tied, np.flatnonzero(np.diff(tied) != 1) + 1):
        within = slice(int(group[0]), int(group[-1]) + 2)
        order[within] = sorted(
            order[within].tolist(),
            key=lambda at: rank_key(_predicted(problem, found, at, catalog, profiles), problem.workload.objective),
        )
    return order


def _predicted(problem: SearchProblem, found: Stairs, at: int, catalog: Catalog, profiles: Profiles) -> Prediction:
    candidate = found.stairs["found"][at : at + 1]
    [configuration], workload = problem.configurations(candidate), problem.workload_of(int(candidate["lane"][0]))
    predicted = predict(configuration, workload, catalog, profiles, sources=False)
    if not isinstance(predicted, Prediction):
        raise TypeError(f"the model refuses a candidate that the kernel found: {predicted}")
    return predicted
