"""From small clusters to large ones: published series of one job, of which the large sizes are predicted.

Each series has runs of one job on clusters of at least three sizes up to `SMALL`, and of at least one from `LARGE`. The
former are fitted, the latter are predicted.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np

from stowage.model.framework import Framework
from stowage.model.frameworks import HADOOP_MAPREDUCE, SPARK
from stowage.model.instance import InstanceType
from stowage.validation import ernest
from stowage.validation.published_jobs import PublishedJob, predicted_time_s, published_jobs

SMALL, LARGE = 20, 30
"""Most nodes of a run that is fitted; fewest of one that is predicted."""
FEWEST_SIZES = 3
_ENGINES: Mapping[str, Framework] = {framework.name: framework for framework in (SPARK, HADOOP_MAPREDUCE)}


@dataclass(frozen=True, slots=True)
class FromSmall:
    """A run on a large cluster, as runs on small ones predict it.

    Parameters
    ----------
    job : PublishedJob
    level_s : float
        By the engine with one factor for all sizes [s].
    growth_s : float
        By the engine with a factor that grows as a power of the nodes [s].
    ernest_s : float
        By Ernest's form [s].
    log_linear_s : float
        By ln(time) linear in ln(nodes), without physics [s].
    """

    job: PublishedJob
    level_s: float
    growth_s: float
    ernest_s: float
    log_linear_s: float

    def errors(self) -> tuple[float, float, float, float]:
        """Return predicted over measured time, less one, in the order of the fields [1]."""
        every = (self.level_s, self.growth_s, self.ernest_s, self.log_linear_s)
        first, second, third, fourth = (predicted_s / self.job.time_s - 1.0 for predicted_s in every)
        return first, second, third, fourth


def from_small_to_large(instances: Mapping[str, InstanceType]) -> tuple[FromSmall, ...]:
    """Predict the runs on large clusters of every published series that has small ones too.

    Parameters
    ----------
    instances : Mapping[str, InstanceType]
        Types that published jobs ran on.
    """
    return tuple(found for jobs in _series() for found in _predicted(jobs, instances))


def _series() -> list[list[PublishedJob]]:
    groups: dict[tuple[str, ...], list[PublishedJob]] = {}
    for job in published_jobs():
        told = job.told
        # Sizes of generated data differ by some bytes from run to run.
        key = (told["source"], told["framework"], told["job"], told["instance"], f"{job.data_mb:.3g}")
        groups.setdefault(key, []).append(job)
    return [
        jobs
        for jobs in groups.values()
        if jobs[0].told["framework"] in _ENGINES
        and len({job.nodes for job in jobs if job.nodes <= SMALL}) >= FEWEST_SIZES
        and any(job.nodes >= LARGE for job in jobs)
    ]


def _predicted(jobs: Sequence[PublishedJob], instances: Mapping[str, InstanceType]) -> list[FromSmall]:
    framework = _ENGINES[jobs[0].told["framework"]]
    engine_s = {job.id: predicted_time_s(job, framework, instances) for job in jobs}
    few = [job for job in jobs if job.nodes <= SMALL]
    log_nodes = np.log([job.nodes for job in few])
    off = np.array([math.log(job.time_s / engine_s[job.id]) for job in few])
    growth, level = np.polyfit(log_nodes, off, 1)
    slope, height = np.polyfit(log_nodes, np.log([job.time_s for job in few]), 1)
    form = ernest.fit([(job.data_mb, job.nodes) for job in few], [job.time_s for job in few])
    return [
        FromSmall(
            job,
            engine_s[job.id] * math.exp(mean(off)),
            engine_s[job.id] * math.exp(level + growth * math.log(job.nodes)),
            ernest.time_s(form, job.data_mb, job.nodes),
            math.exp(height + slope * math.log(job.nodes)),
        )
        for job in jobs
        if job.nodes >= LARGE
    ]
