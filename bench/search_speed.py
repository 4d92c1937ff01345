"""How fast a search answers, and where its time goes. Prints figures; run it with `make bench`."""

import platform
import statistics
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.flows import Durability
from stowage.model.mapreduce import MapReduce
from stowage.model.workload import Assumptions, Limits, Workload
from stowage.optimizer.search import search

ROWS = 50
"""Predicted in full, as in an answer."""

TABLE_2 = Assumptions("unlimited", "whole", "pooled", "ignored", "ignored", "ignored", "prorated")

OF_THE_PAPER = {
    "100 TB sort, at most 200 nodes": Workload("", MapReduce("sort", 100e6), limits=Limits(max_nodes=200)),
    "100 TB sort, two copies": Workload("", MapReduce("sort", 100e6, durability=Durability("application", 2))),
    "100 TB sort, no limits": Workload("", MapReduce("sort", 100e6)),
    "Table 2": Workload("", MapReduce("sort", 100e6), assume=TABLE_2),
    "Table 2, up to 100,000 nodes": Workload(
        "", MapReduce("sort", 100e6), assume=TABLE_2, limits=Limits(max_nodes=100_000)
    ),
    "nothing fits": Workload(
        "", MapReduce("sort", 100e6), limits=Limits(deadline_s=1.0, budget_usd=0.01, max_nodes=200)
    ),
}


NEWEST = {
    "100 TB sort, at most 200 nodes": Workload("", MapReduce("sort", 100e6), limits=Limits(max_nodes=200)),
    "100 TB sort, no limits": Workload("", MapReduce("sort", 100e6)),
    "10 TB sort on EBS": Workload("", MapReduce("sort", 10e6, durability=Durability("infrastructure", 1))),
    "nothing fits": Workload("", MapReduce("sort", 1e9), limits=Limits(deadline_s=1.0)),
}


def measure(version: str, workloads: Mapping[str, Workload], repeats: int) -> None:
    """Print a table: candidates, median and largest time, candidates per second."""
    whole = packaged(version)
    catalogue = whole.in_region("us-east-1")
    print(f"\n{version}, us-east-1, {len(catalogue.instance_types):,} types, {repeats} repeats")
    print(f"{'workload':<32}{'candidates':>12}{'computed':>12}{'median':>10}{'max':>10}{'M/s':>8}")
    for name, workload in workloads.items():
        times = []
        for _ in range(repeats):
            started = time.perf_counter()
            plan = search(workload, catalogue, whole.profiles, ROWS)
            times.append(time.perf_counter() - started)
        median = statistics.median(times)
        print(
            f"{name:<32}{plan.candidates:>12,}{plan.computed:>12,}{1000 * median:>8.1f}ms{1000 * max(times):>8.1f}ms"
            f"{plan.candidates / median / 1e6:>8.1f}"
        )


def main() -> None:
    """Print what the paper's types and all of today's take."""
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}")
    measure("paper-2014", OF_THE_PAPER, 30)
    measure(LATEST, NEWEST, 7)


if __name__ == "__main__":
    main()
