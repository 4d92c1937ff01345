"""Corpus of published jobs, from which the CPU time and the error of the packaged frameworks are derived.

`frameworks.SPARK` and `frameworks.HADOOP_MAPREDUCE` state the derived figures. CPU time is fitted to some of the
sources, which were chosen in advance (decision 0057). The error for a run from an unseen source follows from the
differences between the sources, and is checked by leaving out each source in turn.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stowage.model.figure import Figure
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.engine import Engine
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import HADOOP_MAPREDUCE, SPARK
from stowage.validation.hierarchy import Width, of_another
from stowage.validation.published_jobs import PublishedJob, predicted_time_s, published_jobs

FITTED: Mapping[str, tuple[str, ...]] = {
    SPARK.name: ("xin-2014-petabyte-sort", "will-2025-dataproc"),
    HADOOP_MAPREDUCE.name: ("hsu-2018-scout",),
}
"""Sources to which CPU time is fitted; the others are held out (decision 0057)."""
FIRST_HADOOP = "2012"
"""First year of Hadoop jobs that count. Earlier versions had no YARN, and their heartbeats took seconds per task."""

Instances = Mapping[str, InstanceType]


def why_left_out(job: PublishedJob, instances: Instances) -> str | None:
    """Return the reason why a job does not count as evidence of its framework; None if it counts."""
    told = job.told
    if not job.sorts and told["job"] != "scan":
        return "what it shuffles is not stated"
    if told["shuffle"]:
        return f"its shuffle is that of {told['shuffle']}"
    if job.vcpus(instances.get(told["instance"])) is None:
        return "its vCPUs are not stated"
    if told["framework"] == HADOOP_MAPREDUCE.name and (told["document_date"] or told["read_on"]) < FIRST_HADOOP:
        return "older than YARN"
    return None


def sources_of(framework: str, instances: Instances) -> dict[str, tuple[PublishedJob, ...]]:
    """Return the jobs that count as evidence of a framework, grouped by source."""
    found: dict[str, tuple[PublishedJob, ...]] = {}
    for job in published_jobs():
        if job.told["framework"] == framework and why_left_out(job, instances) is None:
            found[job.told["source"]] = (*found.get(job.told["source"], ()), job)
    return found


def as_engine(framework: Framework) -> Framework:
    """Return a framework without its efficiency, so that predictions come from its engine alone."""
    return replace(framework, efficiency=None)


def log_ratios(framework: Framework, instances: Instances) -> dict[str, tuple[float, ...]]:
    """Return ln(published time / time predicted by the engine) of each job [1], grouped by source."""
    engine = as_engine(framework)
    return {
        source: tuple(math.log(job.time_s / predicted_time_s(job, engine, instances)) for job in jobs)
        for source, jobs in sources_of(framework.name, instances).items()
    }


def of_unseen_source(framework: Framework, instances: Instances) -> Width:
    """Return the range of ln(time / time predicted by the engine) for a run from an unseen source."""
    own = log_ratios(framework, instances)
    return of_another(list(own.values()), _of_others(framework, instances))


def _of_others(framework: Framework, instances: Instances) -> list[list[tuple[float, ...]]]:
    """Return, for each other framework that has sources, its `log_ratios`."""
    others = (log_ratios(each, instances) for each in (SPARK, HADOOP_MAPREDUCE) if each.name != framework.name)
    return [list(other.values()) for other in others if other]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A source of published jobs, with the range that is predicted from all other sources.

    Parameters
    ----------
    framework, source : str
    width : Width
        Predicted range of ln(time / time predicted by the engine).
    log_ratios : tuple of float
        ln(time / time predicted by the engine) of each job of the source [1].
    """

    framework: str
    source: str
    width: Width
    log_ratios: tuple[float, ...]

    @property
    def errors(self) -> tuple[float, ...]:
        """Return the relative error of the predicted time of each job [1]."""
        return tuple(math.exp(self.width.median - ratio) - 1.0 for ratio in self.log_ratios)

    @property
    def held(self) -> int:
        """Return the number of jobs whose times are between p10 and p90 of the predicted range."""
        low, high = self.width.range
        return sum(low <= ratio <= high for ratio in self.log_ratios)


def left_out(framework: Framework, instances: Instances) -> Iterator[LeftOut]:
    """Yield each source of a framework, with the range predicted from the other sources; none if there is only one."""
    own, others = log_ratios(framework, instances), _of_others(framework, instances)
    for source in own if len(own) > 1 else ():
        rest = [ratios for name, ratios in own.items() if name != source]
        width = of_another(rest, others)
        yield LeftOut(framework.name, source, width, own[source])


def fitted_cpu(framework: Framework, instances: Instances) -> tuple[float, float]:
    """Fit the CPU time of the map and the reduce phase to the sources of `FITTED` [s/GB].

    The fit minimizes the squares of ln(time / time predicted by the engine), in which each source counts once. If there
    is only one source, both phases are assumed to take the same CPU time per GB, since one source cannot distinguish
    them.
    """
    # Imported here: most commands need no fit.
    from scipy.optimize import least_squares  # type: ignore[import-untyped] # noqa: PLC0415 - no types; see above

    sources = [jobs for name, jobs in sources_of(framework.name, instances).items() if name in FITTED[framework.name]]
    together = len(sources) == 1

    def tried(logs: Sequence[float]) -> list[float]:
        map_cpu, reduce_cpu = math.exp(logs[0]), math.exp(logs[-1])
        engine = replace(as_engine(framework), engine=with_cpu(framework.engine, map_cpu, reduce_cpu))
        return [
            math.log(job.time_s / predicted_time_s(job, engine, instances)) / math.sqrt(len(jobs))
            for jobs in sources
            for job in jobs
        ]

    found = least_squares(tried, [math.log(_START_CPU)] * (1 if together else 2), diff_step=1e-2).x
    return math.exp(found[0]), math.exp(found[-1])


_START_CPU = 100.0
"""Start value of the fit [s/GB]."""


def with_cpu(engine: Engine, map_cpu: float, reduce_cpu: float) -> Engine:
    """Return a copy of an engine with the given CPU times of the map and the reduce phase [s/GB]."""

    def figure(quantity: str, value: float) -> Figure:
        return Figure(quantity, value, "s/GB", "tried", "estimated")

    return replace(engine, map_cpu=figure("map_cpu", map_cpu), reduce_cpu=figure("reduce_cpu", reduce_cpu))
