"""Curves: time and cost of the first rows of a ranking over node counts, to be drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stowage.model.cluster import Configuration, Ebs, Layout, smallest_volume_gib
from stowage.model.hardware.steps import smallest_for_iops_gib
from stowage.model.plan import Candidate, Curve, Points
from stowage.model.prediction import Row
from stowage.model.stacked import Course, Medians, medians_along
from stowage.optimizer.arrays import Floats, Ints
from stowage.optimizer.problem import SearchProblem
from stowage.optimizer.volume_grid import distinct

CURVE_POINTS = 32
"""Points of a curve, evenly spaced in the logarithm of the node count."""


def curves_of(problem: SearchProblem, rows: Sequence[Row], lanes: NDArray[np.int32]) -> tuple[Curve, ...]:
    """Return the curve of each row.

    Along a curve, volumes change in size, but not in number or speed.

    Parameters
    ----------
    problem : SearchProblem
    rows : sequence of Row
    lanes : array, shape (rows,)
        Index of each row's lane.
    """
    columns = problem.lanes.rows
    ranges = zip(columns["first"][lanes].tolist(), columns["last"][lanes].tolist(), strict=True)
    courses = [
        _course(problem, row, problem.lanes.nodes[first : last + 1])
        for row, (first, last) in zip(rows, ranges, strict=True)
    ]
    of_month = problem.workload.objective == "month"
    return tuple(
        _curve(course, medians, of_month=of_month)
        for course, medians in zip(courses, medians_along(courses), strict=True)
    )


def _course(problem: SearchProblem, row: Row, every: Floats) -> Course:
    """Return the node counts and the volume sizes of a row's curve; ``every`` has the node counts of its lane."""
    inputs, workload, layout = row.inputs, row.workload, row.configuration.layout
    nodes = np.ascontiguousarray(every[_picked(every.size)])
    sizes: Floats | None = None
    if isinstance(layout, Ebs) and inputs.volume is not None:
        least = layout.size_gib if problem.grid(layout, inputs).by_size else 0
        least = max(least, smallest_for_iops_gib(inputs.volume, layout.iops))
        sizes = np.maximum(smallest_volume_gib(workload, inputs.volume, layout.count, nodes), float(least))
        held = sizes <= inputs.volume.limits.largest_gib.value
        nodes, sizes = nodes[held], sizes[held]
    return Course(row, nodes, sizes)


@lru_cache(maxsize=1 << 10)
def _picked(size: int) -> Ints:
    """Return the places of at most `CURVE_POINTS` of ``size`` node counts."""
    return distinct(np.rint(np.geomspace(1, size, min(size, CURVE_POINTS))).astype(np.int64)) - 1


def _curve(course: Course, medians: Medians, *, of_month: bool) -> Curve:
    configuration, workload, sizes_gib = course.row.configuration, course.row.workload, course.volume_gib
    nodes = course.nodes.astype(np.int64)

    def layout(place: int) -> Layout:
        first = configuration.layout
        if sizes_gib is None or not isinstance(first, Ebs):
            return first
        return replace(first, size_gib=int(sizes_gib[place]))

    def candidates(places: Iterable[int]) -> list[Candidate]:
        return [
            Candidate(
                Configuration(configuration.instance, int(nodes[place]), layout(place)),
                medians.time_s[place],
                medians.cost_usd[place],
                workload.place.paid_by,
                workload.job.durability,
                month_usd=medians.month_usd[place] if of_month else None,
            )
            for place in places
        ]

    return Curve(configuration.instance, Points(range(nodes.size), candidates))
