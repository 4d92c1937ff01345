"""How much dearer the best is for the steps in which volumes are searched, against steps half as wide. Prints figures.

    make bench

A search tries sizes, IOPS and throughput of volumes in steps of 0.8%. This prints by how much its cheapest
configuration costs more than that of a search in steps of 0.4%, which holds all of the coarser steps: where throughput,
IOPS or size sets the performance, for three amounts of data, under deadlines from just reachable to generous (without a
deadline the least that can be provisioned often wins, whatever the steps).
"""

import math
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.catalogue import Catalogue
from stowage.model.choice import Selection
from stowage.model.flows import Durability
from stowage.model.hdfs import Hdfs
from stowage.model.profile import Profiles
from stowage.model.random_io import RandomIo
from stowage.model.steps import Steps
from stowage.model.workload import Limits, Workload
from stowage.optimizer.question import Question

REGION = "us-east-1"
TERABYTES = (1, 10, 100)
SLACKS = (1.0, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)
"""Deadlines, in times of the fastest on the finer steps."""
LIMIT = 0.005

EBS = Durability("infrastructure")


@dataclass(frozen=True, slots=True)
class Case:
    """What sets the performance, of which volume type, and a job that asks for it."""

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


def best(workload: Workload, catalogue: Catalogue, profiles: Profiles, steps: Steps) -> tuple[float, float]:
    """Give time [s] and cost [USD] of the best; infinite where nothing keeps to the deadline."""
    rows = Question(workload, catalogue, profiles, steps).answer(1, frontier=False).best
    rows = rows[rows["lane"] >= 0]
    if rows.size == 0:
        return math.inf, math.inf
    first = rows[rows["value"].argmin()]
    return float(first["time_s"]), float(first["cost_usd"])


def excesses(case: Case, terabytes: int, catalogue: Catalogue, profiles: Profiles) -> Iterator[tuple[float, float]]:
    """Give for each deadline, in times of the fastest, by what part the coarser steps cost more."""
    coarse, fine = Steps(), Steps(math.sqrt(Steps().ratio))
    workload = Workload("", case.job(terabytes * 1e6), selection=Selection(volumes=(case.volume,)))
    fastest_s, _ = best(replace(workload, objective="time"), catalogue, profiles, fine)
    for slack in SLACKS:
        limited = replace(workload, limits=Limits(deadline_s=fastest_s * slack))
        (_, dearer), (_, least) = (best(limited, catalogue, profiles, steps) for steps in (coarse, fine))
        yield slack, dearer / least - 1.0


def main() -> None:
    """Print a table, and fail where an excess is above what is allowed."""
    whole = packaged(LATEST)
    catalogue = whole.in_region(REGION)
    print("python bench/grid_excess.py")
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {LATEST}, {REGION}")
    print(f"cost of the best in steps of {Steps().ratio} over steps of {math.sqrt(Steps().ratio):.6f} [%], by data and")
    print(f"deadline in times of the fastest\n{'':<30}" + "".join(f"{slack:>8}" for slack in SLACKS))
    largest = 0.0
    for case in CASES:
        for terabytes in TERABYTES:
            found = [excess for _, excess in excesses(case, terabytes, catalogue, whole.profiles)]
            largest = max(largest, *found)
            kind = case.job(1.0).kind
            print(
                f"{case.sets:<11}{case.volume:<4}{kind:<11}{terabytes:>3} TB"
                + "".join(f"{100 * excess:>8.3f}" for excess in found),
                flush=True,
            )
    print(f"largest: {100 * largest:.3f}%; allowed: {100 * LIMIT:.1f}%")
    if largest > LIMIT:
        sys.exit(1)


if __name__ == "__main__":
    main()
