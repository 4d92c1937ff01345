"""How much dearer the best is for the steps in which volumes are searched, against steps half as wide. Prints figures.

    make bench

A search tries sizes, IOPS and throughput of volumes in steps of 0.8%. This prints by how much its cheapest
configuration costs more than that of a search in steps of 0.4%, which holds all of the coarser steps: where
throughput, IOPS or size sets the performance, for three amounts of data, on at most 20 and at most 1,000 nodes, under
deadlines from just reachable to generous (without one the least that can be provisioned often wins, for any
steps).

The last column is the largest excess of any instance type's own best, under twice the time of the fastest.
"""

import math
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product

from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.choice import Selection
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Limits, Workload
from stowage.optimizer.problem import SearchProblem

REGION = "us-east-1"
TERABYTES = (1, 10, 100)
SLACKS = (1.0, 1.1, 1.5, 2.0, 3.0, 10.0)
"""Deadlines, in times of the fastest on the finer steps."""
OF_TYPES = 2.0
"""Deadline under which each type's own best is looked for."""
MOST_NODES = (20, 1_000)
LIMIT = 0.005

FINER = Steps(math.sqrt(Steps().ratio))
EBS = Durability("infrastructure")


@dataclass(frozen=True, slots=True)
class Case:
    """A performance setting of a volume type, and a job that needs it."""

    sets: str
    volume: str
    job: Callable[[float], Hdfs | RandomIo]


def sequential(data_mb: float) -> Hdfs:
    """Write in sequence."""
    return Hdfs("hdfs-write", data_mb, EBS)


def scattered(data_mb: float) -> RandomIo:
    """Read and write 16 KiB anywhere."""
    return RandomIo(data_mb, 16.0, 0.5, 8.0, data_mb, EBS)


CASES = (
    Case("throughput", "gp3", sequential),
    Case("IOPS", "gp3", scattered),
    Case("IOPS", "io2", scattered),
    Case("IOPS", "io1", scattered),
    Case("size", "st1", sequential),
    Case("size", "gp2", sequential),
    Case("size", "gp2", scattered),
)


def best(workload: Workload, catalog: Catalog, profiles: Profiles, steps: Steps) -> tuple[float, float]:
    """Return time [s] and cost [USD] of the best; infinite where nothing keeps to the deadline."""
    rows = SearchProblem(workload, catalog, profiles, steps).answer(1, frontier=False).best
    rows = rows[rows["lane"] >= 0]
    if rows.size == 0:
        return math.inf, math.inf
    first = rows[rows["value"].argmin()]
    return float(first["time_s"]), float(first["cost_usd"])


def excess_of_types(workload: Workload, catalog: Catalog, profiles: Profiles) -> float:
    """Return by what part the best of an instance type costs more, of the type of which it is most."""
    coarse, fine = (
        SearchProblem(workload, catalog, profiles, steps).answer(None, frontier=False).best
        for steps in (Steps(), FINER)
    )
    both = (coarse["lane"] >= 0) & (fine["lane"] >= 0)
    return float((coarse["cost_usd"][both] / fine["cost_usd"][both] - 1.0).max())


def main() -> None:
    """Print a table, and fail where an excess is above what is allowed."""
    whole = packaged(LATEST)
    catalog, profiles = whole.in_region(REGION), whole.profiles
    print("python bench/grid_excess.py")
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {LATEST}, {REGION}")
    print(f"cost of the best in steps of {Steps().ratio} over steps of {FINER.ratio:.6f} [%], by data, nodes and")
    print(f"deadline in times of the fastest\n{'':<44}" + "".join(f"{slack:>8}" for slack in SLACKS) + "  any type")
    largest = 0.0
    for case, terabytes, most in product(CASES, TERABYTES, MOST_NODES):
        job, selection = case.job(terabytes * 1e6), Selection(volumes=(case.volume,))
        workload = Workload("", job, selection=selection, limits=Limits(max_nodes=most))
        fastest_s, _ = best(replace(workload, objective="time"), catalog, profiles, FINER)
        found = []
        for slack in SLACKS:
            limited = replace(workload, limits=Limits(deadline_s=fastest_s * slack, max_nodes=most))
            (_, dearer), (_, least) = (best(limited, catalog, profiles, steps) for steps in (Steps(), FINER))
            found.append(dearer / least - 1.0)
        limited = replace(workload, limits=Limits(deadline_s=fastest_s * OF_TYPES, max_nodes=most))
        of_types = excess_of_types(limited, catalog, profiles)
        largest = max(largest, *found)
        print(
            f"{case.sets:<11}{case.volume:<4}{job.kind:<11}{terabytes:>3} TB{most:>6,} nodes"
            + "".join(f"{100 * excess:>8.3f}" for excess in found)
            + f"{100 * of_types:>10.3f}",
            flush=True,
        )
    print(f"largest of the best: {100 * largest:.3f}%; allowed: {100 * LIMIT:.1f}%")
    if largest > LIMIT:
        sys.exit(1)


if __name__ == "__main__":
    main()
