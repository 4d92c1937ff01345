"""Growth of the busiest node's work with the size of the cluster, derived from series of runs.

The work of the busiest node is assumed to grow as a power of the node count. The growth is the exponent of this power.
A series consists of runs of one job on clusters of several sizes. `framework.GROWTH` and `framework.GROWTH_SPREAD`
state the derived figures. This module derives them from published series and from series of the laboratory.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from bench.laboratory.engines import Fitted, fitted, fitting
from bench.laboratory.recorded import Run, runs_of
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import HADOOP_MAPREDUCE, SPARK
from stowage.model.sizes import MB_PER_GB
from stowage.validation.corpus import as_engine, why_left_out
from stowage.validation.hierarchy import Width, of_another
from stowage.validation.published_jobs import PublishedJob, predicted_time_s, published_jobs

LABORATORY = "laboratory"
WIDE = 2.0
"""Minimum ratio of the largest to the smallest cluster of a series to derive growth from [1]."""
_FEWEST_SIZES = 3
_ENGINES: Mapping[str, Framework] = {each.name: as_engine(each) for each in (SPARK, HADOOP_MAPREDUCE)}


@dataclass(frozen=True, slots=True)
class Series:
    """Runs of one job on clusters of several sizes."""

    source: str
    """Document in which the runs were published, or the laboratory."""
    what: str
    """Description of the job."""
    nodes: tuple[float, ...]
    """Number of nodes of each run."""
    log_ratios: tuple[float, ...]
    """ln(time / time predicted by the engine) at each cluster size [1]."""

    @property
    def growth(self) -> float:
        """Return the growth in the runs of the series [1].

        It is the slope of ln(time / time predicted by the engine) over ln(nodes).
        """
        return float(np.polyfit(np.log(self.nodes), self.log_ratios, 1)[0])


def growth_of_another(series: Iterable[Series]) -> Width:
    """Return the growth that is expected in a run from an unseen source [1].

    The result has its median and standard deviation.
    """
    by_source: dict[str, list[float]] = {}
    for each in series:
        by_source.setdefault(each.source, []).append(each.growth)
    return of_another(list(by_source.values()))


def published_series(instances: Mapping[str, InstanceType]) -> tuple[Series, ...]:
    """Return the series of published jobs.

    The largest cluster of each series is at least `WIDE` times as large as the smallest.
    """
    groups: dict[tuple[str, ...], list[PublishedJob]] = {}
    for job in published_jobs():
        told = job.told
        if told["framework"] in _ENGINES and why_left_out(job, instances) is None:
            groups.setdefault((told["source"], told["framework"], what_of(job)), []).append(job)
    return tuple(
        Series(
            source,
            what,
            tuple(float(job.nodes) for job in jobs),
            tuple(math.log(job.time_s / predicted_time_s(job, _ENGINES[framework], instances)) for job in jobs),
        )
        for (source, framework, what), jobs in groups.items()
        if max(job.nodes for job in jobs) >= WIDE * min(job.nodes for job in jobs)
    )


def what_of(job: PublishedJob) -> str:
    """Describe a published job and its type of node.

    All jobs of a series have the same description.
    """
    on = job.told["instance"] or f"{job.told['vcpus']} vCPUs"
    # Sizes of generated data differ by a few bytes from run to run.
    return f"{job.told['framework']}, {job.told['job']} of {float(f'{job.data_mb:.3g}') / MB_PER_GB:,.0f} GB, {on}"


@cache
def laboratory_engine() -> Fitted:
    """Return Spark's engine, fitted to its laboratory runs on few nodes."""
    return fitted(fitting(_laboratory_runs()), SPARK.name)


def by_settings() -> Mapping[str, tuple[Run, ...]]:
    """Return Spark's runs in the laboratory, grouped by all settings except the node count."""
    found: dict[str, tuple[Run, ...]] = {}
    for run in _laboratory_runs():
        told = run.told
        each = f"{run.data_mb / run.nodes:.0f} MB and {run.number('partitions') / run.nodes:.0f} partitions a node"
        of_job = told["job"], told["compression"], f"skew {told['skew']}", f"output {told['output_share']}", each
        name = ", ".join(of_job)
        found[name] = (*found.get(name, ()), run)
    return found


@cache
def laboratory_series() -> tuple[Series, ...]:
    """Return the series of the laboratory.

    Their times are relative to those predicted by `laboratory_engine`.
    """
    engine = laboratory_engine()
    return tuple(
        Series(
            LABORATORY,
            what,
            tuple(float(run.nodes) for run in alike),
            tuple(math.log(run.time_s / engine.time_s(run)) for run in alike),
        )
        for what, alike in by_settings().items()
        if len({run.nodes for run in alike}) >= _FEWEST_SIZES
    )


def _laboratory_runs() -> list[Run]:
    return [run for run in runs_of(SPARK.name) if run.shuffles and run.counts]
