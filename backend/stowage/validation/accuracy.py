"""Prediction errors of finished jobs, by framework, kind of job and cluster size.

A source is the document in which jobs were published. Each Spark job is predicted by a fit that leaves out all jobs of
its source. A user's job is predicted in the same way: without data from the user's cluster. Leaving out a source is not
possible if there is only one, or if a profile is fitted to all sources. `Known` records how each job was predicted.
"""

import csv
import math
from collections.abc import Iterator, Mapping
from importlib.resources import files
from statistics import median
from typing import Literal

from stowage.frozen import frozen
from stowage.model.complete import Checked
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import HADOOP_DFSIO, HADOOP_MAPREDUCE, IDEAL, SPARK
from stowage.model.uncertainty.scale import Z90
from stowage.validation.corpus import left_out, log_ratios, of_unseen_source, sources_of
from stowage.validation.evaluations import EVALUATIONS, evaluation
from stowage.validation.hierarchy import Width
from stowage.validation.inputs import PublishedInputs
from stowage.validation.st1 import DIRECTIONS, LAYOUTS, predicted_by

Known = Literal["left out", "fitted", "predicted", "laboratory"]
"""Basis of a prediction. left out: a fit to all sources but the job's; fitted: a fit that includes the job; predicted:
a profile independent of the job; laboratory: runs on few nodes in the laboratory."""
Size = Literal["up to 20 nodes", "more than 20 nodes"]
MOST_OF_SMALL = 20


@frozen
class JudgedJob:
    """One finished job with its prediction error."""

    framework: str
    kind: str
    """Kind of job."""
    nodes: int
    log_ratio: float
    """ln(measured / predicted) [1]."""
    held: bool
    """Whether the 80% range of the prediction contains the measured time."""
    known: Known
    """Basis of the prediction."""

    @property
    def size(self) -> Size:
        """Return the size class of the job's cluster."""
        return "up to 20 nodes" if self.nodes <= MOST_OF_SMALL else "more than 20 nodes"


@frozen
class Accuracy(Checked):
    """Prediction errors of a group of finished jobs.

    The jobs of a group have one framework, kind of job, size class of the cluster, and basis of the prediction.
    """

    framework: str
    kind: str
    """Kind of job, such as `sort`."""
    size: Size
    known: Known
    """Basis of the predictions. `left out`: a fit without the source of the job; `fitted`: a fit that includes the job;
    `predicted`: a profile from other jobs only; `laboratory`: laboratory runs, predicted from those on at most four
    nodes."""
    jobs: int
    """Number of jobs."""
    fewest_nodes: int
    """Size of the smallest cluster."""
    most_nodes: int
    """Size of the largest cluster."""
    median_abs_error_pct: float
    """Median of |predicted / measured - 1| [%]."""
    largest_abs_error_pct: float
    """Maximum of |predicted / measured - 1| [%]."""
    held: int
    """Number of jobs whose measured time is within the 80% range."""


def accuracies(inputs: PublishedInputs, instances: Mapping[str, InstanceType]) -> tuple[Accuracy, ...]:
    """Return the prediction errors of all finished jobs.

    They are grouped by framework, kind of job and cluster size.

    Parameters
    ----------
    inputs : PublishedInputs
        The paper's catalog, and published figures.
    instances : Mapping[str, InstanceType]
        Instance types of the published jobs.
    """
    groups: dict[tuple[str, str, Size, Known], list[JudgedJob]] = {}
    of_others = (*_of_the_paper(inputs), *_of_the_post(inputs))
    for job in (*_of_the_corpus(instances), *of_others, *_of_the_laboratory()):
        groups.setdefault((job.framework, job.kind, job.size, job.known), []).append(job)
    found = [_accuracy(jobs) for jobs in groups.values()]
    names = list(dict.fromkeys(row.framework for row in found))
    kinds = list(dict.fromkeys(row.kind for row in found))
    return tuple(sorted(found, key=lambda row: (names.index(row.framework), kinds.index(row.kind), row.fewest_nodes)))


def _accuracy(jobs: list[JudgedJob]) -> Accuracy:
    first, errors = jobs[0], [abs(math.exp(-job.log_ratio) - 1.0) for job in jobs]
    return Accuracy(
        first.framework,
        first.kind,
        first.size,
        first.known,
        len(jobs),
        min(job.nodes for job in jobs),
        max(job.nodes for job in jobs),
        100.0 * median(errors),
        100.0 * max(errors),
        sum(job.held for job in jobs),
    )


def _of_the_corpus(instances: Mapping[str, InstanceType]) -> Iterator[JudgedJob]:
    for one in left_out(SPARK, instances):
        yield from _judged(SPARK, one.source, one.width, one.log_ratios, instances, "left out")
    for source, ratios in log_ratios(HADOOP_MAPREDUCE, instances).items():
        width = of_unseen_source(HADOOP_MAPREDUCE, instances)
        yield from _judged(HADOOP_MAPREDUCE, source, width, ratios, instances, "fitted")


def _of_the_laboratory() -> Iterator[JudgedJob]:
    """Yield the laboratory runs on many nodes.

    Their predictions from runs on few nodes were stored by bench/laboratory/profiles.py.
    """
    text = (files("stowage.validation") / "laboratory_predicted.csv").read_text()
    for row in csv.DictReader(text.splitlines()):
        ratio = math.log(float(row["time_s"]) / float(row["predicted_s"]))
        yield JudgedJob(row["framework"], row["kind"], int(row["nodes"]), ratio, row["held"] == "yes", "laboratory")


def _judged(
    framework: Framework,
    source: str,
    width: Width,
    ratios: tuple[float, ...],
    instances: Mapping[str, InstanceType],
    known: Known,
) -> Iterator[JudgedJob]:
    low, high = width.range
    for job, ratio in zip(sources_of(framework.name, instances)[source], ratios, strict=True):
        kind = "sort" if job.sorts else "scan"
        yield JudgedJob(framework.name, kind, job.nodes, ratio - width.median, low <= ratio <= high, known)


def _of_the_paper(inputs: PublishedInputs) -> Iterator[JudgedJob]:
    """Yield the paper's sorts by the framework Themis.

    The profile `IDEAL` predicts them. Only the error of this profile is derived from these sorts.
    """
    for name in EVALUATIONS:
        found = evaluation(inputs, name)
        measured_s = inputs.actual(f"{name}-time")
        held = found.time_s.p10 <= measured_s <= found.time_s.p90
        ratio = math.log(measured_s / found.time_s.p50)
        yield JudgedJob(IDEAL.name, "sort", found.configuration.nodes, ratio, held, "predicted")


def _of_the_post(inputs: PublishedInputs) -> Iterator[JudgedJob]:
    """Yield the HDFS reads and writes in the blog post about st1 volumes.

    The profile that predicts them is fitted to the same times.
    """
    for direction in DIRECTIONS:
        for volumes in LAYOUTS:
            found = predicted_by(inputs, HADOOP_DFSIO, direction, volumes)
            ratio = math.log(inputs.actual(f"st1-{direction}-{volumes}") / found.time_s.p50)
            held = abs(ratio) <= Z90 * HADOOP_DFSIO.error.value
            kind = f"HDFS {direction}"
            yield JudgedJob(HADOOP_DFSIO.name, kind, found.configuration.nodes, ratio, held, "fitted")
