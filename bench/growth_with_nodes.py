"""Runs on large clusters predicted from runs on small ones, on every published series and the laboratory's.

Tables of docs/frameworks.md: how much more the busiest node does as clusters grow, and what a calibration, Ernest's
form and a straight line in ln(nodes) make of it. Prints them; with --write it puts them into the page.
"""

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

import numpy as np

from bench import ernest
from bench.growth import (
    LABORATORY,
    Series,
    by_settings,
    growth_of_another,
    laboratory_engine,
    laboratory_series,
    published_series,
    what_of,
)
from bench.laboratory import recorded
from bench.published_frameworks import PAGE, instances, write
from stowage.measure.fits.calibration import Expected
from stowage.measure.fits.calibration_fit import FEWEST_RUNS, Prior, fit
from stowage.measure.judging.run_physics import Physics, Run, physics_of
from stowage.model.forecast import PhaseTime
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS, HADOOP_MAPREDUCE, SPARK
from stowage.validation.published_jobs import PublishedJob, prediction_of, published_jobs

BEGIN, END = "<!-- written by bench/growth_with_nodes.py -->", "<!-- growth to here -->"
DATE = date(2026, 11, 26)
"""Of the fits; nothing depends on it."""
SMALL, LARGE = 20, 30
"""Most nodes of a run that is fitted, fewest of one that is predicted, in the table of large clusters."""


@dataclass(frozen=True)
class Case:
    """A finished run of a series."""

    nodes: float
    """[1]."""
    data_mb: float
    """[MB]."""
    time_s: float
    """[s]."""
    physics: Physics


@dataclass(frozen=True)
class Group:
    """A job on clusters of several sizes, with any shuffle."""

    source: str
    framework: str
    what: str
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class Predicted:
    """A run as the runs on smaller clusters of its series predict it."""

    group: Group
    case: Case
    expected: Expected
    """By a calibration."""
    ernest_s: float
    """Time by Ernest's form [s]."""
    line_s: float
    """Time by ln(time) linear in ln(nodes) [s]."""

    @property
    def errors(self) -> tuple[float, float, float]:
        """Return predicted over measured time, less one: calibration, Ernest's form, line [1]."""
        first, second, third = (
            time_s / self.case.time_s - 1.0 for time_s in (self.expected.time_s, self.ernest_s, self.line_s)
        )
        return first, second, third

    @property
    def held(self) -> bool:
        """Return whether the measured time lies between p10 and p90."""
        return self.expected.low_s <= self.case.time_s <= self.expected.high_s


Known = Mapping[str, InstanceType]


def groups(known: Known) -> Iterator[Group]:
    """Yield every series: published ones with their framework's own shuffle, and the laboratory's."""
    found: dict[tuple[str, str, str], list[Case]] = {}
    for job in published_jobs():
        told = job.told
        offered = told["framework"] in {SPARK.name, HADOOP_MAPREDUCE.name} and not told["shuffle"]
        if offered and job.vcpus(known.get(told["instance"])) is not None:
            like = FRAMEWORKS[told["framework"]]
            physics = physics_of(float(job.nodes), partial(_phases, job, known), like)
            case = Case(float(job.nodes), job.data_mb, job.time_s, physics)
            found.setdefault((told["source"], like.name, what_of(job)), []).append(case)
    for (source, framework, what), cases in found.items():
        yield Group(source, framework, what, tuple(cases))
    engine = laboratory_engine()
    for what, runs in by_settings().items():
        of_runs = (
            (run, physics_of(float(run.nodes), partial(_phases_in_laboratory, run), engine.of(run))) for run in runs
        )
        alike = tuple(Case(float(run.nodes), run.data_mb, run.time_s, physics) for run, physics in of_runs)
        yield Group(LABORATORY, SPARK.name, what, alike)


def _phases(job: PublishedJob, known: Known, framework: Framework) -> Sequence[PhaseTime]:
    return prediction_of(job, framework, known).phases


def _phases_in_laboratory(run: recorded.Run, framework: Framework) -> Sequence[PhaseTime]:
    return recorded.predicted(run, framework).phases


