"""Corpus of published jobs, from which the CPU time and the error of the packaged frameworks are derived.

A source is the document in which jobs were published. The engine of a framework is the model of how it executes a job.
`frameworks.SPARK` and `frameworks.HADOOP_MAPREDUCE` state the derived figures. CPU time is fitted to some of the
sources, which were chosen in advance (decision 0057). The error for a run from an unseen source follows from the
differences between the sources. It is checked by leaving out each source in turn.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from stowage.frozen import frozen
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import HADOOP_MAPREDUCE, SPARK
from stowage.validation.hierarchy import Width, of_another
from stowage.validation.published_jobs import PublishedJob, predicted_time_s, published_jobs

FIRST_HADOOP = "2012"
"""First year of Hadoop jobs that count. Earlier versions had no YARN, and their heartbeats took seconds per task."""

Instances = Mapping[str, InstanceType]


def why_left_out(job: PublishedJob, instances: Instances) -> str | None:
    """Return the reason why a job does not count as evidence for the profile of its framework.

    None if it counts.
    """
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
    """Return the jobs that count as evidence for the profile of a framework, grouped by source."""
    found: dict[str, tuple[PublishedJob, ...]] = {}
    for job in published_jobs():
        if job.told["framework"] == framework and why_left_out(job, instances) is None:
            found[job.told["source"]] = (*found.get(job.told["source"], ()), job)
    return found


def as_engine(framework: Framework) -> Framework:
    """Return a framework without its efficiency.

    Its predictions then come from its engine alone.
    """
    return replace(framework, efficiency=None)


def log_ratios(framework: Framework, instances: Instances) -> dict[str, tuple[float, ...]]:
    """Return ln(published time / time predicted by the engine) of each job of a framework [1].

    The jobs are grouped by source.
    """
    engine = as_engine(framework)
    return {
        source: tuple(math.log(job.time_s / predicted_time_s(job, engine, instances)) for job in jobs)
        for source, jobs in sources_of(framework.name, instances).items()
    }


def of_unseen_source(framework: Framework, instances: Instances) -> Width:
    """Return the range of times of a run from an unseen source.

    It is the range of ln(time / time predicted by the engine).
    """
    own = log_ratios(framework, instances)
    return of_another(list(own.values()), _of_others(framework, instances))


def _of_others(framework: Framework, instances: Instances) -> list[list[tuple[float, ...]]]:
    """Return the `log_ratios` of each other framework that has sources."""
    others = (log_ratios(each, instances) for each in (SPARK, HADOOP_MAPREDUCE) if each.name != framework.name)
    return [list(other.values()) for other in others if other]


@frozen
class LeftOut:
    """One source of published jobs, with the range that is predicted from all other sources."""

    source: str
    width: Width
    """Predicted range of ln(time / time predicted by the engine)."""
    log_ratios: tuple[float, ...]
    """ln(time / time predicted by the engine) of each job of the source [1]."""


def left_out(framework: Framework, instances: Instances) -> Iterator[LeftOut]:
    """Yield each source of a framework, with the range predicted from the other sources.

    If there is only one source, nothing is yielded.
    """
    own, others = log_ratios(framework, instances), _of_others(framework, instances)
    for source in own if len(own) > 1 else ():
        rest = [ratios for name, ratios in own.items() if name != source]
        width = of_another(rest, others)
        yield LeftOut(source, width, own[source])
