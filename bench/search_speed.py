"""How fast a search answers, and where its time goes. Prints figures; run it with `make bench`."""

import platform
import statistics
import time
from datetime import UTC, datetime

from stowage.catalog.snapshot import packaged
from stowage.model.flows import Durability
from stowage.model.mapreduce import MapReduce
from stowage.model.workload import Assumptions, Limits, Workload
from stowage.optimizer.search import search

REPEATS = 30
PAPER = packaged("paper-2014")
CATALOGUE = PAPER.in_region("us-east-1")

TABLE_2 = Assumptions("unlimited", "whole", "pooled", "ignored", "ignored", "ignored", "prorated")

WORKLOADS = {
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


def run(workload: Workload) -> float:
    """Time one search [s]."""
    started = time.perf_counter()
    search(workload, CATALOGUE, PAPER.profiles)
    return time.perf_counter() - started


def main() -> None:
    """Print a table: candidates, median and largest time, candidates per second."""
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}, {REPEATS} repeats")
    print(f"{'workload':<32}{'candidates':>12}{'computed':>12}{'median':>10}{'max':>10}{'M/s':>8}")
    for name, workload in WORKLOADS.items():
        plan = search(workload, CATALOGUE, PAPER.profiles)
        times = [run(workload) for _ in range(REPEATS)]
        median = statistics.median(times)
        print(
            f"{name:<32}{plan.candidates:>12,}{plan.computed:>12,}{1000 * median:>8.1f}ms{1000 * max(times):>8.1f}ms"
            f"{plan.candidates / median / 1e6:>8.1f}"
        )


if __name__ == "__main__":
    main()
