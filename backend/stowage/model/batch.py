"""Computation of the time and cost of many configurations at once, into existing arrays.

Temporary arrays cost more time than the arithmetic. So the work is done in chunks: the arrays of a chunk stay in the
cache of a CPU core, and only results are written to memory.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.model.forecast import forecast
from stowage.model.jobs.workload import Workload
from stowage.model.offer import Offer

CHUNK = 8_192
"""Configurations in a chunk: some twenty arrays of 64 KiB stay in a second-level cache of 2 MiB."""


@dataclass(frozen=True, slots=True)
class Forecasts:
    """Quantiles and chances of n configurations.

    Every array has the shape (n,) and the type float64.

    Parameters
    ----------
    time_p10_s, time_p50_s, time_p90_s : array
        Quantiles of the time [s].
    cost_p10_usd, cost_p50_usd, cost_p90_usd : array
        Quantiles of the cost [USD].
    meets_deadline, meets_budget : array
        Chance to meet the deadline, and chance to meet the budget [1]; an array is not written if the workload has no
        such limit.
    """

    time_p10_s: NDArray[np.float64]
    time_p50_s: NDArray[np.float64]
    time_p90_s: NDArray[np.float64]
    cost_p10_usd: NDArray[np.float64]
    cost_p50_usd: NDArray[np.float64]
    cost_p90_usd: NDArray[np.float64]
    meets_deadline: NDArray[np.float64]
    meets_budget: NDArray[np.float64]

    @classmethod
    def empty(cls, size: int) -> "Forecasts":
        """Allocate arrays for ``size`` configurations."""
        return cls(*(np.empty(size) for _ in fields(cls)))


def forecast_into(into: Forecasts, offered: Offer, workload: Workload, nodes: NDArray[np.float64]) -> None:
    """Write the forecasts of n configurations into existing arrays.

    Parameters
    ----------
    into : Forecasts
        Arrays that are overwritten.
    offered : Offer
        Each value is a float that holds for all configurations, or an array of shape (n,).
    workload : Workload
    nodes : array, shape (n,)
        Whole numbers, at least 1.

    Notes
    -----
    Each result equals, bit for bit, that of `forecast.forecast` for one configuration.
    """
    cut = _cut(offered)
    for start in range(0, nodes.size, CHUNK):
        where = slice(start, start + CHUNK)
        found = forecast(offered if cut is None else cut(where), workload, nodes[where])
        into.time_p10_s[where], into.time_p50_s[where], into.time_p90_s[where] = found.time_s
        into.cost_p10_usd[where], into.cost_p50_usd[where], into.cost_p90_usd[where] = found.cost_usd
        if found.meets_deadline is not None:
            into.meets_deadline[where] = found.meets_deadline
        if found.meets_budget is not None:
            into.meets_budget[where] = found.meets_budget


def _cut(value: object) -> Callable[[slice], Any] | None:
    """Build a function that cuts one chunk of configurations out of a value.

    The function slices every array in the value, at any depth. It is built once and used for all chunks. The result is
    None if the value contains no array.
    """
    if isinstance(value, np.ndarray):
        return lambda where: value[where]
    if is_dataclass(value) and not isinstance(value, type):
        of_fields = _cuts((field.name, getattr(value, field.name)) for field in fields(value))
        return (lambda where: replace(value, **_all(of_fields, where))) if of_fields else None
    if isinstance(value, Mapping):
        of_items = _cuts(value.items())
        return (lambda where: {**value, **_all(of_items, where)}) if of_items else None
    if isinstance(value, tuple):
        at = _cuts(enumerate(value))
        make = type(value)._make if hasattr(value, "_make") else tuple
        return (lambda where: make(_all(at, where).get(i, item) for i, item in enumerate(value))) if at else None
    return None


def _cuts(items: Iterable[tuple[Any, Any]]) -> dict[Any, Callable[[slice], Any]]:
    found = ((key, _cut(item)) for key, item in items)
    return {key: cut for key, cut in found if cut is not None}


def _all(cuts: Mapping[Any, Callable[[slice], Any]], where: slice) -> dict[Any, Any]:
    return {key: cut(where) for key, cut in cuts.items()}