def predicted(group: Group, most: float, least: float, known: Known) -> Iterator[Predicted]:
    """Predict the runs of a series on at least so many nodes from those on at most so many.

    Nothing is predicted from fewer than `FEWEST_RUNS` sizes.
    """
    few, many = (
        [case for case in group.cases if case.nodes <= most],
        [case for case in group.cases if case.nodes >= least],
    )
    if not many or len({case.nodes for case in few}) < FEWEST_RUNS:
        return
    # What is expected of growth before any run is that of the other sources.
    width = growth_of_another(each for each in _series(known) if each.source != group.source)
    like = FRAMEWORKS[group.framework]
    runs = [Run(f"run {index}", case.time_s, case.physics) for index, case in enumerate(few)]
    expected = Prior.of(like, width.median, width.deviation)
    calibration = fit(like.name, runs, DATE, like=like.name, expected=expected)
    form = ernest.fit([(case.data_mb, round(case.nodes)) for case in few], [case.time_s for case in few])
    slope, height = np.polyfit(np.log([case.nodes for case in few]), np.log([case.time_s for case in few]), 1)
    for case in many:
        line_s = math.exp(height + slope * math.log(case.nodes))
        form_s = ernest.time_s(form, case.data_mb, round(case.nodes))
        yield Predicted(group, case, calibration.expect(case.physics), form_s, line_s)


def _series(known: Known) -> tuple[Series, ...]:
    return (*published_series(known), *laboratory_series())


def to_large(known: Known) -> tuple[Predicted, ...]:
    """Predict runs on `LARGE` nodes and more from those on `SMALL` and fewer."""
    return tuple(one for group in groups(known) for one in predicted(group, SMALL, LARGE, known))


def to_the_upper_half(known: Known) -> tuple[Predicted, ...]:
    """Predict the runs on more than half as many nodes as the largest of their series from all others."""
    found: list[Predicted] = []
    for group in groups(known):
        half = max(case.nodes for case in group.cases) / 2.0
        found += predicted(group, half, math.nextafter(half, math.inf), known)
    return tuple(found)


def tables(known: Known) -> str:
    """Write the growth of every series, and how well runs on small clusters predict large ones."""
    parts = (_growth(known), _compared(to_large(known)), _compared(to_the_upper_half(known)))
    return "\n\n".join("\n".join(part) for part in parts)


def _growth(known: Known) -> Iterator[str]:
    yield "| source | series of one job | nodes | power of the nodes |"
    yield "|---|---|---:|---:|"
    for each in _series(known):
        nodes = f"{min(each.nodes):.0f} to {max(each.nodes):.0f}"
        yield f"| {each.source} | {each.what} | {nodes} | {each.growth:+.2f} |"
    width = growth_of_another(_series(known))
    yield f"| a source that was not seen | median and deviation | | {width.median:.2f} ± {width.deviation:.2f} |"


def _compared(found: Sequence[Predicted]) -> Iterator[str]:
    yield "| source | series | from nodes | to | calibration | p10 to p90 | Ernest | linear in ln n |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for one in found:
        sizes = sorted(case.nodes for case in one.group.cases if case.nodes < one.case.nodes)
        ends = f"{one.expected.low_s / one.case.time_s:.2f} to {one.expected.high_s / one.case.time_s:.2f}"
        first, *rest = (f"{error:+.0%}" for error in one.errors)
        yield (
            f"| {one.group.source} | {one.group.what} | {sizes[0]:.0f} | {one.case.nodes:.0f} | {first} | {ends} "
            f"| {' | '.join(rest)} |"
        )
    columns = [np.abs(column) for column in zip(*(one.errors for one in found), strict=True)]
    held = sum(one.held for one in found)
    for words, part in (("half within", 0.5), ("nine in ten within", 0.9)):
        first, *rest = (f"{np.quantile(column, part):.0%}" for column in columns)
        yield f"| {len(found)} runs | {words} | | | {first} | {held} held | {' | '.join(rest)} |"


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put them into docs/frameworks.md")
    written = tables(instances())
    if parser.parse_args().write:
        PAGE.write_text(write(PAGE.read_text(), written, BEGIN, END))
    else:
        print(written)


if __name__ == "__main__":
    main()
