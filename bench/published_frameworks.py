"""Evidence for Spark and MapReduce from published jobs, each source left out in turn: tables of docs/frameworks.md.

Prints them; with --write it puts them into the page. Everything is computed from what travels in the package.
"""

import argparse
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from scipy.optimize import least_squares  # type: ignore[import-untyped]

from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.figure import Figure
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.engine import Engine
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import HADOOP_MAPREDUCE, SPARK
from stowage.model.uncertainty.scale import Z90
from stowage.validation.corpus import (
    LeftOut,
    as_engine,
    left_out,
    log_ratios,
    of_unseen_source,
    sources_of,
    why_left_out,
)
from stowage.validation.published_jobs import predicted_time_s, published_jobs

PAGE = Path(__file__).resolve().parents[1] / "docs" / "frameworks.md"
BEGIN, END = "<!-- written by bench/published_frameworks.py -->", "<!-- published to here -->"
FRAMEWORKS = (SPARK, HADOOP_MAPREDUCE)
_START_CPU = 100.0
"""Start value of the fit [s/GB]."""
FITTED: Mapping[str, tuple[str, ...]] = {
    SPARK.name: ("xin-2014-petabyte-sort", "will-2025-dataproc"),
    HADOOP_MAPREDUCE.name: ("hsu-2018-scout",),
}
"""Sources to which CPU time is fitted; the others are held out (decision 0057)."""


def instances() -> dict[str, InstanceType]:
    """Return the types that published jobs ran on, as the packaged catalogs know them."""
    versions = (LATEST, "paper-2014")
    return {
        name: kind
        for version in versions
        for name, kind in packaged(version).in_region("us-east-1").instance_types.items()
    }


def tables(known: Mapping[str, InstanceType]) -> str:
    """Write what the sources say, what is fitted to them, each left out in turn, and which say nothing."""
    parts = (_sources, _fits, _each_left_out, _left_aside)
    return "\n\n".join("\n".join(part(known)) for part in parts)


def _sources(known: Mapping[str, InstanceType]) -> Iterator[str]:
    yield "| framework | source | jobs | nodes | time / time of the engine |"
    yield "|---|---|---:|---:|---:|"
    for framework in FRAMEWORKS:
        for source, ratios in log_ratios(framework, known).items():
            nodes = sorted({job.nodes for job in published_jobs() if job.told["source"] == source})
            factors = sorted(math.exp(ratio) for ratio in ratios)
            spread = f"{factors[0]:.2f} to {factors[-1]:.2f}" if len(factors) > 1 else f"{factors[0]:.2f}"
            yield f"| {framework.name} | {source} | {len(ratios)} | {nodes[0]} to {nodes[-1]} | {spread} |"


def _fits(known: Mapping[str, InstanceType]) -> Iterator[str]:
    yield "| framework | map [CPU s/GB] | reduce [CPU s/GB] | median of time / engine's | deviation | p10 to p90 |"
    yield "|---|---:|---:|---:|---:|---:|"
    for framework in FRAMEWORKS:
        width = of_unseen_source(framework, known)
        map_cpu, reduce_cpu = fitted_cpu(framework, known)
        low, high = (math.exp(end) for end in width.range)
        yield (
            f"| {framework.name} | {map_cpu:.1f} | {reduce_cpu:.1f} | {math.exp(width.median):.2f} "
            f"| {width.deviation:.2f} | {low:.2f} to {high:.2f} |"
        )


def _each_left_out(known: Mapping[str, InstanceType]) -> Iterator[str]:
    yield "| left out | predicted / measured - 1 | within p10 to p90 |"
    yield "|---|---:|---:|"
    found = [one for framework in FRAMEWORKS for one in left_out(framework, known)]
    for one in found:
        own = errors_of(one)
        span = f"{own[0]:+.0%}" if len(own) == 1 else f"{min(own):+.0%} to {max(own):+.0%}"
        yield f"| {one.source} | {span} | {held_of(one)} of {len(own)} |"
    errors = [abs(error) for one in found for error in errors_of(one)]
    held = sum(map(held_of, found))
    score = sum(_score(ratio, one.width.median, one.width.deviation) for one in found for ratio in one.log_ratios)
    yield (
        f"\nHalf of the {len(errors)} jobs are predicted within {median(errors):.0%}; the 80% ranges hold {held}; mean "
        f"interval score of ln(time) {score / len(errors):.2f}."
    )


def errors_of(one: LeftOut) -> tuple[float, ...]:
    """Return the relative error of the predicted time of each job of a source [1]."""
    return tuple(math.exp(one.width.median - ratio) - 1.0 for ratio in one.log_ratios)


def held_of(one: LeftOut) -> int:
    """Return the number of jobs of a source whose measured time is between p10 and p90 of the predicted range."""
    low, high = one.width.range
    return sum(low <= ratio <= high for ratio in one.log_ratios)


def _score(ratio: float, middle: float, deviation: float) -> float:
    """Return the interval score at 80% (Gneiting and Raftery 2007, eq. 43)."""
    off, half = abs(ratio - middle), Z90 * deviation
    return 2.0 * half + 10.0 * max(0.0, off - half)


def _left_aside(known: Mapping[str, InstanceType]) -> Iterator[str]:
    yield "| jobs that say nothing of their framework | why |"
    yield "|---|---|"
    reasons: dict[tuple[str, str], int] = {}
    for job in published_jobs():
        names: tuple[Framework, ...] = FRAMEWORKS
        if job.told["framework"] not in {framework.name for framework in names}:
            why: str | None = f"{job.told['framework']} is not offered"
        else:
            why = why_left_out(job, known)
        if why is not None:
            key = (job.told["source"], why)
            reasons[key] = reasons.get(key, 0) + 1
    for (source, why), jobs in reasons.items():
        yield f"| {source}, {jobs} | {why} |"


def fitted_cpu(framework: Framework, instances: Mapping[str, InstanceType]) -> tuple[float, float]:
    """Fit the CPU time of the map phase and of the reduce phase to published jobs [s/GB].

    Only jobs from the framework's sources in `FITTED` are used. The fit minimizes the squares of ln(time / time
    predicted by the engine). Each source has the same weight. One source alone cannot distinguish the two phases, so
    both are then assumed to take the same CPU time per GB.
    """
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


def with_cpu(engine: Engine, map_cpu: float, reduce_cpu: float) -> Engine:
    """Return a copy of an engine with other CPU times of the map phase and of the reduce phase [s/GB]."""

    def figure(quantity: str, value: float) -> Figure:
        return Figure(quantity, value, "s/GB", "tried", "estimated")

    return replace(engine, map_cpu=figure("map_cpu", map_cpu), reduce_cpu=figure("reduce_cpu", reduce_cpu))


def write(page: str, written: str, begin: str = BEGIN, end: str = END) -> str:
    """Put tables into the page's text, between two marks."""
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    return re.sub(pattern, lambda _: f"{begin}\n\n{written}\n\n{end}", page, count=1, flags=re.DOTALL)


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put them into docs/frameworks.md")
    if parser.parse_args().write:
        PAGE.write_text(write(PAGE.read_text(), tables(instances())))
    else:
        print(tables(instances()))


if __name__ == "__main__":
    main()
