"""Finished jobs of a framework with known parameters, in the format of a team's file."""

from collections.abc import Sequence
from dataclasses import replace

from stowage.features.calibration.calibrating import prediction_of
from stowage.measure.fits.finished_jobs import REQUIRED, FinishedJob
from stowage.model.infeasible import Infeasible
from stowage.workloads.knowledge import packaged_knowledge

JOB = FinishedJob("a", "sort", "ours", "i3.2xlarge", 4, "1 TB", "instance-store", 600.0)
SLOWER, START_UP_S = 1.25, 40.0


def finished(count: int = 6, framework: str = "ours", slower: float = SLOWER) -> Sequence[FinishedJob]:
    """Build jobs of a framework that takes a multiple of the physical time, and 40 s to start."""
    sizes = [(nodes, each) for nodes in (2, 4, 8, 16) for each in (0.1, 0.3)][:count]
    asked = [
        replace(JOB, name=f"{nodes} nodes {each}", framework=framework, nodes=nodes, data=f"{nodes * each:g} TB")
        for nodes, each in sizes
    ]
    return [replace(one, measured_s=round(slower * bound_s(one) + START_UP_S, 3)) for one in asked]


def bound_s(job: FinishedJob) -> float:
    """Return the time of a job by physics alone [s]."""
    found = prediction_of(job, packaged_knowledge)
    if isinstance(found, Infeasible):
        raise TypeError(found.reason)
    return found.time_s.p50


def csv_of(jobs: Sequence[FinishedJob]) -> bytes:
    """Write the file that a team would send."""
    lines = [",".join(REQUIRED), *(",".join(str(getattr(one, name)) for name in REQUIRED) for one in jobs)]
    return "\n".join(lines).encode()
