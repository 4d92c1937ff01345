"""Predictions a second of the vectorised call, with every effect, the range and the cost.

One configuration is a type x node count x storage layout: medians of time and cost, p10 and p90 of both, and the
chances to meet a deadline and a budget, written into arrays that are there before. Two kinds of storage: the
instances' own disks, and EBS volumes with burst credit behind a link with credit.

Temporary arrays cost more time than the arithmetic. So the work is done in chunks: the arrays of a chunk stay in the
cache of a CPU core, and only results are written to memory.

    .venv/bin/python bench/predictions.py
"""

import os
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.catalog.snapshot import packaged
from stowage.model.cluster import Ebs, InstanceStore
from stowage.model.forecast import forecast
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import gather
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Limits, Workload
from stowage.model.offer import Offer, offer_of

SIZE = 1 << 20
ROUNDS = 7
LIMITS = Limits(deadline_s=1_800.0, budget_usd=500.0)
PAPER = packaged("paper-2014")
CATALOG = PAPER.in_region("us-east-1")

Question = tuple[Offer, Workload, NDArray[np.float64]]
CHUNK = 8_192
"""Configurations in a chunk: some twenty arrays of 64 KiB stay in a second-level cache of 2 MiB."""


@dataclass(frozen=True, slots=True)
class Forecasts:
    """Quantiles and chances of n configurations.

    Every array has the shape (n,) and the type float64.
    """

    time_p10_s: NDArray[np.float64]
    """10% quantile of the time [s]."""
    time_p50_s: NDArray[np.float64]
    """Median of the time [s]."""
    time_p90_s: NDArray[np.float64]
    """90% quantile of the time [s]."""
    cost_p10_usd: NDArray[np.float64]
    """10% quantile of the cost [USD]."""
    cost_p50_usd: NDArray[np.float64]
    """Median of the cost [USD]."""
    cost_p90_usd: NDArray[np.float64]
    """90% quantile of the cost [USD]."""
    meets_deadline: NDArray[np.float64]
    """Chance to meet the deadline [1]; not written if the workload has no deadline."""
    meets_budget: NDArray[np.float64]
    """Chance to meet the budget [1]; not written if the workload has no budget."""

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


def on_own_disks(size: int) -> Question:
    """Ask for a 100 TB sort with two copies: 2 phases over 5 resources, stragglers, the network's fall, CPU."""
    workload = Workload("", MapReduce("sort", 100e6, durability=Durability("application", 2)), limits=LIMITS)
    return question("i2.8xlarge", None, InstanceStore(5, 3), workload, size)


def on_volumes(size: int) -> Question:
    """Ask for the same sort on gp2: lines with credit carried from phase to phase, each volume of its own size."""
    workload = Workload("", MapReduce("sort", 100e6, durability=Durability("infrastructure")), limits=LIMITS)
    workload = replace(workload, assume=replace(workload.assume, network="unlimited"), credits=0.4)
    return question("i2.4xlarge", "gp2", Ebs("gp2", 135, 8), workload, size)


def question(instance: str, volume: str | None, layout: InstanceStore | Ebs, workload: Workload, size: int) -> Question:
    """Stack configurations: node counts, disk rates, prices and volume sizes that differ from one to the next."""
    of_type = None if volume is None else CATALOG.volume_types[volume]
    inputs = gather(CATALOG.instance_types[instance], of_type, workload, CATALOG, PAPER.profiles)
    if isinstance(inputs, Infeasible):
        raise SystemExit(inputs.reason)
    random = np.random.default_rng(20261120)
    nodes = random.integers(100, 1_000, size).astype(np.float64)
    sizes = None if volume is None else random.integers(100, 1_000, size).astype(np.float64)
    offered = offer_of(inputs, layout, workload, nodes, sizes)

    def differing(value: float) -> NDArray[np.float64]:
        return value * random.uniform(0.5, 2.0, size)

    prices = replace(offered.prices, usd_per_hour=differing(inputs.price.value))
    rates = replace(offered.rates, cpu=differing(3_200.0))
    return replace(offered, prices=prices, rates=rates), workload, nodes


def rate(ask: Callable[[int], Question], size: int = SIZE) -> float:
    """Return the median over rounds of configurations a second, in millions."""
    offered, workload, nodes = ask(size)
    into = Forecasts.empty(size)
    forecast_into(into, offered, workload, nodes)
    rates = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        forecast_into(into, offered, workload, nodes)
        rates.append(size / (time.perf_counter() - started) / 1e6)
    return statistics.median(rates)


def together(ask: Callable[[int], Question], processes: int) -> float:
    """Return the sum over processes that run at the same time."""
    with get_context("fork").Pool(processes) as pool:
        return sum(pool.map(rate_of, [ask.__name__] * processes, chunksize=1))


def rate_of(name: str) -> float:
    """Find the question by name, since a function of this file does not travel."""
    return rate({"on_own_disks": on_own_disks, "on_volumes": on_volumes}[name])


def floor() -> float:
    """Return the time of one multiplication of two arrays of a chunk [ns an element]: what numpy can do here."""
    a, b, out = np.ones(CHUNK), np.ones(CHUNK), np.empty(CHUNK)
    best = min(_timed(lambda: np.multiply(a, b, out=out), 20_000) for _ in range(5))
    return best / CHUNK * 1e9


def _timed(call: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - started) / times


if __name__ == "__main__":
    cores = os.cpu_count() or 1
    per_operation_ns = floor()
    print(f"{cores} cores, chunks of {CHUNK:,}, one multiplication {per_operation_ns:.2f} ns an element")
    for ask in (on_own_disks, on_volumes):
        alone, both = rate(ask), together(ask, 2)
        operations = 1_000.0 / alone / per_operation_ns
        print(
            f"{ask.__name__:13} one core {alone:5.1f}, two cores {both:5.1f} million predictions a second; "
            f"{1_000.0 / alone:.0f} ns each, as long as {operations:.0f} multiplications"
        )
