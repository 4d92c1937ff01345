"""Predictions a second of the vectorised call, with every effect, the range and the cost.

One configuration is a type x node count x storage layout: medians of time and cost, p10 and p90 of both, and the
chances to meet a deadline and a budget, written into arrays that are there before. Two kinds of storage: the
instances' own disks, and EBS volumes with burst credit behind a link with credit.

    .venv/bin/python bench/predictions.py
"""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np

from stowage.catalog.snapshot import packaged
from stowage.model.batch import CHUNK, Forecasts, forecast_into
from stowage.model.cluster import Ebs, InstanceStore
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

Question = tuple[Offer, Workload, np.ndarray[Any, np.dtype[np.float64]]]


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

    def differing(value: float) -> np.ndarray[Any, np.dtype[np.float64]]:
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
