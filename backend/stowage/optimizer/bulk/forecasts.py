"""Forecasts of many configurations at once, compiled.

The arithmetic is that of `stowage.model.forecast`: it is recorded (`recording`), and executed in C (`program`) on all
cores. Decision 0083 has the reasons.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import numpy as np

from stowage.frozen import frozen
from stowage.model.forecast import forecast
from stowage.model.jobs.workload import Workload
from stowage.model.offer import Offer
from stowage.optimizer.arrays import Floats
from stowage.optimizer.bulk.program import CHUNK, Execution, Program
from stowage.optimizer.bulk.recording import Recorder, symbols


@frozen
class Forecasts:
    """Quantiles and chances of n configurations.

    Every array has the shape (n,) and the type float64.
    """

    time_p10_s: Floats
    """10% quantile of the time [s]."""
    time_p50_s: Floats
    """Median of the time [s]."""
    time_p90_s: Floats
    """90% quantile of the time [s]."""
    cost_p10_usd: Floats
    """10% quantile of the cost [USD]."""
    cost_p50_usd: Floats
    """Median of the cost [USD]."""
    cost_p90_usd: Floats
    """90% quantile of the cost [USD]."""
    meets_deadline: Floats
    """Chance to meet the deadline [1]; not written if the workload has no deadline."""
    meets_budget: Floats
    """Chance to meet the budget [1]; not written if the workload has no budget."""

    @classmethod
    def empty(cls, size: int) -> "Forecasts":
        """Allocate arrays for ``size`` configurations."""
        return cls(*(np.empty(size) for _ in fields(cls)))


def program_of(offered: Offer, workload: Workload, nodes: Floats) -> tuple[Program, tuple[str, ...]]:
    """Record the forecasts of n configurations.

    Returns
    -------
    Program
    tuple of str
        Fields of `Forecasts` that the program computes, in the order of its results.
    """
    recorder = Recorder(nodes.size)
    found = forecast(symbols(offered, recorder), workload, recorder.symbol(nodes))
    values = (*found.time_s, *found.cost_usd, found.meets_deadline, found.meets_budget)
    results = {
        field.name: recorder.value(value)
        for field, value in zip(fields(Forecasts), values, strict=True)
        if value is not None
    }
    return Program(recorder, tuple(results.values())), tuple(results)


def forecast_into(
    into: Forecasts, offered: Offer, workload: Workload, nodes: Floats, threads: int | None = None
) -> None:
    """Write the forecasts of n configurations into existing arrays.

    Parameters
    ----------
    into : Forecasts
        Arrays that are overwritten.
    offered : Offer
        Each value is a float that holds for all configurations, or an array of shape (n,).
    workload : Workload
    nodes : array, shape (n,)
        Whole numbers, from 1 to `scale.LARGEST_TABLE`.
    threads : int, optional
        Number of threads, at least 1; None for one on each core.

    Notes
    -----
    Each result equals, bit for bit, that of `forecast.forecast` for the same arrays and for one configuration alone.
    """
    program, names = program_of(offered, workload, nodes)
    results = [getattr(into, name) for name in names]
    starts = iter(range(0, nodes.size, CHUNK))

    def work(_: int) -> None:
        execution = Execution(program, results)
        # Each thread has its own setting of errors. The threads share the iterator, so a free one takes the next chunk.
        with np.errstate(all="ignore"):
            for start in starts:
                execution.run(start, min(start + CHUNK, nodes.size))

    workers = min(threads or os.cpu_count() or 1, -(-nodes.size // CHUNK))
    if workers == 1:
        work(0)
        return
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
